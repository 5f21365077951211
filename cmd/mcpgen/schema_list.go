package main

import (
	"fmt"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/model"
	"github.com/mcpgen/mcpgen/schema"
)

// newSchemaList returns mcpgen schema list. Methods are counted in the merged model, but types as the file declares
// them.
func newSchemaList() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "List the revisions and extensions that mcpgen has a schema of",
		Long: `List prints a line for every revision and every extension that mcpgen has a
schema of: how many methods (requests and notifications) and how many named
types it declares, and the SHA-256 of the official file that it was checked
against.`,
		Args: operands(),
		RunE: func(c *cobra.Command, args []string) error {
			w := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "SCHEMA\tMETHODS\tTYPES\tOFFICIAL SHA-256")
			for _, r := range schema.Revisions() {
				s := must(ownSchema(r.Name))
				types := len(s.Types) // before merging names the inline ones
				merged := must(model.Merge(s))
				fmt.Fprintf(w, "%s\t%d\t%d\t%s\n", r.Name, len(merged.Methods), types, r.Official)
			}
			for _, x := range schema.Extensions() {
				in := inputs{extension: x.Name}
				merged := must(in.merged())
				types := slices.DeleteFunc(must(extensionSchema(x)).Types, func(t *model.Type) bool { return t.Imported })
				fmt.Fprintf(w, "%s\t%d\t%d\t%s\n", x.Name, len(merged.Methods), len(types), x.Official)
			}
			w.Flush()
			return nil
		},
	}
}
