package analyze

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// guards reads what guards the function of a tool: a question, a timeout, and a rate.
func (a *analyzer) guards(f *function, d *directive.Directive, t *ir.Tool) {
	if v := d.Get("confirm"); v != nil {
		t.Confirm = a.question(f, d, v, t.Input)
	}
	if v := d.Get("timeout"); v != nil {
		var err error
		if t.Timeout, err = time.ParseDuration(v.Text); err != nil || t.Timeout <= 0 {
			a.problems.Addf(v.Pos, "%s: timeout=%s: want a positive duration, such as 30s or 1m30s", d, directive.Visible(v.Text))
		}
	}
	if v := d.Get("rate"); v != nil {
		count, unit, _ := strings.Cut(v.Text, "/")
		n, err := strconv.Atoi(count)
		period := map[string]time.Duration{"s": time.Second, "m": time.Minute, "h": time.Hour}[unit]
		if err != nil || n < 1 || n > 1_000_000 || period == 0 {
			a.problems.Addf(v.Pos, "%s: rate=%s: want a count of at most 1000000 in a second, minute or hour: 5/s, 100/m or 1000/h", d, directive.Visible(v.Text))
		}
		t.Rate, t.RatePeriod = n, period
	}
}

// question reads a text with arguments in braces.
func (a *analyzer) question(f *function, d *directive.Directive, v *directive.Value, input []*ir.Property) (parts []ir.Part) {
	if strings.TrimSpace(v.Text) == "" {
		a.problems.Addf(v.Pos, "%s: the question is empty; write one, such as \"confirm=Delete {name}?\"", d)
		return nil
	}
	for rest := v.Text; rest != ""; {
		i := strings.IndexAny(rest, "{}")
		if i < 0 {
			return append(parts, ir.Part{Text: rest})
		}
		if i > 0 {
			parts = append(parts, ir.Part{Text: rest[:i]})
		}
		name, after, closed := strings.Cut(rest[i+1:], "}")
		if rest[i] == '}' || !closed {
			a.problems.Addf(v.Pos, "%s: the braces of confirm surround no argument; one is written {name}", d)
			return nil
		}
		at := slices.IndexFunc(input, func(p *ir.Property) bool { return p.Name == name })
		if at < 0 {
			known := propertyNames(input)
			if len(known) == 0 {
				a.problems.Addf(v.Pos, "%s: confirm: %s has no arguments, and so no {%s}", d, f.Func.GoName(), name)
			} else {
				a.problems.Addf(v.Pos, "%s: confirm: %s has no argument %s%s", d, f.Func.GoName(), name, orList(name, known))
			}
			return nil
		}
		p := input[at]
		if !spelled(p.Type) || slices.ContainsFunc(p.Embedded, func(s ir.Step) bool { return s.Pointer }) {
			a.problems.Addf(v.Pos, "%s: confirm: a question can show text, numbers, booleans and times, not %s, which is a %s", d, name, a.pkg.TypeString(p.Type.Go))
			return nil
		}
		parts = append(parts, ir.Part{Property: p})
		rest = after
	}
	return parts
}
