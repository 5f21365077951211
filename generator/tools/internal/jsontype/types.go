package jsontype

import (
	"go/types"
	"strings"

	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// Nesting is bounded: that of named types, since a generic type can nest without end, and that of unnamed structs,
// since the Go compiler does not accept more everywhere.
const (
	maxDepth   = 100
	maxNesting = 16
)

// typeOf returns the form of a type in JSON.
func (a *Analyzer) typeOf(t types.Type, w *Site) *ir.Type {
	form := a.formOf(types.Unalias(t), w)
	if st, ok := types.Unalias(t).Underlying().(*types.Struct); ok && form.Kind == ir.Struct && len(form.Fields) == 0 && !form.Open && !a.building[form] {
		return a.fieldless(t, st, form, w)
	}
	return form
}

// fieldless returns the form of a struct that has no fields in JSON. It refuses the struct if that says nothing at the
// site, or if the struct has fields in Go.
func (a *Analyzer) fieldless(t types.Type, st *types.Struct, form *ir.Type, w *Site) *ir.Type {
	_, hasName := types.Unalias(t).(*types.Named)
	fields, _ := a.candidates(st, w)
	switch {
	case len(fields) > 0:
		return form // which are in conflict, as has been said
	case w.foreign, isEmpty(st) && (w.Bare || !hasName):
		return form
	case isEmpty(st):
		return a.refuse(t, w, "%s has no fields, so that it is always {} and says nothing; leave it out, or give it fields", a.pkg.TypeString(t))
	}
	return a.refuse(t, w, "%s has no exported fields, so that JSON can say nothing about it; give it some, or, if it is what functions work with, make them its methods", a.pkg.TypeString(t))
}

// isEmpty reports whether a struct has no fields but embedded structs without any.
func isEmpty(st *types.Struct) bool {
	for f := range st.Fields() {
		inner, ok := f.Type().Underlying().(*types.Struct)
		if !f.Embedded() || !ok || !isEmpty(inner) {
			return false
		}
	}
	return true
}

// formOf returns the form of a type. A struct may have no fields, which typeOf refuses at most sites.
func (a *Analyzer) formOf(t types.Type, w *Site) *ir.Type {
	n, ok := t.(*types.Named)
	if !ok {
		return a.unnamed(t, w)
	}
	if kind, ok := knownKind(n); ok {
		return &ir.Type{Kind: kind, Go: n}
	}
	if isOption(n) {
		return a.option(n, w)
	}
	built := &a.built[w.Dir]
	if known, ok := built.At(n).(*ir.Type); ok {
		a.cyclic = a.cyclic || a.building[known]
		if reason, ok := a.refused[known]; ok {
			a.refuseAgain(known, w, reason)
		}
		return known
	}
	b := &ir.Type{Kind: ir.Invalid, Go: n}
	built.Set(n, b) // already now, for types that contain themselves
	a.firstUse[b] = w
	a.building[b] = true
	defer delete(a.building, b)
	defer func(n int) { a.nesting = n }(a.nesting)
	a.nesting = 0
	if len(a.building) > maxDepth {
		return a.refuse(n, w, "types are nested more than %d deep", maxDepth)
	}
	if t := a.namedType(n, b, w); t != b {
		*b = *t
		for _, apply := range a.waiting[b] {
			apply()
		}
		delete(a.waiting, b)
		if reason, ok := a.refused[t]; ok {
			a.refused[b] = reason
			a.refusals[b] = &refusal{problem: len(*a.problems) - 1, places: 1}
		}
	}
	return b
}

// isOption reports whether a type is wire.Option of some type.
func isOption(t types.Type) bool {
	n, ok := types.Unalias(t).(*types.Named)
	return ok && n.Obj().Pkg() != nil && n.Obj().Pkg().Path() == "github.com/mcpgen/mcpgen/runtime/wire" && n.Obj().Name() == "Option"
}

// option returns the form of a wire.Option.
func (a *Analyzer) option(n *types.Named, w *Site) *ir.Type {
	of := n.TypeArgs().At(0)
	if !w.Member {
		return a.refuse(n, w, "%s is for parameters, fields and named results, which can be absent; use %s here", a.pkg.TypeString(n), a.pkg.TypeString(of))
	}
	elem := a.typeOf(of, w.inside())
	switch elem.Kind {
	case ir.Pointer:
		return a.refuse(n, w, "%s says by itself that there may be no value; use an Option of %s", a.pkg.TypeString(n), a.pkg.TypeString(elem.Elem.Go))
	case ir.Any, ir.Raw:
		return a.refuse(n, w, "null is a value of %s; use *%[1]s, or a type that null is no value of", a.pkg.TypeString(of))
	}
	if elem.Null {
		return a.refuse(n, w, "null is a value of %s, by its schema; take it out of the schema", a.pkg.TypeString(of))
	}
	return &ir.Type{Kind: ir.Option, Go: n, Elem: elem}
}

// namedType returns the form of a type that has a name. What it contains may refer to self.
func (a *Analyzer) namedType(n *types.Named, self *ir.Type, w *Site) *ir.Type {
	if name, ok := strings.CutPrefix(n.Obj().Name(), "_Ctype_"); ok && n.Obj().Pkg() == a.pkg.Types {
		return a.refuse(n, w, "C.%s is a type of C, which generated code cannot name; use one of Go", name)
	}
	if o := n.Obj(); w.Dir == In && o.Pkg() != a.pkg.Types && o.Pkg() != nil && !o.Exported() {
		return a.refuse(n, w, "generated code cannot name the type %s, which is not exported", a.pkg.TypeString(n))
	}
	notes := a.typeNotes(n)
	if t := a.methodType(n, notes, w); t != nil {
		return t
	}
	var t *ir.Type
	switch u := n.Underlying().(type) {
	case *types.Struct:
		// The fields of a type that contains itself need its kind.
		*self = ir.Type{Kind: ir.Struct, Go: n, Open: notes.open, Name: a.typeName(n), Doc: a.typeDoc(n.Obj())}
		self.Fields = a.fields(u, n, w)
		return self
	case *types.Interface:
		if u.NumMethods() == 0 {
			return &ir.Type{Kind: ir.Any, Go: n}
		}
		return a.union(n, u, self, notes, w)
	case *types.Pointer:
		return a.refuse(n, w, "%s is a pointer type with a name; use *%s", a.pkg.TypeString(n), a.pkg.TypeString(u.Elem()))
	case *types.Basic:
		t = a.basic(n, u, w)
		t.Enum = a.enum(n, u)
		t.Open = notes.open && len(t.Enum) > 0
		t.Named = nameValues(t.Enum, n) && !t.Open
		t.Numbers = t.Named && w.Dir == In
		t.MoreValues = t.Open || w.Dir == Out && !notes.closed && len(t.Enum) > 0
	default:
		*self = ir.Type{Kind: containerKind(u), Go: n, Name: a.typeName(n)}
		t = a.unnamed(u, w)
	}
	t.Go, t.Name = n, a.typeName(n)
	t.Doc = a.typeDoc(n.Obj())
	return t
}

// isByte reports whether encoding/json writes a slice of a type as base64: the type is a byte, and no method of it says
// otherwise.
func isByte(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Byte && !has(t, "MarshalJSON") && !has(t, "MarshalText")
}

// containerKind returns the kind of a slice, array or map, for what such a type contains.
func containerKind(t types.Type) ir.Kind {
	switch t.(type) {
	case *types.Slice:
		return ir.Slice
	case *types.Array:
		return ir.Array
	case *types.Map:
		return ir.Map
	}
	return ir.Invalid
}

// unnamed returns the form of a type without a name.
func (a *Analyzer) unnamed(t types.Type, w *Site) *ir.Type {
	switch u := t.(type) {
	case *types.Basic:
		return a.basic(t, u, w)
	case *types.Pointer:
		elem := a.typeOf(u.Elem(), w)
		if elem.Kind == ir.Pointer {
			return a.refuse(t, w, "a pointer to a pointer says nothing more in JSON; use *%s, or a wire.Option of it, which tells null from what is absent", a.pkg.TypeString(elem.Elem.Go))
		}
		if elem.Kind == ir.Option {
			return a.refuse(t, w, "a pointer to an Option says nothing more in JSON; use %s", a.pkg.TypeString(elem.Go))
		}
		return &ir.Type{Kind: ir.Pointer, Go: t, Elem: elem}
	case *types.Slice:
		if isByte(u.Elem()) {
			return &ir.Type{Kind: ir.Bytes, Go: t}
		}
		return &ir.Type{Kind: ir.Slice, Go: t, Elem: a.typeOf(u.Elem(), w.inside())}
	case *types.Array:
		return &ir.Type{Kind: ir.Array, Go: t, Elem: a.typeOf(u.Elem(), w.inside()), Len: u.Len()}
	case *types.Map:
		return a.mapType(u, w)
	case *types.Struct:
		for _, method := range []string{"MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText"} {
			if has(t, method) {
				return a.refuse(t, w, "the struct has %s by an embedded field, so that its other fields would be lost; give that field a name", method)
			}
		}
		if a.nesting++; a.nesting > maxNesting {
			return a.refuse(t, w, "structs without names are nested more than %d deep; give some of them names", maxNesting)
		}
		defer func() { a.nesting-- }()
		return &ir.Type{Kind: ir.Struct, Go: t, Fields: a.fields(u, nil, w)}
	case *types.Interface:
		if u.NumMethods() == 0 {
			return &ir.Type{Kind: ir.Any, Go: t}
		}
		return a.refuse(t, w, "an interface without a name could be any type; use a sealed interface, which has a name, an unexported method, and its implementations in one package")
	case *types.Chan:
		return a.refuse(t, w, "a channel cannot be JSON; use a slice, []%[1]s, or return an iter.Seq2[%[1]s, error] of results that come one by one", a.pkg.TypeString(u.Elem()))
	case *types.Signature:
		return a.refuse(t, w, "a function cannot be JSON; use data")
	case *types.TypeParam:
		return a.refuse(t, w, "the type parameter %s is not instantiated", u.Obj().Name())
	}
	return a.refuse(t, w, "%s cannot be JSON", a.pkg.TypeString(t))
}

// basic returns the form of a scalar.
func (a *Analyzer) basic(t types.Type, u *types.Basic, w *Site) *ir.Type {
	b := &ir.Type{Go: t}
	switch u.Kind() {
	case types.Bool:
		b.Kind = ir.Bool
	case types.String:
		b.Kind = ir.String
	case types.Int, types.Int64:
		b.Kind, b.Bits = ir.Int, 64
	case types.Int8:
		b.Kind, b.Bits = ir.Int, 8
	case types.Int16:
		b.Kind, b.Bits = ir.Int, 16
	case types.Int32:
		b.Kind, b.Bits = ir.Int, 32
	case types.Uint, types.Uint64:
		b.Kind, b.Bits = ir.Uint, 64
	case types.Uint8:
		b.Kind, b.Bits = ir.Uint, 8
	case types.Uint16:
		b.Kind, b.Bits = ir.Uint, 16
	case types.Uint32:
		b.Kind, b.Bits = ir.Uint, 32
	case types.Float32:
		b.Kind, b.Bits = ir.Float, 32
	case types.Float64:
		b.Kind, b.Bits = ir.Float, 64
	case types.Invalid: // the type checker has said why
		b.Kind = ir.Invalid
	case types.Complex64, types.Complex128:
		return a.refuse(t, w, "a complex number cannot be JSON; use a struct of two numbers, or a string")
	case types.Uintptr, types.UnsafePointer:
		return a.refuse(t, w, "an address means nothing outside this process")
	default:
		return a.refuse(t, w, "%s cannot be JSON", a.pkg.TypeString(t))
	}
	return b
}

// mapType returns the form of a map.
func (a *Analyzer) mapType(m *types.Map, w *Site) *ir.Type {
	keyAt := w.inside()
	keyAt.What += ": key"
	key := a.typeOf(m.Key(), keyAt)
	switch key.Kind {
	case ir.String, ir.Int, ir.Uint, ir.Text, ir.Invalid:
	default:
		return a.refuse(m, w, "the key of a map must be a string, an integer or a type with MarshalText, got %s", a.pkg.TypeString(m.Key()))
	}
	return &ir.Type{Kind: ir.Map, Go: m, Key: key, Elem: a.typeOf(m.Elem(), w.inside())}
}
