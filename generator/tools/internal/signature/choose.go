package signature

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/spelling"
	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// onlyFields reports whether a directive says nothing but which fields of a struct are arguments.
func onlyFields(d *directive.Directive) bool {
	return !slices.ContainsFunc(d.Given, func(v directive.Value) bool { return v.Key != "fields" })
}

// choose restricts the structs in a parameter to the fields that directives name. It comes first, since nothing can
// be said about the other fields.
func (w *pathway) choose(root *ir.Property, notes []*directive.Directive) {
	for _, d := range notes {
		for i := range d.Given {
			if v := &d.Given[i]; v.Key == "fields" {
				if p, part, ok := w.find(root, d, d.Words[0]); ok && part == "" {
					w.chooseOf(p, v)
				}
			}
		}
	}
}

// chooseOf restricts a struct to the named fields, and those of embedded structs with these names.
func (w *pathway) chooseOf(p *ir.Property, v *directive.Value) {
	slot := &p.Type
	if (*slot).MayBeAbsent() {
		w.own(slot)
		slot = &(*slot).Elem
	}
	if (*slot).Kind == ir.Invalid {
		return
	}
	if (*slot).Kind != ir.Struct {
		w.problems.Addf(v.Pos, "%s: fields=%s: fields is for structs, and %s has the type %s", w.cited(), v.Text, p.Go, w.pkg.TypeString(p.Type.Go))
		return
	}
	w.own(slot)
	t := *slot
	named := make(map[string]bool)
	for _, name := range directive.Split(v.Text) {
		if named[name] {
			w.problems.Addf(v.Pos, "%s: fields=%s: %s is given twice", w.cited(), v.Text, name)
		}
		named[name] = true
		if !slices.ContainsFunc(t.Fields, func(f *ir.Property) bool { return isCalled(f, name) }) {
			w.noSuchField(t, v, name)
		}
	}
	t.Fields = slices.DeleteFunc(t.Fields, func(f *ir.Property) bool {
		for name := range named {
			if isCalled(f, name) {
				return false
			}
		}
		return true
	})
}

// isCalled reports whether a field has a name, or is that of an embedded struct that has it.
func isCalled(f *ir.Property, name string) bool {
	return f.Go == name || slices.ContainsFunc(f.Embedded, func(s ir.Step) bool { return s.Field.Name() == name })
}

func (w *pathway) noSuchField(t *ir.Type, v *directive.Value, name string) {
	var known []string
	for _, f := range t.Fields {
		known = append(known, f.Go)
	}
	advice := spelling.DidYouMean(name, known)
	if advice == "" {
		advice = "; it has " + strings.Join(known, ", ")
	}
	w.problems.Addf(v.Pos, "%s: fields=%s: %s has no field %s%s", w.cited(), v.Text, w.pkg.TypeString(t.Go), name, advice)
}
