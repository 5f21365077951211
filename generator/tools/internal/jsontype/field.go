package jsontype

import (
	"cmp"
	"go/token"
	"go/types"
	"reflect"
	"strings"
	"unicode"

	"github.com/mcpgen/mcpgen/generator/internal/spelling"
	"github.com/mcpgen/mcpgen/generator/tools/internal/constraint"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// fieldPos returns where a field is declared if that is in this package, else where it is used.
func (a *Analyzer) fieldPos(v *types.Var, w *Site) token.Pos {
	if a.pkg.Has(v.Pos()) {
		return v.Pos()
	}
	return w.Pos
}

// tagDescription returns the text of a tag jsonschema:"text", by which other libraries describe fields. Tags of the
// form key=value are not descriptions.
func tagDescription(tag string) string {
	text := reflect.StructTag(tag).Get("jsonschema")
	if word, _, _ := strings.Cut(text, " "); strings.Contains(word, "=") {
		return ""
	}
	return text
}

// field returns the property for a field.
func (a *Analyzer) field(c *candidate, owner *types.Named, w *Site) *ir.Property {
	where := &Site{Pos: a.fieldPos(c.field, w), What: a.fieldOwner(owner, w) + ": field " + c.path(), Dir: w.Dir, Member: true, foreign: a.isForeign(owner, w)}
	if owner != nil && (where.Pos == w.Pos || owner.TypeArgs().Len() > 0) { // it may be the arguments that are wrong
		where.What = short(w.What) + ": " + where.What
	}
	t := a.typeOf(c.field.Type(), where)
	p := &ir.Property{
		Name: c.name, Go: c.field.Name(), Embedded: c.steps, Type: t,
		Description: cmp.Or(a.pkg.Sources.Doc(c.field), c.described),
		OmitEmpty:   c.tag.omitEmpty, OmitZero: c.tag.omitZero,
		Pos: a.pkg.Position(where.Pos),
	}
	p.Required = !t.MayBeAbsent() && !p.OmitEmpty && !p.OmitZero
	if w.Dir == In && where.foreign && !c.tag.given {
		p.Required = false // it is about Go, and there a zero value says nothing
	}
	for _, s := range c.steps {
		if s.Pointer {
			p.Required = false
		}
	}
	elem := t
	if t.Kind == ir.Pointer {
		elem = t.Elem
	}
	switch elem.Kind {
	case ir.Bool, ir.Int, ir.Uint, ir.Float, ir.Number:
		p.Quoted = c.tag.quoted
	case ir.String:
		if c.tag.quoted {
			a.problems.Addf(where.Pos, `%s: the option string of the json tag puts quotes into a string; remove it`, where.What)
		}
	}
	if w.Dir == In && !where.foreign && w.form == nil && !constraint.IsName(c.name) {
		a.problems.Addf(where.Pos, "%s: the JSON name %q is none that a model writes well; use letters, digits and _", where.What, c.name)
	}
	var notes []constraint.Note
	for _, d := range a.pkg.Sources.Notes(c.field) {
		a.used[d] = true
		if d.Name == "param" {
			notes = append(notes, constraint.Note{Directive: d})
		}
	}
	if w.form != nil {
		where.form = w.form
		a.formField(p, c, notes, where)
		return p
	}
	if open := a.unfinished(elem); open != nil {
		a.waiting[open] = append(a.waiting[open], func() { a.constraints.Apply(p, notes, where.Dir == In) })
	} else {
		a.constraints.Apply(p, notes, where.Dir == In)
	}
	return p
}

// unfinished returns the list or map among the nested parts of a type that is still being analyzed, as in type
// List []struct{ Sub List }; nil if there is none. Of such a type it is not known yet what its items are.
func (a *Analyzer) unfinished(t *ir.Type) *ir.Type {
	for t.MayBeAbsent() || t.Kind == ir.Slice || t.Kind == ir.Array || t.Kind == ir.Map {
		switch {
		case t.Elem == nil:
			return t
		case t.Name != "" && !a.building[t]:
			return nil
		}
		t = t.Elem
	}
	return nil
}

// fieldOwner names the struct of a field.
func (a *Analyzer) fieldOwner(owner *types.Named, w *Site) string {
	if owner != nil {
		return a.pkg.TypeString(owner)
	}
	return w.What
}

// A jsonTag is the parsed json tag of a field.
type jsonTag struct {
	name                        string
	given                       bool
	skip                        bool
	omitEmpty, omitZero, quoted bool
}

// jsonOptions lists the options of json tags.
var jsonOptions = []string{"omitempty", "omitzero", "string"}

// jsonTag reads the json tag of a field as encoding/json does, which ignores a name that is not valid, and unknown
// options. An option that looks misspelt is a problem if the field is of the package that is analyzed.
func (a *Analyzer) jsonTag(v *types.Var, tag string) jsonTag {
	value, ok := reflect.StructTag(tag).Lookup("json")
	if !ok {
		return jsonTag{}
	}
	if value == "-" {
		return jsonTag{skip: true}
	}
	name, options, _ := strings.Cut(value, ",")
	t := jsonTag{given: true}
	if validTagName(name) {
		t.name = name
	}
	for option := range strings.SplitSeq(options, ",") {
		switch option {
		case "":
		case "omitempty":
			t.omitEmpty = true
		case "omitzero":
			t.omitZero = true
		case "string":
			t.quoted = true
		default:
			if near := spelling.Nearest(option, jsonOptions); near != "" && v.Pkg() == a.pkg.Types {
				a.problems.Addf(v.Pos(), "field %s: the json tag has no option %s; did you mean %s?", v.Name(), option, near)
			}
		}
	}
	return t
}

// validTagName reports whether encoding/json accepts a name in a tag.
func validTagName(s string) bool {
	for _, c := range s {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", c) && !unicode.IsLetter(c) && !unicode.IsDigit(c) {
			return false
		}
	}
	return true
}
