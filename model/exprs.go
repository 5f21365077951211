package model

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/parser"
)

// member returns the member of that name, nil if there is none.
func (e *Expr) member(name string) *Member {
	for _, m := range e.Members {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// walk calls f for a type and all types in it, the outer ones first. It does not follow names, so it ends. E may be nil.
func (e *Expr) walk(f func(e *Expr)) {
	if e == nil {
		return
	}
	f(e)
	e.Elem.walk(f)
	e.Rest.walk(f)
	for _, x := range e.Elems {
		x.Type.walk(f)
	}
	for _, m := range e.Members {
		m.Type.walk(f)
	}
	for _, a := range e.Arms {
		a.Expr.walk(f)
	}
}

// clone copies a type; the copy shares the documentation.
func clone(e *Expr) *Expr {
	if e == nil {
		return nil
	}
	c := *e
	c.Elem, c.Rest = clone(e.Elem), clone(e.Rest)
	c.Elems, c.Members, c.Arms, c.Values = nil, nil, nil, nil
	for _, x := range e.Elems {
		d := *x
		d.Type = clone(x.Type)
		c.Elems = append(c.Elems, &d)
	}
	for _, m := range e.Members {
		d := *m
		d.Type = clone(m.Type)
		c.Members = append(c.Members, &d)
	}
	for _, a := range e.Arms {
		d := *a
		d.Expr = clone(a.Expr)
		c.Arms = append(c.Arms, &d)
	}
	for _, v := range e.Values {
		d := *v
		c.Values = append(c.Values, &d)
	}
	return &c
}

// same reports whether two types are the same on the wire, member for member.
func same(a, b *Expr) bool {
	if a == nil || b == nil {
		return a == b
	}
	if a == b {
		return true
	}
	if a.Kind != b.Kind || a.Kind == Ref && a.Name != b.Name || a.Value != b.Value || a.Open != b.Open || a.Pattern != b.Pattern ||
		len(a.Values) != len(b.Values) || len(a.Elems) != len(b.Elems) || len(a.Members) != len(b.Members) ||
		len(a.Arms) != len(b.Arms) || !same(a.Elem, b.Elem) || !same(a.Rest, b.Rest) {
		return false
	}
	for i := range a.Values {
		if a.Values[i].Value != b.Values[i].Value {
			return false
		}
	}
	for i, x := range a.Elems {
		if y := b.Elems[i]; x.Optional != y.Optional || x.Rest != y.Rest || !same(x.Type, y.Type) {
			return false
		}
	}
	for i, x := range a.Members {
		if y := b.Members[i]; x.Name != y.Name || x.Optional != y.Optional || !same(x.Type, y.Type) {
			return false
		}
	}
	for i := range a.Arms {
		if !same(a.Arms[i].Expr, b.Arms[i].Expr) {
			return false
		}
	}
	return true
}

// describe names a type in a message.
func describe(e *Expr) string {
	list := func(n int, sep string, text func(i int) string) string {
		var parts []string
		for i := range n {
			parts = append(parts, text(i))
		}
		return strings.Join(parts, sep)
	}
	switch e.Kind {
	case Ref:
		return e.Name
	case Literal:
		if s, ok := e.Value.(string); ok {
			return strconv.Quote(s)
		}
		return fmt.Sprint(e.Value)
	case Enum:
		s := list(len(e.Values), " | ", func(i int) string { return strconv.Quote(e.Values[i].Value) })
		if e.Open {
			s += " | string"
		}
		return s
	case Struct:
		return "{" + list(len(e.Members), ", ", func(i int) string { return e.Members[i].Name }) + "}"
	case Tuple:
		return "[" + list(len(e.Elems), ", ", func(i int) string { return describe(e.Elems[i].Type) }) + "]"
	case Array, OneOrMany, Nullable, Map:
		return string(e.Kind) + " of " + describe(e.Elem)
	case Union:
		return list(len(e.Arms), " | ", func(i int) string { return describe(e.Arms[i].Expr) })
	}
	return string(e.Kind)
}

// literalStrings returns the values of a literal or an enum, as texts; nil of any other type. An open enum has other values, too.
func literalStrings(e *Expr) []string {
	switch e.Kind {
	case Literal:
		switch v := e.Value.(type) {
		case string:
			return []string{v}
		case parser.Number:
			return []string{string(v)}
		case bool:
			if v {
				return []string{"true"}
			}
			return []string{"false"}
		}
	case Enum:
		var out []string
		for _, v := range e.Values {
			out = append(out, v.Value)
		}
		return out
	}
	return nil
}
