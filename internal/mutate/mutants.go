package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
)

// A mutant is one change of the code. Its text says which, however its lines move.
type mutant struct {
	pkg      string // the folder in the repository: runtime/wire
	number   int    // in its package, from 1
	file     string // skip.go
	line     int
	function string // Decoder.skip
	was      string // the source that is changed, on one line
	becomes  string // empty if it is dropped
	same     int    // how many mutants of the function before it have the same text
	rows     []string
}

// key identifies the mutant in the list of survivors.
func (m *mutant) key() string {
	k := fmt.Sprintf("%s %s: ", path.Join(m.pkg, m.file), m.function)
	if m.becomes == "" {
		k += "drop " + m.was
	} else {
		k += m.was + " becomes " + m.becomes
	}
	if m.same > 0 {
		k += fmt.Sprintf(" (%d)", m.same+1)
	}
	return k
}

// id is what the environment calls the mutant.
func (m *mutant) id() string { return fmt.Sprintf("%s:%d", m.pkg, m.number) }

// longest is how much of a long piece of source a mutant's text has.
const longest = 110

// short puts source on one line.
func short(source string) string {
	s := strings.Join(strings.Fields(source), " ")
	if len(s) > longest {
		s = strings.ToValidUTF8(s[:longest], "") + "…"
	}
	return s
}

// A scope says which code of a package is mutated.
type scope interface {
	// rows returns the rows that the code at a place implements; mutate is false if it is left alone.
	// A condition decides what happens next.
	rows(pos token.Pos, condition bool) (rows []string, mutate bool)
}

// everything mutates all code.
type everything struct{}

func (everything) rows(token.Pos, bool) ([]string, bool) { return nil, true }

// A finder finds the mutants of one file, and the edits that make them all.
type finder struct {
	*source
	scope    scope
	function string
	next     *int // number of the package's last mutant
	edits    edits
	mutants  []*mutant
	alike    map[string]int
}

// find walks the file's functions.
func (f *finder) find() {
	f.alike = map[string]int{}
	for _, d := range f.tree.Decls {
		d, ok := d.(*ast.FuncDecl)
		if !ok || d.Body == nil {
			continue
		}
		f.function = nameOf(d)
		ast.PreorderStack(d.Body, []ast.Node{d}, f.visit)
	}
}

// nameOf names a function as Type.Method or Function.
func nameOf(d *ast.FuncDecl) string {
	if d.Recv == nil {
		return d.Name.Name
	}
	t := d.Recv.List[0].Type
	if star, ok := t.(*ast.StarExpr); ok {
		t = star.X
	}
	switch generic := t.(type) {
	case *ast.IndexExpr:
		t = generic.X
	case *ast.IndexListExpr:
		t = generic.X
	}
	if name, ok := t.(*ast.Ident); ok {
		return name.Name + "." + d.Name.Name
	}
	return d.Name.Name
}

// add notes a mutant at a place and returns its number; false if the place is out of scope.
func (f *finder) add(at token.Pos, condition bool, was, becomes string) (int, bool) {
	rows, mutate := f.scope.rows(at, condition)
	if !mutate {
		return 0, false
	}
	*f.next++
	m := &mutant{
		pkg: f.pkg, number: *f.next, file: f.name, line: f.fset.Position(at).Line, function: f.function,
		was: short(was), becomes: short(becomes), rows: rows,
	}
	key := m.key()
	m.same = f.alike[key]
	f.alike[key]++
	f.mutants = append(f.mutants, m)
	return m.number, true
}

// wrap puts text around a node.
func (f *finder) wrap(n ast.Node, before, after string) {
	f.edits.wrap(f.offset(n.Pos()), f.offset(n.End()), before, after)
}

// visit adds the mutants of a node. Those of what encloses it have been added.
func (f *finder) visit(n ast.Node, stack []ast.Node) bool {
	switch n := n.(type) {
	case *ast.GenDecl:
		return n.Tok == token.VAR // constants must stay constant
	case *ast.ArrayType:
		return false
	case *ast.IfStmt:
		f.check(n)
	case *ast.ForStmt:
		if n.Cond != nil {
			f.drop(n.Cond, f.header(n, n.Body), n.Pos())
		}
	case *ast.CaseClause:
		f.cases(n, stack)
	case *ast.BlockStmt:
		f.statements(n.List)
	case *ast.CommClause:
		f.statements(n.Body)
	case *ast.KeyValueExpr:
		f.field(n, stack)
	case *ast.ReturnStmt:
		f.returns(n, stack)
	case *ast.BinaryExpr:
		f.binary(n, stack)
	case *ast.BasicLit:
		f.integer(n, stack)
	case *ast.Ident:
		f.boolean(n, stack)
	case *ast.CallExpr:
		return !f.textOnly(n)
	}
	return true
}

// header returns the source of a statement up to its body.
func (f *finder) header(n ast.Node, body *ast.BlockStmt) string {
	return strings.TrimSpace(f.text(n.Pos(), body.Lbrace))
}

// context returns what is around a piece of source, once as it is and once with the piece replaced.
func (f *finder) context(stack []ast.Node, at, end token.Pos, becomes string) (was, now string) {
	from, to := f.enclosing(stack)
	if at < from || end > to { // it is in a part that a header does not have
		from, to = at, end
	}
	before, after := f.text(from, at), f.text(end, to)
	return around(before, f.text(at, end), after), around(before, becomes, after)
}

// enclosing returns where the smallest operation or statement begins and ends; of one that has a
// body, its header.
func (f *finder) enclosing(stack []ast.Node) (from, to token.Pos) {
	for _, n := range slices.Backward(stack) {
		switch n := n.(type) {
		case *ast.ParenExpr, *ast.UnaryExpr, *ast.FuncLit:
			continue
		case *ast.IfStmt:
			return n.Pos(), n.Body.Lbrace
		case *ast.ForStmt:
			return n.Pos(), n.Body.Lbrace
		case *ast.RangeStmt:
			return n.Pos(), n.Body.Lbrace
		case *ast.SwitchStmt:
			return n.Pos(), n.Body.Lbrace
		case *ast.CaseClause:
			return n.Pos(), n.Colon + 1
		}
		return n.Pos(), n.End()
	}
	return token.NoPos, token.NoPos
}

// around joins a piece with what is around it, of which it keeps only what is near.
func around(before, piece, after string) string {
	const near = 50
	if len(before) > near {
		before = "…" + strings.ToValidUTF8(before[len(before)-near:], "")
	}
	if len(after) > near {
		after = strings.ToValidUTF8(after[:near], "") + "…"
	}
	return before + piece + after
}
