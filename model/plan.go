package model

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/parser"
)

func number(n int) parser.Number { return parser.Number(strconv.Itoa(n)) }

// plan gives every union of objects its plan: how a reader tells the arms apart.
func (m *merger) plan() {
	for _, t := range m.out.Types {
		if t.Role != RoleData || t.Expr.Kind != Union || !m.objects(t.Expr) {
			continue
		}
		t.Expr.Arms = m.dissolve(t.Expr.Arms)
		if t.Name == inputResponse {
			t.Expr.Plan = &Plan{On: TestOutside}
			continue
		}
		p, err := m.planFor(t.Name, t.Expr)
		if err != nil {
			m.errs = append(m.errs, err)
			continue
		}
		t.Expr.Plan = p
	}
}

// dissolve replaces arms that are unions by their arms.
func (m *merger) dissolve(arms []*Arm) []*Arm {
	var out []*Arm
	for _, a := range arms {
		t := m.out.byName[a.Expr.Name]
		for a.Expr.Kind == Ref && t.Expr.Kind == Ref { // an alias
			a = &Arm{Expr: t.Expr, Doc: a.Doc, Revs: a.Revs}
			t = m.out.byName[a.Expr.Name]
		}
		if a.Expr.Kind != Ref || t.Expr.Kind != Union {
			out = append(out, a)
			continue
		}
		for _, b := range m.dissolve(t.Expr.Arms) {
			both := slices.DeleteFunc(slices.Clone(b.Revs), func(r string) bool { return !a.Revs.Has(r) })
			out = append(out, &Arm{Expr: b.Expr, Doc: b.Doc, Revs: both})
		}
	}
	return out
}

// A candidate is an arm that the tests made so far allow.
type candidate struct {
	name string
	expr *Expr // a struct
}

func (c candidate) requires(key string) bool {
	m := c.expr.member(key)
	return m != nil && !m.Optional && len(m.Required) > 0
}

func (m *merger) candidates(u *Expr) []candidate {
	var cs []candidate
	for _, a := range m.dissolve(u.Arms) {
		e := a.Expr
		if e.Kind == Ref {
			e = m.out.byName[e.Name].Expr
		}
		cs = append(cs, candidate{describe(a.Expr), e})
	}
	return cs
}

func (m *merger) planFor(name string, u *Expr) (*Plan, error) {
	cs := m.candidates(u)
	p := m.decide(cs, nil, nil, nil)
	if p == nil {
		return nil, m.undecided(name, u, cs)
	}
	return p, nil
}

// undecided is the error for a union whose arms cannot be told apart.
func (m *merger) undecided(name string, u *Expr, cs []candidate) error {
	var names []string
	for _, c := range cs {
		names = append(names, c.name)
	}
	t := m.out.byName[name]
	msg := name + ": a reader cannot tell " + strings.Join(names, " and ") + " apart: give one of them a required member that no other has, or each a literal"
	if t == nil {
		return &parser.Error{Msg: msg, Pos: u.Pos}
	}
	return &parser.Error{File: t.File, Pos: t.Pos, Msg: msg}
}

// decide makes the plan for arms that only tests on the object at path `in` can tell apart. seen
// are the literal members already used; inner maps the arms to that object, nil for themselves.
// It returns nil if nothing decides.
func (m *merger) decide(cs []candidate, in []string, seen []string, inner map[string]*Expr) *Plan {
	if len(cs) == 0 {
		return nil
	}
	at := func(c candidate) candidate {
		if inner != nil {
			c.expr = inner[c.name]
		}
		return c
	}
	if len(cs) == 1 {
		return &Plan{Arm: cs[0].name}
	}
	if p := m.byValue(cs, in, seen, inner, at); p != nil {
		return p
	}
	for _, key := range keysOf(cs, at) {
		var has, none []candidate
		mixed := false
		for _, c := range cs {
			switch member := at(c).expr.member(key); {
			case member == nil:
				none = append(none, c)
			case at(c).requires(key):
				has = append(has, c)
			default:
				mixed = true
			}
		}
		if mixed || len(has) == 0 || len(none) == 0 {
			continue
		}
		p := &Plan{On: TestKey, Member: key, In: in, Has: m.decide(has, in, seen, inner), None: m.decide(none, in, seen, inner)}
		if p.Has == nil || p.None == nil {
			continue
		}
		// The last arm is the default only if it has no key of its own to ask for.
		if len(none) == 1 && p.None.Arm != "" {
			p.None = m.confirm(none[0], has, in, at)
		}
		return p
	}
	if inner == nil {
		for _, key := range keysOf(cs, at) {
			objects := map[string]*Expr{}
			for _, c := range cs {
				if member := c.expr.member(key); member != nil && c.requires(key) {
					if e := m.out.deref(member.Type); e.Kind == Struct {
						objects[c.name] = e
					}
				}
			}
			if len(objects) == len(cs) {
				if p := m.decide(cs, append(slices.Clone(in), key), nil, objects); p != nil {
					return p
				}
			}
		}
	}
	return m.byOptionalKey(cs, in, seen, inner, at)
}

// confirm asks for a key that the last remaining arm requires and the others lack, so that what
// has neither is an unknown arm. An arm without such a key is the default.
func (m *merger) confirm(last candidate, others []candidate, in []string, at func(candidate) candidate) *Plan {
	for _, member := range at(last).expr.Members {
		if !at(last).requires(member.Name) || member.Type.Kind == Literal {
			continue
		}
		if !slices.ContainsFunc(others, func(c candidate) bool { return at(c).expr.member(member.Name) != nil }) {
			return &Plan{On: TestKey, Member: member.Name, In: in, Has: &Plan{Arm: last.name}}
		}
	}
	return &Plan{Arm: last.name}
}

// keysOf lists the members of the arms, each once: literals last, since the presence of another
// member says more.
func keysOf(cs []candidate, at func(candidate) candidate) []string {
	var keys, literals []string
	for _, c := range cs {
		for _, m := range at(c).expr.Members {
			switch {
			case slices.Contains(keys, m.Name) || slices.Contains(literals, m.Name):
			case m.Type.Kind == Literal:
				literals = append(literals, m.Name)
			default:
				keys = append(keys, m.Name)
			}
		}
	}
	return append(keys, literals...)
}

// byValue tells arms apart by the value of a member that is a literal, or one of several, in each.
func (m *merger) byValue(cs []candidate, in, seen []string, inner map[string]*Expr, at func(candidate) candidate) *Plan {
	best, groups := "", 1
	for _, key := range keysOf(cs, at) {
		if slices.Contains(seen, key) {
			continue
		}
		if n := len(m.valueGroups(cs, key, at)); n > groups {
			best, groups = key, n
		}
	}
	if best == "" {
		return nil
	}
	p := &Plan{On: TestValue, Member: best, In: in}
	var absent []candidate
	for _, g := range m.valueGroups(cs, best, at) {
		then := m.decide(g.arms, in, append(slices.Clone(seen), best), inner)
		if then == nil {
			return nil
		}
		p.Cases = append(p.Cases, Case{Values: g.values, Then: then})
		for _, c := range g.arms {
			if !at(c).requires(best) {
				absent = append(absent, c)
			}
		}
	}
	if len(absent) > 0 {
		if p.None = m.decide(absent, in, append(slices.Clone(seen), best), inner); p.None == nil {
			return nil
		}
	}
	return p
}

type valueGroup struct {
	values []string
	arms   []candidate
}

// valueGroups sorts arms by the values that they allow for a member; nil where that is no test.
func (m *merger) valueGroups(cs []candidate, key string, at func(candidate) candidate) []valueGroup {
	var groups []valueGroup
	for _, c := range cs {
		member := at(c).expr.member(key)
		if member == nil {
			return nil
		}
		e := m.out.deref(member.Type)
		values := literalStrings(e)
		if values == nil || e.Open {
			return nil
		}
		i := slices.IndexFunc(groups, func(g valueGroup) bool { return slices.Equal(g.values, values) })
		if i >= 0 {
			groups[i].arms = append(groups[i].arms, c)
			continue
		}
		for _, g := range groups {
			if slices.ContainsFunc(g.values, func(v string) bool { return slices.Contains(values, v) }) {
				return nil // they overlap
			}
		}
		groups = append(groups, valueGroup{values, []candidate{c}})
	}
	return groups
}

// byOptionalKey tells an arm by a key that only it has, and may lack. Without the key it must not
// matter which arm it is: an exception says which one is taken.
func (m *merger) byOptionalKey(cs []candidate, in, seen []string, inner map[string]*Expr, at func(candidate) candidate) *Plan {
	for _, c := range cs {
		var rest []candidate
		for _, d := range cs {
			if d.name != c.name {
				rest = append(rest, d)
			}
		}
		for _, member := range at(c).expr.Members {
			if slices.ContainsFunc(rest, func(d candidate) bool { return at(d).expr.member(member.Name) != nil }) {
				continue
			}
			if e, ok := m.x.find(drop, c.name); !ok || !slices.ContainsFunc(rest, func(d candidate) bool { return d.name == e.to }) {
				break
			}
			if none := m.decide(rest, in, seen, inner); none != nil {
				return &Plan{On: TestKey, Member: member.Name, In: in, Has: &Plan{Arm: c.name}, None: none}
			}
		}
	}
	return nil
}

// armFor returns the arm of a newer union that an older object is: the one that the plan selects.
func (m *merger) armFor(name string, u, o *Expr) (*Arm, error) {
	p, err := m.planFor(name, u)
	if err != nil {
		return nil, err
	}
	for p != nil && p.On != "" {
		obj := o
		for _, key := range p.In {
			if in := obj.member(key); in != nil {
				obj = in.Type
			}
		}
		member := obj.member(p.Member)
		next := p.None
		if member != nil {
			switch p.On {
			case TestKey:
				next = p.Has
			case TestValue:
				next = p.Else
				for _, c := range p.Cases {
					if slices.Equal(c.Values, literalStrings(member.Type)) {
						next = c.Then
					}
				}
			}
		}
		p = next
	}
	if p == nil {
		return nil, nil
	}
	for _, a := range u.Arms {
		if describe(a.Expr) == p.Arm {
			return a, nil
		}
	}
	return nil, nil
}
