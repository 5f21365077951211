package client

import (
	"slices"

	"github.com/dave/jennifer/jen"
)

// fieldType is the Go type of the field of an arm.
func (a *arm) fieldType() *jen.Statement {
	if a.typ.hasNil() {
		return goType(a.typ)
	}
	return jen.Op("*").Add(goType(a.typ))
}

// emitUnion writes the type of a union.
func (g *generator) emitUnion(t *typ) {
	g.typeDoc(t, "one of several types: exactly one field is not nil.")
	g.file.Type().Id(t.name).StructFunc(func(s *jen.Group) {
		for _, a := range t.arms {
			comment(s, withReason(wrap(a.doc), a.typ))
			s.Id(a.name).Add(a.fieldType())
		}
		s.Line()
		say(s, "Other is a value that is none of these.")
		s.Id("Other").Add(wireID("Raw"))
	})
	g.file.Line()
	g.emitMethods(t.name, true, func(b *jen.Group) { g.encodeUnion(b, t) }, func(b *jen.Group) { g.decodeUnion(b, t) })
}

// encodeUnion writes the statements that encode the field that is not nil, and fail unless there is exactly one.
func (g *generator) encodeUnion(b *jen.Group, t *typ) {
	b.Id("n").Op(":=").Lit(0)
	set := func(name string, write *jen.Statement) {
		b.If(jen.Id("v").Dot(name).Op("!=").Nil()).Block(
			jen.If(jen.Id("n").Op("++"), jen.Id("n").Op("==").Lit(1)).Block(write))
	}
	for _, a := range t.arms {
		v := jen.Id("v").Dot(a.name)
		if !a.typ.hasNil() {
			v = pointed(v, a.typ)
		}
		set(a.name, encode(v, a.typ))
	}
	set("Other", jen.Id("e").Dot("Raw").Call(jen.Id("v").Dot("Other")))
	b.If(jen.Id("n").Op("!=").Lit(1)).Block(jen.Id("e").Dot("Fail").Call(jen.Lit("want exactly one field of " + t.name + " that is not nil")))
}

// decodeUnion writes a switch on the kind of the next value. Several arms that are objects are told apart by
// decodeArms. An arm of integers beside one of other numbers has the same kind, and is decoded with it. Any other value
// is Other.
func (g *generator) decodeUnion(b *jen.Group, t *typ) {
	b.Op("*").Id("v").Op("=").Id(t.name).Values()
	b.Switch(jen.Id("d").Dot("Kind").Call()).BlockFunc(func(s *jen.Group) {
		objects := 0
		for _, a := range t.arms {
			if a.class == kindObject {
				objects++
			}
		}
		for _, a := range t.arms {
			if a.class == kindObject && objects > 1 || a.class == kindFraction {
				continue
			}
			if a.class == kindInt {
				other := t.arms[slices.IndexFunc(t.arms, func(a *arm) bool { return a.class == kindFraction })]
				s.Case(wireID("KindNumber")).Block(
					jen.List(jen.Id("v").Dot(a.name), jen.Id("v").Dot(other.name)).Op("=").Id("d").Dot("IntOrFloat").Call(), jen.Return())
				continue
			}
			kind := map[kinds]string{kindBool: "KindBool", kindNumber: "KindNumber", kindString: "KindString", kindArray: "KindArray", kindObject: "KindObject"}[a.class]
			s.Case(wireID(kind)).Block(append(a.decode(), jen.Return())...)
		}
		if objects > 1 {
			s.Case(wireID("KindObject")).BlockFunc(func(c *jen.Group) { g.decodeArms(c, t) })
		}
	})
	b.Id("v").Dot("Other").Dot("DecodeWire").Call(jen.Id("d"))
}

// decode are the statements that decode a value as the arm.
func (a *arm) decode() []jen.Code {
	v := jen.Id("v").Dot(a.name)
	if a.typ.hasNil() {
		return []jen.Code{decode(v, a.typ)}
	}
	return decodeNew(v, a.typ)
}

// decodeArms writes the statements that determine the arm of an object, and decode it.
func (g *generator) decodeArms(b *jen.Group, t *typ) {
	test := t.test
	if len(test.cases) > 0 {
		strings := true
		for _, c := range test.cases {
			for _, v := range c.values {
				strings = strings && v.kind == stringKind
			}
		}
		peek := jen.List(jen.Id("value"), jen.Id("_")).Op(":=").Id("d").Dot("PeekString").Call(jen.Lit(test.member))
		on := jen.Id("value")
		if !strings {
			peek = jen.Id("value").Op(":=").Id("d").Dot("PeekRaw").Call(jen.Lit(test.member))
			on = jen.String().Call(on)
		}
		b.Switch(peek, on).BlockFunc(func(s *jen.Group) {
			for _, c := range test.cases {
				var values []jen.Code
				for _, v := range c.values {
					text := v.text
					if !strings {
						text = v.json()
					}
					values = append(values, jen.Lit(text))
				}
				s.Case(values...).Block(append(t.arms[c.arm].decode(), jen.Return())...)
			}
		})
		return
	}
	if test.proven {
		b.Switch().BlockFunc(func(s *jen.Group) {
			for _, k := range test.keys {
				s.Case(jen.Id("d").Dot("PeekKey").Call(jen.Lit(k.member))).Block(append(t.arms[k.arm].decode(), jen.Return())...)
			}
			if test.other >= 0 {
				s.Default().Block(append(t.arms[test.other].decode(), jen.Return())...)
			}
		})
		return
	}
	b.Id("raw").Op(":=").Id("d").Dot("Raw").Call()
	b.Id("peek").Op(":=").Add(wireID("NewDecoder")).Call(jen.Id("raw"))
	try := func(a *arm) []jen.Code {
		field := jen.Id("v").Dot(a.name)
		fresh := jen.New(goType(a.typ))
		return []jen.Code{
			jen.If(jen.Id("arm").Op(":=").Add(fresh), wireID("DecodeAlias").Call(jen.Id("raw"), jen.Id("arm")).Op("==").Nil()).Block(
				jen.Add(field).Op("=").Id("arm"), jen.Return()),
		}
	}
	b.Switch().BlockFunc(func(s *jen.Group) {
		for _, k := range test.keys {
			s.Case(jen.Id("peek").Dot("PeekKey").Call(jen.Lit(k.member))).Block(try(t.arms[k.arm])...)
		}
		if test.other >= 0 {
			s.Default().Block(try(t.arms[test.other])...)
		}
	})
	b.Id("v").Dot("Other").Op("=").Id("raw")
	b.Return()
}
