package client

import (
	"github.com/dave/jennifer/jen"
	"github.com/mcpgen/mcpgen/generator/internal/godoc"
)

// emitClient writes the client, the interface of its calls, and a fake.
func (g *generator) emitClient() {
	f := g.file
	say(f, "Client calls a server. Its methods may be called by several goroutines at once.")
	f.Type().Id("Client").Struct(jen.Id("c").Op("*").Qual(clientPath, "Client"))
	f.Line()
	say(f, "New returns a client that calls through c: with its middleware, limits and handlers. A context of [client.WithProgress] makes a call report progress, one of [client.WithResult] gets the content beside a result.")
	f.Func().Id("New").Params(jen.Id("c").Op("*").Qual(clientPath, "Client")).Op("*").Id("Client").Block(
		jen.Return(jen.Op("&").Id("Client").Values(jen.Id("c"))))
	f.Line()
	methods := g.methods()
	g.emitCalls(methods)
	g.emitFake(methods)
	for _, m := range methods {
		comment(f, m.doc)
		f.Func().Params(jen.Id("c").Op("*").Id("Client")).Id(m.name).Params(m.params...).Params(m.result, jen.Error()).BlockFunc(m.body)
		f.Line()
	}
	for _, c := range g.prompts {
		g.emitPromptArgs(c)
	}
}

// methods are those of the client: for tools, prompts and resource templates.
func (g *generator) methods() []*method {
	var list []*method
	for _, c := range g.calls {
		list = append(list, c.method())
	}
	for _, c := range g.prompts {
		list = append(list, g.promptMethod(c))
	}
	for _, c := range g.reads {
		list = append(list, g.readMethod(c))
	}
	return list
}

// emitCalls writes the interface of all calls.
func (g *generator) emitCalls(methods []*method) {
	f := g.file
	say(f, "Calls are the calls of a [Client], for code that is tested with a [Fake].")
	f.Type().Id("Calls").InterfaceFunc(func(i *jen.Group) {
		for _, m := range methods {
			i.Id(m.name).Params(m.params...).Params(m.result, jen.Error())
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
func (g *generator) emitFake(methods []*method) {
	f := g.file
	say(f, "Fake has a function for each call. A call whose function is nil returns an error.")
	taken := newScope()
	for _, m := range methods {
		taken.taken[m.name] = true
	}
	fields := make([]string, len(methods))
	for i, m := range methods {
		fields[i] = taken.free(m.name+"Func", nil)
		taken.taken[fields[i]] = true
	}
	f.Type().Id("Fake").StructFunc(func(s *jen.Group) {
		for i, m := range methods {
			s.Id(fields[i]).Func().Params(m.params...).Params(m.result, jen.Error())
		}
	})
	f.Line()
	for i, m := range methods {
		say(f, m.name+" calls "+fields[i]+".")
		f.Func().Params(jen.Id("f").Op("*").Id("Fake")).Id(m.name).Params(m.params...).Params(m.result, jen.Error()).Block(
			jen.If(jen.Id("f").Dot(fields[i]).Op("==").Nil()).Block(
				jen.Var().Id("none").Add(m.result),
				jen.Return(jen.Id("none"), jen.Qual("errors", "New").Call(jen.Lit("Fake."+fields[i]+" is nil"))),
			),
			jen.Return(jen.Id("f").Dot(fields[i]).Call(m.args...)),
		)
		f.Line()
	}
}

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

// method is the method that calls a tool.
func (c *call) method() *method {
	return &method{
		name:   c.name,
		doc:    godoc.Join(wrap(c.name+" calls the tool "+c.tool.Name+"."), wrap(c.tool.Description), c.untyped("The arguments are", c.args), c.untyped("The result is", c.out)),
		params: []jen.Code{jen.Id("ctx").Qual("context", "Context"), jen.Id("args").Add(goType(c.args))},
		args:   []jen.Code{jen.Id("ctx"), jen.Id("args")},
		result: c.result(),
		body:   c.body,
	}
}

// untyped returns a comment that says why the arguments or the result are raw JSON, empty if they are not.
func (c *call) untyped(what string, t *typ) string {
	if t == nil || t.kind != rawKind || t.why == "" {
		return ""
	}
	return wrap(what + " raw JSON. Reason: " + t.why)
}

// body writes the statements of the method that calls the tool. It returns a struct by pointer, nil after an error, and
// any other value as it is.
func (c *call) body(b *jen.Group) {
	send := func(out jen.Code) *jen.Statement {
		return jen.Qual(clientPath, "CallToolWire").Call(jen.Id("ctx"), jen.Id("c").Dot("c"), jen.Lit(c.tool.Name), jen.Op("&").Id("args"), out)
	}
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
}
