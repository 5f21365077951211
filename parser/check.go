package parser

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// A checker finds the names that are declared twice.
type checker struct {
	lines lineTable
	file  *File
	errs  ErrorList
}

func (c *checker) errorf(pos Pos, format string, args ...any) {
	if len(c.errs) == maxErrors {
		last := c.errs[maxErrors-1]
		last.Msg = strings.TrimSuffix(last.Msg, moreErrors) + moreErrors
		return
	}
	c.errs = append(c.errs, c.lines.errorAt(c.file.Name, pos.Offset, fmt.Sprintf(format, args...)))
}

// moreErrors ends the last message of a list that would be longer.
const moreErrors = "; more of these mistakes are not shown"

// A names holds the names of one scope, and where they were declared.
type names map[string]Pos

// add adds a name, and reports it where it is not the first of its kind.
func (c *checker) add(scope names, name string, pos Pos, what, why string) {
	if first, ok := scope[name]; ok {
		c.errorf(pos, "%s is already declared at %d:%d%s", what, first.Line, first.Col, why)
		return
	}
	scope[name] = pos
}

// checkFile checks the names in a file. Imports are checked before declarations, wherever they stand, so the errors are
// sorted in the end.
func (c *checker) checkFile() {
	scope := make(names, len(c.file.Decls))
	for _, d := range c.file.Imports {
		for _, n := range d.Names {
			c.add(scope, n.Alias, n.Pos, n.Alias, "")
		}
	}
	for _, d := range c.file.Decls {
		c.add(scope, d.DeclName(), d.DeclPos(), d.DeclName(), ": declarations are not merged in a schema")
		c.checkDecl(d)
	}
	slices.SortStableFunc(c.errs, func(a, b *Error) int { return cmp.Compare(a.Pos.Offset, b.Pos.Offset) })
}

// checkDecl checks the names inside a declaration: its type parameters, its members, and those of the object types in
// it. A constant has none.
func (c *checker) checkDecl(d Decl) {
	switch d := d.(type) {
	case *Interface:
		c.checkParams(d.Params)
		for _, base := range d.Extends {
			c.checkType(base)
		}
		c.checkMembers(d.Members)
	case *Alias:
		c.checkParams(d.Params)
		c.checkType(d.Type)
	case *Enum:
		scope := make(names, len(d.Members))
		for _, m := range d.Members {
			c.add(scope, m.Name, m.Pos, fmt.Sprintf("enum member %q", m.Name), "")
		}
	}
}

func (c *checker) checkParams(params []TypeParam) {
	scope := make(names, len(params))
	for _, t := range params {
		c.add(scope, t.Name, t.Pos, "type parameter "+t.Name, "")
		c.checkType(t.Constraint)
		c.checkType(t.Default)
	}
}

// checkMembers checks the members of one object. Index signatures have names of their own, which are their keys as they
// are printed.
func (c *checker) checkMembers(members []Member) {
	scope := make(names, len(members))
	indexes := make(names)
	for _, m := range members {
		switch m := m.(type) {
		case *Property:
			c.add(scope, m.Name, m.Pos, fmt.Sprintf("property %q", m.Name), "")
			c.checkType(m.Type)
		case *Index:
			key := formatType(m.Key)
			c.add(indexes, key, m.Pos, fmt.Sprintf("the index signature for %s", key), "")
			c.checkType(m.Key)
			c.checkType(m.Value)
		}
	}
}

func (c *checker) checkTypes(types []Type) {
	for _, t := range types {
		c.checkType(t)
	}
}

// checkType looks for object types in a type.
func (c *checker) checkType(t Type) {
	switch t := t.(type) {
	case *Template:
		c.checkTypes(t.Types)
	case *Ref:
		c.checkTypes(t.Args)
	case *Array:
		c.checkType(t.Elem)
	case *Tuple:
		for _, e := range t.Elems {
			c.checkType(e.Type)
		}
	case *Union:
		for _, arm := range t.Arms {
			c.checkType(arm.Type)
		}
	case *Intersection:
		c.checkTypes(t.Parts)
	case *Object:
		c.checkMembers(t.Members)
	case *Mapped:
		c.checkType(t.Key)
		c.checkType(t.Value)
	case *KeyOf:
		c.checkType(t.Type)
	case *Indexed:
		c.checkType(t.Object)
		c.checkType(t.Index)
	}
}
