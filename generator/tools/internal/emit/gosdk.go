package emit

import (
	"strings"

	"github.com/dave/jennifer/jen"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

const gosdkRPCPath = "github.com/modelcontextprotocol/go-sdk/jsonrpc"

func (g *gosdk) command() string         { return "mcpgen tools -target=gosdk" }
func (g *gosdk) typesPath() string       { return gosdkPath }
func (g *gosdk) pointer() *jen.Statement { return jen.Op("*") }
func (g *gosdk) hintPointers() bool      { return false }

func (g *gosdk) handlerType(of string) *jen.Statement { return g.mcp(of + "Handler") }

func (g *gosdk) toolParams() []jen.Code { return g.params("CallToolRequest") }

func (g *gosdk) params(request string) []jen.Code {
	return []jen.Code{g.ctxParam(), g.id("req").Op("*").Add(g.mcp(request))}
}

func (g *gosdk) rawArguments() *jen.Statement {
	return g.wire("Raw").Call(g.id("req").Dot("Params").Dot("Arguments"))
}

func (g *gosdk) fromCall(p *ir.Param) *jen.Statement {
	switch p.Injected {
	case ir.Value:
		return g.id("req").Dot("Params").Dot("Argument").Dot("Value")
	case ir.GoSDKRequest:
		return g.id("req")
	case ir.Logger: // one that writes to the client
		return g.std("log/slog", "New").Call(g.mcp("NewLoggingHandler").Call(g.id("req").Dot("Session"), jen.Nil()))
	}
	g.errorf("parameter %s: a server of the Go SDK has no value of this type; take *mcp.CallToolRequest of its package mcp", p.Name)
	return jen.Nil()
}

func (g *gosdk) raw(text *jen.Statement) *jen.Statement {
	return g.std("encoding/json", "RawMessage").Call(text)
}

func (g *gosdk) iconSource() string { return "Source" }
func (g *gosdk) metaType() string   { return "Meta" }

func (g *gosdk) confirm(_ *jen.Group, t *ir.Tool) {
	g.errorf("the tool %s: a server of the Go SDK asks nobody by itself; remove confirm, and ask in the function by the request's session", t.Name)
}

func (g *gosdk) setTask(_ *jen.Group, t *ir.Tool) {
	g.errorf("the tool %s: a server of the Go SDK runs no tasks; remove task=%s", t.Name, t.Task)
}

// add notes each restriction that a server of the Go SDK would ignore.
func (g *gosdk) add(method, def string, handler *jen.Statement, a *ir.Access) jen.Code {
	if len(a.Scopes) > 0 { // to leave them out would open what they guard
		g.errorf("a server of the Go SDK checks no scopes; remove scope=%s, and check in the function", strings.Join(a.Scopes, ","))
	}
	if len(a.Needs) > 0 {
		g.errorf("a server of the Go SDK hides nothing from clients; remove needs=%s, and check in the function", strings.Join(a.Needs, ","))
	}
	for _, key := range [][2]string{{"min-revision", a.MinRevision}, {"group", strings.Join(a.Groups, ",")}, {"feature", strings.Join(a.Features, ",")}} {
		if key[1] != "" {
			g.errorf("a server of the Go SDK offers everything that it has to all; remove %s=%s", key[0], key[1])
		}
	}
	return g.id("s").Dot(method).Call(jen.Op("&").Id(def), handler)
}

// addTool registers a tool with a handler whose errors are for the model.
func (g *gosdk) addTool(def string, handler *jen.Statement, t *ir.Tool) jen.Code {
	if t.Timeout > 0 {
		g.errorf("the tool %s: a server of the Go SDK cancels no calls; remove timeout=%s, and limit the context in the function", t.Name, t.Timeout)
	}
	if t.Rate > 0 {
		g.errorf("the tool %s: a server of the Go SDK counts no calls; remove rate, and limit calls by middleware", t.Name)
	}
	return g.add("AddTool", def, jen.Id(g.toolHandler()).Call(handler), &t.Access)
}

// toolHandler returns the name of the function that completes handlers of tools.
func (g *gosdk) toolHandler() string {
	return g.functionFor("Tool", "Handler", "", func(name string) {
		ctx, req, result, err, h, rpc := g.id("ctx"), g.id("req"), g.id("result"), g.id("err"), g.id("next"), g.id("e")
		comment(g.file, "%s makes errors of a handler results that the model can read.", name)
		g.file.Func().Id(name).Params(h.Clone().Add(g.mcp("ToolHandler"))).Add(g.mcp("ToolHandler")).Block(
			jen.Return(jen.Func().Params(g.params("CallToolRequest")...).Add(g.toolResults()).Block(
				jen.List(result, err).Op(":=").Add(h.Clone()).Call(ctx, req),
				jen.If(
					jen.List(jen.Id("_"), rpc).Op(":=").Add(g.std("errors", "AsType")).Types(jen.Op("*").Add(g.qual(gosdkRPCPath, "jsonrpc", "Error"))).Call(err),
					rpc.Clone(),
				).Block(jen.Return(jen.Nil(), err)),
				jen.If(result.Clone().Op("==").Nil()).Block(
					result.Clone().Op("=").Op("&").Add(g.mcp("CallToolResult")).Values(jen.Id("Content").Op(":").Index().Add(g.mcp("Content")).Values()),
				),
				jen.If(err.Clone().Op("!=").Nil()).Block(result.Clone().Dot("SetError").Call(err)),
				jen.Return(result, jen.Nil()),
			)),
		)
		g.file.Line()
	})
}

func (g *gosdk) textContent(text *jen.Statement) *jen.Statement {
	return jen.Id("Content").Op(":").Index().Add(g.mcp("Content")).Values(
		jen.Op("&").Add(g.mcp("TextContent")).Values(jen.Id("Text").Op(":").Add(text)))
}

func (g *gosdk) textResult(text *jen.Statement) *jen.Statement {
	return jen.Op("&").Add(g.mcp("CallToolResult")).Values(g.textContent(text))
}

// structured repeats structured content as text, which the SDK leaves to the handler.
func (g *gosdk) structured(content *jen.Statement) *jen.Statement {
	return jen.Op("&").Add(g.mcp("CallToolResult")).Custom(multiline,
		g.textContent(jen.String().Call(content.Clone())),
		jen.Id("StructuredContent").Op(":").Add(g.std("encoding/json", "RawMessage")).Call(content.Clone()),
	)
}

// returnBoth repeats structured content as text where there are no blocks.
func (g *gosdk) returnBoth(b *jen.Group, content, blocks *jen.Statement) {
	b.If(jen.Len(blocks.Clone()).Op("==").Lit(0)).Block(jen.Return(g.structured(content), jen.Nil()))
	b.Return(jen.Op("&").Add(g.mcp("CallToolResult")).Custom(multiline,
		jen.Id("Content").Op(":").Add(blocks),
		jen.Id("StructuredContent").Op(":").Add(g.std("encoding/json", "RawMessage")).Call(content.Clone()),
	), jen.Nil())
}

func (g *gosdk) returnResult(_ *jen.Group, f *ir.Func, _, _ *jen.Statement) {
	g.errorf("%s returns a *server.Result, which a server of the Go SDK does not take; return its output and, behind it, []mcp.Content of its package mcp", f.Name)
}

func (g *gosdk) progress() *jen.Statement {
	return g.id("req").Dot("Params").Dot("GetProgressToken").Call()
}

func (g *gosdk) reportProgress(done, message *jen.Statement) *jen.Statement {
	return g.id("req").Dot("Session").Dot("NotifyProgress").Call(g.id("ctx"), jen.Op("&").Add(g.mcp("ProgressNotificationParams")).Custom(multiline,
		jen.Id("ProgressToken").Op(":").Add(g.id("report")),
		jen.Id("Progress").Op(":").Float64().Call(done),
		jen.Id("Message").Op(":").Add(message),
	))
}

func (g *gosdk) promptParams() (params []jen.Code, arguments *jen.Statement) {
	return g.params("GetPromptRequest"), g.id("req").Dot("Params").Dot("Arguments")
}

func (g *gosdk) userRole() *jen.Statement { return jen.Lit("user") }

func (g *gosdk) checkTemplate(r *ir.Resource, parts []jen.Code) {
	if parts == nil {
		g.errorf("the Go SDK does not give the values of a template, and those of %s take more than {name}", r.URI)
	}
}

func (g *gosdk) resourceHandler(bool) (typ *jen.Statement, params []jen.Code) {
	return g.handlerType("Resource"), g.params("ReadResourceRequest")
}

func (g *gosdk) match(b *jen.Group, parts []jen.Code) {
	uri := g.id("req").Dot("Params").Dot("URI")
	vars, ok := g.id("vars"), g.id("o")
	b.List(vars, ok).Op(":=").Add(g.args("MatchURI")).Call(append([]jen.Code{uri}, parts...)...)
	b.If(jen.Op("!").Add(ok)).Block(jen.Return(jen.Nil(), g.notFound()))
}

func (g *gosdk) addResource(r *ir.Resource, _ []jen.Code, def string, handler *jen.Statement) jen.Code {
	method := "AddResource"
	if r.Template {
		method = "AddResourceTemplate"
	}
	return g.add(method, def, handler, &r.Access)
}

func (g *gosdk) notFound() *jen.Statement {
	return g.mcp("ResourceNotFoundError").Call(g.id("req").Dot("Params").Dot("URI"))
}

func (g *gosdk) textResource(r *ir.Resource, text *jen.Statement) *jen.Statement {
	return g.contents(r, jen.Id("Text").Op(":").Add(text))
}

func (g *gosdk) blobResource(r *ir.Resource, blob *jen.Statement) *jen.Statement {
	return g.contents(r, jen.Id("Blob").Op(":").Add(blob))
}

func (g *gosdk) contents(r *ir.Resource, content *jen.Statement) *jen.Statement {
	return jen.Op("&").Add(g.mcp("ReadResourceResult")).Values(
		jen.Id("Contents").Op(":").Index().Op("*").Add(g.mcp("ResourceContents")).Values(
			jen.ValuesFunc(func(v *jen.Group) {
				v.Id("URI").Op(":").Add(g.id("req")).Dot("Params").Dot("URI")
				setText(v, "MIMEType", r.MIMEType)
				v.Add(content)
			})))
}

func (g *gosdk) serverType() *jen.Statement  { return g.mcp("Server") }
func (g *gosdk) optionsType() *jen.Statement { return g.mcp("ServerOptions") }

func (g *gosdk) register(f *jen.Statement, adds []jen.Code) { f.Block(adds...) }

func (g *gosdk) newServerResults() *jen.Statement { return jen.Op("*").Add(g.serverType()) }

func (g *gosdk) newServer(b *jen.Group, info, opts *jen.Statement, calls []jen.Code) {
	if g.pkg.Server.Search {
		g.errorf("a server of the Go SDK lists all tools; remove search from //mcp:server")
	}
	s := g.id("s")
	b.Add(s.Clone().Op(":=").Add(g.mcp("NewServer")).Call(jen.Op("&").Add(info), opts))
	for _, c := range calls {
		b.Add(c)
	}
	b.Return(s)
}
