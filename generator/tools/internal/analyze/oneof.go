package analyze

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/spelling"
	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// maxOneOf is how many arguments a tool with oneof has at most: args.Type has a bit for each.
const maxOneOf = 64

// oneOf finds the arguments of which exactly one must be given. The description says so, and not the schema, since
// many clients do not accept oneOf at its top.
func (a *analyzer) oneOf(f *function, d *directive.Directive, t *ir.Tool) {
	for _, v := range d.All("oneof") {
		var names []string
		for _, name := range directive.Split(v.Text) {
			p := a.oneOfProperty(f, d, v, t, name)
			switch {
			case p == nil:
			case slices.Contains(names, p.Name):
				a.problems.Addf(v.Pos, "%s: oneof=%s: %s is given twice", d, v.Text, name)
			default:
				names = append(names, p.Name)
				p.Required = false
			}
		}
		switch {
		case len(names) == 1 && !strings.Contains(v.Text, ","):
			a.problems.Addf(v.Pos, "%s: oneof=%s: want two parameters or more, as in oneof=id,name", d, v.Text)
		case len(t.Input) > maxOneOf:
			a.problems.Addf(v.Pos, "%s: oneof=%s: a tool with oneof has at most %d parameters", d, v.Text, maxOneOf)
		}
		t.OneOf = append(t.OneOf, names)
		t.Description = strings.TrimPrefix(t.Description+"\n\nGive exactly one of "+and(names)+".", "\n\n")
	}
}

// oneOfProperty returns the argument that oneof names. If it cannot be one of several, oneOfProperty adds a problem
// and returns nil.
func (a *analyzer) oneOfProperty(f *function, d *directive.Directive, v *directive.Value, t *ir.Tool, name string) *ir.Property {
	var known []string
	for _, p := range t.Input {
		known = append(known, p.Go)
	}
	i := slices.Index(known, name)
	if name == "" {
		a.problems.Addf(v.Pos, "%s: oneof=%s: a name is missing; write the names of parameters, as in oneof=id,name", d, v.Text)
		return nil
	}
	if i < 0 {
		advice := spelling.DidYouMean(name, known)
		if byJSON := slices.IndexFunc(t.Input, func(p *ir.Property) bool { return p.Name == name }); byJSON >= 0 {
			advice = "; did you mean " + known[byJSON] + "?"
		}
		if advice == "" {
			advice = "; there are " + strings.Join(known, ", ")
		}
		a.problems.Addf(v.Pos, "%s: oneof=%s: %s has no parameter %s%s", d, v.Text, f.fn.GoName(), name, advice)
		return nil
	}
	p := t.Input[i]
	switch {
	case p.Default != nil:
		a.problems.Addf(v.Pos, "%s: oneof=%s: %s has a default, so that it is never left out; remove the default", d, v.Text, name)
		return nil
	case f.demands(name):
		a.problems.Addf(v.Pos, "%s: oneof=%s: %s is required, so that it is never left out; remove required", d, v.Text, name)
		return nil
	}
	return p
}

// demands reports whether a directive above the function says that a parameter is required.
func (f *function) demands(param string) bool {
	return slices.ContainsFunc(f.notes, func(d *directive.Directive) bool {
		return d.Name == "param" && len(d.Words) > 0 && d.Has("required") && (d.Words[0].Text == param || strings.HasSuffix(d.Words[0].Text, "."+param))
	})
}

// and joins names as a sentence does: "a, b and c".
func and(names []string) string {
	if len(names) < 2 {
		return strings.Join(names, "")
	}
	return strings.Join(names[:len(names)-1], ", ") + " and " + names[len(names)-1]
}
