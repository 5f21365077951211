package analyze

import (
	"go/ast"
	"go/types"
	"slices"

	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/signature"
	"github.com/mcpgen/mcpgen/generator/tools/internal/source"
)

// A function is an annotated function that one of its directives offers.
type function struct {
	*signature.Function
	obj      *types.Func
	notes    []*directive.Directive
	silences []*ir.Silence // of all tools that the function is
}

// function analyzes an annotated function or method.
func (a *analyzer) function(decl *ast.FuncDecl, notes []*directive.Directive) {
	name := decl.Name.Name
	if name == "_" || decl.Recv == nil && (name == "init" || name == "main" && a.pkg.Types.Name() == "main") {
		a.problems.Addf(notes[0].Pos(), "%s: the function %s cannot be called", notes[0], name)
		return
	}
	obj, ok := a.pkg.Info.Defs[decl.Name].(*types.Func)
	if !ok {
		return // the type checker has said why
	}
	var what []*directive.Directive
	for _, d := range notes {
		if slices.Contains(source.Kinds, d.Name) {
			what = append(what, d)
		} else if !d.Repeat {
			a.problems.Once(d, notes)
		}
	}
	if len(what) == 0 {
		a.problems.Addf(notes[0].Pos(), "%s: %s is offered as nothing; add //mcp:tool, //mcp:prompt, //mcp:resource or //mcp:complete", notes[0], decl.Name.Name)
		return
	}
	if !slices.ContainsFunc(what, func(d *directive.Directive) bool { return d.Name == "tool" }) {
		a.onlyTools(notes, name)
	}
	for i, d := range what[1:] {
		if !a.goesWith(d, what[:i+1], decl.Name.Name) {
			return
		}
	}
	silences := a.silences(notes)
	for _, d := range what {
		read := a.signatures.Read(decl, obj, d, notes)
		if read == nil {
			continue
		}
		f := &function{Function: read, obj: obj, notes: notes, silences: silences}
		a.declared[f.Func] = decl.Name.Pos()
		switch d.Name {
		case "tool":
			a.tool(f, d)
		case "prompt":
			a.prompt(f, d)
		case "resource":
			a.resource(f, d)
		case "complete":
			a.completion(f, d)
		}
	}
}

// goesWith reports whether a directive can be combined with the others of a function. A function can be a tool, a
// prompt and a resource at the same time, but a completion cannot be anything else.
func (a *analyzer) goesWith(d *directive.Directive, others []*directive.Directive, name string) bool {
	for _, o := range others {
		switch {
		case d.Name == o.Name && (!d.Repeat || d.Name == "tool" && (d.Get("instantiate") == nil || o.Get("instantiate") == nil)):
			a.problems.Addf(d.Pos(), "//mcp:%s stands above %s already", d.Name, name)
			return false
		case d.Name != o.Name && (d.Name == "complete" || o.Name == "complete"):
			a.problems.Addf(d.Pos(), "%s: %s has //mcp:%s already; a function that completes is nothing else", d, name, o.Name)
			return false
		}
	}
	return true
}

// onlyTools adds problems for directives for tools above a function that is not a tool.
func (a *analyzer) onlyTools(notes []*directive.Directive, name string) {
	for _, d := range notes {
		switch d.Name {
		case "result":
			a.problems.Addf(d.Pos(), "%s: only the results of a tool have names and limits, and %s is none", d, name)
		case "app":
			a.problems.Addf(d.Pos(), "%s: only calls of a tool are shown as a page, and %s is none", d, name)
		case "nolint":
			a.problems.Addf(d.Pos(), "%s: mcpgen lint looks at tools only, and %s is none", d, name)
		}
	}
}
