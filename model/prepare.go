package model

import (
	"slices"
	"strings"
)

// prepare prepares one schema for merging with others.
func (m *merger) prepare(s *Schema) {
	rev := s.Revisions[0]
	m.x.each(rename, func(e exception) bool { return e.speaksOf(rev) && s.rename(e.at, e.to.(string)) })
	m.x.each(trim, func(e exception) bool { return e.speaksOf(rev) && s.trim(e.at) })
	m.x.each(fractions, func(e exception) bool { return e.speaksOf(rev) && s.fractions(e.at) })
	keepMeta(s)
	m.x.each(extend, func(e exception) bool {
		member, base := s.find(e.at), s.Type(e.to.(string))
		if !e.speaksOf(rev) || member == nil || base == nil || member.Type.Kind != Struct {
			return false
		}
		for _, b := range slices.Backward(base.Expr.Members) {
			if member.Type.member(b.Name) == nil {
				c := *b
				c.From = base.Name
				if s.Base != nil {
					c.Revs, c.Required = c.Revs.within(s.Revisions), c.Required.within(s.Revisions)
					s.include(c.Type)
				}
				member.Type.Members = slices.Insert(member.Type.Members, 0, &c)
			}
		}
		return true
	})
	m.x.each(flat, func(e exception) bool {
		name, _, inside := strings.Cut(e.at, ".")
		t := s.byName[name]
		if !e.speaksOf(rev) || t == nil {
			return false
		}
		at := &t.Expr
		if member := s.find(e.at); inside && member != nil {
			at = &member.Type
		}
		if (*at).Kind != Union {
			return false
		}
		*at = m.flatten(s, t, *at)
		return true
	})
	m.x.each(asMap, func(e exception) bool { return e.speaksOf(rev) && s.asMap(e.at) })
	m.x.each(inline, func(e exception) bool {
		member := s.find(e.at)
		if !e.speaksOf(rev) || member == nil || member.Type.Kind != Ref || member.Type.Name != e.to {
			return false
		}
		member.Type = clone(s.byName[member.Type.Name].Expr)
		return true
	})
	m.x.each(retype, func(e exception) bool {
		member := s.find(e.at)
		if !e.speaksOf(rev) || member == nil || s.byName[e.to.(string)] == nil {
			return false
		}
		at := &member.Type
		if member.Type.Kind == Array && member.Type.Elem.Kind == Union {
			at = &member.Type.Elem
		}
		*at = &Expr{Kind: Ref, Name: e.to.(string)}
		return true
	})
	m.x.each(split, func(e exception) bool { return e.speaksOf(rev) && s.split(e) })
}

// include makes known the types that an expression of the base names.
func (s *Schema) include(e *Expr) {
	e.walk(func(e *Expr) {
		if e.Kind == Ref && s.byName[e.Name] == nil {
			s.byName[e.Name] = s.Base.byName[e.Name]
		}
	})
}

// rename gives a type another name, everywhere.
func (s *Schema) rename(from, to string) bool {
	t := s.byName[from]
	if t == nil || s.byName[to] != nil {
		return false
	}
	delete(s.byName, from)
	s.byName[to] = t
	t.Name = to
	s.walk(func(e *Expr) {
		if e.Kind == Ref && e.Name == from {
			e.Name = to
		}
		for _, m := range e.Members {
			if m.From == from {
				m.From = to
			}
		}
	})
	for _, u := range s.Types {
		for i, b := range u.Bases {
			if b == from {
				u.Bases[i] = to
			}
		}
	}
	return true
}

// trim removes a prefix from the names of types.
func (s *Schema) trim(prefix string) bool {
	found := false
	for _, t := range s.Types {
		if short, ok := strings.CutPrefix(t.Name, prefix); ok && !t.Imported && s.rename(t.Name, short) {
			found = true
		}
	}
	return found
}

// fractions allows fractions for the numbers in a type.
func (s *Schema) fractions(name string) bool {
	t, found := s.byName[name], false
	if t == nil {
		return false
	}
	t.Expr.walk(func(e *Expr) {
		if e.Kind == Integer {
			e.Kind, found = Number, true
		}
	})
	return found
}

// asMap turns an object whose members are of one type into a map.
func (s *Schema) asMap(name string) bool {
	t := s.byName[name]
	if t == nil || t.Expr.Kind != Struct || len(t.Expr.Members) == 0 {
		return false
	}
	elem := t.Expr.Members[0].Type
	if slices.ContainsFunc(t.Expr.Members, func(x *Member) bool { return !same(x.Type, elem) }) {
		return false
	}
	t.Expr = &Expr{Kind: Map, Elem: elem}
	return true
}

// walk calls f for every type expression, once for each place from which it is reached.
func (s *Schema) walk(f func(e *Expr)) {
	for _, t := range s.Types {
		t.Expr.walk(f)
		for _, a := range t.Args {
			a.Constraint.walk(f)
			a.Default.walk(f)
			a.Type.walk(f)
		}
	}
}

// find returns the member at a path "Type.member.member".
func (s *Schema) find(path string) *Member {
	parts := strings.Split(path, ".")
	t := s.byName[parts[0]]
	if t == nil {
		return nil
	}
	e, m := t.Expr, (*Member)(nil)
	for _, name := range parts[1:] {
		if m = e.member(name); m == nil {
			return nil
		}
		e = m.Type
	}
	return m
}

// keepMeta gives params that override those of a base the _meta that they would lose: through 2025-06-18 a request
// carries its progress token there.
func keepMeta(s *Schema) {
	const params = "params"
	var inherited func(t *Type) (m *Member, from string)
	inherited = func(t *Type) (*Member, string) {
		for _, b := range t.Bases {
			base := s.byName[b]
			if base == nil {
				continue
			}
			if p := base.Expr.member(params); p != nil {
				if m := p.Type.member(metaMember); m != nil {
					return m, b
				}
			}
			if m, from := inherited(base); m != nil {
				return m, from
			}
		}
		return nil, ""
	}
	for _, t := range s.Types {
		own := t.Expr.member(params)
		if own == nil || own.From != "" || own.Type.Kind != Struct || own.Type.member(metaMember) != nil {
			continue
		}
		if m, from := inherited(t); m != nil {
			c := *m
			if c.From == "" {
				c.From = from + capital(params)
			}
			own.Type.Members = slices.Insert(own.Type.Members, 0, &c)
		}
	}
}

// split turns an interface that later became a union into its arms.
func (s *Schema) split(e exception) bool {
	t, to := s.byName[e.at], e.to.(string)
	if t == nil || t.Expr.Kind != Struct || t.Expr.member(e.drop) == nil {
		return false
	}
	arm := func(name string, expr *Expr) *Arm {
		u := &Type{Name: name, Doc: t.Doc, Revs: t.Revs, Category: t.Category, Expr: expr, Pos: t.Pos, File: t.File}
		s.Types = append(s.Types, u)
		s.byName[name] = u
		return &Arm{Expr: &Expr{Kind: Ref, Name: name}, Revs: t.Revs}
	}
	without := clone(t.Expr)
	without.Members = slices.DeleteFunc(without.Members, func(m *Member) bool { return m.Name == e.drop })
	t.Expr = &Expr{Kind: Union, Arms: []*Arm{arm(to, without), arm(e.otherwise, clone(t.Expr))}}
	return true
}
