package client

import (
	"github.com/dave/jennifer/jen"
	"github.com/mcpgen/mcpgen/generator/internal/godoc"
)

// emitClient writes the client, the interface of its calls, and a fake.
func (g *generator) emitClient() {
	f := g.file
	server := "a server"
	if g.contract.Server.Name != "" {
		server = "the server " + g.contract.Server.Name
	}
	say(f, "Client calls "+server+". Its methods may be called by several goroutines at once.")
	f.Type().Id("Client").Struct(jen.Id("c").Op("*").Qual(clientPath, "Client"))
	f.Line()
	say(f, "New returns a client that calls through c: with its middleware, limits and handlers. A context of [client.WithProgress] makes a call report progress.")
	f.Func().Id("New").Params(jen.Id("c").Op("*").Qual(clientPath, "Client")).Op("*").Id("Client").Block(
		jen.Return(jen.Op("&").Id("Client").Values(jen.Id("c"))))
	f.Line()
	g.emitCalls()
	g.emitFake()
	for _, c := range g.calls {
		g.emitTool(c)
	}
}

// emitCalls writes the interface of all calls.
func (g *generator) emitCalls() {
	f := g.file
	say(f, "Calls are the calls of a [Client], for code that is tested with a [Fake].")
	f.Type().Id("Calls").InterfaceFunc(func(i *jen.Group) {
		for _, c := range g.calls {
			i.Id(c.name).Params(c.params()...).Params(c.result(), jen.Error())
		}
	})
	f.Line()
	f.Var().Defs(
		jen.Id("_").Id("Calls").Op("=").Parens(jen.Op("*").Id("Client")).Call(jen.Nil()),
		jen.Id("_").Id("Calls").Op("=").Parens(jen.Op("*").Id("Fake")).Call(jen.Nil()),
	)
	f.Line()
}

// emitFake writes the fake.
func (g *generator) emitFake() {
	f := g.file
	say(f, "Fake has a function for each call. A call whose function is nil returns an error.")
	taken := make(scope)
	for _, c := range g.calls {
		taken[c.name] = true
	}
	fields := make([]string, len(g.calls))
	for i, c := range g.calls {
		fields[i] = taken.free(c.name+"Func", nil)
		taken[fields[i]] = true
	}
	f.Type().Id("Fake").StructFunc(func(s *jen.Group) {
		for i, c := range g.calls {
			s.Id(fields[i]).Func().Params(c.params()...).Params(c.result(), jen.Error())
		}
	})
	f.Line()
	for i, c := range g.calls {
		say(f, c.name+" calls "+fields[i]+".")
		f.Func().Params(jen.Id("f").Op("*").Id("Fake")).Id(c.name).Params(c.params()...).Params(c.result(), jen.Error()).Block(
			jen.If(jen.Id("f").Dot(fields[i]).Op("==").Nil()).Block(
				jen.Var().Id("none").Add(c.result()),
				jen.Return(jen.Id("none"), jen.Qual("errors", "New").Call(jen.Lit("Fake."+fields[i]+" is nil"))),
			),
			jen.Return(jen.Id("f").Dot(fields[i]).Call(c.names()...)),
		)
		f.Line()
	}
}

// params are the parameters of the method.
func (c *call) params() []jen.Code {
	return []jen.Code{jen.Id("ctx").Qual("context", "Context"), jen.Id("args").Add(goType(c.args))}
}

// names are the names of the parameters.
func (c *call) names() []jen.Code { return []jen.Code{jen.Id("ctx"), jen.Id("args")} }

// result is the type of what the method returns.
func (c *call) result() *jen.Statement {
	switch {
	case c.out == nil:
		return jen.Op("*").Qual(mcpPath, "CallToolResult")
	case c.out.kind != listKind && c.out.kind != mapKind && c.out.named():
		return jen.Op("*").Add(goType(c.out))
	}
	return goType(c.out)
}

// emitTool writes the method that calls a tool.
func (g *generator) emitTool(c *call) {
	f := g.file
	doc := c.name + " calls the tool " + c.tool.Name + "."
	comment(f, godoc.Join(wrap(doc), wrap(c.tool.Description)))
	args := jen.Op("&").Id("args")
	send := func(out jen.Code) *jen.Statement {
		return jen.Qual(clientPath, "CallToolWire").Call(jen.Id("ctx"), jen.Id("c").Dot("c"), jen.Lit(c.tool.Name), args, out)
	}
	f.Func().Params(jen.Id("c").Op("*").Id("Client")).Id(c.name).Params(c.params()...).Params(c.result(), jen.Error()).BlockFunc(func(b *jen.Group) {
		if c.out == nil {
			b.Return(send(jen.Nil()))
			return
		}
		b.Var().Id("out").Add(goType(c.out))
		out := jen.Op("&").Id("out")
		if !c.out.named() && c.out.kind != rawKind && c.out.kind != bytesKind {
			out = wireID("Into").Call(out, getElem(c.out))
		}
		failed := []jen.Code{jen.Id("out"), jen.Err()}
		value := jen.Id("out")
		if c.out.kind != listKind && c.out.kind != mapKind && c.out.named() {
			failed[0], value = jen.Nil(), jen.Op("&").Id("out")
		}
		b.If(jen.List(jen.Id("_"), jen.Err()).Op(":=").Add(send(out)), jen.Err().Op("!=").Nil()).Block(jen.Return(failed...))
		b.Return(value, jen.Nil())
	})
	f.Line()
}
