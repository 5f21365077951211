package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/generator/tools"
)

// newBudget returns mcpgen budget. What it prints is read again by budgetLimits.read, with -since.
func newBudget() *cobra.Command {
	var limits budgetLimits
	search := false
	c := &cobra.Command{
		Use:   "budget [PACKAGE...]",
		Short: "Show how much of a model's context the definitions of tools take",
		Long: `Budget prints the size of each tool of Go packages, "." unless others are named,
the largest first: the bytes of its definition as tools/list sends it, and about
how many tokens they are for a model. A token is taken to be four bytes, which is
close for English text and JSON; tokenizers differ. After the tools come the types
whose schemas say nothing, because the types have JSON methods of their own.

With -max or -per-tool, budget exits with 1 if the tools, or one of them, take
more tokens. -since names a file with the output of an earlier run; budget then
also prints what has grown since.

With -search it also prints the size of the two tools that clients see in place of
all tools if the server has //mcp:server search; the limits still apply to all
tools.`,
		Example: `  mcpgen budget ./...
  mcpgen budget -max 8000 -per-tool 600 -since budget.txt ./...`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if err := limits.read(c); err != nil {
				return err
			}
			pkgs, mistakes := loadTools(c.Context(), "", args)
			if len(pkgs) == 0 {
				return mistakes
			}
			var rows []budgetRow
			for _, p := range pkgs {
				for _, cost := range p.Budget() {
					rows = append(rows, budgetRow{cost, p.Path()})
				}
			}
			slices.SortStableFunc(rows, func(a, b budgetRow) int { return cmp.Compare(b.Bytes, a.Bytes) })
			w := tabwriter.NewWriter(c.OutOrStdout(), 0, 0, 2, ' ', 0)
			fmt.Fprintln(w, "BYTES\tTOKENS\tTOOL\tPACKAGE")
			bytes, tokens := 0, 0
			for _, r := range rows {
				fmt.Fprintf(w, "%d\t%d\t%s\t%s\n", r.Bytes, r.Tokens, r.Tool, r.pkg)
				bytes += r.Bytes
				tokens += r.Tokens
			}
			fmt.Fprintf(w, "%d\t%d\ttotal\n", bytes, tokens)
			if search {
				bytes, tokens = 0, 0
				for _, cost := range tools.SearchBudget() {
					bytes += cost.Bytes
					tokens += cost.Tokens
				}
				fmt.Fprintf(w, "%d\t%d\twith search, whatever there is\n", bytes, tokens)
			}
			w.Flush()
			for _, p := range pkgs {
				for _, o := range p.Opaque() {
					fmt.Fprintf(c.OutOrStdout(), "%s: the schema of %s says nothing; write %s (%s)\n", p.Path(), o.Type, o.Advice, strings.Join(o.Tools, ", "))
				}
			}
			var failed failures
			failed.add(mistakes)
			failed.add(limits.check(rows, tokens))
			return failed.err()
		},
	}
	c.Flags().BoolVar(&search, "search", false, "print the size with //mcp:server search, too")
	c.Flags().IntVar(&limits.all, "max", 0, "exit with 1 if the tools together take more than `N` tokens (default no limit)")
	c.Flags().IntVar(&limits.each, "per-tool", 0, "exit with 1 if a tool takes more than `N` tokens (default no limit)")
	c.Flags().StringVar(&limits.since, "since", "", "say what grew since the output in `FILE`, of an earlier budget")
	for _, name := range []string{"max", "per-tool"} {
		c.Flags().Lookup(name).DefValue = ""
	}
	return c
}

// A budgetRow is a line of the table.
type budgetRow struct {
	tools.Cost
	pkg string
}

// budgetLimits are the flags that make budget a gate.
type budgetLimits struct {
	all, each int // in tokens; 0 for no limit
	since     string
	before    map[[2]string]int // tokens by tool and package, of the file; nil without one
}

// read checks the flags, and reads the file.
func (l *budgetLimits) read(c *cobra.Command) error {
	for name, n := range map[string]int{"max": l.all, "per-tool": l.each} {
		if n < 0 || n == 0 && c.Flags().Changed(name) {
			return usageError(c, "flag -%s cannot be %d: it is a number of tokens", name, n)
		}
	}
	if l.since == "" {
		return nil
	}
	if l.all == 0 && l.each == 0 {
		return usageError(c, "flag -since goes with -max or -per-tool")
	}
	data, err := os.ReadFile(l.since)
	if err != nil {
		return err
	}
	l.before = make(map[[2]string]int)
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		f := strings.Fields(line)
		if n == 1 && !slices.Equal(f, []string{"BYTES", "TOKENS", "TOOL", "PACKAGE"}) {
			return fmt.Errorf("%s:1: want the output of mcpgen budget, which begins with BYTES TOKENS TOOL PACKAGE", l.since)
		}
		if n == 1 || len(f) != 4 {
			continue // the total, and what follows it
		}
		tokens, err := strconv.Atoi(f[1])
		if err != nil {
			return fmt.Errorf("%s:%d: %q is no number of tokens", l.since, n, f[1])
		}
		l.before[[2]string{f[2], f[3]}] = tokens
	}
	return nil
}

// check returns a finding if there are too many tokens.
func (l *budgetLimits) check(rows []budgetRow, total int) error {
	var lines []string
	for _, r := range rows {
		if l.each > 0 && r.Tokens > l.each {
			lines = append(lines, fmt.Sprintf("tool %s of %s takes %d tokens, want at most %d%s", r.Tool, r.pkg, r.Tokens, l.each, l.grown(r, "; ")))
		}
	}
	if l.all > 0 && total > l.all {
		line := fmt.Sprintf("the tools take %d tokens, want at most %d", total, l.all)
		for _, r := range rows {
			line += l.grown(r, "; "+r.Tool+" of "+r.pkg+" ")
		}
		lines = append(lines, line)
	}
	if lines == nil {
		return nil
	}
	return finding(strings.Join(lines, "\n"))
}

// grown says by how much a tool has grown, after the words that lead to it; nothing if it has not, or nobody asked.
func (l *budgetLimits) grown(r budgetRow, lead string) string {
	before, known := l.before[[2]string{r.Tool, r.pkg}]
	switch {
	case l.before == nil || known && r.Tokens <= before:
		return ""
	case !known:
		return fmt.Sprintf("%sis new, %d tokens", lead, r.Tokens)
	}
	return fmt.Sprintf("%sgrew by %d tokens", lead, r.Tokens-before)
}
