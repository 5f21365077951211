package model

import (
	"slices"

	"github.com/mcpgen/mcpgen/parser"
)

// union lowers a union: to an enum, an id, a nullable or one-or-many type where it is one.
func (l *lowerer) union(s *scope, env map[string]*Expr, t *parser.Union) *Expr {
	u := &Expr{Kind: Union}
	scalars := map[string]*Arm{} // by description, to find those that are written twice
	add := func(e *Expr, doc Doc) {
		arm := &Arm{Expr: e, Doc: doc, Revs: l.revs}
		switch e.Kind {
		case Struct, Array, OneOrMany, Nullable, Map, Tuple:
		default:
			key := string(e.Kind) + describe(e) + e.Pattern
			if prev := scalars[key]; prev != nil {
				prev.Doc = prev.Doc.with(doc)
				return
			}
			scalars[key] = arm
		}
		u.Arms = append(u.Arms, arm)
	}
	for _, a := range t.Arms {
		e, doc := l.expr(s, env, a.Type), l.tags(s, a.Doc, nil).doc
		switch e.Kind {
		case Unknown:
			if k, ok := a.Type.(*parser.Keyword); ok && (k.Name == "unknown" || k.Name == "any") {
				l.errorf(s, k.Pos, "%s takes any value: nothing can be an alternative to it", k.Name)
			}
			return e
		case Union: // (A | B) | C
			u.Doc = u.Doc.with(doc).with(e.Doc)
			for _, inner := range e.Arms {
				add(inner.Expr, inner.Doc)
			}
		default:
			add(e, doc)
		}
	}
	return l.simplify(u)
}

// simplify returns the simpler type that a union is, if there is one. Documentation of arms that the result does
// not have becomes its own.
func (l *lowerer) simplify(u *Expr) *Expr {
	docs := u.Doc
	for _, a := range u.Arms {
		docs = docs.with(a.Doc)
	}
	if len(u.Arms) == 1 { // of which the others were the same
		e := *u.Arms[0].Expr
		e.Doc = docs.with(e.Doc)
		return &e
	}
	if e := l.enumOf(u); e != nil {
		return e
	}
	if i := slices.IndexFunc(u.Arms, func(a *Arm) bool { return a.Expr.Kind == Null }); i >= 0 {
		rest := &Expr{Kind: Union, Arms: slices.Delete(slices.Clone(u.Arms), i, i+1)}
		e := &Expr{Kind: Nullable, Elem: rest.Arms[0].Expr, Doc: docs}
		if len(rest.Arms) > 1 {
			e.Elem, e.Doc = l.simplify(rest), u.Doc.with(u.Arms[i].Doc)
		}
		return e
	}
	if len(u.Arms) == 2 {
		a, b := u.Arms[0].Expr, u.Arms[1].Expr
		plain := func(e *Expr) bool { return e.Kind == String && e.Pattern == "" }
		switch {
		case a.Value == true && b.Value == false, a.Value == false && b.Value == true:
			return &Expr{Kind: Boolean, Doc: docs}
		case plain(a) && b.Kind == Integer, plain(b) && a.Kind == Integer:
			return &Expr{Kind: ID, Doc: docs}
		case b.Kind == Array && same(a, b.Elem):
			return &Expr{Kind: OneOrMany, Elem: a, Readonly: b.Readonly, Doc: docs}
		case a.Kind == Array && same(b, a.Elem):
			return &Expr{Kind: OneOrMany, Elem: b, Readonly: a.Readonly, Doc: docs}
		}
	}
	for _, a := range u.Arms { // nothing says that a number among other scalars is whole
		if a.Expr.Kind == Integer {
			e := *a.Expr
			e.Kind = Number
			a.Expr = &e
		}
	}
	return u
}

// enumOf returns the enum for a union of string literals, nil for other unions. With `string` as an arm it is open.
func (l *lowerer) enumOf(u *Expr) *Expr {
	e := &Expr{Kind: Enum, Doc: u.Doc}
	seen := map[string]bool{}
	add := func(v *EnumValue) {
		if !seen[v.Value] {
			seen[v.Value] = true
			e.Values = append(e.Values, v)
		}
	}
	for _, a := range u.Arms {
		switch x := l.peek(a.Expr); x.Kind {
		case Literal:
			v, ok := x.Value.(string)
			if !ok {
				return nil
			}
			add(&EnumValue{Value: v, Doc: a.Doc, Revs: l.revs})
		case Enum:
			for _, v := range x.Values {
				add(v)
			}
			e.Open = e.Open || x.Open
			e.Doc = e.Doc.with(a.Doc)
		case String:
			if x.Pattern != "" {
				return nil
			}
			e.Open = true
			e.Doc = e.Doc.with(a.Doc)
		default:
			return nil
		}
	}
	if len(e.Values) == 0 {
		return nil
	}
	return e
}
