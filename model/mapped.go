package model

import (
	"maps"

	"github.com/mcpgen/mcpgen/parser"
)

// mapped lowers a mapped type: to a map, or to an object with the members that the keys name.
func (l *lowerer) mapped(s *scope, env map[string]*Expr, t *parser.Mapped) *Expr {
	key := l.expr(s, env, t.Key)
	of := l.mappedFrom(s, env, t)
	e := l.keyed(s, t.Pos, t.Key.TypePos(), key, func(key *Expr) *Member {
		inner := maps.Clone(env)
		if inner == nil {
			inner = map[string]*Expr{}
		}
		inner[t.Param] = key
		m := &Member{Optional: t.Optional, Readonly: t.Readonly}
		if name, ok := key.Value.(string); ok && of != nil && of.member(name) != nil {
			old := of.member(name)
			m.Doc, m.Optional, m.Readonly = old.Doc, m.Optional || old.Optional, m.Readonly || old.Readonly
		}
		typ, absent := withoutUndefined(t.Value)
		m.Type, m.Optional = l.expr(s, inner, typ), m.Optional || absent
		return m
	})
	if e.Kind == Map || e.Rest != nil {
		e.Readonly = t.Readonly
	}
	return e
}

// mappedFrom returns the object from which the members of a mapped type take everything but their types, nil if
// there is none: T in [K in keyof T], or if the value is T[K].
func (l *lowerer) mappedFrom(s *scope, env map[string]*Expr, t *parser.Mapped) *Expr {
	if k, ok := t.Key.(*parser.KeyOf); ok {
		return l.structOf(s, k.Pos, l.expr(s, env, k.Type))
	}
	if i, ok := t.Value.(*parser.Indexed); ok {
		if r, ok := i.Index.(*parser.Ref); ok && r.Name == t.Param {
			return l.structOf(s, i.Object.TypePos(), l.expr(s, env, i.Object))
		}
	}
	return nil
}

// keyed makes the type of an object from its keys and their members: a map if the keys are any string, else an
// object. If the keys are an open enum, the members are optional, and there may be others.
func (l *lowerer) keyed(s *scope, typePos, pos parser.Pos, key *Expr, member func(key *Expr) *Member) *Expr {
	var names []string
	e := &Expr{Kind: Struct}
	switch r := l.resolveRef(s, pos, key); {
	case r == nil:
	case r.Kind == String && r.Pattern == "":
		return &Expr{Kind: Map, Elem: member(r).Type}
	case r.Open:
		names, e.Rest = literalStrings(r), member(&Expr{Kind: String}).Type
	default:
		names = l.keys(s, pos, key)
	}
	for _, name := range names {
		m := member(&Expr{Kind: Literal, Value: name})
		if !l.copying(s, pos, m.Type) {
			break
		}
		m.Name, m.Type, m.Revs, m.Pos = name, clone(m.Type), l.revs, typePos
		if m.Optional = m.Optional || e.Rest != nil; !m.Optional {
			m.Required = l.revs
		}
		e.Members = append(e.Members, m)
	}
	return e
}
