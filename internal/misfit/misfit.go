// Package misfit finds the functions that generated code does not fit any more.
package misfit

import (
	"go/ast"
	"go/token"
)

// Message is what is said of such a function, where it is declared.
const Message = "mcp_gen.go is stale, and does not fit this function: run go generate"

// At returns the function, declared in own, that the generated file calls in a line that does not compile; nil if
// there is none.
func At(fset *token.FileSet, generated *ast.File, own []*ast.File, line int) *ast.FuncDecl {
	var found *ast.FuncDecl
	ast.Inspect(generated, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || line < fset.PositionFor(call.Pos(), false).Line || line > fset.PositionFor(call.End(), false).Line {
			return true
		}
		name := ""
		switch f := call.Fun.(type) {
		case *ast.Ident:
			name = f.Name
		case *ast.SelectorExpr:
			name = f.Sel.Name
		}
		for _, f := range own {
			for _, d := range f.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && d.Name.Name == name {
					found = d
				}
			}
		}
		return true
	})
	return found
}
