package bindings

import (
	"slices"

	"github.com/dave/jennifer/jen"
	"github.com/mcpgen/mcpgen/model"
	"github.com/mcpgen/mcpgen/parser"
)

// emitDescription writes the variable that describes a struct to package wire.
func (g *generator) emitDescription(f *jen.File, st *structType) {
	bounds := ranges(g.schema.Revisions, g.schema.Revisions, st.Revs)
	if len(bounds) != 1 {
		g.errorf("%s exists in %v, with an interruption", st.Name, st.Revs)
		return
	}
	f.Var().Id(st.desc).Op("=").Qual(wirePath, "Type").CustomFunc(multiline, func(v *jen.Group) {
		v.Id("Name").Op(":").Lit(st.name)
		if len(st.fields) > 0 {
			v.Id("Members").Op(":").Index().String().ValuesFunc(func(names *jen.Group) {
				for _, fd := range st.byNumber() {
					names.Lit(fd.Name)
				}
			})
		}
		if n := st.required(); n > 0 {
			v.Id("Required").Op(":").Lit(n)
		}
		if bounds[0] != (bound{}) {
			v.Id("Revisions").Op(":").Add(g.span(bounds[0]))
		}
	})
}

var multiline = jen.Options{Open: "{", Close: "}", Separator: ",", Multi: true}

// emitEncode writes the method that encodes a struct.
func (g *generator) emitEncode(f *jen.File, st *structType) {
	say(f, "EncodeWire writes v as the encoder's revision has it.")
	f.Func().Params(jen.Id("v").Op("*").Id(st.name)).Id("EncodeWire").Params(encoder()).BlockFunc(func(b *jen.Group) {
		b.If(jen.Op("!").Id("e").Dot("Begin").Call(jen.Op("&").Id(st.desc), jen.Id("v").Op("!=").Nil())).Block(jen.Return())
		for _, fd := range st.fields {
			g.encodeField(b, st, fd)
		}
		b.Id("e").Dot("End").Call(jen.Op("&").Id(st.desc), jen.Id("v").Dot("Extra"))
	})
}

// encodeField writes the statements that encode one member, if the revision has it and it is present or required.
func (g *generator) encodeField(b *jen.Group, st *structType, f *field) {
	bounds := g.rangesIn(st.Type, f.Revs)
	available := g.whenAvailable(bounds)
	if f.Always {
		available = nil
	}
	key := jen.Id("e").Dot("Key").Call(jen.Lit(keyText(f.Name)))
	if f.came != "" {
		needed := jen.Id("v").Dot(f.came)
		if available != nil {
			needed = needed.Op("&&").Add(parens(available, len(bounds) > 1))
		}
		b.If(needed.Op("||").Add(g.whenNeeded(bounds))).Block(key, putLiteral(f.Type))
		return
	}
	if f.name == "" { // a literal that every revision has
		b.Add(key)
		b.Add(putLiteral(f.Type))
		return
	}
	g.refuseNull(b, st, f)
	write := append([]jen.Code{key}, g.encodeNarrowings(st, f)...)
	if f.Optional && f.shape.kind == nilShape { // and not nil
		inner := g.shapeOf(f.shape.elem)
		write = []jen.Code{key, g.encodeValue(inner, f.value(inner))}
	}
	if !f.Optional {
		g.encodeRequired(b, f, key, write)
		return
	}
	condition := presence(f)
	if available != nil {
		condition = condition.Op("&&").Add(parens(available, len(bounds) > 1))
	}
	s := b.If(condition).Block(write...)
	if len(f.Required) == 0 {
		return
	}
	needed := g.whenNeeded(g.rangesIn(st.Type, f.Required))
	switch {
	case f.Fill != nil:
		s.Else().If(needed).Block(key, putLiteral(f.Fill))
	case f.shape.kind == nilShape:
		s.Else().If(needed).Block(key, jen.Id("e").Dot("Null").Call())
	default:
		s.Else().If(needed).Block(jen.Id("e").Dot("Absent").Call(jen.Lit(f.Name)))
	}
}

func parens(s *jen.Statement, yes bool) *jen.Statement {
	if yes {
		return jen.Parens(s)
	}
	return s
}

// encodeRequired writes a member that is in every revision of its type.
func (g *generator) encodeRequired(b *jen.Group, f *field, key jen.Code, write []jen.Code) {
	if f.shape.kind == stringShape && f.Fill != nil {
		b.If(presence(f)).Block(write...).Else().Block(key, putLiteral(f.Fill))
		return
	}
	if f.shape.enum != nil && !f.shape.enum.Open {
		b.If(jen.Id("v").Dot(f.name).Op("==").Lit("")).Block(jen.Id("e").Dot("Absent").Call(jen.Lit(f.Name)))
	}
	for _, s := range write {
		b.Add(s)
	}
}

// refuseNull writes the check that null is an error in older revisions, which require the member and do not allow
// null.
func (g *generator) refuseNull(b *jen.Group, st *structType, f *field) {
	if f.shape.kind != nilShape {
		return
	}
	var without model.Revs
	for _, v := range f.Narrowings {
		without = append(without, v.Revs...)
	}
	without = slices.DeleteFunc(without, func(r string) bool { return !f.Required.Has(r) })
	if len(without) == 0 {
		return
	}
	bounds := g.rangesIn(st.Type, without)
	b.If(jen.Id("v").Dot(f.name).Op("==").Nil().Op("&&").Add(parens(g.whenNeeded(bounds), len(bounds) > 1))).Block(
		jen.Id("e").Dot("Absent").Call(jen.Lit(f.Name)),
	)
}

// encodeNarrowings writes the value of a field, and checks it where older revisions accept less.
func (g *generator) encodeNarrowings(st *structType, f *field) []jen.Code {
	value := f.value(f.shape)
	plain := g.encodeValue(f.shape, value)
	var narrow model.Revs
	for _, v := range f.Narrowings {
		if g.isNarrower(f, v) {
			narrow = append(narrow, v.Revs...)
		}
	}
	if len(narrow) == 0 {
		return []jen.Code{plain}
	}
	bounds := g.rangesIn(st.Type, narrow)
	needed := g.whenNeeded(bounds)
	if f.shape.kind == manyShape {
		check := jen.If(jen.Len(value).Op("!=").Lit(1).Op("&&").Add(parens(needed.Clone(), len(bounds) > 1))).Block(
			jen.Id("e").Dot("Fail").Call(jen.Lit("want exactly one value in ").Op("+").Id("e").Dot("Revision").Call().Dot("String").Call()),
		)
		if !f.shape.brackets {
			return []jen.Code{check, plain}
		}
		one := f.shape
		one.brackets = false
		return []jen.Code{check, jen.If(needed).Block(g.encodeValue(one, value)).Else().Block(plain)}
	}
	s := f.shape
	s.json = g.narrowKind(st, f)
	return []jen.Code{
		jen.If(needed).Block(g.encodeValue(s, value)).Else().Block(plain),
	}
}

// isNarrower reports whether a narrowing needs a check that the codec of the value does not make.
func (g *generator) isNarrower(f *field, v *model.Narrowing) bool {
	switch f.shape.kind {
	case manyShape:
		return true
	case rawShape:
		return g.rawKind(v.Type, 0) != ""
	}
	return false
}

// narrowKind is the kind of JSON value that older revisions accept.
func (g *generator) narrowKind(st *structType, f *field) string {
	kind := ""
	for _, v := range f.Narrowings {
		k := g.rawKind(v.Type, 0)
		if k != "" && kind != "" && k != kind {
			g.errorf("%s.%s: older revisions take %s, then %s: only one narrower kind can be checked", st.Type.Name, f.Name, kind, k)
		}
		if k != "" {
			kind = k
		}
	}
	return kind
}

// value is the field's value in the form that encodeValue accepts, if the field holds s.
func (f *field) value(s shape) *jen.Statement {
	v := jen.Id("v").Dot(f.name)
	if f.pointer {
		return s.at(v)
	}
	return v
}

// at is the value that a pointer to the shape points to, or the pointer itself if a method writes the value.
func (s shape) at(pointer *jen.Statement) *jen.Statement {
	if s.isScalar() || s.kind == idShape {
		return jen.Op("*").Add(pointer)
	}
	return pointer
}

// encodeValue is the statement that writes the value of a shape.
func (g *generator) encodeValue(s shape, value *jen.Statement) *jen.Statement {
	e := jen.Id("e")
	switch s.kind {
	case stringShape:
		if s.name != "" {
			return e.Dot("String").Call(jen.String().Call(value))
		}
		return e.Dot("String").Call(value)
	case intShape:
		return e.Dot("Int").Call(value)
	case floatShape:
		return e.Dot("Float").Call(value)
	case boolShape:
		return e.Dot("Bool").Call(value)
	case idShape:
		return e.Dot("ID").Call(value)
	case structShape, namedShape, base64Shape:
		return value.Clone().Dot("EncodeWire").Call(e)
	case unionShape:
		return g.use((&union{name: s.name}).put()).Call(jen.Op("&").Add(value), e)
	case mapShape:
		switch elem := g.shapeOf(s.elem); {
		case s.ordered:
			return jen.Qual(wirePath, "PutOrdered").Call(e, value, g.putElem(s.elem))
		case elem.kind == rawShape && elem.json == "":
			return e.Dot("Raws").Call(value)
		}
		return jen.Qual(wirePath, "PutMap").Call(e, value, g.putElem(s.elem))
	case sliceShape:
		return jen.Qual(wirePath, "PutSlice").Call(e, value, g.putElem(s.elem))
	case manyShape:
		if s.brackets {
			return jen.Qual(wirePath, "PutSlice").Call(e, value, g.putElem(s.elem))
		}
		return jen.Qual(wirePath, "PutOneOrMany").Call(e, value, g.putElem(s.elem))
	case nilShape:
		inner, held := g.shapeOf(s.elem), value
		if !inner.hasNil() {
			held = inner.at(value)
		}
		return jen.If(value.Clone().Op("==").Nil()).Block(e.Clone().Dot("Null").Call()).Else().Block(g.encodeValue(inner, held))
	}
	if s.json != "" {
		return e.Dot("RawOf").Call(jen.Qual(wirePath, s.json), value)
	}
	return e.Dot("Raw").Call(value)
}

// putElem is the function that writes one element of a slice or a map.
func (g *generator) putElem(elem *model.Expr) *jen.Statement {
	s := g.shapeOf(elem)
	switch {
	case s.kind == stringShape:
		return jen.Qual(wirePath, "PutString")
	case s.kind == intShape:
		return jen.Qual(wirePath, "PutInt")
	case s.kind == floatShape:
		return jen.Qual(wirePath, "PutFloat")
	case s.kind == boolShape:
		return jen.Qual(wirePath, "PutBool")
	case s.kind == idShape, s.kind == structShape, s.kind == namedShape, s.kind == rawShape && s.json == "":
		return jen.Parens(jen.Op("*").Add(g.typeOf(s))).Dot("EncodeWire")
	case s.kind == unionShape:
		return g.use((&union{name: s.name}).put())
	}
	return jen.Func().Params(jen.Id("v").Op("*").Add(g.typeOf(s)), encoder()).Block(
		g.encodeValue(s, g.dereferenced(s)),
	)
}

// dereferenced is *v, in parentheses if a method of the value is called.
func (g *generator) dereferenced(s shape) *jen.Statement {
	v := jen.Op("*").Id("v")
	if s.kind == nilShape {
		if kind := g.shapeOf(s.elem).kind; kind == structShape || kind == namedShape {
			return jen.Parens(v)
		}
	}
	return v
}

// putLiteral is the statement that writes a literal value.
func putLiteral(e *model.Expr) jen.Code {
	method := "Float"
	switch v := e.Value.(type) {
	case string:
		method = "String"
	case bool:
		method = "Bool"
	case parser.Number:
		if isInteger(v) {
			method = "Int"
		}
	}
	return jen.Id("e").Dot(method).Call(literalCode(e))
}

// emitNamedCodec writes the methods that encode and decode a named map or slice.
func (g *generator) emitNamedCodec(f *jen.File, name string, s shape) {
	say(f, "EncodeWire writes v as the encoder's revision has it.")
	f.Func().Params(jen.Id("v").Op("*").Id(name)).Id("EncodeWire").Params(encoder()).Block(
		jen.If(jen.Id("e").Dot("Present").Call(jen.Lit(name), jen.Id("v").Op("!=").Nil())).Block(
			g.encodeValue(s, jen.Op("*").Id("v")),
		),
	)
	say(f, "DecodeWire reads v, of any revision.")
	f.Func().Params(jen.Id("v").Op("*").Id(name)).Id("DecodeWire").Params(decoder()).Block(
		jen.Op("*").Id("v").Op("=").Add(g.decodeValue(s)),
	)
}
