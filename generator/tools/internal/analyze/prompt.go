package analyze

import (
	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
)

// prompt analyzes a function as a prompt.
func (a *analyzer) prompt(f *function, d *directive.Directive) {
	p := &ir.Prompt{Func: f.Func, Pos: a.pkg.Position(d.Pos())}
	p.Name = a.offerName(d, f.Func)
	p.Access = a.access(d, nil)
	p.Extras = a.extras(f.notes)
	p.Arguments = f.Arguments()
	p.Title, p.Description = f.Title, f.Description
	a.spellable(f, p.Arguments, "an argument of a prompt")
	p.Output = f.PromptOutput()
	a.out.Prompts = append(a.out.Prompts, p)
	a.offers = append(a.offers, offer{"prompt name", p.Name, "name= gives another", f.Func, d.Pos()})
	a.addTarget(f, target{names: propertyNames(p.Arguments), completions: &p.Completions})
}
