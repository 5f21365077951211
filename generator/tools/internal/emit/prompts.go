package emit

import (
	"go/types"

	"github.com/dave/jennifer/jen"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/schema"
)

// emitPrompt writes everything that belongs to one prompt.
func (g *generator) emitPrompt(p *ir.Prompt) {
	g.pos = p.Pos
	base := g.funcName(p.Func)
	def := g.declare("mcpPrompt" + base)
	g.file.Var().Id(def).Op("=").Add(g.mcp("Prompt")).CustomFunc(multiline, func(v *jen.Group) {
		v.Id("Name").Op(":").Lit(p.Name)
		setText(v, "Title", p.Title)
		setText(v, "Description", p.Description)
		if len(p.Arguments) > 0 {
			v.Id("Arguments").Op(":").Add(g.promptArguments(p))
		}
	})
	g.file.Line()
	what := "the prompt " + p.Name
	read := g.emitRead(base, what, p.Func, p.Arguments, false)
	handler := g.declare("mcp" + base)
	r := g.receiverOf(p.Func)
	r.kinds = append(r.kinds, what)
	r.adds = append(r.adds, g.addPrompt(def, g.handlerOf(r, handler)))
	values := g.id("values")
	params := []jen.Code{g.ctxParam(), g.callParamOf(), values.Clone().Map(jen.String()).String()}
	if g.gosdk {
		params = g.gosdkParams("GetPromptRequest")
		values = g.id("req").Dot("Params").Dot("Arguments")
	}
	g.emitHandler(handler, what, p.Func, params, g.resultsOf("GetPromptResult"), g.handlerType("Prompt"), func(b *jen.Group) {
		g.pos = p.Pos
		g.callRead(b, read, p.Func, g.args("OfStrings").Call(values))
		g.callPrompt(b, p)
	})
	for _, c := range p.Completions {
		g.emitCompletion(c, "CompletePrompt", p.Name)
	}
}

// callParamOf is the parameter for the call, which only our handlers have.
func (g *generator) callParamOf() *jen.Statement {
	if g.gosdk {
		return nil
	}
	return g.callParam()
}

func (g *generator) promptArguments(p *ir.Prompt) *jen.Statement {
	of, pointer := g.mcp("PromptArgument"), jen.Null()
	if g.gosdk {
		pointer = jen.Op("*")
	}
	return jen.Index().Add(pointer).Add(of).CustomFunc(multiline, func(v *jen.Group) {
		for _, a := range p.Arguments {
			v.ValuesFunc(func(v *jen.Group) {
				v.Id("Name").Op(":").Lit(a.Name)
				setText(v, "Description", schema.Description(a))
				if a.Required {
					g.setHint(v, "Required", &a.Required, !g.gosdk)
				}
			})
		}
	})
}

func (g *generator) addPrompt(def string, handler *jen.Statement) jen.Code {
	if g.gosdk {
		return g.id("s").Dot("AddPrompt").Call(jen.Op("&").Id(def), handler)
	}
	return g.id("s").Dot("AddPrompt").Call(jen.Id(def), handler)
}

// callPrompt writes the statements that call the function of a prompt and return its result.
func (g *generator) callPrompt(b *jen.Group, p *ir.Prompt) {
	f, result := p.Func, g.id("result")
	switch p.Output {
	case ir.PromptWhole:
		g.isOurs(f)
		b.Return(g.both(f))
		return
	case ir.PromptMessages:
		g.isOurs(f)
		g.results(b, f)
		b.Return(jen.Op("&").Add(g.mcp("GetPromptResult")).Values(jen.Id("Messages").Op(":").Add(result)), jen.Nil())
		return
	}
	g.results(b, f)
	pointer, role := jen.Null(), g.mcp("RoleUser")
	if g.gosdk {
		pointer, role = jen.Op("*"), jen.Lit("user")
	}
	b.Return(jen.Op("&").Add(g.mcp("GetPromptResult")).Values(jen.Id("Messages").Op(":").Index().Add(pointer).Add(g.mcp("PromptMessage")).Values(
		jen.Values(
			jen.Id("Role").Op(":").Add(role),
			jen.Id("Content").Op(":").Op("&").Add(g.mcp("TextContent")).Values(
				jen.Id("Text").Op(":").Add(g.plain(f.Results[0].Type, types.String, result))),
		),
	)), jen.Nil())
}

// emitCompletion writes what suggests values for an argument of a prompt or a template.
func (g *generator) emitCompletion(c *ir.Completion, method, of string) {
	g.pos = c.Pos
	if g.gosdk {
		g.completions = append(g.completions, sdkCompletion{method == "CompletePrompt", of, c})
		return
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
