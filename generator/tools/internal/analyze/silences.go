package analyze

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/spelling"
	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/lint"
)

// silences returns the findings that directives tell mcpgen lint not to report.
func (a *analyzer) silences(notes []*directive.Directive) []*ir.Silence {
	var known []string
	for _, r := range lint.Rules() {
		known = append(known, r.Name)
	}
	var all []*ir.Silence
	for _, d := range notes {
		if d.Name != "nolint" || d.Free.Text == "" {
			continue
		}
		rules, reason, _ := strings.Cut(d.Free.Text, " ")
		for rule := range strings.SplitSeq(rules, ",") {
			switch {
			case !slices.Contains(known, rule) && spelling.Nearest(rule, known) != "":
				a.problems.Addf(d.Free.Pos, "%s: mcpgen lint has no rule %s%s", d, rule, spelling.DidYouMean(rule, known))
			case !slices.Contains(known, rule):
				a.problems.Addf(d.Free.Pos, "%s: mcpgen lint has no rule %s; it has %s", d, rule, strings.Join(known, ", "))
			case slices.ContainsFunc(all, func(s *ir.Silence) bool { return s.Rule == rule }):
				a.problems.Addf(d.Free.Pos, "%s: %s is given twice", d, rule)
			}
			all = append(all, &ir.Silence{Rule: rule, Pos: a.pkg.Position(d.Pos())})
		}
		if strings.TrimSpace(reason) == "" {
			a.problems.Addf(d.Pos(), "%s: say why behind the rule, as in %s", d, d.Example)
		}
	}
	return all
}
