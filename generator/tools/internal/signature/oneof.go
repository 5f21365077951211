package signature

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/spelling"
	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// maxOneOf is how many arguments a tool with oneof has at most: args.Type has a bit for each.
const maxOneOf = 64

// OneOf returns the groups of arguments of which exactly one must be given, which are then not required.
func (f *Function) OneOf(input []*ir.Property) (groups [][]string) {
	d := f.by
	for _, v := range d.All("oneof") {
		var names []string
		for _, name := range directive.Split(v.Text) {
			p := f.oneOfProperty(d, v, input, name)
			switch {
			case p == nil:
			case slices.Contains(names, p.Name):
				f.problems.Addf(v.Pos, "%s: oneof=%s: %s is given twice", d, v.Text, name)
			default:
				names = append(names, p.Name)
				p.Required = false
			}
		}
		switch {
		case len(names) == 1 && !strings.Contains(v.Text, ","):
			f.problems.Addf(v.Pos, "%s: oneof=%s: want two parameters or more, as in oneof=id,name", d, v.Text)
		case len(input) > maxOneOf:
			f.problems.Addf(v.Pos, "%s: oneof=%s: a tool with oneof has at most %d parameters", d, v.Text, maxOneOf)
		}
		groups = append(groups, names)
	}
	return groups
}

// oneOfProperty returns the argument that oneof names. If it cannot be one of several, oneOfProperty adds a problem
// and returns nil.
func (f *Function) oneOfProperty(d *directive.Directive, v *directive.Value, input []*ir.Property, name string) *ir.Property {
	var known []string
	for _, p := range input {
		known = append(known, p.Go)
	}
	i := slices.Index(known, name)
	if name == "" {
		f.problems.Addf(v.Pos, "%s: oneof=%s: a name is missing; write the names of parameters, as in oneof=id,name", d, v.Text)
		return nil
	}
	if i < 0 {
		advice := spelling.DidYouMean(name, known)
		if byJSON := slices.IndexFunc(input, func(p *ir.Property) bool { return p.Name == name }); byJSON >= 0 {
			advice = "; did you mean " + known[byJSON] + "?"
		}
		if advice == "" {
			advice = "; there are " + strings.Join(known, ", ")
		}
		f.problems.Addf(v.Pos, "%s: oneof=%s: %s has no parameter %s%s", d, v.Text, f.Func.GoName(), name, advice)
		return nil
	}
	p := input[i]
	switch {
	case p.Default != nil:
		f.problems.Addf(v.Pos, "%s: oneof=%s: %s has a default, so that it is never left out; remove the default", d, v.Text, name)
		return nil
	case f.demands(name):
		f.problems.Addf(v.Pos, "%s: oneof=%s: %s is required, so that it is never left out; remove required", d, v.Text, name)
		return nil
	}
	return p
}

// demands reports whether a directive above the function says that a parameter is required.
func (f *Function) demands(param string) bool {
	return slices.ContainsFunc(f.notes, func(d *directive.Directive) bool {
		return d.Name == "param" && len(d.Words) > 0 && d.Has("required") && (d.Words[0].Text == param || strings.HasSuffix(d.Words[0].Text, "."+param))
	})
}
