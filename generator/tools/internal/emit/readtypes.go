package emit

import (
	"go/types"
	"iter"
	"slices"
	"strconv"
	"strings"

	"github.com/dave/jennifer/jen"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// getElem is the function that reads one element of a slice, an array or a map.
func (g *generator) getElem(t *ir.Type, c *ir.Constraints) *jen.Statement {
	if t.Kind == ir.Struct || t.Kind == ir.Union || t.Kind == ir.Array && containsItself(t) && c == &none {
		return jen.Id(g.getter(t))
	}
	return jen.Func().Params(g.id("v").Op("*").Add(g.typ(t.Go)), g.decoder()).BlockFunc(func(b *jen.Group) {
		g.readDeref(b, t, c)
	})
}

// readDeref writes the statements that read a value into *v.
func (g *generator) readDeref(b *jen.Group, t *ir.Type, c *ir.Constraints) {
	switch t.Kind {
	case ir.Text, ir.JSON:
		b.Add(g.own(t, g.id("v")))
	case ir.Array, ir.BigInt, ir.Pointer:
		target := jen.Parens(jen.Op("*").Add(g.id("v")))
		if t.Kind == ir.Pointer && (t.Elem.Kind == ir.Struct || t.Elem.Kind == ir.Union || g.value(t.Elem, c) != nil) {
			target = jen.Op("*").Add(g.id("v"))
		}
		g.read(b, t, c, target)
	default:
		g.read(b, t, c, jen.Op("*").Add(g.id("v")))
	}
}

func (g *generator) decoder() *jen.Statement {
	return g.id("d").Op("*").Add(g.args("Decoder"))
}

// getName is the function that makes a key of a map of the name of a member.
func (g *generator) getName(t *ir.Type, c *ir.Constraints) *jen.Statement {
	d, name := g.id("d"), g.id("name")
	key := func(body *jen.Statement) *jen.Statement {
		return jen.Func().Params(d.Clone().Op("*").Add(g.args("Decoder")), name.Clone().String()).Add(g.typ(t.Go)).Block(jen.Return(body))
	}
	switch {
	case t.Kind == ir.String && c != &none:
		return g.getText(t, c)
	case t.IsClosed():
		var list []jen.Code
		for _, v := range t.Enum {
			spelled := v.Const.Val().ExactString()
			if t.Kind == ir.String {
				list = append(list, scalar(v.Const.Val(), ir.String))
			} else {
				list = append(list, jen.Lit(spelled))
			}
		}
		if t.Kind != ir.String { // the name is one of those, so it is a number of the type
			return jen.Func().Params(g.decoder(), name.Clone().String()).Add(g.typ(t.Go)).Block(
				g.d("NameIn", append([]jen.Code{name}, list...)...),
				jen.Return(g.nameNumber(t)),
			)
		}
		return key(g.convert(t.Go, types.String, g.d("NameIn", append([]jen.Code{name}, list...)...)))
	case t.Kind == ir.Int || t.Kind == ir.Uint:
		return key(g.nameNumber(t))
	case t.Kind == ir.Text:
		v, result := g.id("v"), jen.Op("*").Add(g.id("v"))
		of := t.Go
		if p, ok := types.Unalias(t.Go).(*types.Pointer); ok {
			of, result = p.Elem(), g.id("v")
		}
		return jen.Func().Params(g.decoder(), name.Clone().String()).Add(g.typ(t.Go)).Block(
			v.Clone().Op(":=").New(g.typ(of)),
			g.d("NameText", name, v),
			jen.Return(result),
		)
	}
	return jen.Func().Params(jen.Id("_").Op("*").Add(g.args("Decoder")), name.Clone().String()).Add(g.typ(t.Go)).Block(
		jen.Return(g.convert(t.Go, types.String, name.Clone())),
	)
}

// getText is getName for strings with constraints.
func (g *generator) getText(t *ir.Type, c *ir.Constraints) *jen.Statement {
	name := g.id("name")
	return jen.Func().Params(g.decoder(), name.Clone().String()).Add(g.typ(t.Go)).BlockFunc(func(b *jen.Group) {
		if list := g.enum(t, c); list != nil {
			b.Add(g.d("NameIn", append([]jen.Code{name}, list...)...))
		}
		if c.MinLen != nil || c.MaxLen != nil {
			min, max := g.lengths(c)
			b.Add(g.d("NameLength", name, min, max))
		}
		if c.Regexp != "" {
			b.Add(g.d("NameFormat", name, matchOf(c), g.matcher(c)))
		}
		if f, ok := formats[c.Format]; ok {
			b.Add(g.d("NameFormat", name, jen.Lit(f[0]), g.args(f[1])))
		}
		b.Return(g.convert(t.Go, types.String, name.Clone()))
	})
}

func (g *generator) nameNumber(t *ir.Type) *jen.Statement {
	min, max := g.bounds(t, &none)
	if t.Kind == ir.Uint {
		return g.convert(t.Go, types.Uint64, g.d("NameUint", g.id("name"), max))
	}
	return g.convert(t.Go, types.Int64, g.d("NameInt", g.id("name"), min, max))
}

// getter returns the name of the function that reads a type, which is written later.
func (g *generator) getter(t *ir.Type) string {
	return g.function("Get", t, func(name string) {
		switch t.Kind {
		case ir.Struct:
			g.emitGetStruct(name, t, "")
		case ir.Union:
			g.emitGetUnion(name, t)
		default:
			g.emitGetRecursive(name, t)
		}
	})
}

// function returns the name of a function for a type. The first time it is asked for, emit will
// write it.
func (g *generator) function(verb string, t *ir.Type, emit func(name string)) string {
	base, key := typeName(t.Go), types.TypeString(t.Go, nil)
	if t.Use != "" {
		base, key = useName(t), key+" "+t.Use
	}
	return g.functionFor(verb, base, key, emit)
}

// useName is the part of generated names that says which type, and which function, they are for.
func useName(t *ir.Type) string {
	f, _, _ := strings.Cut(t.Use, " ")
	name := typeName(t.Go) + "Of"
	for part := range strings.SplitSeq(f, ".") {
		name += upper(part)
	}
	return name
}

// functionFor is function for uses of a type that differ by key.
func (g *generator) functionFor(verb, base, key string, emit func(name string)) string {
	key = verb + " " + key
	if name, ok := g.names[key]; ok {
		return name
	}
	name := g.declare("mcp" + verb + base)
	g.names[key] = name
	pos, unpromised := g.pos, g.unpromised
	g.later = append(g.later, func() {
		g.pos, g.unpromised = pos, unpromised
		emit(name)
	})
	return name
}

// containsItself reports whether a slice, a map or an array contains itself, and so needs a function
// to read and to write it. Every cycle of types has a named one in it.
func containsItself(t *ir.Type) bool {
	return t.Recursive && t.Name != "" && (t.Kind == ir.Slice || t.Kind == ir.Map || t.Kind == ir.Array)
}

// emitGetRecursive writes the function that reads a slice, a map or an array that contains itself.
func (g *generator) emitGetRecursive(name string, t *ir.Type) {
	plain := *t
	plain.Recursive = false
	comment(g.file, "%s reads a value and what it contains.", name)
	if t.Kind == ir.Array {
		g.file.Func().Id(name).Params(g.id("v").Op("*").Add(g.typ(t.Go)), g.decoder()).BlockFunc(func(b *jen.Group) {
			g.read(b, &plain, &none, g.id("v"))
		})
		g.file.Line()
		return
	}
	g.file.Func().Id(name).Params(g.decoder()).Add(g.typ(t.Go)).Block(
		jen.Return(g.value(&plain, &none)),
	)
	g.file.Line()
}

// emitType writes the variable that tells package args which members an object has.
func (g *generator) emitType(name, tag string, fields []*ir.Property, open bool, oneOf [][]string) {
	g.file.Var().Id(name).Op("=").Add(g.args("Type")).CustomFunc(multiline, func(v *jen.Group) {
		if open {
			v.Id("Open").Op(":").True()
		}
		if len(fields) == 0 && tag == "" {
			return
		}
		v.Id("Members").Op(":").Index().Add(g.args("Member")).CustomFunc(multiline, func(v *jen.Group) {
			member := func(name string, required, null bool) {
				v.ValuesFunc(func(v *jen.Group) {
					v.Id("Name").Op(":").Lit(name)
					if required {
						v.Id("Required").Op(":").True()
					} else if null {
						v.Id("Null").Op(":").True()
					}
				})
			}
			if tag != "" {
				member(tag, true, false)
			}
			for _, p := range fields {
				member(p.Name, p.Required, takesNull(p.Type))
			}
		})
		if len(oneOf) > 0 {
			v.Id("OneOf").Op(":").Index().Index().Int().ValuesFunc(func(v *jen.Group) {
				for _, names := range oneOf {
					v.ValuesFunc(func(v *jen.Group) {
						for _, name := range names {
							v.Lit(slices.IndexFunc(fields, func(p *ir.Property) bool { return p.Name == name }))
						}
					})
				}
			})
		}
	})
	g.file.Line()
}

// takesNull reports whether null is a value of a type.
func takesNull(t *ir.Type) bool {
	switch t.Kind {
	case ir.Pointer:
		return takesNull(t.Elem)
	case ir.Raw, ir.Any, ir.Option:
		return true
	}
	return t.Null
}

// A place writes what must exist before the value of a property can be set, and returns the variable to set.
type place func(*jen.Group, *ir.Property) *jen.Statement

// readMembers writes the statements that read an object: defaults, then a loop over its members. One
// named tag is known already.
func (g *generator) readMembers(b *jen.Group, typ, tag string, fields []*ir.Property, at place) {
	for _, p := range fields {
		if p.Default != nil {
			g.pos = p.Pos
			g.setDefault(b, p, at(b, p))
		}
	}
	o := g.id("o")
	loop := b.For(o.Clone().Op(":=").Add(g.d("Object", jen.Op("&").Id(typ))), o.Clone().Dot("Next").Call(), jen.Empty())
	if len(fields) == 0 && tag == "" {
		loop.Block()
		return
	}
	loop.Block(jen.Switch(o.Clone().Dot("Name")).BlockFunc(func(b *jen.Group) {
		if tag != "" {
			b.Case(jen.Lit(tag)).Block(g.d("Skip"))
		}
		for _, p := range fields {
			b.Case(jen.Lit(p.Name)).BlockFunc(func(b *jen.Group) {
				g.pos = p.Pos
				g.readProperty(b, p, at(b, p))
			})
		}
	}))
}

// fieldsOf is the place of the fields of the struct v.
func (g *generator) fieldsOf(v *jen.Statement) place {
	return func(b *jen.Group, p *ir.Property) *jen.Statement {
		g.allocate(b, p, v)
		return field(p, v)
	}
}

// emitGetStruct writes the function that reads a struct, as an arm of a union if tag names the member
// that tells the arms apart.
func (g *generator) emitGetStruct(name string, t *ir.Type, tag string) {
	base := typeName(t.Go)
	if t.Use != "" {
		base = useName(t)
	}
	typ := g.declare("mcpType" + base)
	g.emitType(typ, tag, t.Fields, t.Open, nil)
	comment(g.file, "%s reads and checks a value.", name)
	g.file.Func().Id(name).Params(g.id("v").Op("*").Add(g.typ(t.Go)), g.decoder()).BlockFunc(func(b *jen.Group) {
		g.readMembers(b, typ, tag, t.Fields, g.fieldsOf(g.id("v")))
	})
	g.file.Line()
}

// steps yields the embedded fields on the way from v to a property, each with the expression for it. It leaves out those that
// generated code cannot name.
func steps(p *ir.Property, v *jen.Statement) iter.Seq2[ir.Step, *jen.Statement] {
	return func(yield func(ir.Step, *jen.Statement) bool) {
		at := v
		for _, step := range p.Embedded {
			if step.Hidden {
				continue
			}
			at = at.Clone().Dot(step.Field.Name()) // which leaves alone what was written with the last one
			if !yield(step, at) {
				return
			}
		}
	}
}

// field is the field of v behind a property. It may be promoted from an embedded one that has no
// name here.
func field(p *ir.Property, v *jen.Statement) *jen.Statement {
	at := v
	for _, at = range steps(p, v) {
	}
	return at.Clone().Dot(p.Go)
}

// allocate writes what makes the embedded pointers on the way to a field.
func (g *generator) allocate(b *jen.Group, p *ir.Property, v *jen.Statement) {
	for step, at := range steps(p, v) {
		if step.Pointer {
			elem := types.Unalias(step.Field.Type()).(*types.Pointer).Elem()
			b.If(at.Clone().Op("==").Nil()).Block(at.Clone().Op("=").New(g.typ(elem)))
		}
	}
}

// emitGetScalars writes the function that reads one of the scalars that implement an interface.
func (g *generator) emitGetScalars(name string, t *ir.Type) {
	comment(g.file, "%s reads the type that the JSON type of a value says.", name)
	v, item := jen.Op("*").Add(g.id("v")), g.id("item")
	g.file.Func().Id(name).Params(g.id("v").Op("*").Add(g.typ(t.Go)), g.decoder()).Block(
		jen.Switch(g.id("d").Dot("Type").CallFunc(func(b *jen.Group) {
			for _, a := range t.Arms {
				b.Lit(a.Value)
			}
		})).BlockFunc(func(b *jen.Group) {
			for _, a := range t.Arms {
				b.Case(jen.Lit(a.Value)).BlockFunc(func(b *jen.Group) {
					b.Var().Add(item).Add(g.typ(a.Type.Go))
					g.read(b, a.Type, &none, item)
					b.Add(v.Clone().Op("=").Add(item))
				})
			}
		}),
	)
	g.file.Line()
}

// emitGetUnion writes the function that reads one of the types that implement an interface.
func (g *generator) emitGetUnion(name string, t *ir.Type) {
	if t.Discriminator == "" {
		g.emitGetScalars(name, t)
		return
	}
	getters := make([]string, len(t.Arms))
	for i, a := range t.Arms {
		getters[i] = g.arm(t, a)
	}
	comment(g.file, "%s reads the type that the member %s names.", name, strconv.Quote(t.Discriminator))
	g.file.Func().Id(name).Params(g.id("v").Op("*").Add(g.typ(t.Go)), g.decoder()).Block(
		jen.Switch(g.id("d").Dot("Tag").CallFunc(func(b *jen.Group) {
			b.Lit(t.Discriminator)
			for _, a := range t.Arms {
				b.Lit(a.Value)
			}
		})).BlockFunc(func(b *jen.Group) {
			for i, a := range t.Arms {
				of, result := a.Type, g.id("item")
				if of.Kind == ir.Pointer {
					of, result = of.Elem, jen.Op("&").Add(g.id("item"))
				}
				b.Case(jen.Lit(a.Value)).Block(
					jen.Var().Add(g.id("item")).Add(g.typ(of.Go)),
					jen.Id(getters[i]).Call(jen.Op("&").Add(g.id("item")), g.id("d")),
					jen.Op("*").Add(g.id("v")).Op("=").Add(result),
				)
			}
		}),
	)
	g.file.Line()
}

// arm returns the name of the function that reads a struct as an arm of a union.
func (g *generator) arm(union *ir.Type, a *ir.Arm) string {
	t := a.Type
	if t.Kind == ir.Pointer {
		t = t.Elem
	}
	return g.functionFor("Get", typeName(union.Go)+typeName(t.Go), types.TypeString(union.Go, nil)+" "+types.TypeString(t.Go, nil),
		func(name string) { g.emitGetStruct(name, t, union.Discriminator) })
}
