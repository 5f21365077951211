package main

import "github.com/spf13/cobra"

// newSchemaJSON returns mcpgen schema json. Several revisions have no JSON Schema in common, so it takes one.
func newSchemaJSON() *cobra.Command {
	return &cobra.Command{
		Use:               "json REVISION",
		Short:             "Print the JSON Schema of a revision",
		Example:           `  mcpgen schema json 2026-07-28`,
		Args:              operands("REVISION"),
		ValidArgsFunction: completeOperand(completeRevision),
		RunE: func(c *cobra.Command, args []string) error {
			s, err := ownSchema(args[0])
			if err != nil {
				return err
			}
			doc, err := s.JSONSchema()
			c.OutOrStdout().Write(doc)
			return err
		},
	}
}
