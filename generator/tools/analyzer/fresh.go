package analyzer

import (
	"go/ast"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/types/typeutil"
)

const (
	serverPath = "github.com/mcpgen/mcpgen/runtime/server"
	askPath    = serverPath + "/ask"
)

// reportFresh reports requests for input whose text is made, in the same function, of a value that differs from one run
// of a handler to the next.
func reportFresh(pass *analysis.Pass, files []*ast.File) {
	for _, f := range files {
		for _, decl := range f.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			s := sources{info: pass.TypesInfo, of: map[types.Object][]ast.Expr{}}
			ast.Inspect(fn.Body, s.collect)
			ast.Inspect(fn.Body, func(n ast.Node) bool {
				if call, ok := n.(*ast.CallExpr); ok && s.asks(call) {
					s.check(pass, call)
				}
				return true
			})
		}
	}
}

// sources holds the expressions that the variables of a function are assigned.
type sources struct {
	info *types.Info
	of   map[types.Object][]ast.Expr
}

// collect records the variables to which a node assigns, with the expressions. Several variables of one call have the
// call as their expression. It is a function for [ast.Inspect], and looks into everything.
func (s *sources) collect(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		for i, left := range n.Lhs {
			if id, ok := left.(*ast.Ident); ok {
				s.assign(id, n.Rhs[min(i, len(n.Rhs)-1)])
			}
		}
	case *ast.ValueSpec:
		for i, id := range n.Names {
			if len(n.Values) > 0 {
				s.assign(id, n.Values[min(i, len(n.Values)-1)])
			}
		}
	}
	return true
}

func (s *sources) assign(id *ast.Ident, value ast.Expr) {
	if obj := s.info.ObjectOf(id); obj != nil {
		s.of[obj] = append(s.of[obj], value)
	}
}

// asks reports whether a call requests input without a key: by a method of *server.Call, or by a function of package ask
// with one.
func (s *sources) asks(call *ast.CallExpr) bool {
	f, ok := typeutil.Callee(s.info, call).(*types.Func)
	if !ok || f.Pkg() == nil {
		return false
	}
	switch f.Pkg().Path() {
	case serverPath:
		recv := f.Signature().Recv()
		return recv != nil && isCall(recv.Type()) && (f.Name() == "Elicit" || f.Name() == "CreateMessage")
	case askPath:
		return (f.Name() == "Form" || f.Name() == "Confirm") && len(call.Args) == 3 && isCall(s.info.TypeOf(call.Args[1]))
	}
	return false
}

func isCall(t types.Type) bool {
	p, ok := types.Unalias(t).(*types.Pointer)
	if !ok {
		return false
	}
	named, ok := types.Unalias(p.Elem()).(*types.Named)
	return ok && named.Obj().Name() == "Call" && named.Obj().Pkg().Path() == serverPath
}

// check reports the first fresh value in the last argument of a request for input, which is what is asked.
func (s *sources) check(pass *analysis.Pass, call *ast.CallExpr) {
	if len(call.Args) < 2 {
		return
	}
	asked := call.Args[len(call.Args)-1]
	if name := s.fresh(asked, map[types.Object]bool{}); name != "" {
		pass.ReportRangef(asked, "%s differs from one run of the handler to the next, so since 2026-07-28 the response to this request is not found: "+
			"identify the request by WithKey, or compute the value by server.OnceValue", name)
	}
}

// fresh returns the function that gives an expression a fresh value, empty if there is none.
func (s *sources) fresh(e ast.Expr, seen map[types.Object]bool) (name string) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.CallExpr:
			f, ok := typeutil.Callee(s.info, n).(*types.Func)
			switch {
			case !ok || f.Pkg() == nil:
			case f.Signature().Recv() == nil && isFresh(f.Pkg().Path(), f.Name()):
				name = f.Pkg().Name() + "." + f.Name()
			}
		case *ast.Ident:
			obj := s.info.ObjectOf(n)
			if _, ok := obj.(*types.Var); !ok || seen[obj] || len(s.of[obj]) != 1 {
				break
			}
			seen[obj] = true
			name = s.fresh(s.of[obj][0], seen)
		}
		return name == ""
	})
	return name
}

// isFresh reports whether a function returns a different value each time.
func isFresh(path, name string) bool {
	switch path {
	case "time":
		return slices.Contains([]string{"Now", "Since", "Until"}, name)
	case "crypto/rand", "math/rand", "math/rand/v2":
		return !strings.HasPrefix(name, "New")
	case "github.com/google/uuid", "github.com/gofrs/uuid", "github.com/gofrs/uuid/v5", "github.com/rs/xid", "github.com/segmentio/ksuid":
		return strings.HasPrefix(name, "New")
	}
	return false
}
