package analyze

import (
	"fmt"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/tools/internal/analyzetest"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/lint"
	"github.com/mcpgen/mcpgen/generator/tools/internal/source"
	"github.com/mcpgen/mcpgen/mcp"
)

// TestCases compares what packages offer, and what is wrong with them. What their arguments, results and types are, the
// tests of packages signature and jsontype say.
func TestCases(t *testing.T) {
	analyzetest.Cases(t, func(pkg *source.Package) string {
		p, problems := Package(pkg)
		if p == nil {
			return "nothing\n" + analyzetest.Problems(pkg, problems)
		}
		var b strings.Builder
		fmt.Fprintf(&b, "package %s in %s generates %s\n", p.Name, p.Dir, strings.Join(GeneratedNames(p), ", "))
		if s := p.Server; s != nil {
			fmt.Fprintf(&b, "server %q version %q title %q instructions %q: %s %s %v\n", s.Name, s.Version, s.Title, s.Instructions, s.Description, s.Website, s.Icons)
		}
		silences(&b, p.Silences)
		for _, t := range p.Tools {
			fmt.Fprintf(&b, "tool %s = %s: %q %q", t.Name, t.Func.GoName(), t.Title, t.Description)
			for _, h := range []struct {
				name  string
				value *bool
			}{{"read-only", t.ReadOnly}, {"destructive", t.Destructive}, {"idempotent", t.Idempotent}, {"open world", t.OpenWorld}} {
				if h.value != nil {
					fmt.Fprintf(&b, ", %s %v", h.name, *h.value)
				}
			}
			fmt.Fprintf(&b, ", open %v, coerce %v, task %q, one of %v%s\n", t.Open, t.Coerce, t.Task, t.OneOf, described(t.Access, t.Extras))
			if t.Confirm != nil {
				b.WriteString("  confirm ")
				for _, part := range t.Confirm {
					if part.Property != nil {
						part.Text = "{" + part.Property.Go + "}"
					}
					fmt.Fprintf(&b, "%q", part.Text)
				}
				b.WriteString("\n")
			}
			if t.Timeout != 0 || t.Rate != 0 {
				fmt.Fprintf(&b, "  timeout %s, rate %d in %s\n", t.Timeout, t.Rate, t.RatePeriod)
			}
			silences(&b, t.Silences)
		}
		for _, p := range p.Prompts {
			fmt.Fprintf(&b, "prompt %s = %s: %s, %q %q%s\n", p.Name, p.Func.GoName(), [...]string{"text", "messages", "whole"}[p.Output], p.Title, p.Description, described(p.Access, p.Extras))
			completions(&b, p.Completions)
		}
		for _, r := range p.Resources {
			fmt.Fprintf(&b, "resource %s %s = %s: %s, %q %q%s, template %v, audience %v", r.URI, r.Name, r.Func.GoName(), r.MIMEType, r.Title, r.Description, described(r.Access, r.Extras), r.Template, r.Audience)
			if r.Priority != nil {
				fmt.Fprintf(&b, ", priority %v", *r.Priority)
			}
			fmt.Fprintf(&b, ", variables %v of %d\n", propertyNames(r.Variables), len(r.Parameters))
			completions(&b, r.Completions)
		}
		for _, f := range p.Forms {
			fmt.Fprintf(&b, "form %s at %s\n", f.Go.Obj().Name(), f.Pos.String()[1:])
		}
		text := b.String() + analyzetest.Problems(pkg, problems)
		var revisions []string
		for _, r := range mcp.Revisions() {
			revisions = append(revisions, r.String())
		}
		var rules []string
		for _, r := range lint.Rules() {
			rules = append(rules, r.Name)
		}
		return strings.NewReplacer(strings.Join(revisions, ", "), "REVISIONS", strings.Join(rules, ", "), "RULES").Replace(text) // whose numbers grow
	})
}

func described(a ir.Access, x ir.Extras) string {
	text := ""
	if len(a.Scopes)+len(a.Needs)+len(a.MinRevision)+len(a.Groups)+len(a.Features) > 0 {
		text += fmt.Sprintf(", access %+v", a)
	}
	if len(x.Icons)+len(x.Meta) > 0 {
		text += fmt.Sprintf(", %+v", x)
	}
	return text
}

func silences(b *strings.Builder, all []*ir.Silence) {
	for _, s := range all {
		fmt.Fprintf(b, "  silence %s at %s\n", s.Rule, s.Pos.String()[1:])
	}
}

func completions(b *strings.Builder, all []*ir.Completion) {
	for _, c := range all {
		fmt.Fprintf(b, "  %s completed by %s\n", c.Argument, c.Func.GoName())
	}
}
