package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
)

// Some tests skip themselves where something is missing that is not in this repository: a file, a
// program, a network. On a machine that has no more than a clone and the go command they say nothing,
// so the rows that they alone cite are not covered.

// A skips knows which test functions of a folder may skip themselves. With -short is another matter,
// and so is another system: whoever tests knows about it.
type skips struct {
	units []*unit
}

// A unit is a function of a test file that takes a *testing.T or the like, declared or literal: what a
// subtest skips is not its test.
type unit struct {
	name       string // of a function; empty for a literal
	file       string
	first      int // line, of the comment above a function
	body, last int // lines
	params     []string
	above      *unit    // in which a literal stands
	skips      bool     // by a call of its own
	calls      []string // of functions that get its *testing.T
}

// add takes a file of a folder into account.
func (s *skips) add(name string, src []byte) error {
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	line := func(p token.Pos) int { return set.PositionFor(p, false).Line }
	for _, d := range file.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		u := &unit{name: f.Name.Name, file: name, first: line(f.Pos()), body: line(f.Pos()), last: line(f.End()), params: testingParams(f.Type)}
		if f.Doc != nil {
			u.first = line(f.Doc.Pos())
		}
		s.units = append(s.units, u)
		ast.Walk(&walker{s, u, line, false}, f.Body)
	}
	return nil
}

// A walker goes over the body of a unit.
type walker struct {
	skips *skips
	unit  *unit
	line  func(token.Pos) int
	known bool // it is below a condition about -short or the system
}

func (w *walker) Visit(n ast.Node) ast.Visitor {
	switch n := n.(type) {
	case *ast.FuncLit:
		if params := testingParams(n.Type); params != nil {
			u := &unit{file: w.unit.file, body: w.line(n.Pos()), last: w.line(n.End()), params: params, above: w.unit}
			w.skips.units = append(w.skips.units, u)
			return &walker{w.skips, u, w.line, w.known}
		}
	case *ast.IfStmt:
		if mentions(n.Cond, "testing", "Short") || mentions(n.Cond, "runtime", "GOOS") {
			return &walker{w.skips, w.unit, w.line, true}
		}
	case *ast.CallExpr:
		w.call(n)
	}
	return w
}

// call notes a call that skips, or that may do so.
func (w *walker) call(n *ast.CallExpr) {
	if w.known {
		return
	}
	if s, ok := n.Fun.(*ast.SelectorExpr); ok && slices.Contains([]string{"Skip", "Skipf", "SkipNow"}, s.Sel.Name) {
		if u := w.unit.of(s.X); u != nil {
			u.skips = true
		}
	}
	for _, arg := range n.Args {
		u := w.unit.of(arg)
		if u == nil {
			continue
		}
		switch f := n.Fun.(type) {
		case *ast.Ident:
			u.calls = append(u.calls, f.Name)
		case *ast.SelectorExpr: // a method, or a function of another package
			u.calls = append(u.calls, f.Sel.Name)
			u.skips = u.skips || isNeed(f)
		}
	}
}

// isNeed reports whether a function skips the test that lacks something: those of package testenv do
// whose names begin with Needs.
func isNeed(f *ast.SelectorExpr) bool {
	p, ok := f.X.(*ast.Ident)
	return ok && p.Name == "testenv" && strings.HasPrefix(f.Sel.Name, "Needs")
}

// of returns the unit whose *testing.T an expression is, nil if it is none.
func (u *unit) of(x ast.Expr) *unit {
	name, ok := x.(*ast.Ident)
	if !ok {
		return nil
	}
	for ; u != nil; u = u.above {
		if slices.Contains(u.params, name.Name) {
			return u
		}
	}
	return nil
}

// spread finds out which units skip because of what they call. A function that several files declare,
// for several systems, skips if all of them do.
func (s *skips) spread() {
	for changed := true; changed; {
		changed = false
		skipping := map[string]bool{}
		for _, u := range s.units {
			if before, again := skipping[u.name]; u.name != "" {
				skipping[u.name] = u.skips && (before || !again)
			}
		}
		for _, u := range s.units {
			if !u.skips && slices.ContainsFunc(u.calls, func(name string) bool { return skipping[name] }) {
				u.skips, changed = true, true
			}
		}
	}
}

// at reports whether what stands at a line may be skipped: in a body with what is around it, above a
// function with any of its subtests.
func (s *skips) at(p place) bool {
	return slices.ContainsFunc(s.units, func(u *unit) bool {
		if !u.skips || u.file != p.file {
			return false
		}
		top := u
		for top.above != nil {
			top = top.above
		}
		return u.body <= p.line && p.line <= u.last || top.first <= p.line && p.line < top.body
	})
}

// testingParams returns the names of the parameters by which a function can skip.
func testingParams(f *ast.FuncType) (names []string) {
	for _, field := range f.Params.List {
		kind := field.Type
		if pointer, ok := kind.(*ast.StarExpr); ok {
			kind = pointer.X
		}
		if s, ok := kind.(*ast.SelectorExpr); ok && mentions(s, "testing", s.Sel.Name) && strings.Contains(" T B F TB ", " "+s.Sel.Name+" ") {
			for _, name := range field.Names {
				names = append(names, name.Name)
			}
		}
	}
	return names
}

// mentions reports whether an expression has pkg.name in it.
func mentions(x ast.Expr, pkg, name string) (found bool) {
	ast.Inspect(x, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok && s.Sel.Name == name {
			if p, ok := s.X.(*ast.Ident); ok && p.Name == pkg {
				found = true
			}
		}
		return !found
	})
	return found
}

// folders are the skips of each folder with tests.
type folders map[string]*skips

func (f folders) of(file string) *skips {
	dir := path.Dir(file)
	if f[dir] == nil {
		f[dir] = new(skips)
	}
	return f[dir]
}
