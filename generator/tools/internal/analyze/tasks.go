package analyze

import (
	"go/ast"
	"slices"

	"github.com/mcpgen/mcpgen/generator/tools/internal/ir"
	"github.com/mcpgen/mcpgen/generator/tools/internal/source"
)

// tasks finds calls of the generated NewServer with options that cannot enable tasks, though a tool needs them: the server
// would not start.
func (a *analyzer) tasks(files []*source.File) {
	i := slices.IndexFunc(a.out.Tools, func(t *ir.Tool) bool { return t.Task != "" })
	if i < 0 || a.out.Server == nil {
		return
	}
	for _, f := range files {
		ast.Inspect(f.Syntax, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) == 0 {
				return true
			}
			opts := call.Args[len(call.Args)-1]
			if fn, ok := call.Fun.(*ast.Ident); ok && fn.Name == "NewServer" && lacksTasks(opts) {
				a.problems.Addf(opts.Pos(), "the tool %s has task=%s, but this server has no tasks: want an option Setup, as in &server.Options{Setup: []server.Setup{taskserver.Enable(nil)}}",
					a.out.Tools[i].Name, a.out.Tools[i].Task)
			}
			return true
		})
	}
}

// lacksTasks reports whether options are nil or a literal without Setup.
func lacksTasks(opts ast.Expr) bool {
	switch opts := opts.(type) {
	case *ast.Ident:
		return opts.Name == "nil"
	case *ast.UnaryExpr:
		literal, ok := opts.X.(*ast.CompositeLit)
		return ok && !slices.ContainsFunc(literal.Elts, func(e ast.Expr) bool {
			pair, ok := e.(*ast.KeyValueExpr)
			if !ok {
				return true
			}
			name, ok := pair.Key.(*ast.Ident)
			return ok && name.Name == "Setup"
		})
	}
	return false
}
