package bindings

import (
	"fmt"
	"slices"

	"github.com/dave/jennifer/jen"
	"github.com/mcpgen/mcpgen/model"
)

// emitCalls writes the typed calls with which the other end sends requests to a side.
func (g *generator) emitCalls(f *jen.File, to side, ms []*method) {
	name := to.title() + "Calls"
	g.declare(name, "the typed calls of a "+to.String())
	say(f, fmt.Sprintf("%s are typed calls of what a %s receives. Errors are those of the [wire.Caller]. Params may be nil: then none are sent.", name, to))
	f.Type().Id(name).Struct(jen.Qual(wirePath, "Caller"))
	claim := g.claimer(name, map[string]string{"Caller": "the caller", "Call": "its Call", "Notify": "its Notify"})
	for _, m := range ms {
		if to == client && len(m.ToClient) == 0 {
			continue // only asked inside of a result
		}
		claim(m.callName(), "the method "+m.Method.Name)
		verb := "requests"
		if m.Notification {
			verb = "sends"
		}
		text := g.sentence(m, m.callName()+" "+verb)
		if m.result.union != "" {
			text += fmt.Sprintf(" A result of another type than %s is a *[wire.UnexpectedResultError]; see [%s.%s].", m.result.plain, name, m.result.union)
		}
		say(f, text)
		g.deprecation(f, m.Doc)
		m.call(f, name)
		if m.result.union != "" {
			claim(m.result.union, "the call for results of all types of "+m.Method.Name)
			say(f, m.result.union+" requests "+m.Method.Name+" and returns its result, whichever type that has.")
			g.deprecation(f, m.Doc)
			m.callAny(f, name)
		}
	}
}

// encodable writes the statement that turns params into an Encodable: a nil pointer must become
// a nil interface.
func (m *method) encodable(b *jen.Group) jen.Code {
	switch {
	case m.params.name == "":
		return jen.Nil()
	case m.params.union:
		return jen.Id("params")
	}
	b.Var().Id("p").Qual(wirePath, "Encodable")
	b.If(jen.Id("params").Op("!=").Nil()).Block(jen.Id("p").Op("=").Id("params"))
	return jen.Id("p")
}

// call writes the typed call of a method. If the method has results of several types, it calls what callAny writes, and
// accepts the plain one.
func (m *method) call(f *jen.File, receiver string) {
	fn := m.takes(f.Func().Params(jen.Id("c").Id(receiver)).Id(m.callName()))
	if m.Notification {
		fn.Error().BlockFunc(func(b *jen.Group) {
			b.Return(jen.Id("c").Dot("Notify").Call(jen.Id("ctx"), jen.Op("&").Id(m.Var), m.encodable(b)))
		})
		return
	}
	fn.Params(jen.Op("*").Add(m.result.code()), jen.Error()).BlockFunc(func(b *jen.Group) {
		if m.result.union != "" {
			args := []jen.Code{jen.Id("ctx")}
			if m.params.name != "" {
				args = append(args, jen.Id("params"))
			}
			b.List(jen.Id("result"), jen.Err()).Op(":=").Id("c").Dot(m.result.union).Call(args...)
			b.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err()))
			m.returnPlain(b)
			return
		}
		p := m.encodable(b)
		b.Id("r").Op(":=").New(m.result.code())
		b.If(jen.Err().Op(":=").Id("c").Dot("Call").Call(jen.Id("ctx"), jen.Op("&").Id(m.Var), p, jen.Id("r")), jen.Err().Op("!=").Nil()).Block(
			jen.Return(jen.Nil(), jen.Err()),
		)
		b.Return(jen.Id("r"), jen.Nil())
	})
}

// callAny writes the typed call that returns a result of any type that the method has.
func (m *method) callAny(f *jen.File, receiver string) {
	fn := m.takes(f.Func().Params(jen.Id("c").Id(receiver)).Id(m.result.union))
	fn.Params(jen.Id(m.result.union), jen.Error()).BlockFunc(func(b *jen.Group) {
		p := m.encodable(b)
		b.Id("r").Op(":=").Add(box("", m.result.union))
		b.If(jen.Err().Op(":=").Id("c").Dot("Call").Call(jen.Id("ctx"), jen.Op("&").Id(m.Var), p, jen.Op("&").Id("r")), jen.Err().Op("!=").Nil()).Block(
			jen.Return(jen.Nil(), jen.Err()),
		)
		b.Return(jen.Id("r").Dot("Value"), jen.Nil())
	})
}

// emitInput writes the code that handles requests inside a result, and reads the responses to them. The type of a
// response follows from the request with the same key.
func (g *generator) emitInput(all []*method) {
	var ms []*method
	for _, m := range all {
		if len(m.AsInput) > 0 {
			ms = append(ms, m)
		}
	}
	if len(ms) == 0 || g.schema.Type("InputResponse") == nil {
		return
	}
	for _, name := range []string{"InputRequest", "InputResponse"} {
		if g.shapeOf(ref(name)).kind != unionShape {
			g.errorf("%s must be a union of objects, as it has an interface in Go: declare more than one", name)
		}
	}
	responses := g.schema.Type("InputResponse").Expr.Arms
	for _, m := range ms {
		result := m.Results[0].Name
		if !slices.ContainsFunc(responses, func(a *model.Arm) bool { return g.shapeOf(a.Expr).name == g.shapeOf(ref(result)).name }) {
			g.errorf("%s: its result %s must be one of InputResponse, as %s is one of InputRequest", m.Method.Name, result, m.Type)
		}
	}
	request := jen.Id("request").Assert(jen.Type())
	if slices.ContainsFunc(ms, func(m *method) bool { return m.params.name != "" }) {
		request = jen.Id("r").Op(":=").Add(request)
	}
	f := g.file("input")
	say(f, "Input handles a request that a server asked inside of a result that requires input. The error is [wire.ErrUnknownMethod] for a request of no known type, a *[wire.UnexpectedResultError] if the handler's result has a type that no input response has, or the handler's own.")
	f.Func().Params(jen.Id("d").Op("*").Id("ClientDispatcher")).Id("Input").Params(
		jen.Id("ctx").Qual(contextPath, "Context"), jen.Id("request").Id("InputRequest"),
	).Params(jen.Id("InputResponse"), jen.Error()).Block(
		jen.Switch(request).BlockFunc(func(b *jen.Group) {
			for _, m := range ms {
				b.Case(jen.Op("*").Id(m.Type)).BlockFunc(func(c *jen.Group) { g.input(c, m) })
			}
		}),
		jen.Return(jen.Nil(), jen.Qual(wirePath, "ErrUnknownMethod")),
	)
	g.declare("DecodeInputResponseTo", "the decoder of input responses")
	say(f, "DecodeInputResponseTo reads the input response to a request: its type is that of the request's result. The response to a request of no known type stays an [UnknownInputResponse].")
	f.Func().Id("DecodeInputResponseTo").Params(jen.Id("request").Id("InputRequest"), jen.Id("d").Op("*").Qual(wirePath, "Decoder")).Id("InputResponse").Block(
		jen.Switch(jen.Id("request").Assert(jen.Type())).BlockFunc(func(b *jen.Group) {
			for _, m := range ms {
				b.Case(jen.Op("*").Id(m.Type)).Block(
					jen.Id("v").Op(":=").New(m.result.code()),
					jen.Id("v").Dot("DecodeWire").Call(jen.Id("d")),
					jen.Return(jen.Id("v")),
				)
			}
		}),
		jen.Return(jen.Id("DecodeInputResponse").Call(jen.Id("d"))),
	)
}

// input writes the statements that handle one request for input, for its case in the switch of Input.
func (g *generator) input(c *jen.Group, m *method) {
	field := jen.Id("r").Dot("Params")
	switch {
	case m.params.name == "":
		field = nil
	case m.params.union:
	case m.Optional:
		c.Id("p").Op(":=").Add(field)
		c.If(jen.Id("p").Op("==").Nil()).Block(jen.Id("p").Op("=").New(m.params.code()))
		field = jen.Id("p")
	default:
		field = jen.Op("&").Add(field)
	}
	args := []jen.Code{jen.Id("ctx")}
	if field != nil {
		args = append(args, field)
	}
	c.List(jen.Id("result"), jen.Err()).Op(":=").Id("d").Dot("Handler").Dot(m.handlerName()).Call(args...)
	c.If(jen.Err().Op("!=").Nil()).Block(jen.Return(jen.Nil(), jen.Err()))
	if m.result.union == "" {
		c.Return(jen.Id("result"), jen.Nil())
		return
	}
	m.returnPlain(c)
}

// returnPlain writes the statements that return a result if it is the plain one, and an error otherwise.
func (m *method) returnPlain(b *jen.Group) {
	b.If(jen.List(jen.Id("r"), jen.Id("ok")).Op(":=").Id("result").Assert(jen.Op("*").Add(m.result.code())), jen.Id("ok")).Block(jen.Return(jen.Id("r"), jen.Nil()))
	b.Return(jen.Nil(), jen.Op("&").Qual(wirePath, "UnexpectedResultError").Values(jen.Dict{
		jen.Id("Method"): jen.Lit(m.Method.Name), jen.Id("Want"): jen.Lit(m.result.plain), jen.Id("Result"): jen.Id("result"),
	}))
}
