package signature

import (
	"go/token"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/spelling"
	"github.com/mcpgen/mcpgen/generator/tools/internal/constraint"
	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/jsontype"
)

// A pathDesc is a description of a field in a parameter.
type pathDesc struct {
	directive.Word // the path
	text           string
	d              *directive.Directive
}

// A pathway leads from a parameter to fields in it. It copies the types on the way, so that directives about these
// fields apply to one function only.
type pathway struct {
	*Function
	d      *directive.Directive
	word   directive.Word
	copies map[*ir.Type]bool
	made   []*ir.Type // the copies that are structs
}

func (f *Function) pathway() *pathway {
	return &pathway{Function: f, copies: make(map[*ir.Type]bool)}
}

// isPath reports whether a word is a path into a parameter, and returns which.
func isPath(word string, params []string) (param string, ok bool) {
	param, rest, _ := strings.Cut(word, ".")
	if !slices.Contains(params, param) {
		return "", false
	}
	for name := range strings.SplitSeq(rest, ".") {
		if !token.IsIdentifier(name) {
			return "", false
		}
	}
	return param, true
}

// notes applies the directives about a parameter and what is in it.
func (w *pathway) notes(root *ir.Property, notes []*directive.Directive, descs []pathDesc, where jsontype.Site) {
	w.choose(root, notes)
	var order []*ir.Property
	by := make(map[*ir.Property][]constraint.Note)
	for _, d := range notes {
		p, part, ok := w.find(root, d, d.Words[0])
		if !ok {
			continue
		}
		if by[p] == nil {
			order = append(order, p)
		}
		by[p] = append(by[p], constraint.Note{Directive: d, Part: part})
	}
	for _, p := range order {
		w.constraints.Apply(p, by[p], where.Dir == jsontype.In)
	}
	for _, desc := range descs {
		switch p, part, ok := w.find(root, desc.d, desc.Word); {
		case !ok:
		case part != "":
			w.problems.Addf(desc.Pos, "//mcp:desc %s: only parameters and fields have descriptions; describe the field", desc.Text)
		default:
			p.Description = desc.text
		}
	}
	for _, t := range w.made {
		names := make(map[string]string)
		for _, f := range t.Fields {
			if other, twice := names[f.Name]; twice {
				w.problems.Addf(w.decl.Name.Pos(), "%s: the fields %s and %s of %s are both called %s", w.Func.GoName(), other, f.Go, w.pkg.TypeString(t.Go), f.Name)
			}
			names[f.Name] = f.Go
		}
	}
}

// find returns the property that a path names, and the part of it, if the path goes on to one.
func (w *pathway) find(root *ir.Property, d *directive.Directive, word directive.Word) (p *ir.Property, part string, ok bool) {
	w.d, w.word = d, word
	names := strings.Split(word.Text, ".")
	n := len(names)
	for n > 1 && directive.IsPart(names[n-1]) {
		n--
	}
	part = strings.Join(names[n:], ".")
	p, slot, done := root, &root.Type, 1
	for done < n {
		if (*slot).Kind == ir.Invalid {
			return nil, "", false
		}
		w.own(slot)
		t, name, at := *slot, names[done], strings.Join(names[:done], ".")
		switch {
		case t.MayBeAbsent(): // the path has no name for it
			slot = &t.Elem
		case (t.Kind == ir.Slice || t.Kind == ir.Array) && name == "items", t.Kind == ir.Map && name == "values":
			slot = &t.Elem
			done++
		case t.Kind == ir.Struct:
			f, taken := fieldAt(t, names[done:n])
			if f == nil {
				w.noField(t, name, at)
				return nil, "", false
			}
			p, slot = f, &f.Type
			done += taken
		default:
			w.noWay(t, at)
			return nil, "", false
		}
	}
	return p, part, true
}

// own replaces a type with a copy that has its own properties.
func (w *pathway) own(slot **ir.Type) {
	if w.copies[*slot] {
		return
	}
	t := new(**slot)
	t.Name, t.Recursive = "", false // it is used at one place, so that it has none in $defs
	if t.Kind == ir.Struct {
		w.uses++
		t.Use = w.Func.GoName() + " " + strconv.Itoa(w.uses)
		t.Fields = make([]*ir.Property, len(t.Fields))
		for i, f := range (*slot).Fields {
			t.Fields[i] = new(*f)
			t.Fields[i].Constraints = copied(f.Constraints)
		}
		w.made = append(w.made, t)
	}
	w.copies[t] = true
	*slot = t
}

func copied(k *ir.Constraints) *ir.Constraints {
	if k == nil {
		return nil
	}
	c := new(*k)
	c.Items, c.Keys, c.Values = copied(k.Items), copied(k.Keys), copied(k.Values)
	return c
}

// fieldAt returns the field that a path begins with, and how many of its names lead to it: those of embedded fields
// are optional. The least deeply embedded field wins.
func fieldAt(t *ir.Type, names []string) (field *ir.Property, taken int) {
	best := -1
	for _, f := range t.Fields {
		var full []string
		for _, s := range f.Embedded {
			full = append(full, s.Field.Name())
		}
		full = append(full, f.Go)
		for skipped := range full {
			rest := full[skipped:]
			if (best < 0 || skipped < best) && len(names) >= len(rest) && slices.Equal(names[:len(rest)], rest) {
				field, taken, best = f, len(rest), skipped
			}
		}
	}
	return field, taken
}

// noField adds a problem for a name that no field has.
func (w *pathway) noField(t *ir.Type, name, at string) {
	var known, embedded []string
	for _, f := range t.Fields {
		switch {
		case f.Name == name: // as JSON has it
			w.problems.Addf(w.word.Pos, "%s: %s has no field %s; did you mean %s.%s?", w.cited(), at, name, at, f.Go)
			return
		case slices.ContainsFunc(f.Embedded, func(s ir.Step) bool { return s.Field.Name() == name }):
			embedded = append(embedded, at+"."+f.Go)
		}
		known = append(known, f.Go)
	}
	if len(embedded) > 0 {
		w.problems.Addf(w.word.Pos, "%s: %s is embedded, so that its fields are those of %s: %s", w.cited(), name, at, strings.Join(embedded, ", "))
		return
	}
	const most = 20
	switch near := spelling.DidYouMean(name, known); {
	case name == "":
		w.problems.Addf(w.word.Pos, "%s: the path ends with a dot or has two in a row; write a field after each", w.cited())
	case near != "":
		w.problems.Addf(w.word.Pos, "%s: %s has no field %s%s", w.cited(), at, name, near)
		w.problems.Suggest(w.word.Text, strings.Replace(w.word.Text, at+"."+name, at+"."+spelling.Nearest(name, known), 1))
	case len(known) > most:
		w.problems.Addf(w.word.Pos, "%s: %s has no field %s; it has %s, …", w.cited(), at, name, strings.Join(known[:most], ", "))
	default:
		w.problems.Addf(w.word.Pos, "%s: %s has no field %s; it has %s", w.cited(), at, name, strings.Join(known, ", "))
	}
}

// noWay adds a problem for a path that continues where there are no fields.
func (w *pathway) noWay(t *ir.Type, at string) {
	advice := " and has no fields"
	switch t.Kind {
	case ir.Slice, ir.Array:
		advice = "; what is in it is " + at + ".items"
	case ir.Map:
		advice = "; what is in it is " + at + ".values, and its names are " + at + ".keys"
	case ir.Union:
		advice = ", which is one of several types; write the directive above the field"
	}
	w.problems.Addf(w.word.Pos, "%s: %s has the type %s%s", w.cited(), at, w.pkg.TypeString(t.Go), advice)
}

// cited returns the directive with its path, as messages cite it.
func (w *pathway) cited() string { return "//mcp:" + w.d.Name + " " + w.word.Text }
