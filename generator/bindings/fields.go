package bindings

import (
	"strings"

	"github.com/dave/jennifer/jen"
	"github.com/mcpgen/mcpgen/generator/internal/goname"
	"github.com/mcpgen/mcpgen/model"
)

// A structType is a struct and its fields.
type structType struct {
	*model.Type
	name   string // in Go
	desc   string // the variable that describes it to wire
	fields []*field
}

// A field is a member of an object. A member with a literal value has no field in the struct unless it may be
// absent: then a field says whether it was present.
type field struct {
	*model.Member
	name    string // in Go; empty for a literal
	came    string // in Go; for a literal that may be absent
	shape   shape
	pointer bool // the field points to the shape; nil is absent, or null
	number  int  // in the description, see wire.Type
}

// maxMembers is how many members package wire supports.
const maxMembers = 64

// structOf lays out a struct.
func (g *generator) structOf(t *model.Type) *structType {
	st := &structType{Type: t, name: goname.Type(t.Name)}
	st.desc = "type" + st.name
	taken := map[string]string{"Extra": "the field for unknown members"}
	for _, m := range []string{"EncodeWire", "DecodeWire", "MarshalJSON", "UnmarshalJSON"} {
		taken[m] = "the method " + m
	}
	if g.isMetaResult(t) {
		taken["ResultMeta"], taken["WithMeta"] = "the method ResultMeta", "the method WithMeta"
	}
	claim := g.claimer(t.Name, taken)
	if len(t.Expr.Members) > maxMembers {
		g.errorf("%s has %d members, more than the %d that generated code can count", t.Name, len(t.Expr.Members), maxMembers)
	}
	for _, m := range t.Expr.Members {
		f := &field{Member: m, shape: g.memberShape(m)}
		name := goname.Field(m.Name)
		if name == "" && (m.Type.Kind != model.Literal || m.Optional) {
			g.errorf("%s: the member %q has no letter or digit to make a Go name of", t.Name, m.Name)
		}
		switch {
		case m.Type.Kind == model.Literal && m.Optional:
			f.came = "Has" + name
			claim(f.came, "what says whether there was the member "+m.Name)
		case m.Type.Kind != model.Literal:
			f.name = name
			claim(f.name, "the member "+m.Name)
			f.pointer = g.isPointer(f)
			if f.hasGetter() {
				claim("Get"+f.name, "the getter of "+m.Name)
			}
		}
		st.fields = append(st.fields, f)
	}
	for i, f := range st.byNumber() {
		f.number = i
	}
	return st
}

// claimer returns a function that claims the name of a field or method of a type. Some names are taken from the
// start.
func (g *generator) claimer(of string, taken map[string]string) func(name, what string) {
	return func(name, what string) {
		if old, ok := taken[name]; ok {
			g.errorf("%s: %s and %s would both be called %s in Go", of, old, what, name)
		}
		taken[name] = what
	}
}

// isPointer is the rule for optional members: objects, numbers, booleans and aliases of string are pointers, so
// that absent, false and 0 stay three things. So are strings for which empty has a meaning. Other strings and ids
// are absent when empty.
func (g *generator) isPointer(f *field) bool {
	switch f.shape.kind {
	case structShape, intShape, floatShape, boolShape:
		return f.Optional
	case stringShape:
		return f.Optional && (f.Pointer || f.shape.name != "" && f.shape.enum == nil)
	case base64Shape:
		return f.Optional && f.Pointer
	case nilShape:
		return !g.shapeOf(f.shape.elem).hasNil()
	}
	return false
}

// hasGetter reports whether the field gets a method that returns its value or the meaning of its absence.
func (f *field) hasGetter() bool {
	if f.shape.kind == nilShape {
		return false // null has no value to return
	}
	return f.pointer && f.shape.isScalar() || f.Default != nil && f.name != ""
}

// byNumber returns the fields in the order of their numbers: those that every revision requires
// come first.
func (st *structType) byNumber() []*field {
	var required, optional []*field
	for _, f := range st.fields {
		if f.Optional {
			optional = append(optional, f)
		} else {
			required = append(required, f)
		}
	}
	return append(required, optional...)
}

// required is how many fields every revision requires.
func (st *structType) required() (n int) {
	for _, f := range st.fields {
		if !f.Optional {
			n++
		}
	}
	return n
}

// fieldType is the Go type of the field.
func (g *generator) fieldType(f *field) *jen.Statement {
	if f.pointer && f.shape.kind != nilShape {
		return jen.Op("*").Add(g.typeOf(f.shape))
	}
	return g.typeOf(f.shape)
}

// checkRecursion refuses structs that would contain themselves, since values of such types would be infinite.
func (g *generator) checkRecursion() {
	state := map[string]int{} // 1: being looked at, 2: done
	var visit func(t *model.Type, path []string)
	visit = func(t *model.Type, path []string) {
		if state[t.Name] == 2 {
			return
		}
		if state[t.Name] == 1 {
			g.errorf("%s requires itself, by way of %s: no value of it can end", t.Name, strings.Join(path, ", "))
			return
		}
		state[t.Name] = 1
		for _, m := range t.Expr.Members {
			if to := g.target(m.Type); to != nil && !m.Optional {
				visit(g.resolve(to), append(path[:len(path):len(path)], t.Name+"."+m.Name))
			}
		}
		state[t.Name] = 2
	}
	for _, t := range g.types {
		visit(t, nil)
	}
}

// resolve returns the type behind an alias.
func (g *generator) resolve(t *model.Type) *model.Type {
	for range maxAliases {
		to := g.target(t.Expr)
		if to == nil {
			break
		}
		t = to
	}
	return t
}

// target returns the type that e refers to, nil if e is not a reference. Other expressions have names, too:
// literals have those of constants.
func (g *generator) target(e *model.Expr) *model.Type {
	if e.Kind != model.Ref {
		return nil
	}
	return g.schema.Type(e.Name)
}
