package main

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// check negates the condition of an if statement, and drops the statement.
func (f *finder) check(n *ast.IfStmt) {
	header := f.header(n, n.Body)
	if logical(n.Cond) == nil { // else its parts are negated
		f.negate(n.Cond, header, strings.TrimSuffix(header, f.textOf(n.Cond))+"!("+f.textOf(n.Cond)+")")
	}
	if n.Else == nil {
		f.drop(n.Cond, header, n.Pos())
	}
}

// drop adds that a condition never holds.
func (f *finder) drop(cond ast.Expr, was string, at token.Pos) {
	if !f.plainBool(cond) {
		return
	}
	if m, ok := f.add(at, true, was, ""); ok {
		f.wrap(cond, "(", fmt.Sprintf(") && !mutantOn(%d)", m))
	}
}

// negate adds that a condition is the opposite.
func (f *finder) negate(cond ast.Expr, was, becomes string) {
	if !f.plainBool(cond) {
		return
	}
	if m, ok := f.add(cond.Pos(), true, was, becomes); ok {
		f.wrap(cond, fmt.Sprintf("(mutantOn(%d) != (", m), "))")
	}
}

// plainBool reports whether an expression has the type bool, and is not constant.
func (f *finder) plainBool(e ast.Expr) bool {
	t := f.info.Types[e]
	if t.Type == nil || t.Value != nil {
		return false
	}
	b, ok := t.Type.(*types.Basic)
	return ok && b.Info()&types.IsBoolean != 0
}

// cases drops the cases of a switch: that its condition holds, or what it does. The latter cannot be
// where a switch has a default, since it may then be what a function ends with.
func (f *finder) cases(n *ast.CaseClause, stack []ast.Node) {
	f.statements(n.Body)
	s, ok := stack[len(stack)-2].(*ast.SwitchStmt)
	if ok && s.Tag == nil {
		for _, cond := range n.List {
			f.drop(cond, "case "+f.textOf(cond), cond.Pos())
		}
		return
	}
	block := stack[len(stack)-1].(*ast.BlockStmt)
	if len(n.Body) == 0 || slices.ContainsFunc(block.List, func(s ast.Stmt) bool { return s.(*ast.CaseClause).List == nil }) {
		return
	}
	if m, ok := f.add(n.Pos(), true, f.text(n.Pos(), n.Colon), ""); ok {
		f.edits.wrap(f.offset(n.Colon)+1, f.offset(n.Colon)+1, fmt.Sprintf(" if mutantOn(%d) { break };", m), "")
	}
}

// statements drops those that have no result, one at a time.
func (f *finder) statements(list []ast.Stmt) {
	for _, s := range list {
		if !f.droppable(s) {
			continue
		}
		if m, ok := f.add(s.Pos(), false, f.textOf(s), ""); ok {
			f.wrap(s, fmt.Sprintf("if !mutantOn(%d) { ", m), " }")
		}
	}
}

func (f *finder) droppable(s ast.Stmt) bool {
	switch s := s.(type) {
	case *ast.AssignStmt:
		if s.Tok == token.DEFINE || allBlank(s.Lhs) {
			return false
		}
		call, ok := s.Rhs[0].(*ast.CallExpr)
		return !ok || !f.costOnly(call)
	case *ast.IncDecStmt:
		return true
	case *ast.DeferStmt:
		return !f.costOnly(s.Call)
	case *ast.ExprStmt:
		call, ok := s.X.(*ast.CallExpr)
		return ok && !f.costOnly(call) && !isPanic(call)
	}
	return false
}

// field leaves a field of a struct's literal out. Numbers and bools have mutants of their own.
func (f *finder) field(n *ast.KeyValueExpr, stack []ast.Node) {
	literal, ok := stack[len(stack)-1].(*ast.CompositeLit)
	if !ok {
		return
	}
	name, isName := n.Key.(*ast.Ident)
	_, isStruct := f.info.TypeOf(literal).Underlying().(*types.Struct)
	if !isName || !isStruct {
		return
	}
	field, value := f.info.Uses[name], f.info.Types[n.Value]
	if field == nil || value.Type == nil || !types.Identical(field.Type(), value.Type) {
		return
	}
	call := "mutantZero("
	if value.Value != nil {
		typeName, ok := f.nameOfType(value.Type, n.Pos())
		if !ok || value.Value.Kind() != constant.String {
			return
		}
		call = "mutantZero[" + typeName + "]("
	}
	if m, ok := f.add(n.Pos(), false, f.textOf(n), ""); ok {
		f.wrap(n.Value, fmt.Sprintf("%s%d, ", call, m), ")")
	}
}

func allBlank(list []ast.Expr) bool {
	for _, e := range list {
		if name, ok := e.(*ast.Ident); !ok || name.Name != "_" {
			return false
		}
	}
	return true
}

// costOnly reports whether a call allocates in advance, or locks: tests cannot see the first, and
// without the second they end or do not, as it happens.
func (f *finder) costOnly(call *ast.CallExpr) bool {
	fn, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	switch fn.Sel.Name {
	case "Grow":
		return true
	case "Lock", "Unlock", "RLock", "RUnlock":
		o := f.info.Uses[fn.Sel]
		return o != nil && o.Pkg() != nil && o.Pkg().Path() == "sync"
	}
	return false
}

func isPanic(call *ast.CallExpr) bool {
	fn, ok := call.Fun.(*ast.Ident)
	return ok && fn.Name == "panic"
}

// textOnly reports whether a call makes nothing but a text for developers.
func (f *finder) textOnly(call *ast.CallExpr) bool { return isPanic(call) }

// returns returns no error, and the opposite of a bool.
func (f *finder) returns(n *ast.ReturnStmt, stack []ast.Node) {
	results := f.results(stack)
	if results == nil || len(n.Results) != results.Len() {
		return
	}
	for i, e := range n.Results {
		last := i == len(n.Results)-1
		switch {
		case last && isError(results.At(i).Type()):
			if f.isNil(e) || onlyStatement(n, stack) {
				continue
			}
			was, becomes := f.context(append(stack, n), e.Pos(), e.End(), "nil")
			if m, ok := f.add(e.Pos(), true, was, becomes); ok {
				f.wrap(e, fmt.Sprintf("mutantError(%d, ", m), ")")
			}
		case !last && f.isFalse(n.Results[len(n.Results)-1]):
		case logical(e) == nil && !isEquality(e):
			was, becomes := f.context(append(stack, n), e.Pos(), e.End(), "!("+f.textOf(e)+")")
			f.negate(e, was, becomes)
		}
	}
}

// fails reports whether a return says by its last result that constants before it mean nothing: by an
// error, or by false.
func (f *finder) fails(n *ast.ReturnStmt, stack []ast.Node) bool {
	results := f.results(stack)
	if results == nil || results.Len() < 2 || len(n.Results) != results.Len() {
		return false
	}
	last := n.Results[len(n.Results)-1]
	if isError(results.At(results.Len() - 1).Type()) {
		return !f.isNil(last)
	}
	return f.isFalse(last)
}

func (f *finder) isFalse(e ast.Expr) bool {
	value := f.info.Types[e].Value
	return value != nil && value.Kind() == constant.Bool && !constant.BoolVal(value)
}

// results returns the results of the innermost function.
func (f *finder) results(stack []ast.Node) *types.Tuple {
	for i := len(stack) - 1; i >= 0; i-- {
		var t types.Type
		switch n := stack[i].(type) {
		case *ast.FuncLit:
			t = f.info.TypeOf(n)
		case *ast.FuncDecl:
			t = f.info.TypeOf(n.Name)
		default:
			continue
		}
		if signature, ok := t.(*types.Signature); ok {
			return signature.Results()
		}
		return nil
	}
	return nil
}

func isError(t types.Type) bool { return types.Identical(t, types.Universe.Lookup("error").Type()) }

func (f *finder) isNil(e ast.Expr) bool { return f.info.Types[e].IsNil() }

// onlyStatement reports whether a return is all that an if statement does, which is dropped.
func onlyStatement(n *ast.ReturnStmt, stack []ast.Node) bool {
	if len(stack) < 2 {
		return false
	}
	body, isBlock := stack[len(stack)-1].(*ast.BlockStmt)
	check, isIf := stack[len(stack)-2].(*ast.IfStmt)
	return isBlock && isIf && check.Body == body && check.Else == nil && len(body.List) == 1
}

// logical returns an operation with && or ||, nil if it is another.
func logical(e ast.Expr) *ast.BinaryExpr {
	e = ast.Unparen(e)
	if b, ok := e.(*ast.BinaryExpr); ok && (b.Op == token.LAND || b.Op == token.LOR) {
		return b
	}
	return nil
}

func isEquality(e ast.Expr) bool {
	b, ok := ast.Unparen(e).(*ast.BinaryExpr)
	return ok && (b.Op == token.EQL || b.Op == token.NEQ)
}

var boundaries = map[token.Token]struct{ becomes, function string }{
	token.LSS: {"<=", "mutantLess"},
	token.LEQ: {"<", "mutantLessEqual"},
	token.GTR: {">=", "mutantGreater"},
	token.GEQ: {">", "mutantGreaterEqual"},
}

// binary changes comparisons and logical operations.
func (f *finder) binary(n *ast.BinaryExpr, stack []ast.Node) {
	if !f.plainBool(n) {
		return
	}
	switch n.Op {
	case token.LAND:
		f.operands(n, "||", "(", ") || mutantOn(%d)")
	case token.LOR:
		f.operands(n, "&&", "(", ") && !mutantOn(%d)")
	case token.EQL, token.NEQ:
		f.equality(n, stack)
	default:
		f.boundary(n, stack)
	}
}

// operands drops each operand, and changes the operator.
func (f *finder) operands(n *ast.BinaryExpr, other, before, after string) {
	x, y, all := f.textOf(n.X), f.textOf(n.Y), f.textOf(n)
	if m, ok := f.add(n.OpPos, true, all, x+" "+other+" "+y); ok {
		on := fmt.Sprintf("(mutantOn(%d) != (", m)
		f.wrap(n, on, "))")
		f.wrap(n.X, on, "))")
		f.wrap(n.Y, on, "))")
	}
	for _, o := range []struct {
		e    ast.Expr
		rest string
	}{{n.X, y}, {n.Y, x}} {
		if inner := logical(o.e); inner != nil && inner.Op == n.Op {
			continue // its own operands are dropped
		}
		if m, ok := f.add(o.e.Pos(), true, all, o.rest); ok {
			f.wrap(o.e, "("+before, fmt.Sprintf(after+")", m))
		}
	}
}

// equality turns == into != and the reverse, if no other mutant does nearly that.
func (f *finder) equality(n *ast.BinaryExpr, stack []ast.Node) {
	switch parent := stack[len(stack)-1].(type) {
	case *ast.IfStmt, *ast.ForStmt, *ast.CaseClause:
		return
	case *ast.BinaryExpr:
		if logical(parent) != nil {
			return
		}
	}
	op := map[token.Token]string{token.EQL: "!=", token.NEQ: "=="}[n.Op]
	was, becomes := f.context(append(stack, n), n.OpPos, n.OpPos+2, op)
	f.negate(n, was, becomes)
}

// boundary moves the bound of a comparison by one.
func (f *finder) boundary(n *ast.BinaryExpr, stack []ast.Node) {
	b, ok := boundaries[n.Op]
	if !ok || !f.ordered(n.X) || !f.ordered(n.Y) {
		return
	}
	end := n.OpPos + token.Pos(len(n.Op.String()))
	was, becomes := f.context(append(stack, n), n.OpPos, end, b.becomes)
	if m, ok := f.add(n.Pos(), true, was, becomes); ok {
		f.wrap(n, fmt.Sprintf("%s(%d, ", b.function, m), ")")
		f.edits.replace(f.offset(n.OpPos), f.offset(end), ",")
	}
}

func (f *finder) ordered(e ast.Expr) bool {
	t := f.info.TypeOf(e)
	b, ok := t.Underlying().(*types.Basic)
	_, parameter := t.(*types.TypeParam)
	return ok && !parameter && b.Info()&types.IsOrdered != 0
}

// boolean turns true into false and the reverse.
func (f *finder) boolean(n *ast.Ident, stack []ast.Node) {
	t := f.info.Types[n]
	if n.Name != "true" && n.Name != "false" || t.Value == nil || t.Value.Kind() != constant.Bool {
		return
	}
	becomes := "true"
	if constant.BoolVal(t.Value) {
		becomes = "false"
	}
	if parent, ok := stack[len(stack)-1].(*ast.ReturnStmt); ok && parent.Results[len(parent.Results)-1] != n && f.fails(parent, stack) {
		return
	}
	was, now := f.context(stack, n.Pos(), n.End(), becomes)
	if m, ok := f.add(n.Pos(), true, was, now); ok {
		f.wrap(n, fmt.Sprintf("(mutantOn(%d) != ", m), ")")
	}
}
