// Package codecs finds how two versions of generated bindings differ in what they read and write. It reads their
// code, which is all that exists of the older version.
package codecs

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A Change is a difference on the wire.
type Change struct {
	Kind string // added, removed or changed
	What string // type, method or code
	Name string
	Part string // a member, a kind or a field; empty for all of it
	Old  string
	New  string
}

// A key identifies a fact.
type key struct{ what, name, part string }

// Facts holds what the code of a package says about the wire format.
type Facts map[key]string

// Read returns the facts of generated files, given by name.
func Read(files map[string][]byte) (Facts, error) {
	facts := Facts{}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if !strings.HasSuffix(name, ".go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, files[name], parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		for _, d := range f.Decls {
			switch d := d.(type) {
			case *ast.GenDecl:
				facts.variables(d)
			case *ast.FuncDecl:
				facts.function(d)
			}
		}
	}
	return facts, nil
}

// Compare returns the differences, in order of names: methods, types, then other code.
func Compare(older, newer Facts) (changes []Change) {
	all := maps.Clone(older)
	maps.Copy(all, newer)
	keys := slices.SortedFunc(maps.Keys(all), func(a, b key) int {
		order := []string{"method", "type", "code"}
		if a.what != b.what {
			return slices.Index(order, a.what) - slices.Index(order, b.what)
		}
		return strings.Compare(a.name+"\x00"+a.part, b.name+"\x00"+b.part)
	})
	for _, k := range keys {
		a, inOld := older[k]
		b, inNew := newer[k]
		whole := key{k.what, k.name, ""}
		_, wasThere := older[whole]
		_, isThere := newer[whole]
		switch {
		case k.part != "" && wasThere != isThere: // all of it is new, or gone
		case !inOld:
			changes = append(changes, Change{"added", k.what, k.name, k.part, "", b})
		case !inNew:
			changes = append(changes, Change{"removed", k.what, k.name, k.part, a, ""})
		case a != b:
			changes = append(changes, Change{"changed", k.what, k.name, k.part, a, b})
		}
	}
	return changes
}

// variables reads the descriptions of types and methods.
func (f Facts) variables(d *ast.GenDecl) {
	for _, s := range d.Specs {
		spec, ok := s.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			continue
		}
		lit, ok := spec.Values[0].(*ast.CompositeLit)
		if !ok {
			continue
		}
		fields := map[string]ast.Expr{}
		for _, e := range lit.Elts {
			if kv, ok := e.(*ast.KeyValueExpr); ok {
				fields[source(kv.Key)] = kv.Value
			}
		}
		name := stringOf(fields["Name"])
		delete(fields, "Name") // it is no part
		switch source(lit.Type) {
		case "wire.Type":
			f.wireType(name, fields)
		case "wire.Method":
			f[key{"method", name, ""}] = ""
			for field, value := range fields {
				f[key{"method", name, field}] = source(value)
			}
		}
	}
}

// wireType reads which members a type has, and whether all revisions require them.
func (f Facts) wireType(name string, fields map[string]ast.Expr) {
	f[key{"type", name, ""}] = ""
	if span := fields["Revisions"]; span != nil {
		f[key{"type", name, "revisions"}] = source(span)
	}
	required := 0
	if n := fields["Required"]; n != nil {
		required, _ = strconv.Atoi(source(n))
	}
	list, ok := fields["Members"].(*ast.CompositeLit)
	if !ok {
		return
	}
	for i, e := range list.Elts {
		presence := "sometimes absent; "
		if i < required {
			presence = "always required; "
		}
		f[key{"type", name, "member " + stringOf(e)}] += presence
	}
}

// function reads how members are written and read, and which kinds a union has.
func (f Facts) function(d *ast.FuncDecl) {
	if d.Body == nil || !codes(d.Type) {
		return
	}
	if d.Recv == nil {
		f.notMethod(d)
		return
	}
	name := strings.TrimPrefix(source(d.Recv.List[0].Type), "*")
	switch d.Name.Name {
	case "EncodeWire":
		var member string
		for _, s := range d.Body.List {
			if m := memberOf(s); m != "" {
				member = m
			}
			text := source(s)
			if member != "" && !strings.HasPrefix(text, "e.End(") && !strings.HasPrefix(text, "e.Key(") {
				f[key{"type", name, "member " + member}] += "written by " + text + "; "
			}
		}
	case "DecodeWire":
		ast.Inspect(d.Body, func(n ast.Node) bool {
			c, ok := n.(*ast.CaseClause)
			if !ok || len(c.List) != 1 {
				return true
			}
			for _, s := range c.Body {
				if text := source(s); !strings.HasPrefix(text, "o.Once(") {
					f[key{"type", name, "member " + stringOf(c.List[0])}] += "read by " + text + "; "
				}
			}
			return false
		})
	}
}

// codes reports whether a function reads or writes.
func codes(t *ast.FuncType) bool {
	return slices.ContainsFunc(t.Params.List, func(p *ast.Field) bool {
		text := source(p.Type)
		return text == "*wire.Encoder" || text == "*wire.Decoder"
	})
}

// notMethod reads a function that is not a method. If it has cases, as those of unions have, each kind is a fact; else all of
// its code is one.
func (f Facts) notMethod(d *ast.FuncDecl) {
	name := d.Name.Name
	f[key{"code", name, ""}] = ""
	kinds := false
	ast.Inspect(d.Body, func(n ast.Node) bool {
		c, ok := n.(*ast.CaseClause)
		if !ok {
			return true
		}
		kinds = true
		var list []string
		for _, e := range c.List {
			list = append(list, source(e))
		}
		var body []string
		for _, s := range c.Body {
			body = append(body, source(s))
		}
		f[key{"code", name, "case " + strings.Join(list, ", ")}] = strings.Join(body, "; ")
		return false
	})
	if !kinds {
		f[key{"code", name, "all"}] = source(d.Body)
	}
}

// memberOf returns the member that a statement writes first, empty if it writes none.
func memberOf(s ast.Stmt) (member string) {
	ast.Inspect(s, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && member == "" && source(call.Fun) == "e.Key" {
			member = stringOf(call.Args[0])
		}
		return member == ""
	})
	return member
}

func stringOf(e ast.Expr) string {
	lit, ok := e.(*ast.BasicLit)
	if !ok {
		return ""
	}
	s, _ := strconv.Unquote(lit.Value) // empty for what is no string
	return s
}

// source returns code on one line.
func source(n ast.Node) string {
	var b bytes.Buffer
	printer.Fprint(&b, token.NewFileSet(), n) // a buffer takes all
	return strings.Join(strings.Fields(b.String()), " ")
}
