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
		g.setExtras(v, &p.Extras)
	})
	g.file.Line()
	what := "the prompt " + p.Name
	read := g.emitRead(base, what, p.Func, p.Arguments, false, nil)
	handler := g.declare("mcp" + base)
	r := g.receiverOf(p.Func)
	r.kinds = append(r.kinds, what)
	r.adds = append(r.adds, g.target.add("AddPrompt", def, g.handlerOf(r, handler), &p.Access))
	params, values := g.target.promptParams()
	g.emitHandler(handler, what, p.Func, params, g.resultsOf("GetPromptResult"), g.target.handlerType("Prompt"), func(b *jen.Group) {
		g.pos = p.Pos
		g.callRead(b, read, p.Func, g.args("OfStrings").Call(values))
		g.callPrompt(b, p)
	})
	for _, c := range p.Completions {
		g.pos = c.Pos
		g.target.emitCompletion(c, true, p.Name)
	}
}

func (g *generator) promptArguments(p *ir.Prompt) *jen.Statement {
	return jen.Index().Add(g.target.pointer()).Add(g.mcp("PromptArgument")).CustomFunc(multiline, func(v *jen.Group) {
		for _, a := range p.Arguments {
			v.ValuesFunc(func(v *jen.Group) {
				v.Id("Name").Op(":").Lit(a.Name)
				setText(v, "Description", schema.Description(a))
				if a.Required {
					g.setHint(v, "Required", &a.Required, g.target.hintPointers())
				}
			})
		}
	})
}

// callPrompt writes the statements that call the function of a prompt and return its result.
func (g *generator) callPrompt(b *jen.Group, p *ir.Prompt) {
	f, result := p.Func, g.id("result")
	switch p.Output {
	case ir.PromptWhole:
		g.areOurs(f)
		b.Return(g.both(f))
		return
	case ir.PromptMessages:
		g.areOurs(f)
		g.results(b, f)
		b.Return(jen.Op("&").Add(g.mcp("GetPromptResult")).Values(jen.Id("Messages").Op(":").Add(result)), jen.Nil())
		return
	}
	g.results(b, f)
	b.Return(jen.Op("&").Add(g.mcp("GetPromptResult")).Values(jen.Id("Messages").Op(":").Index().Add(g.target.pointer()).Add(g.mcp("PromptMessage")).Values(
		jen.Values(
			jen.Id("Role").Op(":").Add(g.target.userRole()),
			jen.Id("Content").Op(":").Op("&").Add(g.mcp("TextContent")).Values(
				jen.Id("Text").Op(":").Add(g.plain(f.Results[0].Type, types.String, result))),
		),
	)), jen.Nil())
}
