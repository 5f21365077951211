package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/generator/tools"
)

func newBudget() *cobra.Command {
	return &cobra.Command{
		Use:   "budget [PACKAGE...]",
		Short: "Show how much of a model's context the definitions of tools take",
		Long: `Budget prints the size of each tool of Go packages, "." unless others are named,
the largest first: the bytes of its definition as tools/list sends it, and about
how many tokens they are for a model. A token is taken to be four bytes, which
is close for English text and JSON; tokenizers differ. After them come the types
whose schemas say nothing, because they have JSON methods of their own.`,
		Example: `  mcpgen budget ./...`,
		Args:    cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			pkgs, mistakes := loadTools(c.Context(), "", args)
			if len(pkgs) == 0 {
				return mistakes
			}
			type row struct {
				tools.Cost
				pkg string
			}
			var rows []row
			for _, p := range pkgs {
				for _, cost := range p.Budget() {
					rows = append(rows, row{cost, p.Path()})
				}
			}
			slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(b.Bytes, a.Bytes) })
			w := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "BYTES\tTOKENS\tTOOL\tPACKAGE")
			bytes, tokens := 0, 0
			for _, r := range rows {
				fmt.Fprintf(w, "%d\t%d\t%s\t%s\n", r.Bytes, r.Tokens, r.Tool, r.pkg)
				bytes += r.Bytes
				tokens += r.Tokens
			}
			fmt.Fprintf(w, "%d\t%d\ttotal\n", bytes, tokens)
			if err := w.Flush(); err != nil {
				return err
			}
			for _, p := range pkgs {
				for _, o := range p.Opaque() {
					fmt.Fprintf(c.OutOrStdout(), "%s: the schema of %s says nothing; write %s (%s)\n", p.Path(), o.Type, o.Advice, strings.Join(o.Tools, ", "))
				}
			}
			return mistakes
		},
	}
}
