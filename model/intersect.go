package model

import (
	"cmp"
	"regexp"
	"slices"

	"github.com/mcpgen/mcpgen/parser"
)

// intersection lowers A & B: one struct with the members of all parts. An intersection with a
// union is the union of the intersections with its arms.
func (l *lowerer) intersection(s *scope, env map[string]*Expr, t *parser.Intersection) *Expr {
	var arms []*Arm // one, until a part is a union
	for i, p := range t.Parts {
		pos := p.TypePos()
		part := l.expr(s, env, p)
		parts := l.alternatives(s, pos, part, map[string]bool{})
		if len(parts)*max(len(arms), 1) > maxArms {
			l.exceeded(s, t.Pos, "the intersection has too many alternatives")
			return &Expr{Kind: Unknown}
		}
		var next []*Arm
		for _, b := range parts {
			e := l.flat(s, pos, b.Expr)
			if len(parts) > 1 && b.Expr.Kind == Ref && e.Kind == Struct {
				e.Name = b.Expr.Name
			}
			if i == 0 {
				next = append(next, &Arm{Expr: e, Doc: b.Doc, Revs: l.revs})
			}
			for _, a := range arms {
				next = append(next, &Arm{Expr: l.intersect(s, pos, a.Expr, e), Doc: a.Doc.with(b.Doc), Revs: l.revs})
			}
		}
		arms = next
	}
	if len(arms) == 1 {
		return arms[0].Expr
	}
	return &Expr{Kind: Union, Arms: arms}
}

// alternatives returns the arms of a union and of the unions in it, and any other type as the only
// one. The names on the way are in seen.
func (l *lowerer) alternatives(s *scope, pos parser.Pos, e *Expr, seen map[string]bool) []*Arm {
	if seen[e.Name] && e.Kind == Ref {
		return nil // aliasCycles will report it
	}
	seen[e.Name] = true
	r := l.resolveRef(s, pos, e)
	if r == nil || r.Kind != Union {
		return []*Arm{{Expr: e}}
	}
	var out []*Arm
	for _, a := range r.Arms {
		for _, inner := range l.alternatives(s, pos, a.Expr, seen) {
			out = append(out, &Arm{Expr: inner.Expr, Doc: a.Doc.with(inner.Doc)})
		}
	}
	return out
}

// flat resolves a part of an intersection. For an object it returns a copy whose members record where they come
// from.
func (l *lowerer) flat(s *scope, pos parser.Pos, e *Expr) *Expr {
	r := l.resolveRef(s, pos, e)
	switch {
	case r == nil:
		return &Expr{Kind: Unknown}
	case r.Kind == Map:
		return &Expr{Kind: Struct, Rest: r.Elem, Readonly: r.Readonly}
	case r.Kind != Struct:
		return r
	}
	c := *r
	c.Members = l.copyMembers(s, pos, r.Members)
	for _, m := range c.Members {
		if m.From == "" && e.Kind == Ref {
			m.From = e.Name
		}
	}
	return &c
}

// intersect makes the type of the values that both a and b accept.
func (l *lowerer) intersect(s *scope, pos parser.Pos, a, b *Expr) *Expr {
	empty := func(e *Expr) bool { return e.Kind == Struct && len(e.Members) == 0 && e.Rest == nil }
	switch {
	case same(a, b), b.Kind == Unknown:
		return a
	case a.Kind == Unknown:
		return b
	case l.narrows(b, a):
		return b
	case l.narrows(a, b):
		return a
	case a.Kind == Ref && b.Kind == Ref && (l.peek(a).Kind == Ref || l.peek(b).Kind == Ref): // two interfaces: it might not end
	case a.Kind == Ref, b.Kind == Ref, a.Kind == Map, b.Kind == Map:
		return l.intersect(s, pos, l.flat(s, pos, a), l.flat(s, pos, b))
	case a.Kind == Struct && b.Kind == Struct:
		return l.intersectStructs(s, pos, a, b)
	case a.Kind == Enum && (b.Kind == Enum || b.Kind == String), a.Kind == String && b.Kind == Enum:
		if e := intersectEnum(a, b); e != nil {
			return e
		}
	case a.Kind == AnyObject && b.Kind == Struct, empty(a), b.Kind == Literal && accepts(a, b), a.Kind == Number && b.Kind == Integer:
		return b
	case b.Kind == AnyObject && a.Kind == Struct, empty(b), a.Kind == Literal && accepts(b, a), b.Kind == Number && a.Kind == Integer:
		return a
	}
	l.errorf(s, pos, "the intersection of %s and %s has no form", describe(a), describe(b))
	return a
}

// narrows reports whether e, a named type or a union of objects, narrows a member that another part declares as an
// open object. The name is then kept; otherwise two structs would become an unnamed one.
func (l *lowerer) narrows(e, open *Expr) bool {
	if open.Kind != AnyObject && (open.Kind != Map || open.Elem.Kind != Unknown) {
		return false
	}
	if e.Kind != Ref && e.Kind != Union {
		return false
	}
	seen := map[string]bool{} // a name is looked at once: one that is no object decides
	var object func(e *Expr) bool
	object = func(e *Expr) bool {
		if e.Kind == Ref && seen[e.Name] {
			return true
		}
		seen[e.Name] = true
		switch x := l.peek(e); x.Kind {
		case Struct, Map, AnyObject:
			return true
		case Ref:
			_, ok := l.known[x.Name].decl.(*parser.Interface)
			return ok
		case Union:
			return !slices.ContainsFunc(x.Arms, func(a *Arm) bool { return !object(a.Expr) })
		}
		return false
	}
	return object(e)
}

// intersectEnum returns the values of an enum that another type accepts, too, nil if there are none.
func intersectEnum(a, b *Expr) *Expr {
	if a.Kind == String {
		a, b = b, a
	}
	e := &Expr{Kind: Enum, Open: a.Open && (b.Open || b.Kind == String && b.Pattern == ""), Doc: a.Doc}
	for _, v := range a.Values {
		if accepts(b, &Expr{Kind: Literal, Value: v.Value}) {
			e.Values = append(e.Values, v)
		}
	}
	if e.Values == nil {
		return nil
	}
	return e
}

// intersectStructs makes the object that has the members of both. A member of both has the type that both accept, and is required
// if one of them requires it; of tags and documentation, those of b come first. Where that type is the one that a part declares,
// the member is remembered to come from there.
func (l *lowerer) intersectStructs(s *scope, pos parser.Pos, a, b *Expr) *Expr {
	out := &Expr{Kind: Struct, Name: a.Name + b.Name, Rest: a.Rest, Readonly: a.Readonly}
	out.Members = l.copyMembers(s, pos, a.Members)
	out.Absent = slices.Concat(a.Absent, b.Absent)
	switch {
	case a.Rest == nil:
		out.Rest, out.Readonly = b.Rest, b.Readonly
	case b.Rest != nil:
		out.Rest = l.intersect(s, pos, a.Rest, b.Rest)
	}
	for _, m := range l.copyMembers(s, pos, b.Members) {
		old := out.member(m.Name)
		if old == nil {
			out.Members = append(out.Members, m)
			continue
		}
		switch t := l.intersect(s, pos, old.Type, m.Type); {
		case same(t, m.Type):
		case same(t, old.Type):
			m.Type, m.From = t, old.From
		default: // neither part declares it so
			m.Type, m.From = t, ""
		}
		if !old.Optional {
			m.Optional, m.Required = false, l.revs
		}
		m.Readonly = m.Readonly || old.Readonly
		if m.Doc.empty() || old.From == "" {
			m.Doc = old.Doc.with(m.Doc)
		}
		m.Format, m.MaxItems = cmp.Or(m.Format, old.Format), cmp.Or(m.MaxItems, old.MaxItems)
		m.Minimum, m.Maximum = cmp.Or(m.Minimum, old.Minimum), cmp.Or(m.Maximum, old.Maximum)
		if m.Default == nil {
			m.Default = old.Default
		}
		*old = *m
	}
	out.removeAbsent()
	return out
}

// accepts reports whether a scalar type accepts a literal.
func accepts(e, lit *Expr) bool {
	switch v := lit.Value.(type) {
	case string:
		switch e.Kind {
		case String:
			matched, err := regexp.MatchString(e.Pattern, v)
			return matched && err == nil
		case Enum:
			return e.Open || slices.Contains(literalStrings(e), v)
		}
	case bool:
		return e.Kind == Boolean || e.Value == lit.Value
	case parser.Number:
		return e.Kind == Integer || e.Kind == Number
	}
	return e.Kind == Literal && e.Value == lit.Value
}
