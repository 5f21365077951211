package bindings

import (
	"github.com/dave/jennifer/jen"
	"github.com/mcpgen/mcpgen/generator/internal/goname"
	"github.com/mcpgen/mcpgen/model"
)

// A shapeKind is a way to hold values in Go.
type shapeKind int

const (
	rawShape    shapeKind = iota // wire.Raw
	stringShape                  // string, or a type of that kind
	intShape                     // int64
	floatShape                   // float64
	boolShape                    // bool
	idShape                      // wire.ID
	base64Shape                  // wire.Base64
	structShape                  // a struct with codecs
	unionShape                   // a sealed interface
	namedShape                   // a named map or slice with codecs
	mapShape                     // a map, or wire.Members if it is ordered
	sliceShape                   // a slice
	manyShape                    // a slice, written without brackets if it has one element
	nilShape                     // another shape, whose nil is null
)

// A shape is the Go side of a model.Expr, with references and aliases resolved: what holds the value.
type shape struct {
	kind     shapeKind
	name     string // of the Go type, if it has one
	path     string // of the package that has the Go type, empty for the one that is generated
	enum     *model.Expr
	elem     *model.Expr // mapShape, sliceShape, manyShape, nilShape
	ordered  bool        // mapShape
	brackets bool        // manyShape: one element is in brackets, too
	json     string      // rawShape: the wire.Kind that the value must have, "KindObject"; empty: any
}

// memberShape is the shape of a member. That a string is Base64 is said by the member, not by its type.
func (g *generator) memberShape(m *model.Member) shape {
	if m.Format == "byte" && m.Type.Kind == model.String && m.Default == nil && m.Fill == nil {
		return shape{kind: base64Shape}
	}
	return g.shapeOf(m.Type)
}

// maxAliases bounds the length of a chain of aliases.
const maxAliases = 100

func (g *generator) shapeOf(e *model.Expr) shape { return g.shapeAt(e, 0) }

// shapeAt returns the shape of e. Depth is how many references led to e, which bounds those that lead back to
// themselves. A tuple, and a union that is not one of named objects, is raw.
func (g *generator) shapeAt(e *model.Expr, depth int) shape {
	switch e.Kind {
	case model.String:
		return shape{kind: stringShape}
	case model.Integer:
		return shape{kind: intShape}
	case model.Number:
		return shape{kind: floatShape}
	case model.Boolean:
		return shape{kind: boolShape}
	case model.ID:
		return shape{kind: idShape}
	case model.Enum:
		return shape{kind: stringShape, enum: e}
	case model.Literal:
		return literalShape(e)
	case model.AnyObject:
		return shape{kind: mapShape, elem: &model.Expr{Kind: model.Unknown}}
	case model.Map:
		return shape{kind: mapShape, elem: e.Elem, ordered: e.Ordered}
	case model.Struct:
		return shape{kind: structShape}
	case model.Array:
		return shape{kind: sliceShape, elem: e.Elem}
	case model.OneOrMany:
		return shape{kind: manyShape, elem: e.Elem, brackets: e.Brackets}
	case model.Nullable:
		if inner := g.shapeAt(e.Elem, depth); inner.kind == rawShape {
			return shape{kind: rawShape}
		}
		return shape{kind: nilShape, elem: e.Elem}
	case model.Union:
		if g.isObjects(e) {
			return shape{kind: unionShape}
		}
	case model.Raw:
		return shape{kind: rawShape, json: g.rawKind(e.Elem, 0)}
	case model.Ref:
		return g.refShape(e, depth)
	}
	return shape{kind: rawShape} // any value, or one of several kinds
}

// refShape returns the shape of the type that e refers to, with its name in Go. An alias of another type has the name
// of that one. A map or a slice with a name has codecs of its own, and what is in it is not part of the shape.
func (g *generator) refShape(e *model.Expr, depth int) shape {
	t := g.schema.Type(e.Name)
	if t == nil || depth > maxAliases {
		g.errorf("%s is not a type of the schema, or stands for itself", e.Name)
		return shape{}
	}
	s := g.shapeAt(t.Expr, depth+1)
	if t.Expr.Kind == model.Ref {
		return s // an alias: the name of what it stands for
	}
	s.name = goname.Type(t.Name)
	if g.schema.IsImported(t) {
		s.path = g.options.Import
	}
	switch s.kind {
	case mapShape, sliceShape, manyShape:
		return shape{kind: namedShape, name: s.name, path: s.path}
	case stringShape:
		if t.Expr.Kind == model.Literal {
			s.enum = literalEnum(t)
		}
	}
	return s
}

// literalEnum is the enumeration of the one value that a type has.
func literalEnum(t *model.Type) *model.Expr {
	return &model.Expr{Values: []*model.EnumValue{{Value: t.Expr.Value.(string)}}}
}

// isObjects reports whether every arm of a union is a named object.
func (g *generator) isObjects(u *model.Expr) bool {
	for _, a := range u.Arms {
		if t := g.target(a.Expr); t == nil || t.Expr.Kind != model.Struct {
			return false
		}
	}
	return u.Plan != nil
}

func literalShape(e *model.Expr) shape {
	switch e.Value.(type) {
	case string:
		return shape{kind: stringShape}
	case bool:
		return shape{kind: boolShape}
	}
	return shape{kind: floatShape}
}

// rawKind returns the name of the wire.Kind that values of e have, empty if there are several.
func (g *generator) rawKind(e *model.Expr, depth int) string {
	if e == nil || depth > maxAliases {
		return ""
	}
	switch e.Kind {
	case model.AnyObject, model.Map, model.Struct:
		return "KindObject"
	case model.Array, model.Tuple:
		return "KindArray"
	case model.String, model.Enum:
		return "KindString"
	case model.Integer, model.Number:
		return "KindNumber"
	case model.Boolean:
		return "KindBool"
	case model.Ref:
		if t := g.schema.Type(e.Name); t != nil {
			return g.rawKind(t.Expr, depth+1)
		}
	case model.Union:
		kind := ""
		for i, a := range e.Arms {
			k := g.rawKind(a.Expr, depth+1)
			if i > 0 && k != kind {
				return ""
			}
			kind = k
		}
		return kind
	}
	return ""
}

// goType is the Go type that holds values of e.
func (g *generator) goType(e *model.Expr) *jen.Statement { return g.typeOf(g.shapeOf(e)) }

// typeOf returns the Go type of a shape: by its name, if it has one. What may be null is a pointer, unless its type has
// a nil of its own.
func (g *generator) typeOf(s shape) *jen.Statement {
	if s.name != "" {
		return s.id()
	}
	switch s.kind {
	case stringShape:
		return jen.String()
	case intShape:
		return jen.Int64()
	case floatShape:
		return jen.Float64()
	case boolShape:
		return jen.Bool()
	case idShape:
		return jen.Qual(wirePath, "ID")
	case base64Shape:
		return jen.Qual(wirePath, "Base64")
	case mapShape:
		if s.ordered {
			return jen.Qual(wirePath, "Members").Types(g.goType(s.elem))
		}
		return jen.Map(jen.String()).Add(g.goType(s.elem))
	case sliceShape, manyShape:
		return jen.Index().Add(g.goType(s.elem))
	case nilShape:
		inner := g.shapeOf(s.elem)
		if inner.hasNil() {
			return g.typeOf(inner)
		}
		return jen.Op("*").Add(g.typeOf(inner))
	}
	return jen.Qual(wirePath, "Raw")
}

// id is the name of the Go type.
func (s shape) id() *jen.Statement {
	if s.path != "" {
		return jen.Qual(s.path, s.name)
	}
	return jen.Id(s.name)
}

// hasNil reports whether nil is a value of the Go type.
func (s shape) hasNil() bool {
	switch s.kind {
	case rawShape, unionShape, namedShape, mapShape, sliceShape, manyShape, nilShape:
		return true
	}
	return false
}

// isScalar reports whether a pointer to the shape gets a getter.
func (s shape) isScalar() bool {
	switch s.kind {
	case stringShape, intShape, floatShape, boolShape:
		return true
	}
	return false
}
