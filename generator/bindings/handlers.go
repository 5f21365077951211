package bindings

import (
	"fmt"
	"strings"

	"github.com/dave/jennifer/jen"
)

// emitSide writes what one end of a connection needs to receive requests (the handler interface, its unimplemented
// default, the dispatcher), and the calls of the other end.
func (g *generator) emitSide(f *jen.File, to side, all []*method) {
	var ms []*method
	for _, m := range all {
		if m.received(to) {
			ms = append(ms, m)
		}
	}
	g.emitHandler(f, to, ms)
	g.emitUnimplemented(f, to, ms)
	g.emitDispatcher(f, to, ms)
	g.emitCalls(f, to, ms)
}

// sentence returns a sentence about what is done with a method, and in which revisions.
func (g *generator) sentence(m *method, does string) string {
	return strings.TrimSpace(does+" "+m.Method.Name+" "+g.inWords(g.schema.Revisions, m.Revs)) + "."
}

// handlerName is the method of the handler interface that receives m.
func (m *method) handlerName() string {
	if m.Notification {
		return "On" + m.Name
	}
	return m.Name
}

// callName is the method of the typed calls that sends m.
func (m *method) callName() string {
	if m.Notification {
		return "Notify" + m.Name
	}
	return m.Name
}

// signature writes the params and results that a handler method has.
func (m *method) signature(s *jen.Statement) *jen.Statement { return m.returns(m.takes(s)) }

// takes writes the parameters of a function that handles or calls the method.
func (m *method) takes(s *jen.Statement) *jen.Statement {
	return s.ParamsFunc(func(p *jen.Group) {
		p.Id("ctx").Qual(contextPath, "Context")
		if m.params.name != "" {
			p.Id("params").Add(m.paramsCode())
		}
	})
}

func (m *method) returns(s *jen.Statement) *jen.Statement {
	switch {
	case m.Notification:
		return s.Error()
	case m.result.union != "":
		return s.Params(jen.Id(m.result.union), jen.Error())
	}
	return s.Params(jen.Op("*").Add(m.result.code()), jen.Error())
}

// paramsCode is the type in which params are passed.
func (m *method) paramsCode() *jen.Statement {
	if m.params.union {
		return m.params.code()
	}
	return jen.Op("*").Add(m.params.code())
}

// emitHandler writes the interface of what handles methods. Its unexported method makes every implementation embed what
// emitUnimplemented writes.
func (g *generator) emitHandler(f *jen.File, to side, ms []*method) {
	name := to.title() + "Handler"
	g.declare(name, "the interface of what handles the methods of a "+to.String())
	say(f, fmt.Sprintf("A %s handles what a %s receives, in every revision: a method for each request, which returns its result, and one whose name begins with On for each notification. Params are never nil.", name, to))
	f.Comment("")
	say(f, fmt.Sprintf("An implementation embeds [Unimplemented%s], so that it still is one when a later revision adds methods.", name))
	claim := g.claimer(name, map[string]string{})
	f.Type().Id(name).InterfaceFunc(func(i *jen.Group) {
		for _, m := range ms {
			claim(m.handlerName(), "the method "+m.Method.Name)
			say(i, g.sentence(m, m.handlerName()+" handles"))
			i.Add(m.signature(jen.Id(m.handlerName())))
		}
		i.Line()
		i.Id("mustEmbedUnimplemented" + name).Params()
	})
}

// emitUnimplemented writes the type that implementations of the interface embed, with methods that know no request and
// ignore every notification.
func (g *generator) emitUnimplemented(f *jen.File, to side, ms []*method) {
	name := "Unimplemented" + to.title() + "Handler"
	g.declare(name, "the default of what handles the methods of a "+to.String())
	say(f, fmt.Sprintf("%s is a [%sHandler] that knows no request and ignores every notification. It must be embedded in every implementation.", name, to.title()))
	f.Type().Id(name).Struct()
	f.Func().Params(jen.Id(name)).Id("mustEmbed" + name).Params().Block()
	for _, m := range ms {
		if m.Notification {
			f.Commentf("%s ignores the notification.", m.handlerName())
		} else {
			f.Commentf("%s returns [wire.ErrUnknownMethod].", m.handlerName())
		}
		fn := f.Func().Params(jen.Id(name)).Id(m.handlerName()).ParamsFunc(func(p *jen.Group) {
			p.Qual(contextPath, "Context")
			if m.params.name != "" {
				p.Add(m.paramsCode())
			}
		})
		m.returns(fn)
		if m.Notification {
			fn.Block(jen.Return(jen.Nil()))
		} else {
			fn.Block(jen.Return(jen.Nil(), jen.Qual(wirePath, "ErrUnknownMethod")))
		}
	}
}

// emitDispatcher writes the type that decodes params and calls a handler. It has a method for requests and one for
// notifications, each of which is a switch on the name of the method.
func (g *generator) emitDispatcher(f *jen.File, to side, ms []*method) {
	name := to.title() + "Dispatcher"
	g.declare(name, "the dispatcher of a "+to.String())
	f.Commentf("A %s decodes what a %s receives and hands it to a handler.", name, to)
	f.Type().Id(name).Struct(
		jen.Id("Handler").Id(to.title()+"Handler"),
		jen.Line().Comment("Alias lets the params that the handler gets share memory with the message, which then must not"),
		jen.Comment("change while they are in use. Otherwise they are copied."),
		jen.Id("Alias").Bool(),
	)
	// dispatch writes one of the two methods. Fail returns what that returns with an error.
	dispatch := func(fn, doc string, notification bool, result jen.Code, fail func(err jen.Code) jen.Code) {
		say(f, doc+" The error is [wire.ErrUnknownMethod] if the revision has no such method, a *[wire.DecodeError] if the params are not what it takes, or the handler's own.")
		f.Func().Params(jen.Id("d").Op("*").Id(name)).Id(fn).Params(
			jen.Id("ctx").Qual(contextPath, "Context"), jen.Id("rev").Qual(wirePath, "Revision"), jen.Id("method").String(), jen.Id("params").Qual(wirePath, "Raw"),
		).Add(result).Block(
			jen.Switch(jen.Id("method")).BlockFunc(func(b *jen.Group) {
				for _, m := range ms {
					if m.Notification == notification {
						b.Case(jen.Lit(m.Method.Name)).BlockFunc(func(c *jen.Group) { m.dispatch(c, to, fail) })
					}
				}
			}),
			jen.Return(fail(jen.Qual(wirePath, "ErrUnknownMethod"))),
		)
	}
	dispatch("Request", "Request handles a request and returns what is to be encoded as its result.", false,
		jen.Params(jen.Qual(wirePath, "Encodable"), jen.Error()),
		func(err jen.Code) jen.Code { return jen.List(jen.Nil(), err) })
	dispatch("Notification", "Notification handles a notification.", true, jen.Error(),
		func(err jen.Code) jen.Code { return err })
}

// dispatch writes the case of one method.
func (m *method) dispatch(c *jen.Group, to side, fail func(jen.Code) jen.Code) {
	args := []jen.Code{jen.Qual(wirePath, to.title()), jen.Id("rev"), jen.Id("params"), jen.Id("d").Dot("Alias")}
	call := []jen.Code{jen.Id("ctx")}
	target := jen.Nil()
	if m.params.name != "" {
		if m.params.union {
			c.Id("p").Op(":=").Op("&").Add(box(m.params.path, m.params.name))
			call = append(call, jen.Id("p").Dot("Value"))
		} else {
			c.Id("p").Op(":=").New(m.params.code())
			call = append(call, jen.Id("p"))
		}
		target = jen.Id("p")
	}
	args = append(args, target)
	c.If(jen.Err().Op(":=").Id(m.Var).Dot("DecodeParams").Call(args...), jen.Err().Op("!=").Nil()).Block(
		jen.Return(fail(jen.Err())),
	)
	invoke := jen.Id("d").Dot("Handler").Dot(m.handlerName()).Call(call...)
	if m.Notification {
		c.Return(invoke)
		return
	}
	c.Return(jen.Id("result").Call(invoke))
}
