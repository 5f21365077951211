package repo

import (
	"go/ast"
	"go/token"
	"go/types"
	"path"
	"strings"
	"testing"
)

// TestLoggers checks that every package of the runtime whose callers give it a logger uses it by excerpt.Logger, which
// replaces what would control a terminal, and cuts what is long: once for each option or parameter.
func TestLoggers(t *testing.T) {
	given, wrapped := map[string]int{}, map[string]int{}
	eachRuntimeFile(t, func(name string, _ *token.FileSet, file *ast.File) {
		pkg := path.Dir(name)
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Name.IsExported() && f.Recv == nil {
				given[pkg] += loggersIn(f.Type.Params, func(string) bool { return true })
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.StructType:
				given[pkg] += loggersIn(n.Fields, ast.IsExported)
			case *ast.CallExpr:
				if types.ExprString(n.Fun) == "excerpt.Logger" {
					wrapped[pkg]++
				}
			}
			return true
		})
	})
	const http = "runtime/transport/"
	given[http+"sse"] += given[http+"streamable"] // whose Options its handler has
	for pkg, n := range given {
		if strings.Contains(pkg, "/transport/internal/") || pkg == "runtime/internal/excerpt" {
			continue // they are given what other packages were given
		}
		if wrapped[pkg] != n {
			t.Errorf("%s is given %d loggers, and uses %d of them by excerpt.Logger", pkg, n, wrapped[pkg])
		}
	}
	if len(wrapped) == 0 {
		t.Error("no package uses a logger")
	}
}

// loggersIn returns how many fields or parameters with certain names are loggers.
func loggersIn(list *ast.FieldList, is func(name string) bool) (n int) {
	for _, f := range list.List {
		for _, name := range f.Names {
			if types.ExprString(f.Type) == "*slog.Logger" && is(name.Name) {
				n++
			}
		}
	}
	return n
}
