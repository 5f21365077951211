package main

import (
	"fmt"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/generator/bindings"
	"github.com/mcpgen/mcpgen/generator/tools"
	"github.com/mcpgen/mcpgen/mcp"
)

// newVersion returns mcpgen version. A program that was built without information about its module does not know its
// version.
func newVersion() *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version of mcpgen, and what it speaks and generates",
		Args:  operands(),
		RunE: func(c *cobra.Command, args []string) error {
			version, goVersion := "unknown", "unknown"
			if info, ok := debug.ReadBuildInfo(); ok {
				version, goVersion = info.Main.Version, info.GoVersion
			}
			var revisions []string
			for _, r := range mcp.Revisions() {
				revisions = append(revisions, r.String())
			}
			fmt.Fprintf(c.OutOrStdout(), "mcpgen %s, built with %s\nrevisions %s\ngenerated code: version %s of tools, %s of bindings\n",
				version, goVersion, strings.Join(revisions, ", "), tools.CodeVersion, bindings.CodeVersion)
			return nil
		},
	}
}
