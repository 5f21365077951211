package analyze

import (
	"bytes"
	"encoding/json"
	"go/types"

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

// ownJSON reports whether a type decides itself what it is in JSON.
func ownJSON(n *types.Named) bool {
	return !types.IsInterface(n) && (has(n, "MarshalJSON") || has(n, "UnmarshalJSON"))
}

// promoted names the embedded type that a method comes from, for a message.
func (a *analyzer) promoted(n *types.Named, methods ...string) string {
	for _, m := range methods {
		o, index, _ := types.LookupFieldOrMethod(n, true, nil, m)
		st, ok := n.Underlying().(*types.Struct)
		if _, isFunc := o.(*types.Func); isFunc && ok && len(index) > 1 {
			return " (by the embedded " + a.typeString(st.Field(index[0]).Type()) + ")"
		}
	}
	return ""
}

// jsonType returns the form of a type that has MarshalJSON or UnmarshalJSON, or a schema by directive.
func (a *analyzer) jsonType(n *types.Named, notes typeNotes, w *site) *ir.Type {
	name := a.typeString(n)
	if notes.schema == nil {
		from := a.promoted(n, "MarshalJSON", "UnmarshalJSON")
		if n.Obj().Pkg() == a.Types {
			return a.refuse(n, w, `%s has its own JSON form%s, which nothing here can know; say what it is by //mcp:schema {"type":"string"} or its like above the type`, name, from)
		}
		return a.refuse(n, w, `%s has its own JSON form%s, which nothing here can know; declare type T struct{ %s } with //mcp:schema {"type":"string"} or its like above it, and use that`, name, from, name)
	}
	if n.Obj().Pkg() != a.Types { // in this package it is reported at the directive
		if p := schemaProblem(notes.schema.Free.Text); p != "" {
			return a.refuse(n, w, "//mcp:schema above %s: %s", name, p)
		}
	}
	need, other := "MarshalJSON", "MarshalText"
	if w.dir == in {
		need, other = "UnmarshalJSON", "UnmarshalText"
	}
	switch {
	case has(n, need):
		return &ir.Type{Kind: ir.JSON, Go: n, Name: a.typeName(n), Doc: a.typeDoc(n.Obj()), Schema: notes.json, Null: takesNull(notes.json)}
	case has(n, other):
		return &ir.Type{Kind: ir.Text, Go: n, Name: a.typeName(n), Doc: a.typeDoc(n.Obj()), Schema: notes.json}
	case ownJSON(n) || has(n, "MarshalText") || has(n, "UnmarshalText"):
		return a.refuse(n, w, "%s has a schema but not the method %s, which is needed here", name, need)
	}
	return a.refuse(n, w, "%s has a schema but neither %s nor %s, so that its JSON form follows from its Go type; remove the schema, or add the method", name, need, other)
}

// textType returns the form of a type with MarshalText or UnmarshalText, or nil if it has neither.
func (a *analyzer) textType(n *types.Named, w *site) *ir.Type {
	if types.IsInterface(n) {
		return nil
	}
	marshal, unmarshal := has(n, "MarshalText"), has(n, "UnmarshalText")
	from := a.promoted(n, "MarshalText", "UnmarshalText")
	switch {
	case !marshal && !unmarshal:
		return nil
	case w.dir == in && !unmarshal:
		return a.refuse(n, w, "%s has MarshalText%s but not UnmarshalText, by which an argument would be read", a.typeString(n), from)
	case w.dir == out && !marshal:
		return a.refuse(n, w, "%s has UnmarshalText%s but not MarshalText, by which a result would be written", a.typeString(n), from)
	case from != "" && n.Underlying().(*types.Struct).NumFields() > 1:
		return a.refuse(n, w, "%s has MarshalText%s, so that its other fields would be lost; give that field a name", a.typeString(n), from)
	}
	return &ir.Type{Kind: ir.Text, Go: n, Name: a.typeName(n), Doc: a.typeDoc(n.Obj())}
}

// typeNotes is what directives say about a type.
type typeNotes struct {
	schema        *directive.Directive // if it gives JSON
	json          string
	open          bool
	discriminator *directive.Value
	value         *directive.Value
}

// typeNotes reads the directives of a type.
func (a *analyzer) typeNotes(n *types.Named) typeNotes {
	var t typeNotes
	for _, d := range a.notesOf(n.Origin().Obj()) {
		if d.Name != "schema" {
			continue
		}
		a.used[d] = true
		if d.Free.Text != "" {
			t.schema = d
			t.json = compact(d.Free.Text)
		}
		t.open = d.Has("open")
		t.discriminator = d.Get("discriminator")
		t.value = d.Get("value")
	}
	return t
}

// compact returns a JSON text on one line, or "" if it is none.
func compact(text string) string {
	var b bytes.Buffer
	if json.Compact(&b, []byte(text)) != nil {
		return ""
	}
	return b.String()
}
