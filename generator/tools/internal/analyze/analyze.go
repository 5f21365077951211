// Package analyze makes the IR of a package of its annotated functions: the tools, prompts, resources and completions that
// they are, with their names, and who may use them; the forms that the package asks its users for; and the server. It
// leaves to package signature what parameters and results are, to jsontype what types are, and to constraint what
// directives say about values. All three add to the same problems.
//
//	analyze.go   the order of all this
//	function.go  what a function is offered as; tool.go, prompt.go, resource.go and complete.go are about each kind
//	names.go     names on the wire, and those of generated functions
//	access.go    who may use a tool, prompt or resource; scope.go the scopes for that
//	guards.go    what stands between a call and a function: a question, a timeout, a rate
//	extras.go    icons, _meta and annotations; app.go pages
//	server.go    the directives above the package clause
package analyze

import (
	"cmp"
	"go/ast"
	"go/token"
	"go/types"
	"slices"

	"github.com/mcpgen/mcpgen/generator/tools/internal/constraint"
	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/jsontype"
	"github.com/mcpgen/mcpgen/generator/tools/internal/signature"
	"github.com/mcpgen/mcpgen/generator/tools/internal/source"
)

// Package analyzes a package. The result is nil if the package has no directives. If there are problems, the result is
// incomplete: its callers may rely on nothing but the names of the functions that will be generated.
func Package(pkg *source.Package) (*ir.Package, []directive.Problem) {
	a := &analyzer{
		pkg:       pkg,
		problems:  new(directive.Problems),
		out:       &ir.Package{Path: pkg.Types.Path(), Name: pkg.Types.Name(), Dir: pkg.Dir, Types: pkg.Types, Register: "Register"},
		completed: make(map[types.Object]*completed),
		declared:  make(map[*ir.Func]token.Pos),
	}
	a.constraints = constraint.NewChecker(a.problems.Addf, pkg.TypeString)
	a.types = jsontype.New(pkg, a.problems, a.constraints)
	a.signatures = signature.New(pkg, a.problems, a.constraints, a.types)
	var files []*source.File
	found := 0
	for _, f := range pkg.Files {
		scanned := pkg.Sources.Scan(f)
		files = append(files, scanned)
		*a.problems = append(*a.problems, scanned.Problems...)
		found += len(scanned.Notes)
	}
	if found == 0 && len(*a.problems) == 0 {
		return nil, nil
	}
	for _, f := range files {
		a.packageClause(f)
		a.types.ReadPackage(f, files)
	}
	for _, f := range files {
		*a.problems = append(*a.problems, source.Constrained(pkg.Sources.FileSet(), f.Syntax)...)
		for _, d := range f.Syntax.Decls {
			a.declaration(f, d)
		}
	}
	// What follows needs all declarations. Forms add types, whose constraints are checked after them. The types must be
	// finished before their sizes are known, and what is unused is a problem only if there is no other.
	a.constraints.Finish()
	a.complete()
	a.forms()
	a.constraints.Finish()
	a.pages()
	a.names()
	a.tasks(files)
	a.types.Finish(files)
	a.sizes()
	a.types.Unused()
	return a.out, a.sorted()
}

// sorted returns the problems by place, without duplicates.
func (a *analyzer) sorted() []directive.Problem {
	slices.SortStableFunc(*a.problems, func(x, y directive.Problem) int {
		p, q := a.pkg.Position(x.Pos), a.pkg.Position(y.Pos)
		return cmp.Or(cmp.Compare(p.Filename, q.Filename), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Column, q.Column), cmp.Compare(x.Msg, y.Msg))
	})
	return slices.Compact(*a.problems)
}

// An analyzer analyzes one package.
type analyzer struct {
	pkg *source.Package
	out *ir.Package

	constraints *constraint.Checker
	types       *jsontype.Analyzer
	signatures  *signature.Analyzer
	problems    *directive.Problems
	offers      []offer
	completions []completion                // looked at when all their targets are known
	completed   map[types.Object]*completed // the prompts and resources by their functions
	declared    map[*ir.Func]token.Pos      // where a function is declared
	serverAt    token.Pos                   // of //mcp:server
	prefix      string                      // of the names of tools and prompts
	open        bool                        // all tools allow unknown arguments
	needs       []need
}

// declaration analyzes a declaration at package level.
func (a *analyzer) declaration(f *source.File, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if notes := f.Notes[d]; len(notes) > 0 {
			a.function(d, notes)
		}
	case *ast.GenDecl:
		for _, s := range d.Specs {
			if s, ok := s.(*ast.TypeSpec); ok {
				a.types.Annotated(s, f.Notes[s])
				a.config(f, s)
			}
		}
	}
}
