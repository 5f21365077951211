package client

import (
	"github.com/dave/jennifer/jen"
	"github.com/mcpgen/mcpgen/generator/internal/godoc"
)

// emitType writes a type that has a name.
func (g *generator) emitType(t *typ) {
	switch t.kind {
	case structKind:
		g.emitStruct(t)
	case tupleKind:
		g.emitTuple(t)
	case unionKind:
		g.emitUnion(t)
	case listKind, mapKind:
		g.emitNamed(t)
	default:
		g.emitEnum(t)
	}
}

// typeDoc writes the comment of a type.
func (g *generator) typeDoc(t *typ, more ...string) {
	doc := t.doc
	if doc != "" {
		doc = wrap(godoc.About(t.name, doc))
	}
	for _, m := range more {
		if doc == "" {
			m = t.name + " is " + m
		} else {
			m = "It is " + m
		}
		doc = godoc.Join(doc, wrap(m))
	}
	comment(g.file, doc)
}

// emitEnum writes a type whose values have names.
func (g *generator) emitEnum(t *typ) {
	what := "one of these constants."
	if t.open {
		what = "one of these constants, or another value."
	}
	g.typeDoc(t, what)
	base := map[kind]*jen.Statement{stringKind: jen.String(), intKind: jen.Int64(), floatKind: jen.Float64()}[t.kind]
	g.file.Type().Id(t.name).Add(base)
	g.file.Line()
	g.file.Const().DefsFunc(func(d *jen.Group) {
		for _, v := range t.values {
			literal := jen.Id(v.text)
			if v.kind == stringKind {
				literal = jen.Lit(v.text)
			}
			d.Id(v.name).Id(t.name).Op("=").Add(literal)
		}
	})
	g.file.Line()
}

// emitNamed writes a list or a map that has a name.
func (g *generator) emitNamed(t *typ) {
	plain := *t
	plain.name = ""
	if t.kind == listKind {
		g.typeDoc(t, "a list.")
	} else {
		g.typeDoc(t, "an object whose members have any names.")
	}
	g.file.Type().Id(t.name).Add(goType(&plain))
	g.file.Line()
	g.emitMethods(t.name, false, func(b *jen.Group) {
		b.If(jen.Op("!").Id("e").Dot("Enter").Call()).Block(jen.Return())
		b.Add(encode(jen.Op("*").Id("v"), &plain))
		b.Id("e").Dot("Leave").Call()
	}, func(b *jen.Group) {
		b.Add(decode(jen.Op("*").Id("v"), &plain))
	})
}

// emitMethods writes the methods of a type. If it may be nil, encoding it then fails.
func (g *generator) emitMethods(name string, present bool, write, read func(*jen.Group)) {
	g.emitJSON(name)
	f := g.file
	say(f, "EncodeWire writes v.")
	f.Func().Params(jen.Id("v").Op("*").Id(name)).Id("EncodeWire").Params(encoder()).BlockFunc(func(b *jen.Group) {
		if present {
			b.If(jen.Op("!").Id("e").Dot("Present").Call(jen.Lit(name), jen.Id("v").Op("!=").Nil())).Block(jen.Return())
		}
		write(b)
	})
	f.Line()
	say(f, "DecodeWire reads v.")
	f.Func().Params(jen.Id("v").Op("*").Id(name)).Id("DecodeWire").Params(decoder()).BlockFunc(read)
	f.Line()
}

// emitTuple writes the type of an array whose elements differ.
func (g *generator) emitTuple(t *typ) {
	g.typeDoc(t, "an array in JSON, of these elements.")
	g.file.Type().Id(t.name).StructFunc(func(s *jen.Group) {
		for _, f := range t.fields {
			if f.required && f.typ.kind == constKind {
				continue
			}
			comment(s, f.comment())
			s.Id(f.name).Add(f.goType())
		}
		if !t.closed {
			s.Line()
			comment(s, withReason("Rest are the elements that follow.", t.elem))
			s.Id("Rest").Index().Add(goType(t.elem))
		}
	})
	g.file.Line()
	g.emitMethods(t.name, true, func(b *jen.Group) { g.encodeTuple(b, t) }, func(b *jen.Group) { g.decodeTuple(b, t) })
}

// absent is the condition that an optional element is absent.
func (f *field) absent() *jen.Statement {
	v := jen.Id("v").Dot(f.name)
	switch {
	case f.typ.kind == constKind:
		return jen.Op("!").Add(v)
	case f.typ.kind == nullKind:
		return v.Dot("IsZero").Call()
	}
	return v.Op("==").Nil()
}

// encodeTuple writes the statements that encode the elements in order, last those in Rest. After an optional one that
// is absent, the encoder accepts no more.
func (g *generator) encodeTuple(b *jen.Group, t *typ) {
	e := func() *jen.Statement { return jen.Id("e") }
	b.Id("a").Op(":=").Add(e()).Dot("BeginArray").Call()
	for _, f := range t.fields {
		v := jen.Id("v").Dot(f.name)
		if f.required {
			b.Id("a").Dot("Next").Call()
			b.Add(encode(v, f.typ))
			continue
		}
		write := encode(pointed(v, f.typ), f.typ)
		switch {
		case f.typ.kind == nullKind:
			write = wireID("PutOption").Call(e(), jen.Op("&").Add(v), putElem(f.typ.elem))
		case f.typ.hasNil() || f.typ.kind == constKind:
			write = encode(v, f.typ)
		}
		b.If(f.absent()).Block(jen.Id("a").Dot("Skip").Call()).Else().Block(jen.Id("a").Dot("Next").Call(), write)
	}
	if !t.closed {
		b.For(jen.Id("i").Op(":=").Range().Id("v").Dot("Rest")).Block(
			jen.Id("a").Dot("Next").Call(),
			encode(jen.Id("v").Dot("Rest").Index(jen.Id("i")), t.elem),
		)
	}
	b.Id("a").Dot("End").Call()
}

// decodeTuple writes the statements that decode the elements in order. An array may end before an optional one, and go
// on after the last one unless the type is closed.
func (g *generator) decodeTuple(b *jen.Group, t *typ) {
	b.Op("*").Id("v").Op("=").Id(t.name).Values()
	b.Id("a").Op(":=").Id("d").Dot("Array").Call()
	for _, f := range t.fields {
		next := jen.Id("a").Dot("Next").Call()
		if f.required {
			b.If(jen.Op("!").Add(next)).Block(
				jen.Id("d").Dot("Fail").Call(jen.Lit(t.name+": the array is too short: the element "+f.key+" is missing before it")), jen.Return())
			decodeField(b, f)
			continue
		}
		b.If(jen.Op("!").Add(next)).Block(jen.Return())
		decodeField(b, f)
	}
	if t.closed {
		b.If(jen.Id("a").Dot("Next").Call()).Block(jen.Id("d").Dot("Fail").Call(jen.Lit("want no more elements")))
		return
	}
	b.For(jen.Id("a").Dot("Next").Call()).Block(
		jen.Var().Id("elem").Add(goType(t.elem)),
		decode(jen.Id("elem"), t.elem),
		jen.Id("v").Dot("Rest").Op("=").Append(jen.Id("v").Dot("Rest"), jen.Id("elem")),
	)
}
