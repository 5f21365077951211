package client

import "github.com/dave/jennifer/jen"

// maxSeen is for how many members of an object [wire.Object] detects duplicates.
const maxSeen = 64

// emitStruct writes the type of an object and its codec.
func (g *generator) emitStruct(t *typ) {
	g.typeDoc(t)
	g.file.Type().Id(t.name).StructFunc(func(s *jen.Group) {
		empty := true
		for _, f := range t.fields {
			if f.required && f.typ.kind == constKind {
				continue
			}
			doc := f.comment()
			if !empty && doc != "" {
				s.Line()
			}
			empty = false
			comment(s, doc)
			s.Id(f.name).Add(f.goType())
		}
		if !empty && !t.closed {
			s.Line()
		}
		switch {
		case t.closed:
		case t.elem == nil:
			say(s, "Extra holds the members that the schema does not declare, in their order."+t.why)
			s.Id("Extra").Add(wireID("Extra"))
		default:
			comment(s, withReason(wrap("Extra holds the members that the schema does not declare by name."), t.elem))
			s.Id("Extra").Map(jen.String()).Add(goType(t.elem))
		}
	})
	g.file.Line()
	g.emitJSON(t.name)
	g.emitDescription(t)
	g.emitStructEncode(t)
	g.emitStructDecode(t)
}

// order returns the fields in the order of the description, required ones first, and how many are required.
func (t *typ) order() (list []*field, required int) {
	for _, f := range t.fields {
		if f.required && len(list) < maxSeen {
			list = append(list, f)
		}
	}
	required = len(list)
	for _, f := range t.fields {
		if !f.required {
			list = append(list, f)
		}
	}
	if required == maxSeen { // perhaps there are more
		n := 0
		for _, f := range t.fields {
			if f.required {
				if n++; n > maxSeen {
					list = append(list, f)
				}
			}
		}
	}
	return list, required
}

// emitDescription writes the variable that describes a struct to the encoder and the decoder.
func (g *generator) emitDescription(t *typ) {
	list, required := t.order()
	g.file.Var().Id("type" + t.name).Op("=").Add(wireID("Type")).ValuesFunc(func(v *jen.Group) {
		v.Id("Name").Op(":").Lit(t.name)
		if len(list) == 0 {
			return
		}
		v.Id("Members").Op(":").Index().String().ValuesFunc(func(m *jen.Group) {
			for _, f := range list {
				m.Lit(f.key)
			}
		})
		v.Id("Required").Op(":").Lit(required)
	})
	g.file.Line()
}

// emitJSON writes the methods for package encoding/json.
func (g *generator) emitJSON(name string) {
	f := g.file
	say(f, "MarshalJSON returns the JSON text of v.")
	f.Func().Params(jen.Id("v").Id(name)).Id("MarshalJSON").Params().Params(jen.Index().Byte(), jen.Error()).Block(
		jen.Return(wireID("Marshal").Call(wireID("Any"), jen.Op("&").Id("v"))),
	)
	f.Line()
	say(f, "UnmarshalJSON sets v to what data holds.")
	f.Func().Params(jen.Id("v").Op("*").Id(name)).Id("UnmarshalJSON").Params(jen.Id("data").Index().Byte()).Error().Block(
		jen.Return(wireID("Decode").Call(jen.Id("data"), jen.Id("v"))),
	)
	f.Line()
}

// emitStructEncode writes the method EncodeWire. Members that the schema does not declare come last: End writes raw
// ones, and PutMore those of a type.
func (g *generator) emitStructEncode(t *typ) {
	desc := jen.Op("&").Id("type" + t.name)
	say(g.file, "EncodeWire writes v.")
	g.file.Func().Params(jen.Id("v").Op("*").Id(t.name)).Id("EncodeWire").Params(encoder()).BlockFunc(func(b *jen.Group) {
		b.If(jen.Op("!").Id("e").Dot("Begin").Call(desc.Clone(), jen.Id("v").Op("!=").Nil())).Block(jen.Return())
		for _, f := range t.fields {
			g.encodeField(b, f)
		}
		switch {
		case t.closed:
			b.Id("e").Dot("End").Call(desc, jen.Nil())
		case t.elem == nil:
			b.Id("e").Dot("End").Call(desc, jen.Id("v").Dot("Extra"))
		default:
			b.Add(wireID("PutMore")).Call(jen.Id("e"), desc.Clone(), jen.Id("v").Dot("Extra"), putElem(t.elem))
			b.Id("e").Dot("End").Call(desc, jen.Nil())
		}
	})
	g.file.Line()
}

// encodeField writes the statements that encode a member. An optional one is absent if its field is nil, the zero
// Option or, of a constant, false.
func (g *generator) encodeField(b *jen.Group, f *field) {
	key := jen.Id("e").Dot("Key").Call(jen.Lit(keyText(f.key)))
	v := jen.Id("v").Dot(f.name)
	switch {
	case f.required:
		b.Add(key)
		b.Add(encode(v, f.typ))
	case f.typ.kind == constKind:
		b.If(v).Block(key, encode(v, f.typ))
	case f.typ.kind == nullKind:
		b.If(jen.Op("!").Add(v.Clone()).Dot("IsZero").Call()).Block(key,
			wireID("PutOption").Call(jen.Id("e"), jen.Op("&").Add(v), putElem(f.typ.elem)))
	case f.typ.hasNil():
		b.If(v.Clone().Op("!=").Nil()).Block(key, encode(v, f.typ))
	default:
		b.If(v.Clone().Op("!=").Nil()).Block(key, encode(pointed(v, f.typ), f.typ))
	}
}

// emitStructDecode writes the method DecodeWire. The decoder itself finds duplicate and missing members among the first
// maxSeen of the description. For those that follow, the method has a variable of its own.
func (g *generator) emitStructDecode(t *typ) {
	list, _ := t.order()
	say(g.file, "DecodeWire reads v.")
	g.file.Func().Params(jen.Id("v").Op("*").Id(t.name)).Id("DecodeWire").Params(decoder()).BlockFunc(func(b *jen.Group) {
		b.Op("*").Id("v").Op("=").Id(t.name).Values()
		if len(list) > maxSeen {
			b.Var().Id("seen").Index(jen.Lit(len(list) - maxSeen)).Bool()
		}
		b.Id("o").Op(":=").Id("d").Dot("Object").Call(jen.Op("&").Id("type" + t.name))
		b.For(jen.Id("o").Dot("Next").Call()).BlockFunc(func(b *jen.Group) {
			if len(list) == 0 {
				g.decodeOther(b, t)
				return
			}
			b.Switch(jen.Id("o").Dot("Name")).BlockFunc(func(s *jen.Group) {
				for i, f := range list {
					s.Case(jen.Lit(f.key)).BlockFunc(func(c *jen.Group) {
						g.once(c, i)
						decodeField(c, f)
					})
				}
				s.Default().BlockFunc(func(c *jen.Group) { g.decodeOther(c, t) })
			})
		})
		for i, f := range list {
			if i >= maxSeen && f.required {
				b.If(jen.Op("!").Id("seen").Index(jen.Lit(i - maxSeen))).Block(
					jen.Id("d").Dot("Fail").Call(jen.Lit("missing required member before it: " + f.key)))
			}
		}
	})
	g.file.Line()
}

// once writes the statement that refuses a duplicate member.
func (g *generator) once(c *jen.Group, i int) {
	if i < maxSeen {
		c.Id("o").Dot("Once").Call(jen.Lit(i))
		return
	}
	seen := jen.Id("seen").Index(jen.Lit(i - maxSeen))
	c.If(seen.Clone()).Block(jen.Id("d").Dot("Fail").Call(jen.Lit("duplicate member")))
	c.Add(seen).Op("=").True()
}

// decodeOther writes the statement that reads a member which is not declared.
func (g *generator) decodeOther(b *jen.Group, t *typ) {
	extra := jen.Op("&").Id("v").Dot("Extra")
	switch {
	case t.closed:
		b.Id("o").Dot("Unknown").Call()
	case t.elem == nil:
		b.Id("o").Dot("Extra").Call(extra)
	default:
		b.Add(wireID("More")).Call(jen.Op("&").Id("o"), extra, getElem(t.elem))
	}
}

// decodeField writes the statements that decode a member or an element. An optional one whose type has no nil gets a
// new variable.
func decodeField(c *jen.Group, f *field) {
	v := jen.Id("v").Dot(f.name)
	switch {
	case f.required || f.typ.kind != nullKind && f.typ.hasNil():
		c.Add(decode(v, f.typ))
	case f.typ.kind == constKind:
		c.Add(decode(v, f.typ))
		c.Add(v).Op("=").True()
	case f.typ.kind == nullKind:
		c.Add(v).Op("=").Add(wireID("GetOption")).Call(jen.Id("d"), getElem(f.typ.elem))
	default:
		for _, s := range decodeNew(v, f.typ) {
			c.Add(s)
		}
	}
}
