package emit

import (
	"github.com/dave/jennifer/jen"
)

// The functions here write what depends on the library that generated code registers with: ours,
// and in gosdk.go the Go SDK.

// toolParams are the parameters of a handler of tools.
func (g *generator) toolParams() []jen.Code {
	if g.gosdk {
		return g.gosdkParams("CallToolRequest")
	}
	return []jen.Code{g.ctxParam(), g.callParam(), g.id("raw").Add(g.wire("Raw"))}
}

func (g *generator) ctxParam() *jen.Statement {
	return g.id("ctx").Add(g.std("context", "Context"))
}

func (g *generator) callParam() *jen.Statement {
	return g.id("c").Op("*").Add(g.server("Call"))
}

func (g *generator) toolResults() *jen.Statement { return g.resultsOf("CallToolResult") }

func (g *generator) resultsOf(typ string) *jen.Statement {
	return jen.Params(jen.Op("*").Add(g.mcp(typ)), jen.Error())
}

// rawArguments is the JSON text of the arguments of a tool.
func (g *generator) rawArguments() *jen.Statement {
	if g.gosdk {
		return g.gosdkArguments()
	}
	return g.id("raw")
}

// addTool is the expression that registers a tool.
func (g *generator) addTool(def string, handler *jen.Statement) jen.Code {
	if g.gosdk {
		return g.gosdkAddTool(def, handler)
	}
	return g.id("s").Dot("AddTool").Call(jen.Id(def), handler)
}

func (g *generator) textResult(text *jen.Statement) *jen.Statement {
	if g.gosdk {
		return g.gosdkText(text)
	}
	return g.server("TextResult").Call(text)
}

// structured is a result with structured content, which the server repeats as text.
func (g *generator) structured(content *jen.Statement) *jen.Statement {
	if g.gosdk {
		return g.gosdkStructured(content)
	}
	return jen.Op("&").Add(g.mcp("CallToolResult")).Values(jen.Id("StructuredContent").Op(":").Add(content))
}

// progress is the statement that finds out how to report progress.
func (g *generator) progress() *jen.Statement {
	if g.gosdk {
		return g.id("report").Op(":=").Add(g.id("req")).Dot("Params").Dot("GetProgressToken").Call()
	}
	return g.id("report").Op(":=").Add(g.id("c")).Dot("Progress").Call()
}

func (g *generator) wantsProgress() *jen.Statement { return g.id("report").Op("!=").Nil() }

func (g *generator) reportProgress(done, message *jen.Statement) *jen.Statement {
	if g.gosdk {
		return g.gosdkProgress(done, message)
	}
	return g.id("report").Dot("Report").Call(jen.Float64().Call(done), jen.Lit(0), message)
}
