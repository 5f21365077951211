package emit

import (
	"strings"
	"time"

	"github.com/dave/jennifer/jen"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

func (g runtimeTarget) command() string         { return "mcpgen tools" }
func (g runtimeTarget) typesPath() string       { return mcpPath }
func (g runtimeTarget) pointer() *jen.Statement { return jen.Null() }
func (g runtimeTarget) hintPointers() bool      { return true }

func (g runtimeTarget) handlerType(of string) *jen.Statement { return g.server(of + "Handler") }

func (g runtimeTarget) callParam() *jen.Statement {
	return g.id("c").Op("*").Add(g.server("Call"))
}

func (g runtimeTarget) toolParams() []jen.Code {
	return []jen.Code{g.ctxParam(), g.callParam(), g.id("raw").Add(g.wire("Raw"))}
}

func (g runtimeTarget) rawArguments() *jen.Statement { return g.id("raw") }

// fromCall notes that a function logs, for which setOptions declares the capability. Parameters of the Go SDK's types
// are a problem.
func (g runtimeTarget) fromCall(p *ir.Param) *jen.Statement {
	switch p.Injected {
	case ir.Value:
		return g.id("value")
	case ir.Call:
		return g.id("c")
	case ir.Progress:
		return g.id("c").Dot("Progress").Call()
	case ir.Logger:
		g.logs = true
		return g.id("c").Dot("Logger").Call()
	}
	g.errorf("parameter %s: a value of the Go SDK exists only with its servers (-target=gosdk)", p.Name)
	return jen.Nil()
}

func (g runtimeTarget) raw(text *jen.Statement) *jen.Statement { return g.wire("Raw").Call(text) }

func (g runtimeTarget) iconSource() string { return "Src" }
func (g runtimeTarget) metaType() string   { return "MetaObject" }

func (g runtimeTarget) setTask(v *jen.Group, t *ir.Tool) {
	v.Id("Execution").Op(":").Op("&").Add(g.mcp("ToolExecution")).Values(
		jen.Id("TaskSupport").Op(":").Add(g.mcp("ToolExecutionTaskSupport" + upper(t.Task))))
}

func (g runtimeTarget) add(method, def string, handler *jen.Statement, access *ir.Access) jen.Code {
	if a := g.access(access); a != nil {
		return g.id("s").Dot("Add").Call(g.item(def, handler, a))
	}
	return g.id("s").Dot(method).Call(jen.Id(def), handler)
}

// item returns the item with that definition, for its access.
func (g runtimeTarget) item(def string, handler *jen.Statement, access jen.Code, more ...jen.Code) *jen.Statement {
	members := append([]jen.Code{
		jen.Id("Definition").Op(":").Op("&").Id(def),
		jen.Id("Handler").Op(":").Add(handler),
	}, more...)
	if access != nil {
		members = append(members, jen.Id("Access").Op(":").Add(access))
	}
	return g.server("Item").Values(members...)
}

// addTool puts the rate around the timeout, so that a call which is refused never starts. A tool for apps alone has a
// filter, which only the method Add takes.
func (g runtimeTarget) addTool(def string, handler *jen.Statement, t *ir.Tool) jen.Code {
	if t.Timeout > 0 {
		handler = g.qual(limitPath, "limit", "Timeout").Call(g.duration(t.Timeout), handler)
	}
	if t.Rate > 0 {
		members := []jen.Code{jen.Id("N").Op(":").Lit(t.Rate)}
		if t.RatePeriod != time.Second { // which is the default
			members = append(members, jen.Id("Per").Op(":").Add(g.duration(t.RatePeriod)))
		}
		handler = g.qual(limitPath, "limit", "Rate").Values(members...).Dot("Tool").Call(handler)
	}
	if t.OnlyApps {
		members := []jen.Code{jen.Id("Filters").Op(":").Index().Add(g.server("Filter")).Values(g.qual(appsPath, "apps", "ForApps").Call())}
		return g.id("s").Dot("Add").Call(g.item(def, handler, g.access(&t.Access), members...))
	}
	return g.add("AddTool", def, handler, &t.Access)
}

// duration is a duration in the largest unit that fits.
func (g runtimeTarget) duration(d time.Duration) *jen.Statement {
	for _, unit := range []struct {
		name string
		d    time.Duration
	}{{"Hour", time.Hour}, {"Minute", time.Minute}, {"Second", time.Second}, {"Millisecond", time.Millisecond}} {
		switch {
		case d == unit.d:
			return g.std("time", unit.name)
		case d%unit.d == 0:
			return jen.Lit(int(d / unit.d)).Op("*").Add(g.std("time", unit.name))
		}
	}
	return jen.Lit(int(d))
}

// confirm asks after the arguments have been read, so that nobody is asked about invalid ones.
func (g runtimeTarget) confirm(b *jen.Group, t *ir.Tool) {
	message := jen.Null()
	for i, part := range t.Confirm {
		if i > 0 {
			message.Op("+")
		}
		if part.Property != nil {
			message.Add(g.ask("Shown").Call(field(part.Property, g.id("a"))))
		} else {
			message.Add(literal(part.Text))
		}
	}
	err := g.id("err")
	b.If(err.Clone().Op(":=").Add(g.ask("Confirm")).Call(g.id("ctx"), g.id("c"), message), err.Clone().Op("!=").Nil()).Block(jen.Return(jen.Nil(), err))
}

// access returns an Access, nil if it is empty.
func (g runtimeTarget) access(a *ir.Access) jen.Code {
	var members []jen.Code
	set := func(name string, value *jen.Statement) { members = append(members, jen.Id(name).Op(":").Add(value)) }
	words := func(name string, all []string) {
		if len(all) > 0 {
			set(name, jen.Index().String().ValuesFunc(func(v *jen.Group) {
				for _, word := range all {
					v.Lit(word)
				}
			}))
		}
	}
	words("Scopes", a.Scopes)
	words("Needs", a.Needs)
	if a.MinRevision != "" {
		set("MinRevision", g.mcp("V"+strings.ReplaceAll(a.MinRevision, "-", "_")))
	}
	words("Groups", a.Groups)
	words("Features", a.Features)
	if members == nil {
		return nil
	}
	return g.server("Access").Values(members...)
}

func (g runtimeTarget) textResult(text *jen.Statement) *jen.Statement {
	return g.server("TextResult").Call(text)
}

// structured leaves it to the server to repeat the content as text.
func (g runtimeTarget) structured(content *jen.Statement) *jen.Statement {
	return jen.Op("&").Add(g.mcp("CallToolResult")).Values(jen.Id("StructuredContent").Op(":").Add(content))
}

// returnBoth leaves it to the server to add the JSON text for clients that would lose something without it.
func (g runtimeTarget) returnBoth(b *jen.Group, content, blocks *jen.Statement) {
	b.Return(jen.Op("&").Add(g.mcp("CallToolResult")).Values(
		jen.Id("Content").Op(":").Add(blocks), jen.Id("StructuredContent").Op(":").Add(content)), jen.Nil())
}

func (g runtimeTarget) returnResult(b *jen.Group, _ *ir.Func, result, content *jen.Statement) {
	b.Return(jen.Op("&").Add(g.mcp("CallToolResult")).Custom(multiline,
		jen.Id("Meta").Op(":").Add(result.Clone()).Dot("Meta"),
		jen.Id("Content").Op(":").Add(result.Clone()).Dot("Content"),
		jen.Id("StructuredContent").Op(":").Add(content),
		jen.Id("IsError").Op(":").Op("&").Add(result.Clone()).Dot("IsError"),
	), jen.Nil())
}

func (g runtimeTarget) progress() *jen.Statement { return g.id("c").Dot("Progress").Call() }

func (g runtimeTarget) reportProgress(done, message *jen.Statement) *jen.Statement {
	return g.id("report").Dot("Report").Call(jen.Float64().Call(done), jen.Lit(0), message)
}

func (g runtimeTarget) promptParams() (params []jen.Code, arguments *jen.Statement) {
	values := g.id("values")
	return []jen.Code{g.ctxParam(), g.callParam(), values.Clone().Map(jen.String()).String()}, values
}

func (g runtimeTarget) userRole() *jen.Statement { return g.mcp("RoleUser") }

// emitCompletion writes a handler for the values of one argument. Each is registered on its own.
func (g runtimeTarget) emitCompletion(c *ir.Completion, prompt bool, of string) {
	method := "CompleteTemplate"
	if prompt {
		method = "CompletePrompt"
	}
	f := c.Func
	name := g.declare("mcpComplete" + g.funcName(f))
	r := g.receiverOf(f)
	r.adds = append(r.adds, g.id("s").Dot(method).Call(jen.Lit(of), jen.Lit(c.Argument), g.handlerOf(r, name)))
	params := []jen.Code{
		g.ctxParam(), g.callParam(), g.id("value").String(), g.id("settled").Map(jen.String()).String(),
	}
	results := jen.Params(jen.Index().String(), jen.Error())
	g.emitHandler(name, "completions of "+c.Argument, f, params, results, g.server("Completer"), func(b *jen.Group) {
		g.pos = c.Pos
		b.Return(g.both(f))
	})
}

func (g runtimeTarget) checkTemplate(*ir.Resource, []jen.Code) {}

func (g runtimeTarget) resourceHandler(template bool) (typ *jen.Statement, params []jen.Code) {
	params = []jen.Code{g.ctxParam(), g.callParam(), g.id("uri").String()}
	if !template {
		return g.handlerType("Resource"), params
	}
	return g.handlerType("Template"), append(params, g.id("vars").Map(jen.String()).String())
}

func (g runtimeTarget) match(*jen.Group, []jen.Code) {} // the values are a parameter

// addResource registers a template that simpleTemplate has split with a generated function that matches URIs. Any other
// one is left to package uritemplate, which is imported only then.
func (g runtimeTarget) addResource(r *ir.Resource, parts []jen.Code, def string, handler *jen.Statement) jen.Code {
	s, access := g.id("s"), g.access(&r.Access)
	switch {
	case !r.Template:
		return g.add("AddResource", def, handler, &r.Access)
	case parts == nil && access != nil:
		return g.qual(uritemplatePath, "uritemplate", "AddItem").Call(s, g.item(def, handler, access))
	case parts == nil:
		return g.qual(uritemplatePath, "uritemplate", "Add").Call(s, jen.Id(def), handler)
	}
	match := g.declare("mcpMatch" + g.funcName(r.Func))
	uri := g.id("uri")
	comment(g.file, "%s matches a URI against %s.", match, r.URI)
	g.file.Func().Id(match).Params(uri.Clone().String()).Params(jen.Map(jen.String()).String(), jen.Bool()).Block(
		jen.Return(g.args("MatchURI").Call(append([]jen.Code{uri}, parts...)...)),
	)
	g.file.Line()
	if access != nil {
		return s.Dot("Add").Call(g.item(def, handler, access, jen.Id("Match").Op(":").Id(match)))
	}
	return s.Dot("AddTemplate").Call(jen.Id(def), jen.Id(match), handler)
}

func (g runtimeTarget) notFound() *jen.Statement { return g.server("ErrNotFound") }

func (g runtimeTarget) textResource(r *ir.Resource, text *jen.Statement) *jen.Statement {
	return g.server("TextResource").Call(jen.Lit(r.MIMEType), text)
}

func (g runtimeTarget) blobResource(r *ir.Resource, blob *jen.Statement) *jen.Statement {
	return g.server("BlobResource").Call(jen.Lit(r.MIMEType), blob)
}

func (g runtimeTarget) serverType() *jen.Statement  { return g.server("Server") }
func (g runtimeTarget) optionsType() *jen.Statement { return g.server("Options") }

func (g runtimeTarget) register(f *jen.Statement, adds []jen.Code) {
	f.Error().Block(jen.Return(g.join(adds)))
}

func (g runtimeTarget) emitCompletions() {} // each is registered by itself

// setOptions declares logging, if a function logs to the client.
func (g runtimeTarget) setOptions(opts *jen.Statement) []jen.Code {
	if !g.logs {
		return nil
	}
	return []jen.Code{opts.Clone().Dot("Logging").Op("=").True()}
}

func (g runtimeTarget) newServerResults() *jen.Statement {
	return jen.Params(jen.Op("*").Add(g.serverType()), jen.Error())
}

func (g runtimeTarget) newServer(b *jen.Group, info, opts *jen.Statement, calls []jen.Code) {
	s, err := g.id("s"), g.id("err")
	if g.pkg.Server.Search {
		opts = g.qual(toolsearchPath, "toolsearch", "Enable").Call(opts, jen.Nil())
	}
	b.Add(s.Clone().Op(":=").Add(g.server("New")).Call(info, opts))
	if len(calls) > 0 {
		b.If(err.Clone().Op(":=").Add(g.join(calls)), err.Clone().Op("!=").Nil()).Block(jen.Return(jen.Nil(), err))
	}
	b.Return(s, jen.Nil())
}
