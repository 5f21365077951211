package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"strconv"
)

// integer makes a number in the source greater by one, and less.
func (f *finder) integer(n *ast.BasicLit, stack []ast.Node) {
	if n.Kind != token.INT {
		return
	}
	t := f.info.TypeOf(n)
	b, ok := t.Underlying().(*types.Basic)
	if !ok || b.Info()&types.IsInteger == 0 || b.Info()&types.IsUntyped != 0 {
		return
	}
	name, ok := f.nameOfType(t, n.Pos())
	if !ok {
		return
	}
	up, down := f.directions(n, stack)
	var numbers [2]int
	for i, wanted := range []bool{up, down} {
		if !wanted {
			continue
		}
		was, becomes := f.context(stack, n.Pos(), n.End(), plus(n.Value, 1-2*i))
		if m, ok := f.add(n.Pos(), false, was, becomes); ok {
			numbers[i] = m
		}
	}
	if numbers != [2]int{} {
		f.wrap(n, "(", fmt.Sprintf(" + mutantAdd[%s](%d, %d))", name, numbers[0], numbers[1]))
	}
}

// plus writes a number and one more, or less.
func plus(literal string, d int) string {
	if n, err := strconv.Atoi(literal); err == nil {
		return strconv.Itoa(n + d)
	}
	return fmt.Sprintf("(%s%+d)", literal, d)
}

// directions says whether a greater and a smaller number are worth a mutant: not where the number
// must be constant, is only a hint of a size, goes with an error or false, stands for a nanosecond, or where
// another mutant is the same.
func (f *finder) directions(n *ast.BasicLit, stack []ast.Node) (up, down bool) {
	switch parent := stack[len(stack)-1].(type) {
	case *ast.KeyValueExpr:
		return parent.Key != n, parent.Key != n
	case *ast.CallExpr:
		hint := f.costOnly(parent) || isBitSize(parent, n) || isMake(parent) && (len(parent.Args) == 3 && parent.Args[2] == n || f.makesMap(parent))
		return !hint, !hint
	case *ast.SliceExpr:
		return parent.Max != n, parent.Max != n
	case *ast.ReturnStmt:
		failed := f.fails(parent, stack)
		return !failed, !failed
	case *ast.BinaryExpr:
		if _, bound := boundaries[parent.Op]; bound && f.info.TypeOf(n).String() == "time.Duration" {
			return false, false // a nanosecond more or less
		}
		switch op := parent.Op; op {
		case token.EQL, token.NEQ:
			return true, false
		case token.LSS, token.GEQ: // x < 5 becomes x <= 5, that is x < 6
			return parent.X == n, parent.Y == n
		case token.LEQ, token.GTR:
			return parent.Y == n, parent.X == n
		}
	}
	return true, true
}

// isBitSize reports whether an argument is that of strconv.ParseFloat, which takes every number but 32
// for 64.
func isBitSize(call *ast.CallExpr, n *ast.BasicLit) bool {
	fn, ok := call.Fun.(*ast.SelectorExpr)
	return ok && fn.Sel.Name == "ParseFloat" && call.Args[len(call.Args)-1] == n && n.Value == "64"
}

func isMake(call *ast.CallExpr) bool {
	fn, ok := call.Fun.(*ast.Ident)
	return ok && fn.Name == "make"
}

func (f *finder) makesMap(call *ast.CallExpr) bool {
	_, ok := f.info.TypeOf(call).Underlying().(*types.Map)
	return ok
}

// nameOfType returns how the file can write a type at a place; false if it cannot.
func (f *finder) nameOfType(t types.Type, at token.Pos) (string, bool) {
	if _, parameter := t.(*types.TypeParam); parameter {
		return "", false
	}
	ok := true
	name := types.TypeString(t, func(p *types.Package) string {
		if p == f.types {
			return ""
		}
		for _, spec := range f.tree.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil || path != p.Path() {
				continue
			}
			if spec.Name == nil {
				return p.Name()
			}
			return spec.Name.Name
		}
		ok = false
		return ""
	})
	if named, is := t.(*types.Named); is && named.Obj().Pkg() != f.types && !named.Obj().Exported() {
		ok = false
	} else if is && named.Obj().Pkg() == f.types {
		_, found := f.types.Scope().Innermost(at).LookupParent(named.Obj().Name(), at)
		ok = found == named.Obj() // a variable may have the name
	}
	return name, ok
}
