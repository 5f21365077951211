package analyze

import (
	"go/types"
	"slices"

	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// prompt analyzes a function as a prompt.
func (a *analyzer) prompt(f *function, d *directive.Directive) {
	p := &ir.Prompt{Func: f.fn, Pos: a.pkg.Position(d.Pos())}
	p.Name = a.offerName(d, f.fn)
	p.Access = a.access(d, nil)
	p.Extras = a.extras(f.notes)
	p.Arguments = a.arguments(f, true)
	p.Title, p.Description = f.title, f.description
	a.spellable(f, p.Arguments, "an argument of a prompt")
	result := a.oneResult(f, "string, []mcp.PromptMessage or *mcp.GetPromptResult")
	switch {
	case result == nil:
	case isString(result):
		p.Output = ir.PromptText
	case isProtocol(result, "[]PromptMessage", "[]*PromptMessage"):
		p.Output = ir.PromptMessages
	case isProtocol(result, "*GetPromptResult", "*GetPromptResult"):
		p.Output = ir.PromptWhole
	default:
		a.problems.Addf(f.sig.Results().At(0).Pos(), "%s: a prompt is a string, []mcp.PromptMessage or *mcp.GetPromptResult, not %s", f.fn.GoName(), a.pkg.TypeString(result))
	}
	a.out.Prompts = append(a.out.Prompts, p)
	a.offers = append(a.offers, offer{"prompt name", p.Name, "name= gives another", f.fn, d.Pos()})
	a.addTarget(f, target{names: propertyNames(p.Arguments), completions: &p.Completions})
}

func isString(t types.Type) bool {
	b, ok := types.Unalias(t).(*types.Basic)
	return ok && b.Kind() == types.String
}

// oneResult returns the type of the result of a function that has just one besides an error, or nil.
func (a *analyzer) oneResult(f *function, want string) types.Type {
	if n := len(f.fn.Results); n != 1 {
		a.problems.Addf(f.decl.Name.Pos(), "%s: want one result, %s, and perhaps an error; there are %s", f.fn.GoName(), want, count(n, "result"))
		return nil
	}
	t := f.sig.Results().At(0).Type()
	f.fn.Results[0].Type = protocol(t)
	return t
}

// spellable checks that values of the types can be spelled as strings.
func (a *analyzer) spellable(f *function, properties []*ir.Property, what string) {
	for _, p := range properties {
		t := p.Type
		if t.Kind == ir.Pointer {
			t = t.Elem
		}
		switch t.Kind {
		case ir.Bool, ir.Int, ir.Uint, ir.Float, ir.String, ir.Time, ir.Duration, ir.URL, ir.BigInt, ir.Number, ir.Text, ir.Invalid:
		default:
			a.problems.Addf(a.propertyPos(f, p), "%s: %s is a string in the protocol, and cannot be a %s; use a scalar", f.fn.GoName()+": parameter "+p.Go, what, a.pkg.TypeString(t.Go))
		}
		if p.Header != "" && !slices.ContainsFunc(f.notes, func(d *directive.Directive) bool { return d.Name == "tool" }) {
			a.problems.Addf(a.propertyPos(f, p), "%s: only an argument of a tool has a header", f.fn.GoName()+": parameter "+p.Go)
		}
	}
}

func propertyNames(properties []*ir.Property) []string {
	var names []string
	for _, p := range properties {
		names = append(names, p.Name)
	}
	return names
}
