package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of mcpgen and of the Go that built it",
		Args:  operands(),
		RunE: func(c *cobra.Command, args []string) error {
			version, goVersion := "unknown", "unknown"
			if info, ok := debug.ReadBuildInfo(); ok {
				version, goVersion = info.Main.Version, info.GoVersion
			}
			_, err := fmt.Fprintf(c.OutOrStdout(), "mcpgen %s, built with %s\n", version, goVersion)
			return err
		},
	}
}
