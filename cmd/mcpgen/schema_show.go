package main

import (
	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/schema"
)

func newSchemaShow() *cobra.Command {
	return &cobra.Command{
		Use:               "show REVISION",
		Short:             "Print mcpgen's own schema of a revision",
		Example:           `  mcpgen schema show 2026-07-28`,
		Args:              operands("REVISION"),
		ValidArgsFunction: completeOperand,
		RunE: func(c *cobra.Command, args []string) error {
			src, err := schema.Source(args[0])
			if err != nil {
				return err
			}
			_, err = c.OutOrStdout().Write(src)
			return err
		},
	}
}
