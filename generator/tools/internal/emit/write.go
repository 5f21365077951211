package emit

import (
	"encoding/json"
	"go/types"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// The functions here write the code that writes values. In it e is the encoder.

func (g *generator) e(method string, args ...jen.Code) *jen.Statement {
	return g.id("e").Dot(method).Call(args...)
}

func (g *generator) encoder() *jen.Statement {
	return g.id("e").Op("*").Add(g.wire("Encoder"))
}

// key is the statement that begins a member. Its name is written in JSON.
func (g *generator) key(name string) *jen.Statement {
	var b strings.Builder
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false)
	if err := to.Encode(name); err != nil {
		g.errorf("the name %q cannot be written: %v", name, err)
	}
	text := strings.TrimSuffix(b.String(), "\n")
	return g.e("Key", literal(text[1:len(text)-1]))
}

// write writes the statements that write value, which is addressable and of type t.
func (g *generator) write(b *jen.Group, t *ir.Type, c *ir.Constraints, value *jen.Statement) {
	if t.Kind != ir.Pointer {
		g.want(b, t, c, value)
	}
	ref := jen.Op("&").Add(value.Clone())
	switch t.Kind {
	case ir.Pointer:
		b.If(value.Clone().Op("==").Nil()).Block(
			g.e("Fail", jen.Lit("the value is nil")),
		).Else().BlockFunc(func(b *jen.Group) { g.writePointer(b, t, c, value) })
		return
	case ir.Bool:
		b.Add(g.e("Bool", g.plain(t, types.Bool, value)))
	case ir.Int, ir.Uint:
		plain := g.plain(t, numberKind(t), value)
		switch {
		case t.Named:
			b.Add(g.args("PutName").Call(g.id("e"), plain, g.constants(t, &none)))
		case t.Kind == ir.Int:
			b.Add(g.e("Int", plain))
		default:
			b.Add(g.e("Uint", plain))
		}
	case ir.Float:
		if t.Bits == 32 {
			b.Add(g.e("Float32", g.plain(t, types.Float32, value)))
		} else {
			b.Add(g.e("Float", g.plain(t, types.Float64, value)))
		}
	case ir.String:
		b.Add(g.e("String", g.plain(t, types.String, value)))
	case ir.Bytes:
		if elem := t.Go.Underlying().(*types.Slice).Elem(); !types.Identical(elem, types.Typ[types.Byte]) {
			value = jen.Index().Byte().Call(jen.String().Call(value.Clone()))
		}
		b.Add(g.put("PutBytes", value))
	case ir.Time:
		put := "PutTime"
		if c.Format == "date" {
			put = "PutDate"
		}
		b.Add(g.put(put, unwrap(t, value)))
	case ir.Duration:
		b.Add(g.put("PutDuration", value))
	case ir.URL:
		b.Add(g.put("PutURL", ref))
	case ir.BigInt:
		b.Add(g.put("PutBigInt", ref))
	case ir.Number:
		b.Add(g.put("PutNumber", jen.String().Call(value.Clone())))
	case ir.Raw:
		b.Add(g.put("PutRaw", value))
	case ir.Any:
		b.Add(g.put("PutAny", value))
	case ir.Text, ir.JSON:
		b.Add(g.putOwn(t, ref))
	case ir.Slice, ir.Map, ir.Array:
		if containsItself(t) {
			b.Add(jen.Id(g.putter(t)).Call(ref, g.id("e")))
			return
		}
		g.writeMany(b, t, c, value)
	case ir.Struct, ir.Union:
		b.Add(jen.Id(g.putter(t)).Call(ref, g.id("e")))
	default:
		g.errorf("the kind %d of the type %s cannot be written", t.Kind, t.Go)
	}
}

func (g *generator) put(name string, value *jen.Statement) *jen.Statement {
	return g.args(name).Call(value.Clone(), g.id("e"))
}

// plain is value as a basic type.
func (g *generator) plain(t *ir.Type, to types.BasicKind, value *jen.Statement) *jen.Statement {
	if types.Identical(t.Go, types.Typ[to]) {
		return value.Clone()
	}
	return jen.Id(types.Typ[to].Name()).Call(value.Clone())
}

// writePointer writes what a pointer points to, which is not nil.
func (g *generator) writePointer(b *jen.Group, t *ir.Type, c *ir.Constraints, value *jen.Statement) {
	g.wantPointer(b, t.Elem, c, value)
	switch t.Elem.Kind {
	case ir.Struct, ir.Union:
		b.Add(jen.Id(g.putter(t.Elem)).Call(value.Clone(), g.id("e")))
	case ir.URL:
		b.Add(g.put("PutURL", value))
	case ir.BigInt:
		b.Add(g.put("PutBigInt", value))
	case ir.Text, ir.JSON:
		b.Add(g.putOwn(t.Elem, value))
	default:
		if containsItself(t.Elem) {
			b.Add(jen.Id(g.putter(t.Elem)).Call(value.Clone(), g.id("e")))
			return
		}
		if t.Elem.Kind == ir.Array {
			g.write(b, t.Elem, c, value) // a pointer to an array is sliced like the array
			return
		}
		g.write(b, t.Elem, c, jen.Op("*").Add(value.Clone()))
	}
}

// writeMany writes a list or a map. A map with keys that are plain strings, and need no check, needs no package args.
func (g *generator) writeMany(b *jen.Group, t *ir.Type, c *ir.Constraints, value *jen.Statement) {
	switch {
	case t.Kind == ir.Array:
		b.Add(g.wire("PutSlice").Call(g.id("e"), value.Clone().Index(jen.Op(":")), g.putElem(t.Elem, orNone(c.Items))))
	case t.Kind == ir.Slice:
		b.Add(g.wire("PutSlice").Call(g.id("e"), value.Clone(), g.putElem(t.Elem, orNone(c.Items))))
	case t.Key.Kind == ir.String && types.Identical(t.Key.Go, types.Typ[types.String]) && (c.Keys == nil || g.unpromised):
		b.Add(g.wire("PutMap").Call(g.id("e"), value.Clone(), g.putElem(t.Elem, orNone(c.Values))))
	default:
		b.Add(g.args("PutMap").Call(g.id("e"), value.Clone(), g.putName(t.Key, orNone(c.Keys)), g.putElem(t.Elem, orNone(c.Values))))
	}
}

// putElem is the function that writes one element of a slice, an array or a map.
func (g *generator) putElem(t *ir.Type, c *ir.Constraints) *jen.Statement {
	free := c == &none || g.unpromised
	switch {
	case t.Kind == ir.Struct, t.Kind == ir.Union, containsItself(t) && free:
		return jen.Id(g.putter(t))
	case t.Kind == ir.String && free && (!t.IsClosed() || g.unpromised):
		return g.wire("PutString").Types(g.typ(t.Go))
	case free && types.Identical(t.Go, types.Typ[types.Int64]):
		return g.wire("PutInt")
	case free && types.Identical(t.Go, types.Typ[types.Float64]):
		return g.wire("PutFloat")
	case free && types.Identical(t.Go, types.Typ[types.Bool]):
		return g.wire("PutBool")
	}
	return jen.Func().Params(g.id("v").Op("*").Add(g.typ(t.Go)), g.encoder()).BlockFunc(func(b *jen.Group) {
		g.writeDeref(b, t, c)
	})
}

// writeDeref writes the statements that write *v.
func (g *generator) writeDeref(b *jen.Group, t *ir.Type, c *ir.Constraints) {
	switch t.Kind {
	case ir.Text, ir.JSON, ir.URL, ir.BigInt, ir.Array:
		pointer := &ir.Type{Kind: ir.Pointer, Go: types.NewPointer(t.Go), Elem: t}
		g.writePointer(b, pointer, c, g.id("v"))
	case ir.Pointer:
		value := jen.Op("*").Add(g.id("v"))
		if t.Elem.Kind == ir.Array { // which is sliced
			value = jen.Parens(value)
		}
		g.write(b, t, c, value)
	default:
		g.write(b, t, c, jen.Op("*").Add(g.id("v")))
	}
}

// putName is the function that makes the name of a member from the key of a map.
func (g *generator) putName(t *ir.Type, c *ir.Constraints) *jen.Statement {
	k := g.id("k")
	if (t.IsClosed() || c != &none) && !g.unpromised {
		return jen.Func().Params(k.Clone().Add(g.typ(t.Go)), g.encoder()).String().BlockFunc(func(b *jen.Group) {
			g.want(b, unnamed(t), c, k)
			b.Return(g.nameOf(t, k))
		})
	}
	params := []jen.Code{k.Clone().Add(g.typ(t.Go)), jen.Id("_").Op("*").Add(g.wire("Encoder"))}
	if t.Kind == ir.Text {
		params[1] = g.encoder()
	}
	return jen.Func().Params(params...).String().Block(jen.Return(g.nameOf(t, k)))
}

// nameOf is the name that a key k makes.
func (g *generator) nameOf(t *ir.Type, k *jen.Statement) *jen.Statement {
	switch t.Kind {
	case ir.Int:
		return g.std("strconv", "FormatInt").Call(g.plain(t, types.Int64, k), jen.Lit(10))
	case ir.Uint:
		return g.std("strconv", "FormatUint").Call(g.plain(t, types.Uint64, k), jen.Lit(10))
	case ir.Text:
		if _, ok := types.Unalias(t.Go).(*types.Pointer); !ok {
			k = jen.Op("&").Add(k)
		}
		return g.args("TextName").Call(k, g.id("e"))
	}
	return g.plain(t, types.String, k)
}

// putVerb begins the name of the function that writes a type. There are two such functions if checking what the
// schema promises makes a difference.
func (g *generator) putVerb(t *ir.Type) string {
	if g.unpromised && promises(t, make(map[*ir.Type]bool)) {
		return "Write"
	}
	return "Put"
}

// putter returns the name of the function that writes a type, which is written later.
func (g *generator) putter(t *ir.Type) string {
	return g.function(g.putVerb(t), t, func(name string) {
		comment(g.file, "%s writes a value.", name)
		g.file.Func().Id(name).Params(g.id("v").Op("*").Add(g.typ(t.Go)), g.encoder()).BlockFunc(func(b *jen.Group) {
			switch t.Kind {
			case ir.Struct:
				g.writeObject(b, "", "", t.Fields, g.id("v"))
			case ir.Union:
				g.writeUnion(b, t)
			default:
				value := jen.Op("*").Add(g.id("v"))
				if t.Kind == ir.Array {
					value = g.id("v")
				}
				b.If(g.e("Enter")).BlockFunc(func(b *jen.Group) {
					g.writeMany(b, t, &none, value)
					b.Add(g.e("Leave"))
				})
			}
		})
		g.file.Line()
	})
}

// writeObject writes the statements that write the fields of v as an object. As an arm of a union it
// begins with the member tag.
func (g *generator) writeObject(b *jen.Group, tag, value string, fields []*ir.Property, v *jen.Statement) {
	b.If(jen.Op("!").Add(g.e("BeginObject"))).Block(jen.Return())
	if tag != "" {
		b.Add(g.key(tag))
		b.Add(g.e("String", jen.Lit(value)))
	}
	for _, p := range fields {
		g.pos = p.Pos
		g.writeField(b, p, v)
	}
	b.Add(g.e("EndObject"))
}

// writeField writes a member of an object, if it is present.
func (g *generator) writeField(b *jen.Group, p *ir.Property, v *jen.Statement) {
	value := field(p, v)
	member := func(b *jen.Group) {
		b.Add(g.key(p.Name))
		c := &none
		if p.Constraints != nil && !p.Quoted { // of which schemas say nothing where a number is a string
			c = p.Constraints
		}
		if p.Quoted {
			b.Add(g.e("Quote"))
		}
		t := p.Type
		if p.Quoted {
			t = unnamed(t)
		}
		switch {
		case t.Kind == ir.Option:
			b.Add(g.wire("PutOption").Call(g.id("e"), jen.Op("&").Add(value.Clone()), g.putElem(t.Elem, c)))
		case t.Kind == ir.Pointer && !p.Required:
			g.writePointer(b, t, c, value)
		default:
			g.write(b, t, c, value)
		}
		if p.Quoted {
			b.Add(g.e("Quote"))
		}
	}
	if present := g.present(p, v, value); present != nil {
		b.If(present).BlockFunc(member)
		return
	}
	member(b)
}

// writeUnion writes the statements that write what the interface *v holds.
func (g *generator) writeUnion(b *jen.Group, t *ir.Type) {
	item := g.id("item")
	b.Switch(item.Clone().Op(":=").Parens(jen.Op("*").Add(g.id("v"))).Assert(jen.Type())).BlockFunc(func(b *jen.Group) {
		for _, a := range t.Arms {
			if t.Discriminator == "" {
				pointer := &ir.Type{Kind: ir.Pointer, Go: types.NewPointer(a.Type.Go), Elem: a.Type}
				b.Case(g.typ(a.Type.Go)).BlockFunc(func(b *jen.Group) { g.write(b, a.Type, &none, item) })
				b.Case(g.typ(pointer.Go)).BlockFunc(func(b *jen.Group) { g.write(b, pointer, &none, item) })
				continue
			}
			of, pointer := a.Type, a.Type.Kind == ir.Pointer
			if pointer {
				of = of.Elem
			}
			put := g.functionFor(g.putVerb(t), typeName(t.Go)+typeName(of.Go), types.TypeString(t.Go, nil)+" "+types.TypeString(of.Go, nil),
				func(name string) {
					comment(g.file, "%s writes a value with the member %s.", name, strconv.Quote(t.Discriminator))
					g.file.Func().Id(name).Params(g.id("v").Op("*").Add(g.typ(of.Go)), g.encoder()).BlockFunc(func(b *jen.Group) {
						b.If(g.id("v").Op("==").Nil()).Block(g.e("Fail", jen.Lit("the value is nil")), jen.Return())
						g.writeObject(b, t.Discriminator, a.Value, of.Fields, g.id("v"))
					})
					g.file.Line()
				})
			if !pointer {
				b.Case(g.typ(of.Go)).Block(jen.Id(put).Call(jen.Op("&").Add(item), g.id("e")))
			}
			b.Case(jen.Op("*").Add(g.typ(of.Go))).Block(jen.Id(put).Call(item, g.id("e")))
		}
		b.Default().Block(g.e("Fail", jen.Lit("the value is nil")))
	})
}
