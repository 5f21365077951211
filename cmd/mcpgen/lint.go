package main

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/mcpgen/mcpgen/generator/tools"
)

// newLint returns mcpgen lint. A package with mistakes does not keep the others from being looked at: its mistakes are
// returned when their findings have been printed.
func newLint() *cobra.Command {
	profiles := tools.LintProfiles()
	maxTools := tools.MaxTools
	c := &cobra.Command{
		Use:   "lint [PACKAGE...]",
		Short: "Find what some clients refuse or change in the definitions of tools",
		Long: `Lint looks at the tools of Go packages, "." unless others are named, for what is
valid in the protocol, but is refused or changed by clients, or by the models
behind them: too many tools, names and descriptions beyond a limit, and parts of
JSON Schema that they do not support. It prints a line for each finding, with what
to do about it, and exits with 1 if there is one. 'mcpgen check' has the same
lines as warnings. docs/lint.md has the sources of each rule. The profile model is
about your own words: what has no description, and which tools are alike.
//mcp:nolint RULE REASON, above a function or the package clause, silences one.

` + lintRules(),
		Example: `  mcpgen lint ./...
  mcpgen lint -profile gemini,openai ./weather
  mcpgen lint -profile model ./weather`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			if maxTools < 0 {
				return usageError(c, "flag -tools cannot be %d: it is a number of tools", maxTools)
			}
			pkgs, mistakes := loadTools(c.Context(), "", args)
			if len(pkgs) == 0 {
				return mistakes
			}
			var failed failures
			failed.add(mistakes)
			n := 0
			for _, p := range pkgs {
				for _, f := range p.Lint(profiles, maxTools) {
					n++
					fmt.Fprintln(c.OutOrStdout(), lintLine(f, ""))
				}
			}
			if n > 0 {
				noun := "findings"
				if n == 1 {
					noun = "finding"
				}
				failed.add(finding(fmt.Sprintf("some clients refuse or change what is listed above: %d %s", n, noun)))
			}
			return failed.err()
		},
	}
	addProfile(c, &profiles)
	c.Flags().IntVar(&maxTools, "tools", maxTools, "report more than `N` tools, as many as a client can use at once (default 128)")
	c.Flags().Lookup("tools").DefValue = ""
	return c
}

// addProfile adds the flag that chooses clients.
func addProfile(c *cobra.Command, profiles *[]string) {
	known := append(slices.Clone(*profiles), tools.ModelProfile)
	c.Flags().Func("profile", "look for what the client `NAME` refuses: "+listed(*profiles, "or")+";\nor model, what a model cannot make out; several with commas between them, or none\n(default all clients)", func(value string) error {
		*profiles = nil
		for name := range strings.SplitSeq(value, ",") {
			switch {
			case name == "none" || name == "":
			case !slices.Contains(known, name):
				return fmt.Errorf("flag -profile cannot be %q%s", name, suggest(name, known))
			default:
				*profiles = append(*profiles, name)
			}
		}
		return nil
	})
	impossible(c.RegisterFlagCompletionFunc("profile", cobra.FixedCompletions(append(known, "none"), cobra.ShellCompDirectiveNoFileComp)))
}

// lintLine writes a finding as file:line, rule, and what to do.
func lintLine(f *tools.LintFinding, class string) string {
	return fmt.Sprintf("%s:%d: %s%s", filepath.ToSlash(f.Pos.Filename), f.Pos.Line, class, f)
}

// lintRules lists the rules, and the clients that they are about.
func lintRules() string {
	var b strings.Builder
	b.WriteString("The rules, and the clients that are known to have them:\n\n")
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	for _, r := range tools.LintRules() {
		var clients []string
		for _, s := range r.Sources {
			clients = append(clients, strings.Fields(s.Profiles)...)
		}
		slices.Sort(clients)
		fmt.Fprintf(w, "  %s\t%s\n\t(%s)\n", r.Name, r.Meaning, strings.Join(slices.Compact(clients), ", "))
	}
	w.Flush() // a Builder takes everything
	return strings.TrimSuffix(b.String(), "\n")
}
