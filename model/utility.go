package model

import (
	"slices"

	"github.com/mcpgen/mcpgen/parser"
)

// utilities lists the utility types of TypeScript that a schema may use, with the number of their arguments.
var utilities = map[string]int{
	"Array": 1, "ReadonlyArray": 1, "Record": 2, "Partial": 1, "Required": 1, "Readonly": 1,
	"Pick": 2, "Omit": 2, "Exclude": 2, "Extract": 2, "NonNullable": 1,
}

// utility lowers an instance of one of the utilities, whose number of arguments is right. It copies the members that it changes:
// the type that they come from keeps its own.
func (l *lowerer) utility(s *scope, env map[string]*Expr, t *parser.Ref) *Expr {
	first := l.expr(s, env, t.Args[0])
	if k, ok := t.Args[len(t.Args)-1].(*parser.Keyword); ok && k.Name == "never" && t.Name == "Record" {
		return l.emptyRecord(s, t, first)
	}
	switch t.Name {
	case "Array", "ReadonlyArray":
		return &Expr{Kind: Array, Elem: first, Readonly: t.Name == "ReadonlyArray"}
	case "NonNullable":
		if r := l.peek(first); r.Kind == Nullable {
			return r.Elem
		}
		return first
	case "Record":
		typ, absent := withoutUndefined(t.Args[1])
		value := l.expr(s, env, typ)
		return l.keyed(s, t.Pos, t.Args[0].TypePos(), first, func(*Expr) *Member { return &Member{Type: value, Optional: absent} })
	case "Exclude", "Extract":
		return l.filterUnion(s, t, first, l.expr(s, env, t.Args[1]))
	case "Pick", "Omit":
		return l.selectMembers(s, t, first, l.expr(s, env, t.Args[1]))
	}
	e := l.copyObject(s, t, first)
	if e == nil {
		return &Expr{Kind: Unknown}
	}
	for _, m := range e.Members {
		switch t.Name {
		case "Partial":
			m.Optional, m.Required = true, nil
		case "Required":
			m.Optional, m.Required = false, l.revs
		case "Readonly":
			m.Readonly = true
		}
	}
	if t.Name == "Readonly" && e.Rest != nil {
		e.Readonly = true
	}
	return mapIfOnlyRest(e)
}

// copyObject copies the first argument of a utility type, nil if it is not an object.
func (l *lowerer) copyObject(s *scope, t *parser.Ref, first *Expr) *Expr {
	pos := t.Args[0].TypePos()
	st := l.structOf(s, pos, first)
	if st == nil {
		return nil
	}
	e := &Expr{Kind: Struct, Rest: st.Rest, Readonly: st.Readonly, Members: l.copyMembers(s, pos, st.Members)}
	for _, m := range e.Members {
		if m.From == "" {
			m.From = nameOf(first)
		}
	}
	return e
}

// selectMembers lowers Pick and Omit.
func (l *lowerer) selectMembers(s *scope, t *parser.Ref, first, second *Expr) *Expr {
	e := l.copyObject(s, t, first)
	if e == nil {
		return &Expr{Kind: Unknown}
	}
	pos := t.Args[1].TypePos()
	names := l.keys(s, pos, second)
	for _, name := range names {
		switch {
		case e.member(name) != nil:
		case e.Rest == nil:
			l.errorf(s, pos, "%s has no member %q", describe(first), name)
		case t.Name == "Pick":
			e.Members = append(e.Members, &Member{Name: name, Type: clone(e.Rest), Revs: l.revs, Required: l.revs, Pos: t.Pos})
		}
	}
	pick := t.Name == "Pick"
	if pick {
		e.Rest, e.Readonly = nil, false
	}
	e.Members = slices.DeleteFunc(e.Members, func(m *Member) bool { return slices.Contains(names, m.Name) != pick })
	return mapIfOnlyRest(e)
}

// keys returns the string literals that a type argument lists.
func (l *lowerer) keys(s *scope, pos parser.Pos, e *Expr) []string {
	r := l.resolveRef(s, pos, e)
	if r == nil || r.Kind == Unknown {
		return nil
	}
	names := literalStrings(r)
	if names == nil || r.Open {
		l.errorf(s, pos, "members are named by string literals, not by %s", describe(e))
	}
	return names
}

// emptyRecord lowers Record<string, never>, the object without members.
func (l *lowerer) emptyRecord(s *scope, t *parser.Ref, key *Expr) *Expr {
	pos := t.Args[0].TypePos()
	if r := l.resolveRef(s, pos, key); r != nil && (r.Kind != String || r.Pattern != "") {
		l.errorf(s, pos, "a record of never has no member: its keys must be string, not %s", describe(key))
	}
	return &Expr{Kind: Struct}
}

// filterUnion lowers Exclude and Extract.
func (l *lowerer) filterUnion(s *scope, t *parser.Ref, first, second *Expr) *Expr {
	u := l.resolveRef(s, t.Args[0].TypePos(), first)
	if u == nil || u.Kind == Unknown && len(l.errs) > 0 { // of a mistake already reported
		return first
	}
	listed := []*Expr{second}
	if r := l.peek(second); r.Kind == Union {
		listed = nil
		for _, a := range r.Arms {
			listed = append(listed, a.Expr)
		}
	}
	keep := func(e *Expr) bool {
		in := slices.ContainsFunc(listed, func(x *Expr) bool { return same(e, x) || e.Kind == Literal && accepts(l.peek(x), e) })
		return in == (t.Name == "Extract")
	}
	switch {
	case u.Kind == Enum:
		e := &Expr{Kind: Enum, Open: u.Open && keep(&Expr{Kind: String})}
		for _, v := range u.Values {
			if keep(&Expr{Kind: Literal, Value: v.Value}) {
				e.Values = append(e.Values, v)
			}
		}
		switch {
		case len(e.Values) > 0:
			return e
		case e.Open:
			return &Expr{Kind: String}
		}
	case u.Kind == Nullable && !keep(&Expr{Kind: Null}) && keep(u.Elem):
		return u.Elem
	case u.Kind == Union:
		e := &Expr{Kind: Union}
		for _, a := range u.Arms {
			if keep(a.Expr) {
				e.Arms = append(e.Arms, &Arm{Expr: a.Expr, Doc: a.Doc, Revs: l.revs})
			}
		}
		if len(e.Arms) > 0 {
			return l.simplify(e)
		}
	default:
		l.errorf(s, t.Pos, "%s needs a union, not %s", t.Name, describe(first))
		return first
	}
	l.errorf(s, t.Pos, "%s leaves no alternative", t.Name)
	return first
}

// keyOf lowers keyof T to the enum of T's member names.
func (l *lowerer) keyOf(s *scope, env map[string]*Expr, t *parser.KeyOf) *Expr {
	object := l.expr(s, env, t.Type)
	st := l.structOf(s, t.Pos, object)
	if st == nil || !l.copying(s, t.Pos, st) {
		return &Expr{Kind: Unknown}
	}
	e := &Expr{Kind: Enum, Open: st.Rest != nil}
	for _, m := range st.Members {
		e.Values = append(e.Values, &EnumValue{Value: m.Name, Doc: m.Doc, Revs: l.revs})
	}
	switch {
	case len(e.Values) > 0:
		return e
	case e.Open:
		return &Expr{Kind: String}
	}
	l.errorf(s, t.Pos, "%s has no member: keyof takes no value", describe(object))
	return e
}

// indexed lowers T["key"], T[K], T[string] and, for arrays, T[number].
func (l *lowerer) indexed(s *scope, env map[string]*Expr, t *parser.Indexed) *Expr {
	unknown := &Expr{Kind: Unknown}
	object := l.expr(s, env, t.Object)
	pos := t.Index.TypePos()
	if k, ok := t.Index.(*parser.Keyword); ok && k.Name == "number" {
		r := l.resolveRef(s, t.Pos, object)
		if r != nil && r.Kind == Array {
			return r.Elem
		}
		if r != nil {
			l.errorf(s, pos, "[number] needs an array type, not %s", describe(object))
		}
		return unknown
	}
	st := l.structOf(s, t.Object.TypePos(), object)
	key := l.resolveRef(s, pos, l.expr(s, env, t.Index))
	switch {
	case st == nil || key == nil:
		return unknown
	case key.Kind == String && st.Rest != nil:
		return st.Rest
	}
	u := &Expr{Kind: Union}
	for _, name := range l.keys(s, pos, key) {
		e := st.Rest
		if m := st.member(name); m != nil {
			e = m.Type
		}
		if e == nil {
			l.errorf(s, pos, "%s has no member %q", describe(object), name)
			return unknown
		}
		if !l.copying(s, pos, e) {
			return unknown
		}
		if !slices.ContainsFunc(u.Arms, func(a *Arm) bool { return same(a.Expr, e) }) {
			u.Arms = append(u.Arms, &Arm{Expr: clone(e), Revs: l.revs})
		}
	}
	if len(u.Arms) == 0 {
		return unknown
	}
	return l.simplify(u)
}
