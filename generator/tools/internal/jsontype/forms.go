package jsontype

import (
	"encoding/json"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/tools/internal/constraint"
	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/internal/formtag"
)

// A formSite says where and how the form of a struct is requested.
type formSite struct {
	inferred string // why it is made at run time, which knows types and tags only; empty if it is generated
}

// Form analyzes a type that ask.Form is called with. The result is nil if no code can be generated for the type, whose
// form is then made at run time.
func (a *Analyzer) Form(t types.Type, pos token.Pos) *ir.Form {
	what := "ask.Form[" + a.pkg.TypeString(t) + "]"
	st, ok := t.Underlying().(*types.Struct)
	if !ok {
		if t != types.Typ[types.Invalid] { // of which the type checker has said why
			a.problems.Addf(pos, "%s: want a struct, whose fields are those of the form", what)
		}
		return nil
	}
	n, _ := t.(*types.Named)
	w := &Site{Pos: pos, What: what, Dir: In, form: &formSite{}}
	switch {
	case n == nil:
		w.form.inferred = "it has no name"
	case n.Obj().Parent() != a.pkg.Types.Scope() && n.Obj().Pkg() == a.pkg.Types:
		w.form.inferred = "it is declared inside a function"
	case n.Obj().Pkg() != a.pkg.Types:
		w.form.inferred = "it belongs to another package"
	case n.TypeArgs().Len() > 0:
		w.form.inferred = "it is generic"
	}
	if w.form.inferred == "" {
		a.methodTaken(n, "MCPForm", what)
	}
	fields := a.fields(st, n, w)
	if w.form.inferred != "" {
		return nil
	}
	return &ir.Form{Go: n, Fields: fields, Pos: a.pkg.Position(pos)}
}

// methodTaken refuses a field or a method of a type that has the name of a generated method.
func (a *Analyzer) methodTaken(n *types.Named, name, what string) {
	o, index, _ := types.LookupFieldOrMethod(n, true, a.pkg.Types, name)
	if o != nil && len(index) == 1 && a.pkg.Has(o.Pos()) { // neither promoted nor generated
		a.problems.Addf(o.Pos(), "%s: %s is the name of the method that is generated for %s; rename this", what, name, a.pkg.TypeString(n))
	}
}

// formField completes the property of a field of a form by its directives and its tag, and checks that a form can
// have it.
func (a *Analyzer) formField(p *ir.Property, c *candidate, notes []constraint.Note, w *Site) {
	elem := p.Type
	if elem.Kind == ir.Pointer {
		elem = elem.Elem
	}
	if elem.Kind == ir.Invalid {
		return
	}
	p.Quoted = false // which encoding/json is not asked about
	if !a.isFormKind(elem) {
		a.problems.Addf(w.Pos, "%s: a form has texts, numbers, booleans, times and lists of choices; %s is none of them", w.What, a.pkg.TypeString(elem.Go))
		return
	}
	if len(notes) > 0 && w.form.inferred != "" {
		a.problems.Addf(notes[0].Pos(), "%s: %s: this form is made at run time, which knows no directives, since %s; use the tag form, or a type of this package", w.What, notes[0].Directive, w.form.inferred)
		return
	}
	tag, err := formtag.Parse(c.form)
	if err != nil {
		a.problems.Addf(w.Pos, "%s: %v", w.What, err)
		return
	}
	p.Title = tag.Text("title")
	notes = append(notes, constraint.Note{Directive: tagDirective(tag, elem, w.Pos)})
	before := len(*a.problems)
	text := *p // as which a type is constrained that reads texts
	text.Type = asText(p.Type)
	a.constraints.Apply(&text, notes, w.Dir == In)
	text.Type = p.Type
	*p = text
	if len(*a.problems) == before {
		a.checkFormField(p, elem, w)
	}
}

// isFormKind reports whether a form can have a value of a type.
func (a *Analyzer) isFormKind(t *ir.Type) bool {
	switch t.Kind {
	case ir.Bool, ir.Int, ir.Uint, ir.Float, ir.String, ir.Time, ir.Text:
		return true
	case ir.JSON:
		return has(t.Go, "UnmarshalText")
	case ir.Slice:
		return t.Elem.Kind == ir.String || t.Elem.Kind == ir.Text && types.Identical(t.Elem.Go.Underlying(), types.Typ[types.String])
	}
	return false
}

// asText returns a type with strings in place of types that read text by their own method.
func asText(t *ir.Type) *ir.Type {
	switch t.Kind {
	case ir.Text, ir.JSON:
		return &ir.Type{Kind: ir.String, Go: t.Go}
	case ir.Pointer, ir.Slice:
		own := *t
		own.Elem = asText(t.Elem)
		return &own
	}
	return t
}

// tagDirective returns the directive that is equivalent to a tag.
func tagDirective(tag *formtag.Tag, t *ir.Type, pos token.Pos) *directive.Directive {
	d := &directive.Directive{Spec: &directive.Spec{Name: "param"}, Comment: &ast.Comment{Slash: pos}, Place: directive.Field, Tag: "form"}
	for _, key := range tag.Keys {
		value := directive.Value{Key: key, Text: tag.Text(key), Pos: pos}
		switch {
		case key == "title" || key == "optional" && tag.Has("default"):
			continue
		case key == "enum":
			value.Text = directive.Join(tag.Values[key])
			if t.Kind == ir.Slice {
				value.Key = "items.enum"
			}
		case key == "default" && t.Kind == ir.Slice:
			text, _ := json.Marshal(tag.Values[key]) // strings can always be encoded
			value.Text = string(text)
		}
		d.Given = append(d.Given, value)
	}
	return d
}

// formFormats lists the formats that forms have.
var formFormats = []string{"email", "uri", "date", "date-time"}

// checkFormField checks that a form can express what directives and tags say about a field.
func (a *Analyzer) checkFormField(p *ir.Property, t *ir.Type, w *Site) {
	k := p.Constraints
	if k == nil {
		k = new(ir.Constraints)
	}
	var never []string
	for _, x := range []struct {
		key   string
		given bool
	}{
		{"above", k.Above != nil}, {"below", k.Below != nil}, {"multipleof", k.MultipleOf != ""}, {"unique", k.Unique}, {"pattern", k.Pattern != ""},
		{"header", p.Header != ""}, {"examples", p.Examples != nil},
		{"enum", k.Enum != nil && (t.Kind == ir.Int || t.Kind == ir.Uint) && !t.Named},
		{"items." + itemsKey(k.Items), itemsKey(k.Items) != ""},
	} {
		if x.given {
			never = append(never, x.key)
		}
	}
	switch {
	case never != nil:
		a.problems.Addf(w.Pos, "%s: a form cannot say %s of a field of type %s", w.What, strings.Join(never, " or "), a.pkg.TypeString(p.Type.Go))
	case k.Format != "" && !slices.Contains(formFormats, k.Format):
		a.problems.Addf(w.Pos, "%s: want a format that forms have, one of %s, got %s", w.What, strings.Join(formFormats, ", "), k.Format)
	case k.Enum != nil && (k.MinLen != nil || k.MaxLen != nil || k.Format != ""):
		a.problems.Addf(w.Pos, "%s: a choice has no minlen, maxlen or format; remove them, or enum", w.What)
	case t.Kind == ir.Slice && (k.Items == nil || k.Items.Enum == nil) && (w.form.inferred != "" || !t.Elem.IsEnum()):
		a.problems.Addf(w.Pos, "%s: a form has lists of choices only; say which ones, by the tag `form:\"enum=red,green\"`, by //mcp:param items.enum=red,green, or by the constants of a type", w.What)
	}
}

// itemsKey returns a key that limits items, other than their choices.
func itemsKey(k *ir.Constraints) string {
	switch {
	case k == nil:
	case k.MinLen != nil:
		return "minlen"
	case k.MaxLen != nil:
		return "maxlen"
	case k.Pattern != "":
		return "pattern"
	case k.Format != "":
		return "format"
	}
	return ""
}
