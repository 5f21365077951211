package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/schema"
)

// newSchemaShow returns mcpgen schema show, which prints the file as mcpgen has it, with its comments.
func newSchemaShow() *cobra.Command {
	return &cobra.Command{
		Use:   "show NAME",
		Short: "Print mcpgen's own schema of a revision or an extension",
		Example: `  mcpgen schema show 2026-07-28
  mcpgen schema show ui`,
		Args:              operands("NAME"),
		ValidArgsFunction: completeOperand(completeName),
		RunE: func(c *cobra.Command, args []string) error {
			own, found := called(args[0])
			if !found {
				return fmt.Errorf("no schema of %q; known are %s", args[0], known())
			}
			c.OutOrStdout().Write(must(schema.Files().ReadFile(own[0].path)))
			return nil
		},
	}
}
