package jsontype

import (
	"go/types"

	"github.com/mcpgen/mcpgen/generator/tools/internal/constraint"
	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// has reports whether a variable of a type has a method with the signature of those that encoding
// and encoding/json call: func() ([]byte, error), or func([]byte) error.
func has(t types.Type, method string) bool {
	o, _, _ := types.LookupFieldOrMethod(t, true, nil, method)
	f, ok := o.(*types.Func)
	if !ok {
		return false
	}
	sig := f.Signature()
	if method[0] == 'M' {
		return sig.Params().Len() == 0 && sig.Results().Len() == 2 && isBytes(sig.Results().At(0).Type()) && isError(sig.Results().At(1).Type())
	}
	return sig.Params().Len() == 1 && isBytes(sig.Params().At(0).Type()) && sig.Results().Len() == 1 && isError(sig.Results().At(0).Type())
}

func isBytes(t types.Type) bool { return types.Identical(t, types.NewSlice(types.Typ[types.Byte])) }

func isError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

// ownJSON reports whether a type decides itself what it is in JSON.
func ownJSON(n *types.Named) bool {
	return !types.IsInterface(n) && (has(n, "MarshalJSON") || has(n, "UnmarshalJSON"))
}

// promoted names the embedded type that a method comes from, for a message.
func (a *Analyzer) promoted(n *types.Named, methods ...string) string {
	for _, m := range methods {
		o, index, _ := types.LookupFieldOrMethod(n, true, nil, m)
		st, ok := n.Underlying().(*types.Struct)
		if _, isFunc := o.(*types.Func); isFunc && ok && len(index) > 1 {
			return " (by the embedded " + a.pkg.TypeString(st.Field(index[0]).Type()) + ")"
		}
	}
	return ""
}

// methodType returns the form of a type by its methods, or by a schema that a directive gives, and nil
// for a type whose form follows from its Go type.
func (a *Analyzer) methodType(n *types.Named, notes typeNotes, w *Site) *ir.Type {
	switch {
	case notes.schema != nil:
		return a.schemaType(n, notes, w)
	case types.IsInterface(n):
		return nil
	case has(n, jsonMethod(w.Dir)):
		return a.jsonType(n, w)
	case w.Dir == In && ownJSON(n) && a.pkg.Own(n.Obj().Pkg()): // of others it is what encoding/json makes of it
		return a.refuse(n, w, `%s has its own JSON form%s, which nothing here can know; say what it is by //mcp:schema {"type":"string"} or its like above the type`, a.pkg.TypeString(n), a.promoted(n, "MarshalJSON"))
	}
	return a.textType(n, w)
}

// jsonMethod returns the method that encodes or decodes a value, by Direction.
func jsonMethod(d Direction) string {
	if d == In {
		return "UnmarshalJSON"
	}
	return "MarshalJSON"
}

// schemaType returns the form of a type for which a directive gives a schema: JSON if its own method writes or reads JSON, else
// text if one writes or reads text. A type of this module must have such a method, since encoding/json would write and read it
// by its Go type, whatever the schema says.
func (a *Analyzer) schemaType(n *types.Named, notes typeNotes, w *Site) *ir.Type {
	name := a.pkg.TypeString(n)
	if n.Obj().Pkg() != a.pkg.Types && notes.schema.Place == directive.Type { // in this package it is reported at the directive
		if p := constraint.SchemaProblem(notes.schema.Free.Text); p != "" {
			return a.refuse(n, w, "//mcp:schema above %s: %s", name, p)
		}
	}
	need, other := jsonMethod(w.Dir), "MarshalText"
	if w.Dir == In {
		other = "UnmarshalText"
	}
	switch {
	case has(n, need):
		return &ir.Type{Kind: ir.JSON, Go: n, Name: a.typeName(n), Doc: a.typeDoc(n.Obj()), Schema: notes.json, Null: constraint.TakesNull(notes.json)}
	case has(n, other):
		return &ir.Type{Kind: ir.Text, Go: n, Name: a.typeName(n), Doc: a.typeDoc(n.Obj()), Schema: notes.json}
	case notes.schema.Place == directive.Package: // a type of elsewhere, which encoding/json writes or reads by its Go type
		return a.textType(n, w)
	case ownJSON(n) || has(n, "MarshalText") || has(n, "UnmarshalText"):
		return a.refuse(n, w, "%s has a schema but not the method %s, which is needed here", name, need)
	}
	return a.refuse(n, w, "%s has a schema but neither %s nor %s, so that its JSON form follows from its Go type; remove the schema, or add the method", name, need, other)
}

// jsonType returns the form of a type with MarshalJSON or UnmarshalJSON and no directive about it. It is the form
// of an embedded field if the method is promoted from that; otherwise it may be anything.
func (a *Analyzer) jsonType(n *types.Named, w *Site) *ir.Type {
	need := jsonMethod(w.Dir)
	from := a.promoted(n, need)
	if from != "" && a.pkg.Own(n.Obj().Pkg()) && n.Underlying().(*types.Struct).NumFields() > 1 {
		return a.refuse(n, w, "%s has %s%s, so that its other fields would be lost; give that field a name", a.pkg.TypeString(n), need, from)
	}
	t := &ir.Type{Kind: ir.JSON, Go: n, Name: a.typeName(n), Doc: a.typeDoc(n.Obj())}
	if from != "" && a.embeddedForm(t, n, w) {
		return t
	}
	if w.Dir == In && a.pkg.Own(n.Obj().Pkg()) {
		return a.refuse(n, w, `%s has its own JSON form%s, which nothing here can know; say what it is by //mcp:schema {"type":"string"} or its like above the type`, a.pkg.TypeString(n), from)
	}
	t.Null = true
	return t
}

// embeddedForm gives a type the form of the embedded field that it has its method from, and reports
// whether that is known.
func (a *Analyzer) embeddedForm(t *ir.Type, n *types.Named, w *Site) bool {
	_, index, _ := types.LookupFieldOrMethod(n, true, nil, jsonMethod(w.Dir))
	var at types.Type = n
	var steps []ir.Step
	plain := true // generated code can go there itself
	for _, i := range index[:len(index)-1] {
		v := at.Underlying().(*types.Struct).Field(i)
		pointer := false
		at = types.Unalias(v.Type())
		if p, ok := at.(*types.Pointer); ok {
			at, pointer = types.Unalias(p.Elem()), true
		}
		plain = plain && !pointer && (v.Exported() || v.Pkg() == a.pkg.Types)
		steps = append(steps, ir.Step{Field: v, Pointer: pointer})
		e, ok := at.(*types.Named)
		if !ok {
			return false
		}
		if notes := a.typeNotes(e); notes.schema != nil {
			t.Schema, t.Null = notes.json, constraint.TakesNull(notes.json)
			return true
		}
	}
	if kind, _ := knownKind(at); kind != ir.Time {
		return false
	}
	switch {
	case plain:
		t.Kind, t.Inner = ir.Time, steps
	case w.Dir == Out:
		t.Schema = `{"type":"string","format":"date-time"}`
	default:
		return false // an embedded pointer is nil before it is read
	}
	return true
}

// textType returns the form of a type with MarshalText or UnmarshalText, or nil if it has neither. In the other
// Direction, a type of another module that has only one of them has the form that encoding/json gives it.
func (a *Analyzer) textType(n *types.Named, w *Site) *ir.Type {
	marshal, unmarshal := has(n, "MarshalText"), has(n, "UnmarshalText")
	from := a.promoted(n, "MarshalText", "UnmarshalText")
	own := a.pkg.Own(n.Obj().Pkg())
	switch {
	case !marshal && !unmarshal:
		return nil
	case !own && (w.Dir == In && !unmarshal || w.Dir == Out && !marshal):
		return nil
	case w.Dir == In && !unmarshal:
		return a.refuse(n, w, "%s has MarshalText%s but not UnmarshalText, by which an argument would be read", a.pkg.TypeString(n), from)
	case w.Dir == Out && !marshal:
		return a.refuse(n, w, "%s has UnmarshalText%s but not MarshalText, by which a result would be written", a.pkg.TypeString(n), from)
	case own && from != "" && n.Underlying().(*types.Struct).NumFields() > 1:
		return a.refuse(n, w, "%s has MarshalText%s, so that its other fields would be lost; give that field a name", a.pkg.TypeString(n), from)
	}
	return &ir.Type{Kind: ir.Text, Go: n, Name: a.typeName(n), Doc: a.typeDoc(n.Obj())}
}
