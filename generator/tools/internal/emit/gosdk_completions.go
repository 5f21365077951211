package emit

import (
	"slices"

	"github.com/dave/jennifer/jen"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// MaxCompletions is how many values one result may have: mcp.MaxCompleteResultCompletionValues, but this package
// must not import mcp, which is generated.
const MaxCompletions = 100

// An sdkCompletion is a completion. A server of the Go SDK accepts completions only when it is made.
type sdkCompletion struct {
	prompt bool   // else a template
	of     string // name of the prompt, or template
	*ir.Completion
}

// completionReceivers are the receivers of the functions that complete.
func (g *gosdk) completionReceivers() []*receiver {
	var all []*receiver
	for _, c := range g.completions {
		if r := g.receiverOf(c.Func); r.typ != nil && !slices.Contains(all, r) {
			all = append(all, r)
		}
	}
	return all
}

// usesSettled reports whether a function that completes wants to know the other arguments.
func (g *gosdk) usesSettled() bool {
	return slices.ContainsFunc(g.completions, func(c sdkCompletion) bool {
		return slices.ContainsFunc(c.Func.Params, func(p *ir.Param) bool { return p.Injected == ir.Settled })
	})
}

func (g *gosdk) emitCompletion(c *ir.Completion, prompt bool, of string) {
	g.completions = append(g.completions, sdkCompletion{prompt, of, c})
}

// setOptions sets the handler of completions, if the caller has set none.
func (g *gosdk) setOptions(opts *jen.Statement) []jen.Code {
	if len(g.completions) == 0 {
		return nil
	}
	handler := jen.Id("CompletionHandler").CallFunc(func(b *jen.Group) {
		for _, r := range g.completionReceivers() {
			b.Id(g.receiverName(r))
		}
	})
	field := opts.Clone().Dot("CompletionHandler")
	return []jen.Code{jen.If(field.Clone().Op("==").Nil()).Block(field.Clone().Op("=").Add(handler))}
}

// emitCompletions writes the function that makes the handler of all completions.
func (g *gosdk) emitCompletions() {
	if len(g.completions) == 0 {
		return
	}
	const name = "CompletionHandler"
	g.declareExported(name)
	comment(g.file, "%s returns what suggests values of arguments, for mcp.ServerOptions.", name)
	values, err, settled, result := g.id("values"), g.id("err"), g.id("settled"), g.id("result")
	req, argument := g.id("req").Dot("Params"), g.id("name")
	params := g.params("CompleteRequest")
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
		b.Add(result.Clone().Op(":=").Op("&").Add(g.mcp("CompleteResult")).Values(jen.Id("Completion").Op(":").Add(g.mcp("CompletionResultDetails")).Custom(multiline,
			jen.Id("Values").Op(":").Append(jen.Index().String().Values(), values.Clone().Op("...")),
			jen.Id("Total").Op(":").Len(values),
		)))
		details := result.Clone().Dot("Completion")
		b.If(jen.Len(values).Op(">").Lit(MaxCompletions)).Block(
			jen.List(details.Clone().Dot("Values"), details.Clone().Dot("HasMore")).Op("=").List(values.Clone().Index(jen.Empty(), jen.Lit(MaxCompletions)), jen.True()),
		)
		b.Return(result, jen.Nil())
	})))
	g.file.Line()
}
