package bindings

import (
	"slices"
	"strings"

	"github.com/dave/jennifer/jen"
	"github.com/mcpgen/mcpgen/generator/internal/goname"
	"github.com/mcpgen/mcpgen/model"
)

// A union is a type that is one of several structs.
type union struct {
	*model.Type
	name string // in Go
	path string // of its package, empty for the one that is generated
}

func (u *union) unknown() string { return "Unknown" + u.name }
func (u *union) marker() string  { return "is" + u.name }
func (u *union) decode() string  { return "Decode" + u.name }
func (u *union) get() string     { return "get" + u.name }
func (u *union) put() string     { return "put" + u.name }

// emitUnion writes a sealed interface, the arm for unknown values, and the functions that read and write the union.
func (g *generator) emitUnion(f *jen.File, u *union) {
	g.declare(u.unknown(), "the unknown arm of "+u.name)
	g.declare(u.decode(), "the decoder of "+u.name)
	g.declare("Unmarshal"+u.name, "the JSON decoder of "+u.name)

	arms := ""
	for _, a := range u.Expr.Arms {
		arms += "*[" + goname.Type(a.Expr.Name) + "], "
	}
	comment(f, g.typeDoc(u.name, u.Type, "It is "+arms+"or *["+u.unknown()+"]."))
	f.Type().Id(u.name).Interface(jen.Qual(wirePath, "Encodable"), jen.Id(u.marker()).Params())

	say(f, u.unknown()+" is "+article(u.name)+" of a kind that this package does not know. It is kept as it came.")
	f.Type().Id(u.unknown()).Struct(jen.Id("Raw").Qual(wirePath, "Raw"))
	f.Func().Params(jen.Op("*").Id(u.unknown())).Id(u.marker()).Params().Block()
	if p := u.Expr.Plan; p.On == model.TestValue && len(p.In) == 0 {
		if name := goname.Field(p.Member); name != "Raw" && name != "" {
			say(f, name+" returns the value by which the kinds of "+u.name+" differ, empty if there is none.")
			f.Func().Params(jen.Id("v").Op("*").Id(u.unknown())).Id(name).Params().String().Block(
				jen.Return(jen.Id("v").Dot("Raw").Dot("StringAt").Call(jen.Lit(p.Member))),
			)
		}
	}
	say(f, "EncodeWire writes the value as it came.")
	f.Func().Params(jen.Id("v").Op("*").Id(u.unknown())).Id("EncodeWire").Params(encoder()).Block(
		jen.If(jen.Id("e").Dot("Present").Call(jen.Lit(u.unknown()), jen.Id("v").Op("!=").Nil())).Block(
			jen.Id("e").Dot("Raw").Call(jen.Id("v").Dot("Raw")),
		),
	)
	say(f, "DecodeWire reads any value.")
	f.Func().Params(jen.Id("v").Op("*").Id(u.unknown())).Id("DecodeWire").Params(decoder()).Block(
		jen.Id("v").Dot("Raw").Op("=").Id("d").Dot("Raw").Call(),
	)
	g.emitJSONMethods(f, u.unknown())
	if !slices.ContainsFunc(g.schema.Methods, func(m *model.Method) bool { return m.Response == u.Type.Name }) {
		g.emitHas(f, u)
	}

	say(f, "Unmarshal"+u.name+" decodes the JSON text of "+article(u.name)+". Its errors are those of [wire.Decode].")
	f.Func().Id("Unmarshal"+u.name).Params(jen.Id("data").Index().Byte()).Params(jen.Id(u.name), jen.Error()).Block(
		jen.Id("b").Op(":=").Add(box("", u.name)),
		jen.If(jen.Err().Op(":=").Qual(wirePath, "Decode").Call(jen.Id("data"), jen.Op("&").Id("b")), jen.Err().Op("!=").Nil()).Block(
			jen.Return(jen.Nil(), jen.Err()),
		),
		jen.Return(jen.Id("b").Dot("Value"), jen.Nil()),
	)

	c := g.codecFile(u.Type)
	text := u.decode() + " reads " + article(u.name) + ". What is none of its kinds is a *[" + u.unknown() + "]"
	if u.Expr.Plan.On == model.TestOutside {
		text += ", and every value is: it does not tell of which kind it is"
	}
	say(c, text+".")
	c.Func().Id(u.decode()).Params(decoder()).Id(u.name).BlockFunc(func(b *jen.Group) {
		g.emitPlan(b, u, u.Expr.Plan)
	})
}

// emitHas writes a function that reports which revisions have which arms of a union, unless every revision has all arms.
func (g *generator) emitHas(f *jen.File, u *union) {
	arms := map[string][]jen.Code{} // by the revisions that have them
	var order []model.Revs
	for _, a := range u.Expr.Arms {
		if slices.Equal(a.Revs, u.Revs) {
			continue
		}
		key := strings.Join(a.Revs, " ")
		if arms[key] == nil {
			order = append(order, a.Revs)
		}
		arms[key] = append(arms[key], jen.Op("*").Id(goname.Type(a.Expr.Name)))
	}
	if len(order) == 0 {
		return
	}
	name := "Has" + u.name
	g.declare(name, "the function for the kinds of "+u.name+" in a revision")
	say(f, name+" reports whether revision rev has "+article(u.name)+" of the type that v has, which may be nil. It is true for *["+u.unknown()+"].")
	f.Func().Id(name).Params(jen.Id("rev").Qual(wirePath, "Revision"), jen.Id("v").Id(u.name)).Bool().Block(
		jen.Switch(jen.Id("v").Assert(jen.Type())).BlockFunc(func(b *jen.Group) {
			for _, revs := range order {
				b.Case(arms[strings.Join(revs, " ")]...).Block(
					jen.Return(jen.Qual(wirePath, "HasRevision").Call(g.spans(revs), jen.Id("rev"))))
			}
		}),
		jen.Return(jen.True()),
	)
}

// use returns a function that is only written if it is used.
func (g *generator) use(function string) *jen.Statement {
	g.used[function] = true
	return jen.Id(function)
}

// emitElements writes the functions that read and write unions as elements and members, if they are used. That
// includes unions of the base, whose own functions are not exported.
func (g *generator) emitElements() {
	g.emitElementsOf(g.types, "")
	if base := g.schema.Base; base != nil {
		g.emitElementsOf(base.Types, g.options.Import)
	}
}

// emitElementsOf writes the functions for those of the types that are unions and whose functions are used. The types
// are those of the package at path, empty for the generated one. All codecs must have been written, since they
// determine what is used.
func (g *generator) emitElementsOf(types []*model.Type, path string) {
	for _, t := range types {
		if g.schema.Type(t.Name) != t {
			continue // the name is another type's here
		}
		u := &union{Type: t, name: goname.Type(t.Name), path: path}
		if g.used[u.get()] {
			c := g.codecFile(t)
			c.Line()
			c.Func().Id(u.get()).Params(jen.Id("v").Op("*").Qual(path, u.name), decoder()).Block(
				jen.Op("*").Id("v").Op("=").Qual(path, u.decode()).Call(jen.Id("d")),
			)
		}
		if g.used[u.put()] {
			c := g.codecFile(t)
			c.Line()
			c.Func().Id(u.put()).Params(jen.Id("v").Op("*").Qual(path, u.name), encoder()).Block(
				jen.If(jen.Id("e").Dot("Present").Call(jen.Lit(u.name), jen.Op("*").Id("v").Op("!=").Nil())).BlockFunc(func(b *jen.Group) {
					g.emitArmChecks(b, u)
					b.Parens(jen.Op("*").Id("v")).Dot("EncodeWire").Call(jen.Id("e"))
				}),
			)
		}
	}
}

// emitMarkers makes a struct an arm of its unions.
func (g *generator) emitMarkers(f *jen.File, st *structType) {
	for _, u := range g.unions[st.Name] {
		f.Line()
		f.Func().Params(jen.Op("*").Id(st.name)).Id(u.marker()).Params().Block()
	}
}

// emitArmChecks writes checks for arms that the union does not have in a revision, unless the arms' own codecs
// refuse them.
func (g *generator) emitArmChecks(b *jen.Group, u *union) {
	var cases []jen.Code
	all := g.schema.Revisions
	if u.path != "" {
		all = g.schema.Base.Revisions
	}
	for _, a := range u.Expr.Arms {
		implied := true // wherever the arm can be encoded at all, the union has it
		for _, r := range g.schema.Type(a.Expr.Name).Revs {
			if slices.Contains(u.Revs, r) && !slices.Contains(a.Revs, r) {
				implied = false
			}
		}
		if implied {
			continue
		}
		bounds := ranges(all, all, a.Revs)
		if len(bounds) != 1 {
			g.errorf("%s: the arm %s exists with an interruption", u.Name, a.Expr.Name)
			continue
		}
		name := goname.Type(a.Expr.Name)
		cases = append(cases, jen.Case(jen.Op("*").Qual(u.path, name)).Block(
			jen.If(jen.Op("!").Add(g.whenAvailable(bounds))).Block(
				jen.Id("e").Dot("Lacks").Call(jen.Lit(name+" as "+u.name), g.span(bounds[0])),
			),
		))
	}
	if len(cases) > 0 {
		b.Switch(jen.Parens(jen.Op("*").Id("v")).Assert(jen.Type())).Block(cases...)
	}
}

// emitPlan writes the statements that determine the arm of the value that comes next, and return it. A nil plan
// means the unknown arm.
func (g *generator) emitPlan(b *jen.Group, u *union, p *model.Plan) {
	if p == nil || p.On == model.TestOutside {
		b.Return(jen.Op("&").Id(u.unknown()).Values(jen.Dict{jen.Id("Raw"): jen.Id("d").Dot("Raw").Call()}))
		return
	}
	path := func(c *jen.Group) {
		for _, name := range p.In {
			c.Lit(name)
		}
		c.Lit(p.Member)
	}
	switch p.On {
	case model.TestKey:
		b.If(jen.Id("d").Dot("PeekKey").CallFunc(path)).BlockFunc(func(b *jen.Group) { g.emitPlan(b, u, p.Has) })
		g.emitPlan(b, u, p.None)
	case model.TestValue:
		found := jen.Id("_")
		if p.None != nil {
			found = jen.Id("found")
		}
		b.List(jen.Id("kind"), found).Op(":=").Id("d").Dot("PeekString").CallFunc(path)
		if p.None != nil {
			b.If(jen.Op("!").Id("found")).BlockFunc(func(b *jen.Group) { g.emitPlan(b, u, p.None) })
		}
		b.Switch(jen.Id("kind")).BlockFunc(func(s *jen.Group) {
			for _, c := range p.Cases {
				s.CaseFunc(func(values *jen.Group) {
					for _, v := range c.Values {
						values.Lit(v)
					}
				}).BlockFunc(func(b *jen.Group) { g.emitPlan(b, u, c.Then) })
			}
		})
		g.emitPlan(b, u, nil)
	default:
		b.Id("v").Op(":=").New(jen.Id(goname.Type(p.Arm)))
		b.Id("v").Dot("DecodeWire").Call(jen.Id("d"))
		b.Return(jen.Id("v"))
	}
}

func encoder() *jen.Statement { return jen.Id("e").Op("*").Qual(wirePath, "Encoder") }
func decoder() *jen.Statement { return jen.Id("d").Op("*").Qual(wirePath, "Decoder") }
