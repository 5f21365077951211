package mcpgen_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"strings"
	"testing"
)

// TestContexts finds the structs of the runtime that hold a context. A context belongs to a call; those that have
// another reason are few, and the rest use package lifetime.
func TestContexts(t *testing.T) {
	reasons := map[string]string{
		"runtime/internal/lazyctx/lazyctx.go":   "a context itself",
		"runtime/internal/lifetime/lifetime.go": "what ends with a lifetime needs a context that does",
		"runtime/internal/schema/schema.go":     "a validation, which lasts as long as its call",
		"runtime/server/call.go":                "a Call, which is the request that the context belongs to",
	}
	unused := maps.Clone(reasons)
	err := filepath.WalkDir("runtime", func(name string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") {
			return err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			s, ok := n.(*ast.StructType)
			if !ok {
				return true
			}
			for _, f := range s.Fields.List {
				if !isContext(f.Type) {
					continue
				}
				at := filepath.ToSlash(name)
				if delete(unused, at); reasons[at] == "" {
					t.Errorf("%s: a struct holds a context: pass it as an argument, or use package lifetime", fset.Position(f.Pos()))
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, reason := range unused {
		t.Errorf("no struct in %s holds a context any more: %s", name, reason)
	}
}

// isContext reports whether an expression is context.Context.
func isContext(e ast.Expr) bool {
	sel, ok := e.(*ast.SelectorExpr)
	if !ok || sel.Sel.Name != "Context" {
		return false
	}
	pkg, ok := sel.X.(*ast.Ident)
	return ok && pkg.Name == "context"
}
