package model

import (
	"errors"
	"fmt"
	"slices"
)

// MergeExtension makes the model that code is generated from out of the lowered schema of an extension.
// Id is the identifier of the extension; base is the merged model of the protocol, whose types are those
// that the schema imports. It takes the lowered schema over, and leaves the base as it is.
//
// The types of the extension refer to those of the base by their names, and are the only ones of the model. Types
// of JSON-RPC that the extension uses, which are not data in the base, become types of the extension.
func MergeExtension(id string, base, s *Schema) (*Schema, error) {
	for _, e := range table { // what the extension imports has the names of its revision
		if e.do == rename && len(s.Revisions) == 1 && e.speaksOf(s.Revisions[0]) {
			s.rename(e.at, e.to.(string))
		}
	}
	return mergeExtension(extensionTables()[id], id, base, s)
}

// mergeExtension merges the schema s of an extension, by a table of exceptions, with the types of the protocol that it imports
// from base. It takes over s, and only reads base.
func mergeExtension(table []exception, id string, base, s *Schema) (*Schema, error) {
	if len(s.Revisions) != 1 || s.Methods != nil {
		return nil, errors.New("the schema of the extension is merged already")
	}
	if !slices.Contains(base.Revisions, s.Revisions[0]) {
		return nil, fmt.Errorf("the extension %q is of revision %s, which the base does not have", id, s.Revisions[0])
	}
	m := newMerger(table, s.Revisions)
	m.out = s
	s.Extension, s.Base, s.Sources[0].Extension = id, base, id
	m.takeFrom(base)
	m.prepare(s)
	m.direct(s)
	return m.complete()
}

// takeFrom removes imported types from the schema, so that it has only those of the extension. Imported data types
// are those of the base. Other imported types stay known as they were declared; if the extension uses one as data,
// it becomes a type of the extension.
func (m *merger) takeFrom(base *Schema) {
	s := m.out
	var own []*Type
	for _, t := range s.Types {
		switch b := base.byName[t.Name]; {
		case !t.Imported:
			own = append(own, t)
		case b == nil:
			m.errorAt(t, "%s is imported, but no type of the base", t.Name)
		case b.Role == RoleData:
			s.byName[t.Name] = b
		}
	}
	s.Consts = slices.DeleteFunc(s.Consts, func(c *Const) bool {
		b := base.constant(c.Name)
		return b != nil && b.Value == c.Value
	})
	if b := base.byName[emptyResult]; b != nil && b.Role == RoleData && s.byName[emptyResult] == nil {
		s.byName[emptyResult] = b // it answers requests that have no result of their own
	}
	for i := 0; i < len(own); i++ { // which grows
		own[i].Expr.walk(func(e *Expr) {
			if t := s.byName[e.Name]; e.Kind == Ref && t.Imported && !base.has(t) {
				t.Imported = false
				own = append(own, t)
			}
		})
	}
	s.Types = own
}

// has reports whether a type is the schema's own, and not another of that name.
func (s *Schema) has(t *Type) bool { return s != nil && s.byName[t.Name] == t }

// constant returns the constant of that name, nil if there is none.
func (s *Schema) constant(name string) *Const {
	if i := slices.IndexFunc(s.Consts, func(c *Const) bool { return c.Name == name }); i >= 0 {
		return s.Consts[i]
	}
	return nil
}

// flatten turns e, a union of objects inside t, into one object with the members of all arms. Members that some
// arms lack are optional. A member that the arms narrow has the type of their common base.
func (m *merger) flatten(s *Schema, t *Type, e *Expr) *Expr {
	flat := &Expr{Kind: Struct}
	in := map[string]int{} // how many arms have the member
	for _, a := range e.Arms {
		arm := s.deref(a.Expr)
		if arm.Kind != Struct {
			m.errorAt(t, "%s cannot be one object: its arm %s is none", t.Name, describe(a.Expr))
			return e
		}
		m.flattened[a.Expr.Name] = true
		if flat.Rest == nil {
			flat.Rest = arm.Rest
		}
		for _, x := range arm.Members {
			in[x.Name]++
			old := flat.member(x.Name)
			if old == nil {
				c := *x
				if a.Expr.Kind == Ref && c.From == "" {
					c.From = a.Expr.Name
				}
				flat.Members = append(flat.Members, &c)
				continue
			}
			old.Optional = old.Optional || x.Optional
			if same(old.Type, x.Type) {
				continue
			}
			base := s.baseMember(a.Expr.Name, x.Name)
			if base == nil {
				m.errorAt(t, "%s cannot be one object: its arms have different members %s, and no base that declares it", t.Name, x.Name)
				return e
			}
			old.Type, old.Doc, old.From = base.Type, base.Doc, base.From
		}
	}
	for _, x := range flat.Members {
		if x.Optional = x.Optional || in[x.Name] < len(e.Arms); x.Optional {
			x.Required = nil
		}
	}
	return flat
}

// baseMember returns the member that a base of a type declares, nil if none does.
func (s *Schema) baseMember(name, member string) *Member {
	t := s.byName[name]
	if t == nil {
		return nil
	}
	for _, b := range t.Bases {
		base := s.byName[b]
		if base == nil {
			continue
		}
		if x := s.deref(base.Expr).member(member); x != nil {
			c := *x
			if c.From == "" {
				c.From = b
			}
			return &c
		}
	}
	return nil
}
