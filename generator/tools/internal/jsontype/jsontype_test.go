package jsontype

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/generator/tools/internal/analyzetest"
	"github.com/mcpgen/mcpgen/generator/tools/internal/constraint"
	"github.com/mcpgen/mcpgen/generator/tools/internal/directive"
	"github.com/mcpgen/mcpgen/generator/tools/internal/source"
)

// TestCases compares the types of the parameters and results of functions, the first as arguments are read and the second
// as they are written, and what is wrong with them. The parameters of a function whose name begins with Form are forms.
func TestCases(t *testing.T) {
	analyzetest.Cases(t, func(pkg *source.Package) string {
		var b strings.Builder
		var problems directive.Problems
		checker := constraint.NewChecker(problems.Addf, pkg.TypeString)
		a := New(pkg, &problems, checker)
		var files []*source.File
		for _, f := range pkg.Files {
			files = append(files, pkg.Sources.Scan(f))
		}
		for _, f := range files {
			problems = append(problems, f.Problems...)
			a.ReadPackage(f, files)
		}
		var uses []func()
		for _, f := range files {
			for _, d := range f.Syntax.Decls {
				switch d := d.(type) {
				case *ast.GenDecl:
					for _, s := range d.Specs {
						if s, ok := s.(*ast.TypeSpec); ok && len(f.Notes[s]) > 0 {
							a.Annotated(s, f.Notes[s])
						}
					}
				case *ast.FuncDecl:
					if d.Recv == nil {
						uses = append(uses, a.use(&b, pkg.Info.Defs[d.Name].(*types.Func)))
					}
				}
			}
		}
		checker.Finish()
		a.Finish(files)
		a.Unused()
		for _, write := range uses {
			write()
		}
		return b.String() + analyzetest.Problems(pkg, problems)
	})
}

// use analyzes the types of a function, and returns a function that writes them.
func (a *Analyzer) use(b *strings.Builder, f *types.Func) (write func()) {
	var lines []func() string
	for v := range f.Signature().Params().Variables() {
		if strings.HasPrefix(f.Name(), "Form") {
			form := a.Form(types.Unalias(v.Type()), v.Pos())
			lines = append(lines, func() string {
				if form == nil {
					return "no form"
				}
				text := "form"
				for _, p := range form.Fields {
					text += "; " + analyzetest.Property(p)
				}
				return text
			})
			continue
		}
		in := a.Type(v.Type(), Site{Pos: v.Pos(), What: f.Name(), Dir: In})
		lines = append(lines, func() string { return "in " + analyzetest.Type(in) })
	}
	for v := range f.Signature().Results().Variables() {
		out := a.Type(v.Type(), Site{Pos: v.Pos(), What: f.Name(), Dir: Out, Bare: strings.HasPrefix(f.Name(), "Bare")})
		lines = append(lines, func() string { return "out " + analyzetest.Type(out) })
	}
	return func() {
		for _, line := range lines {
			fmt.Fprintf(b, "%s: %s\n", f.Name(), line())
		}
	}
}
