package bindings

import (
	"encoding/json"
	"strings"

	"github.com/dave/jennifer/jen"
	"github.com/mcpgen/mcpgen/model"
)

// keyText returns a member's name as it is written between quotes in JSON.
func keyText(name string) string {
	b, _ := json.Marshal(name) // a string always has a JSON text
	return strings.TrimSuffix(strings.TrimPrefix(string(b), `"`), `"`)
}

// emitDecode writes the method that decodes a struct.
func (g *generator) emitDecode(f *jen.File, st *structType) {
	say(f, "DecodeWire reads v, of any revision.")
	f.Func().Params(jen.Id("v").Op("*").Id(st.name)).Id("DecodeWire").Params(decoder()).BlockFunc(func(b *jen.Group) {
		b.Op("*").Id("v").Op("=").Id(st.name).Values()
		b.Id("o").Op(":=").Id("d").Dot("Object").Call(jen.Op("&").Id(st.desc))
		b.For(jen.Id("o").Dot("Next").Call()).Block(
			jen.Switch(jen.Id("o").Dot("Name")).BlockFunc(func(s *jen.Group) {
				for _, fd := range st.fields {
					s.Case(jen.Lit(fd.Name)).BlockFunc(func(c *jen.Group) {
						c.Id("o").Dot("Once").Call(jen.Lit(fd.number))
						g.decodeField(c, fd)
					})
				}
				s.Default().Block(jen.Id("o").Dot("Extra").Call(jen.Op("&").Id("v").Dot("Extra")))
			}),
		)
	})
}

// decodeField writes the statements that decode one member. A null for an optional one is the same
// as its absence.
func (g *generator) decodeField(c *jen.Group, f *field) {
	v := jen.Id("v").Dot(f.name)
	switch {
	case f.came != "":
		c.If(jen.Op("!").Id("d").Dot("Null").Call()).Block(getLiteral(f.Type), jen.Id("v").Dot(f.came).Op("=").True())
	case f.name == "":
		c.Add(getLiteral(f.Type))
	case f.shape.kind == nilShape:
		c.Add(g.decodeInto(v, f.shape)) // null is a value, and like absence it is nil
	case f.pointer:
		c.Add(v.Op("=").Add(g.decodePointer(f.shape)))
	case f.Optional && (f.shape.kind == stringShape || f.shape.kind == idShape):
		c.Add(v.Op("=").Add(g.decodeOrNull(f.shape)))
	case f.Optional && (f.shape.kind != rawShape || f.shape.json != ""):
		c.If(jen.Op("!").Id("d").Dot("Null").Call()).Block(g.decodeInto(v, f.shape))
	default:
		c.Add(g.decodeInto(v, f.shape))
	}
}

// decodeInto returns the statement that decodes a value into v, which is zero.
func (g *generator) decodeInto(v *jen.Statement, s shape) *jen.Statement {
	switch s.kind {
	case structShape, namedShape, base64Shape:
		return v.Clone().Dot("DecodeWire").Call(jen.Id("d"))
	case nilShape:
		if inner := g.shapeOf(s.elem); inner.hasNil() {
			return jen.If(jen.Op("!").Id("d").Dot("Null").Call()).Block(g.decodeInto(v, inner))
		}
	}
	return v.Clone().Op("=").Add(g.decodeValue(s))
}

// decodePointer is the expression that decodes a value or null into a new variable.
func (g *generator) decodePointer(s shape) *jen.Statement {
	d := jen.Id("d")
	switch {
	case s.kind == intShape:
		return d.Dot("IntOrNull").Call()
	case s.kind == floatShape:
		return d.Dot("FloatOrNull").Call()
	case s.kind == boolShape:
		return d.Dot("BoolOrNull").Call()
	}
	return jen.Qual(wirePath, "Pointer").Call(d, g.getElem(s))
}

// decodeOrNull is the expression that decodes a string or an id, or null as an empty one.
func (g *generator) decodeOrNull(s shape) *jen.Statement {
	d := jen.Id("d")
	if s.kind == idShape {
		return d.Dot("IDOrNull").Call()
	}
	value := d.Dot("StringOrNull").Call()
	if s.name != "" {
		return s.id().Call(value)
	}
	return value
}

// decodeValue is the expression that decodes a value of a shape. It is nil for shapes that need the statement of
// decodeInto.
func (g *generator) decodeValue(s shape) *jen.Statement {
	d := jen.Id("d")
	switch s.kind {
	case stringShape:
		if s.name != "" {
			return s.id().Call(d.Dot("String").Call())
		}
		return d.Dot("String").Call()
	case intShape:
		return d.Dot("Int").Call()
	case floatShape:
		return d.Dot("Float").Call()
	case boolShape:
		return d.Dot("Bool").Call()
	case idShape:
		return d.Dot("ID").Call()
	case unionShape:
		return jen.Qual(s.path, (&union{name: s.name}).decode()).Call(d)
	case mapShape:
		if s.ordered {
			return jen.Qual(wirePath, "Ordered").Call(d, g.getElem(g.shapeOf(s.elem)))
		}
		return jen.Qual(wirePath, "Map").Call(d, g.getElem(g.shapeOf(s.elem)))
	case sliceShape:
		return jen.Qual(wirePath, "Slice").Call(d, g.getElem(g.shapeOf(s.elem)))
	case manyShape:
		return jen.Qual(wirePath, "OneOrMany").Call(d, g.getElem(g.shapeOf(s.elem)))
	case nilShape:
		return g.decodePointer(g.shapeOf(s.elem))
	}
	if s.json != "" {
		return d.Dot("RawOf").Call(jen.Qual(wirePath, s.json))
	}
	return d.Dot("Raw").Call()
}

// getElem is the function that decodes one element of a slice or a map.
func (g *generator) getElem(s shape) *jen.Statement {
	switch {
	case s.kind == stringShape:
		return jen.Qual(wirePath, "GetString").Types(g.typeOf(s))
	case s.kind == intShape:
		return jen.Qual(wirePath, "GetInt")
	case s.kind == floatShape:
		return jen.Qual(wirePath, "GetFloat")
	case s.kind == boolShape:
		return jen.Qual(wirePath, "GetBool")
	case s.kind == idShape, s.kind == base64Shape, s.kind == structShape, s.kind == namedShape, s.kind == rawShape && s.json == "":
		return jen.Parens(jen.Op("*").Add(g.typeOf(s))).Dot("DecodeWire")
	case s.kind == unionShape:
		return g.use((&union{name: s.name}).get())
	}
	return jen.Func().Params(jen.Id("v").Op("*").Add(g.typeOf(s)), decoder()).Block(
		g.decodeInto(g.dereferenced(s), s),
	)
}

// getLiteral is the statement that reads a literal value.
func getLiteral(e *model.Expr) jen.Code {
	method := "LiteralNumber"
	switch e.Value.(type) {
	case string:
		method = "Literal"
	case bool:
		method = "LiteralBool"
	}
	return jen.Id("d").Dot(method).Call(literalCode(e))
}
