package analyze

import (
	"slices"

	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// spellable checks that values of the types can be spelled as strings.
func (a *analyzer) spellable(f *function, properties []*ir.Property, what string) {
	for _, p := range properties {
		if !spelled(p.Type) {
			t := p.Type
			if t.Kind == ir.Pointer {
				t = t.Elem
			}
			a.problems.Addf(f.PosOf(p), "%s: %s is a string in the protocol, and cannot be a %s; use a scalar", f.Func.GoName()+": parameter "+p.Go, what, a.pkg.TypeString(t.Go))
		}
		if p.Header != "" && !slices.ContainsFunc(f.notes, func(d *directive.Directive) bool { return d.Name == "tool" }) {
			a.problems.Addf(f.PosOf(p), "%s: only an argument of a tool has a header", f.Func.GoName()+": parameter "+p.Go)
		}
	}
}

func propertyNames(properties []*ir.Property) []string {
	var names []string
	for _, p := range properties {
		names = append(names, p.Name)
	}
	return names
}

// spelled reports whether values of a type can be spelled as strings.
func spelled(t *ir.Type) bool {
	if t.Kind == ir.Pointer {
		t = t.Elem
	}
	switch t.Kind {
	case ir.Bool, ir.Int, ir.Uint, ir.Float, ir.String, ir.Time, ir.Duration, ir.URL, ir.BigInt, ir.Number, ir.Text, ir.Invalid:
		return true
	}
	return false
}
