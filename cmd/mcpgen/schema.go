package main

import "github.com/spf13/cobra"

// newSchema returns mcpgen schema, which only groups others.
func newSchema() *cobra.Command {
	c := &cobra.Command{
		Use:   "schema",
		Short: "List, show, download, verify and adopt schemas",
		Long: `Mcpgen has a schema of its own for every published revision. Its declarations
are those of the official one; its comments are not.`,
	}
	c.AddCommand(newSchemaAdopt(), newSchemaList(), newSchemaPull(), newSchemaShow(), newSchemaJSON(), newSchemaVerify())
	return c
}
