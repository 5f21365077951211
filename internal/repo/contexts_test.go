package repo

import (
	"go/ast"
	"go/token"
	"maps"
	"testing"
)

// TestContexts finds the structs of the runtime that hold a context, or one of package lazyctx. A context belongs to a
// call; those that have another reason are few, and the rest use package lifetime.
func TestContexts(t *testing.T) {
	reasons := map[string]string{
		"runtime/internal/lazyctx/lazyctx.go":    "a context itself",
		"runtime/internal/lifetime/lifetime.go":  "what ends with a lifetime needs a context that does",
		"runtime/internal/peer/notifications.go": "a notification as it is handled, which saves an allocation",
		"runtime/internal/peer/request.go":       "a request as it is handled, and the sending of its response, which saves two",
		"runtime/server/call.go":                 "a Call, which is the request that the context belongs to",
		"runtime/transport/streamable/modern.go": "a request as it is handled, which saves an allocation",
	}
	unused := maps.Clone(reasons)
	eachRuntimeFile(t, func(name string, fset *token.FileSet, file *ast.File) {
		ast.Inspect(file, func(n ast.Node) bool {
			s, ok := n.(*ast.StructType)
			if !ok {
				return true
			}
			for _, f := range s.Fields.List {
				if !isContext(f.Type) {
					continue
				}
				if delete(unused, name); reasons[name] == "" {
					t.Errorf("%s: a struct holds a context: pass it as an argument, or use package lifetime", fset.Position(f.Pos()))
				}
			}
			return true
		})
	})
	for name, reason := range unused {
		t.Errorf("no struct in %s holds a context any more: %s", name, reason)
	}
}

// isContext reports whether an expression is context.Context or lazyctx.Context.
func isContext(e ast.Expr) bool {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Context" {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && (pkg.Name == "context" || pkg.Name == "lazyctx")
}
