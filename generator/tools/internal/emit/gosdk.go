package emit

import (
	"slices"

	"github.com/dave/jennifer/jen"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// The functions here write what the Go SDK needs: github.com/modelcontextprotocol/go-sdk.

const gosdkRPCPath = "github.com/modelcontextprotocol/go-sdk/jsonrpc"

// handlerType is the type of a handler, of Tool, Prompt or Resource.
func (g *generator) handlerType(of string) *jen.Statement {
	if g.gosdk {
		return g.mcp(of + "Handler")
	}
	return g.server(of + "Handler")
}

func (g *generator) gosdkParams(request string) []jen.Code {
	return []jen.Code{g.ctxParam(), g.id("req").Op("*").Add(g.mcp(request))}
}

func (g *generator) gosdkArguments() *jen.Statement {
	return g.wire("Raw").Call(g.id("req").Dot("Params").Dot("Arguments"))
}

func (g *generator) gosdkInjected(p *ir.Param) *jen.Statement {
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

// gosdkAddTool registers a tool with a handler whose errors are for the model.
func (g *generator) gosdkAddTool(def string, handler *jen.Statement) jen.Code {
	return g.id("s").Dot("AddTool").Call(jen.Op("&").Id(def), jen.Id(g.gosdkToolHandler()).Call(handler))
}

// gosdkToolHandler returns the name of the function that completes handlers of tools.
func (g *generator) gosdkToolHandler() string {
	return g.functionFor("Tool", "Handler", "", func(name string) {
		ctx, req, result, err, h, rpc := g.id("ctx"), g.id("req"), g.id("result"), g.id("err"), g.id("next"), g.id("e")
		comment(g.file, "%s makes errors of a handler results that the model can read.", name)
		g.file.Func().Id(name).Params(h.Clone().Add(g.mcp("ToolHandler"))).Add(g.mcp("ToolHandler")).Block(
			jen.Return(jen.Func().Params(g.gosdkParams("CallToolRequest")...).Add(g.toolResults()).Block(
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

func (g *generator) gosdkTextContent(text *jen.Statement) *jen.Statement {
	return jen.Id("Content").Op(":").Index().Add(g.mcp("Content")).Values(
		jen.Op("&").Add(g.mcp("TextContent")).Values(jen.Id("Text").Op(":").Add(text)))
}

func (g *generator) gosdkText(text *jen.Statement) *jen.Statement {
	return jen.Op("&").Add(g.mcp("CallToolResult")).Values(g.gosdkTextContent(text))
}

// gosdkStructured repeats structured content as text, which the SDK leaves to the handler.
func (g *generator) gosdkStructured(content *jen.Statement) *jen.Statement {
	return jen.Op("&").Add(g.mcp("CallToolResult")).Custom(multiline,
		g.gosdkTextContent(jen.String().Call(content.Clone())),
		jen.Id("StructuredContent").Op(":").Add(g.std("encoding/json", "RawMessage")).Call(content.Clone()),
	)
}

func (g *generator) gosdkProgress(done, message *jen.Statement) *jen.Statement {
	return g.id("req").Dot("Session").Dot("NotifyProgress").Call(g.id("ctx"), jen.Op("&").Add(g.mcp("ProgressNotificationParams")).Custom(multiline,
		jen.Id("ProgressToken").Op(":").Add(g.id("report")),
		jen.Id("Progress").Op(":").Float64().Call(done),
		jen.Id("Message").Op(":").Add(message),
	))
}

// A sdkCompletion is a completion, which a server of the Go SDK takes only when it is made.
type sdkCompletion struct {
	prompt bool   // else a template
	of     string // name of the prompt, or template
	*ir.Completion
}

// completionReceivers are the receivers of the functions that complete.
func (g *generator) completionReceivers() []*receiver {
	var all []*receiver
	for _, c := range g.completions {
		if r := g.receiverOf(c.Func); r.typ != nil && !slices.Contains(all, r) {
			all = append(all, r)
		}
	}
	return all
}

// usesSettled reports whether a function that completes wants to know the other arguments.
func (g *generator) usesSettled() bool {
	return slices.ContainsFunc(g.completions, func(c sdkCompletion) bool {
		return slices.ContainsFunc(c.Func.Params, func(p *ir.Param) bool { return p.Injected == ir.Settled })
	})
}

// completionHandler is the call of the function that emitCompletionHandler writes.
func (g *generator) completionHandler() *jen.Statement {
	return jen.Id("CompletionHandler").CallFunc(func(b *jen.Group) {
		for _, r := range g.completionReceivers() {
			b.Id(g.receiverName(r))
		}
	})
}

// emitCompletionHandler writes the function that makes the handler of all completions.
func (g *generator) emitCompletionHandler() {
	const name = "CompletionHandler"
	g.declareExported(name)
	comment(g.file, "%s returns what suggests values of arguments, for mcp.ServerOptions.", name)
	values, err, settled, result := g.id("values"), g.id("err"), g.id("settled"), g.id("result")
	req, argument := g.id("req").Dot("Params"), g.id("name")
	params := g.gosdkParams("CompleteRequest")
	handler := func() *jen.Statement {
		return jen.Func().Params(params...).Add(g.resultsOf("CompleteResult"))
	}
	g.file.Func().Id(name).ParamsFunc(func(b *jen.Group) {
		for _, r := range g.completionReceivers() {
			b.Id(g.receiverName(r)).Add(g.typ(r.typ))
		}
	}).Add(handler()).Block(jen.Return(handler().BlockFunc(func(b *jen.Group) {
		if g.usesSettled() {
			b.Var().Add(settled).Map(jen.String()).String()
			b.If(req.Clone().Dot("Context").Op("!=").Nil()).Block(settled.Clone().Op("=").Add(req.Clone()).Dot("Context").Dot("Arguments"))
		}
		b.Var().Add(values).Index().String()
		b.Var().Add(err).Error()
		b.Switch(argument.Clone().Op(":=").Add(req.Clone()).Dot("Argument").Dot("Name"), jen.Empty()).BlockFunc(func(b *jen.Group) {
			for _, c := range g.completions {
				g.pos = c.Pos
				field := "URI"
				if c.prompt {
					field = "Name"
				}
				results := jen.List(values, err)
				if !c.Func.Error {
					results = values.Clone()
				}
				b.Case(req.Clone().Dot("Ref").Dot(field).Op("==").Lit(c.of).Op("&&").Add(argument).Op("==").Lit(c.Argument)).Block(
					results.Op("=").Add(g.call(c.Func)),
				)
			}
		})
		g.returnError(b)
		const most = 100 // in one answer
		b.Add(result.Clone().Op(":=").Op("&").Add(g.mcp("CompleteResult")).Values(jen.Id("Completion").Op(":").Add(g.mcp("CompletionResultDetails")).Custom(multiline,
			jen.Id("Values").Op(":").Append(jen.Index().String().Values(), values.Clone().Op("...")),
			jen.Id("Total").Op(":").Len(values),
		)))
		details := result.Clone().Dot("Completion")
		b.If(jen.Len(values).Op(">").Lit(most)).Block(
			jen.List(details.Clone().Dot("Values"), details.Clone().Dot("HasMore")).Op("=").List(values.Clone().Index(jen.Empty(), jen.Lit(most)), jen.True()),
		)
		b.Return(result, jen.Nil())
	})))
	g.file.Line()
}
