package model

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/parser"
)

func number(n int) parser.Number { return parser.Number(strconv.Itoa(n)) }

// plan gives every union of objects its plan, by which a reader tells the arms apart.
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
			m.report(err)
			continue
		}
		t.Expr.Plan = p
	}
}

// dissolve replaces arms that are unions with their arms, without duplicates.
func (m *merger) dissolve(arms []*Arm) []*Arm {
	var out []*Arm
	at := map[string]int{}    // in out, by name
	seen := map[string]Revs{} // the unions and aliases on the way, and for which revisions
	var add func(a *Arm)
	add = func(a *Arm) {
		if a.Expr.Kind != Ref {
			out = append(out, a)
			return
		}
		name := a.Expr.Name
		switch e := m.out.byName[name].Expr; e.Kind {
		case Ref, Union:
			if revs, ok := seen[name]; ok && revs.HasAll(a.Revs) {
				return
			}
			seen[name] = seen[name].with(a.Revs)
			if e.Kind == Ref {
				add(&Arm{Expr: e, Doc: a.Doc, Revs: a.Revs})
				return
			}
			for _, b := range e.Arms {
				both := slices.DeleteFunc(slices.Clone(b.Revs), func(r string) bool { return !a.Revs.Has(r) })
				add(&Arm{Expr: b.Expr, Doc: b.Doc, Revs: both})
			}
		default:
			i, again := at[name]
			if !again {
				at[name] = len(out)
				out = append(out, a)
				return
			}
			out[i] = &Arm{Expr: out[i].Expr, Doc: out[i].Doc, Revs: out[i].Revs.with(a.Revs)}
		}
	}
	for _, a := range arms {
		add(a)
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

// undecided is the error for a union whose arms cannot be told apart: for two of them if possible.
func (m *merger) undecided(name string, u *Expr, cs []candidate) error {
	pair := cs
	for i, a := range cs {
		for _, b := range cs[:i] {
			if len(pair) > 2 && m.decide([]candidate{b, a}, nil, nil, nil) == nil {
				pair = []candidate{b, a}
			}
		}
	}
	var names []string
	for _, c := range pair {
		names = append(names, c.name)
	}
	text := name + ": a reader cannot tell " + strings.Join(names, " and ") +
		" apart: give one of them a required member that no other has, or each a literal"
	if t := m.out.byName[name]; t != nil {
		return &parser.Error{File: t.File, Pos: t.Pos, Msg: text}
	}
	return errors.New(text) // at a member
}

// decide makes the plan for arms that only tests on the object at path `in` can tell apart. seen
// are the literal members already used; inner maps the arms to that object, nil for themselves.
// It returns nil if nothing decides.
//
// It takes the first test that splits the arms: if all arms can be told apart, so can any part of them, so no other
// test need be tried.
func (m *merger) decide(cs []candidate, in []string, seen []string, inner map[string]*Expr) *Plan {
	at := func(c candidate) candidate {
		if inner != nil {
			c.expr = inner[c.name]
		}
		return c
	}
	switch len(cs) {
	case 0:
		return nil
	case 1:
		return &Plan{Arm: cs[0].name}
	}
	keys := keysOf(cs, at)
	if key, groups := m.bestValue(cs, keys, seen, at); groups != nil {
		return m.byValue(key, groups, in, append(slices.Clone(seen), key), inner, at)
	}
	for _, key := range keys {
		has, none := byKey(cs, key, at)
		if len(has) == 0 || len(none) == 0 {
			continue
		}
		p := &Plan{On: TestKey, Member: key, In: in, Has: m.decide(has, in, seen, inner), None: m.decide(none, in, seen, inner)}
		if p.Has == nil || p.None == nil {
			return nil
		}
		// The last arm is the default only if it has no key of its own to ask for.
		if len(none) == 1 {
			p.None = m.confirm(none[0], has, in, at)
		}
		return p
	}
	if inner == nil {
		for _, key := range keys {
			if objects := m.objectsAt(cs, key); objects != nil {
				if p := m.decide(cs, append(slices.Clone(in), key), nil, objects); p != nil {
					return p
				}
			}
		}
	}
	return m.byOptionalKey(cs, in, seen, inner, at)
}

// byKey splits the arms into those that require a key and those that do not have it. It fails if an arm may or may
// not have it.
func byKey(cs []candidate, key string, at func(candidate) candidate) (has, none []candidate) {
	for _, c := range cs {
		switch {
		case at(c).expr.member(key) == nil:
			none = append(none, c)
		case at(c).requires(key):
			has = append(has, c)
		default:
			return nil, nil
		}
	}
	return has, none
}

// objectsAt returns, by the names of the arms, the objects that they require at key; nil unless each arm requires one.
func (m *merger) objectsAt(cs []candidate, key string) map[string]*Expr {
	objects := map[string]*Expr{}
	for _, c := range cs {
		if !c.requires(key) {
			return nil
		}
		e := m.out.deref(c.expr.member(key).Type)
		if e.Kind != Struct {
			return nil
		}
		objects[c.name] = e
	}
	return objects
}

// confirm tests for a key that the last remaining arm requires and the others lack, so that an object without it is
// an unknown arm. An arm without such a key is the default.
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
	seen := map[string]bool{}
	for _, c := range cs {
		for _, m := range at(c).expr.Members {
			switch {
			case seen[m.Name]:
				continue
			case m.Type.Kind == Literal:
				literals = append(literals, m.Name)
			default:
				keys = append(keys, m.Name)
			}
			seen[m.Name] = true
		}
	}
	return append(keys, literals...)
}

// bestValue finds the member whose value splits the arms into most groups; nil if there is none.
func (m *merger) bestValue(cs []candidate, keys, seen []string, at func(candidate) candidate) (best string, groups []valueGroup) {
	for _, key := range keys {
		if slices.Contains(seen, key) {
			continue
		}
		if g := m.valueGroups(cs, key, at); len(g) > max(1, len(groups)) {
			best, groups = key, g
		}
	}
	return best, groups
}

// byValue tells arms apart by the value of a member that is a literal, or one of several, in each.
func (m *merger) byValue(key string, groups []valueGroup, in, seen []string, inner map[string]*Expr, at func(candidate) candidate) *Plan {
	p := &Plan{On: TestValue, Member: key, In: in}
	var absent []candidate
	for _, g := range groups {
		then := m.decide(g.arms, in, seen, inner)
		if then == nil {
			return nil
		}
		p.Cases = append(p.Cases, Case{Values: g.values, Then: then})
		for _, c := range g.arms {
			if !at(c).requires(key) {
				absent = append(absent, c)
			}
		}
	}
	if len(absent) > 0 {
		if p.None = m.decide(absent, in, seen, inner); p.None == nil {
			return nil
		}
	}
	return p
}

type valueGroup struct {
	values []string
	arms   []candidate
}

// valueGroups groups arms by the values that they allow for a member; nil if the member cannot tell them apart.
func (m *merger) valueGroups(cs []candidate, key string, at func(candidate) candidate) []valueGroup {
	var groups []valueGroup
	for _, c := range cs {
		member := at(c).expr.member(key)
		if member == nil {
			return nil
		}
		values := m.texts(member.Type)
		if values == nil {
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

// texts returns the strings of a closed enum, nil for any other type.
func (m *merger) texts(e *Expr) []string {
	e = m.out.deref(e)
	if _, isText := e.Value.(string); e.Open || e.Kind == Literal && !isText {
		return nil
	}
	return literalStrings(e)
}

// byOptionalKey recognizes an arm by an optional key that only it has. Without the key it must not matter which arm
// it is; an exception says which one to take.
func (m *merger) byOptionalKey(cs []candidate, in, seen []string, inner map[string]*Expr, at func(candidate) candidate) *Plan {
	for i, c := range cs {
		rest := slices.Delete(slices.Clone(cs), i, i+1)
		own := slices.IndexFunc(at(c).expr.Members, func(x *Member) bool {
			return !slices.ContainsFunc(rest, func(d candidate) bool { return at(d).expr.member(x.Name) != nil })
		})
		if own < 0 {
			continue
		}
		e, ok := m.x.find(drop, c.name)
		if !ok || !slices.ContainsFunc(rest, func(d candidate) bool { return d.name == e.to }) {
			continue
		}
		none := m.decide(rest, in, seen, inner)
		if none == nil {
			return nil
		}
		return &Plan{On: TestKey, Member: at(c).expr.Members[own].Name, In: in, Has: &Plan{Arm: c.name}, None: none}
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
				next = nil
				texts := m.texts(member.Type)
				for _, c := range p.Cases {
					if len(texts) > 0 && !slices.ContainsFunc(texts, func(s string) bool { return !slices.Contains(c.Values, s) }) {
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
