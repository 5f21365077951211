package analyzer

import (
	"go/ast"

	"golang.org/x/tools/go/analysis"

	"github.com/mcpgen/mcpgen/internal/misfit"
)

// misfits reports the functions of the package that the generated file does not fit.
func misfits(pass *analysis.Pass, own []*ast.File, generated *ast.File) {
	seen := map[*ast.FuncDecl]bool{nil: true}
	for _, err := range pass.TypeErrors {
		at := pass.Fset.PositionFor(err.Pos, false)
		if at.Filename != filename(pass, generated) {
			continue
		}
		if f := misfit.At(pass.Fset, generated, own, at.Line); !seen[f] {
			seen[f] = true
			pass.Report(analysis.Diagnostic{Pos: f.Name.Pos(), End: f.Name.End(), Message: misfit.Message})
		}
	}
}
