package model

import (
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/parser"
)

// interfaceBody lowers an interface to a struct that holds its own members and all inherited ones.
// The most derived declaration of a member wins, in the place of the one it overrides.
func (l *lowerer) interfaceBody(s *scope, env map[string]*Expr, t *Type, decl *parser.Interface) *Expr {
	e := &Expr{Kind: Struct, Pos: decl.Pos}
	clash := map[string]string{} // members that two bases declare differently → the bases
	for _, b := range decl.Extends {
		name := l.baseName(s, env, b)
		t.Bases = append(t.Bases, name)
		st := l.structOf(s, b.Pos, l.ref(s, env, b))
		if st == nil {
			continue
		}
		for _, m := range st.Members {
			c := *m
			if c.From == "" {
				c.From = name
			}
			if old := e.member(m.Name); old == nil {
				e.Members = append(e.Members, &c)
			} else if !same(old.Type, c.Type) {
				clash[m.Name] = old.From + " and " + c.From
			} else if old.Optional && !c.Optional {
				old.Optional, old.Required = false, c.Required
			}
		}
		if st.Rest != nil {
			e.Rest = st.Rest
		}
	}
	l.addMembers(s, env, e, decl.Members)
	for _, m := range e.Members {
		if bases := clash[m.Name]; bases != "" && m.From != "" {
			l.errorf(s, decl.Pos, "%s inherits different members %s from %s: declare %s in %s", t.Name, m.Name, bases, m.Name, t.Name)
		}
	}
	return mapIfOnlyRest(e)
}

// baseName is how Type.Bases names what is extended.
func (l *lowerer) baseName(s *scope, env map[string]*Expr, b *parser.Ref) string {
	if d := s.names[b.Name]; d != nil && len(b.Args) == 0 {
		return d.name
	}
	name := b.Name + "<"
	for i, a := range b.Args {
		if i > 0 {
			name += ", "
		}
		e := l.expr(s, env, a)
		if lits := literalStrings(e); lits != nil {
			name += `"` + strings.Join(lits, `" | "`) + `"`
		} else {
			name += nameOf(e)
		}
	}
	return name + ">"
}

func (e *Expr) member(name string) *Member {
	for _, m := range e.Members {
		if m.Name == name {
			return m
		}
	}
	return nil
}

// resolveRef follows names to what they stand for. It returns nil, after reporting it, where a
// declaration needs itself to be known.
func (l *lowerer) resolveRef(s *scope, pos parser.Pos, e *Expr) *Expr {
	for e.Kind == Ref {
		d := l.known[e.Name]
		t := l.lower(d)
		if t == nil {
			i := slices.Index(l.stack, d.name)
			l.errorf(s, pos, "%s is circular: %s", d.name, strings.Join(append(slices.Clone(l.stack[i:]), d.name), " → "))
			return nil
		}
		e = t.Expr
	}
	return e
}

// structOf returns the struct that a type is, nil (and an error) if it is none. A map is a struct
// that declares no member.
func (l *lowerer) structOf(s *scope, pos parser.Pos, e *Expr) *Expr {
	r := l.resolveRef(s, pos, e)
	if r == nil {
		return nil
	}
	switch r.Kind {
	case Struct:
		return r
	case Map:
		return &Expr{Kind: Struct, Rest: r.Elem, Pos: r.Pos}
	case Unknown:
		if len(l.errs) > 0 {
			return nil // of a mistake already reported
		}
	}
	what := string(r.Kind)
	if e.Kind == Ref {
		what = e.Name
	}
	l.errorf(s, pos, "%s is not an object type", what)
	return nil
}

// intersection lowers A & B: one struct with the members of all parts. An intersection with a
// union is the union of the intersections with its arms.
func (l *lowerer) intersection(s *scope, env map[string]*Expr, t *parser.Intersection) *Expr {
	alts := []*Expr{nil} // one, until a part is a union
	for _, p := range t.Parts {
		e := l.expr(s, env, p)
		from := ""
		if e.Kind == Ref {
			from = e.Name
		}
		r := l.resolveRef(s, p.TypePos(), e)
		if r == nil {
			return &Expr{Kind: Unknown, Pos: t.Pos}
		}
		var next []*Expr
		for _, alt := range alts {
			if r.Kind != Union {
				next = append(next, l.intersect(s, p.TypePos(), alt, r, from))
				continue
			}
			for _, a := range r.Arms {
				arm := l.resolveRef(s, p.TypePos(), a.Expr)
				if arm == nil {
					return &Expr{Kind: Unknown, Pos: t.Pos}
				}
				x := l.intersect(s, p.TypePos(), alt, arm, a.Expr.Name)
				if a.Expr.Kind == Ref && x.Kind == Struct {
					x.Name = a.Expr.Name
				}
				next = append(next, x)
			}
		}
		alts = next
	}
	if len(alts) == 1 {
		return alts[0]
	}
	u := &Expr{Kind: Union, Pos: t.Pos}
	for _, a := range alts {
		u.Arms = append(u.Arms, &Arm{Expr: a, Revs: l.revs})
	}
	return u
}

// intersect adds b, whose members come from the type named from, to a. a may be nil.
func (l *lowerer) intersect(s *scope, pos parser.Pos, a, b *Expr, from string) *Expr {
	if b.Kind == Map {
		b = &Expr{Kind: Struct, Rest: b.Elem, Pos: b.Pos}
	}
	if b.Kind == Struct {
		c := *b
		c.Members = nil
		for _, m := range b.Members {
			d := *m
			if d.From == "" {
				d.From = from
			}
			c.Members = append(c.Members, &d)
		}
		b = &c
	}
	switch {
	case a == nil, same(a, b):
		return b
	case a.Kind == Struct && b.Kind == Struct:
		out := &Expr{Kind: Struct, Name: a.Name, Rest: a.Rest, Members: a.Members, Pos: a.Pos}
		if b.Rest != nil {
			out.Rest = b.Rest
		}
		for _, m := range b.Members {
			old := out.member(m.Name)
			if old == nil {
				out.Members = append(out.Members, m)
				continue
			}
			if m.Doc.Text == "" {
				m.Doc = old.Doc
			}
			m.Type = l.intersect(s, pos, old.Type, m.Type, m.From)
			if !old.Optional {
				m.Optional, m.Required = false, l.revs
			}
			l.setMember(out, m)
		}
		return out
	case a.Kind == Struct && len(a.Members) == 0 && a.Rest == nil: // string & {}
		return b
	case b.Kind == Struct && len(b.Members) == 0 && b.Rest == nil:
		return a
	case b.Kind == Literal && accepts(a, b):
		return b
	case a.Kind == Literal && accepts(b, a):
		return a
	case a.Kind == Unknown:
		return b
	case b.Kind == Unknown:
		return a
	}
	l.errorf(s, pos, "no value is both %s and %s", a.Kind, b.Kind)
	return a
}

// accepts reports whether a scalar type takes a literal.
func accepts(e, lit *Expr) bool {
	switch lit.Value.(type) {
	case string:
		return e.Kind == String || e.Kind == Enum && (e.Open || slices.Contains(literalStrings(e), lit.Value.(string)))
	case bool:
		return e.Kind == Boolean
	case parser.Number:
		return e.Kind == Integer || e.Kind == Number
	}
	return false
}

// utilities are the utility types of TypeScript that a schema may use, and how many arguments
// they take.
var utilities = map[string]int{
	"Array": 1, "ReadonlyArray": 1, "Record": 2, "Partial": 1, "Required": 1, "Readonly": 1,
	"Pick": 2, "Omit": 2, "Exclude": 2, "Extract": 2, "NonNullable": 1,
}

func (l *lowerer) utility(s *scope, env map[string]*Expr, t *parser.Ref) *Expr {
	unknown := &Expr{Kind: Unknown, Pos: t.Pos}
	first := l.expr(s, env, t.Args[0])
	switch t.Name {
	case "Array", "ReadonlyArray":
		return &Expr{Kind: Array, Elem: first, Readonly: t.Name == "ReadonlyArray", Pos: t.Pos}
	case "NonNullable":
		if first.Kind == Nullable {
			return first.Elem
		}
		return first
	case "Record":
		value := l.expr(s, env, t.Args[1])
		key := l.resolveRef(s, t.Args[0].TypePos(), first)
		if key == nil {
			return unknown
		}
		if key.Kind == String {
			return &Expr{Kind: Map, Elem: value, Pos: t.Pos}
		}
		names := literalStrings(key)
		if names == nil {
			l.errorf(s, t.Args[0].TypePos(), "the keys of a Record are string, or string literals")
			return unknown
		}
		e := &Expr{Kind: Struct, Pos: t.Pos}
		for _, n := range names {
			e.Members = append(e.Members, &Member{Name: n, Type: value, Revs: l.revs, Required: l.revs, Pos: t.Pos})
		}
		if key.Open {
			e.Rest = value
		}
		return e
	case "Exclude", "Extract":
		return l.filterUnion(s, env, t, first)
	}
	st := l.structOf(s, t.Args[0].TypePos(), first)
	if st == nil {
		return unknown
	}
	var keys []string
	if len(t.Args) == 2 {
		k := l.resolveRef(s, t.Args[1].TypePos(), l.expr(s, env, t.Args[1]))
		if k == nil {
			return unknown
		}
		if keys = literalStrings(k); keys == nil {
			l.errorf(s, t.Args[1].TypePos(), "the second argument of %s names members: want string literals", t.Name)
			return unknown
		}
		for _, key := range keys {
			if st.member(key) == nil && st.Rest == nil {
				l.errorf(s, t.Args[1].TypePos(), "%s has no member %q", nameOf(first), key)
			}
		}
	}
	e := &Expr{Kind: Struct, Rest: st.Rest, Pos: t.Pos}
	if t.Name == "Pick" {
		e.Rest = nil
	}
	for _, m := range st.Members {
		c := *m
		if c.From == "" {
			c.From = nameOf(first)
		}
		switch listed := slices.Contains(keys, m.Name); t.Name {
		case "Pick":
			if !listed {
				continue
			}
		case "Omit":
			if listed {
				continue
			}
		case "Partial":
			c.Optional, c.Required = true, nil
		case "Required":
			c.Optional, c.Required = false, l.revs
		case "Readonly":
			c.Readonly = true
		}
		e.Members = append(e.Members, &c)
	}
	return mapIfOnlyRest(e)
}

// filterUnion lowers Exclude and Extract.
func (l *lowerer) filterUnion(s *scope, env map[string]*Expr, t *parser.Ref, first *Expr) *Expr {
	u := l.resolveRef(s, t.Args[0].TypePos(), first)
	second := l.expr(s, env, t.Args[1])
	if u == nil {
		return first
	}
	of := second
	if second.Kind == Ref {
		if r := l.resolveRef(s, t.Args[1].TypePos(), second); r != nil && (r.Kind == Union || r.Kind == Enum) {
			of = r
		}
	}
	keep := func(in bool) bool { return in == (t.Name == "Extract") }
	switch u.Kind {
	case Enum:
		values := literalStrings(of)
		e := &Expr{Kind: Enum, Open: u.Open, Pos: t.Pos}
		for _, v := range u.Values {
			if keep(slices.Contains(values, v.Value) || of.Kind == String) {
				e.Values = append(e.Values, v)
			}
		}
		if len(e.Values) > 0 {
			return e
		}
	case Union:
		e := &Expr{Kind: Union, Pos: t.Pos}
		for _, a := range u.Arms {
			in := same(a.Expr, of)
			for _, b := range of.Arms {
				in = in || same(a.Expr, b.Expr)
			}
			if keep(in) {
				e.Arms = append(e.Arms, a)
			}
		}
		if len(e.Arms) == 1 {
			return e.Arms[0].Expr
		}
		if len(e.Arms) > 1 {
			return l.simplify(e)
		}
	default:
		l.errorf(s, t.Pos, "%s needs a union", t.Name)
		return first
	}
	l.errorf(s, t.Pos, "%s leaves no alternative", t.Name)
	return first
}

// keyOf lowers keyof T to the enum of T's member names.
func (l *lowerer) keyOf(s *scope, env map[string]*Expr, t *parser.KeyOf) *Expr {
	st := l.structOf(s, t.Pos, l.expr(s, env, t.Type))
	if st == nil {
		return &Expr{Kind: Unknown, Pos: t.Pos}
	}
	e := &Expr{Kind: Enum, Open: st.Rest != nil, Pos: t.Pos}
	for _, m := range st.Members {
		e.Values = append(e.Values, &EnumValue{Value: m.Name, Doc: m.Doc, Revs: l.revs})
	}
	if len(e.Values) == 0 {
		return &Expr{Kind: String, Pos: t.Pos}
	}
	return e
}

// indexed lowers T["key"], T[K] and, for arrays, T[number].
func (l *lowerer) indexed(s *scope, env map[string]*Expr, t *parser.Indexed) *Expr {
	unknown := &Expr{Kind: Unknown, Pos: t.Pos}
	object := l.expr(s, env, t.Object)
	if k, ok := t.Index.(*parser.Keyword); ok && k.Name == "number" {
		if r := l.resolveRef(s, t.Pos, object); r != nil && r.Kind == Array {
			return r.Elem
		}
		l.errorf(s, t.Index.TypePos(), "[number] needs an array type")
		return unknown
	}
	st := l.structOf(s, t.Object.TypePos(), object)
	key := l.resolveRef(s, t.Index.TypePos(), l.expr(s, env, t.Index))
	if st == nil || key == nil {
		return unknown
	}
	names := literalStrings(key)
	if names == nil {
		l.errorf(s, t.Index.TypePos(), "a member is named by a string literal")
		return unknown
	}
	u := &Expr{Kind: Union, Pos: t.Pos}
	for _, n := range names {
		m := st.member(n)
		if m == nil {
			l.errorf(s, t.Index.TypePos(), "%s has no member %q", nameOf(object), n)
			return unknown
		}
		if !slices.ContainsFunc(u.Arms, func(a *Arm) bool { return same(a.Expr, m.Type) }) {
			u.Arms = append(u.Arms, &Arm{Expr: m.Type, Revs: l.revs})
		}
	}
	if len(u.Arms) == 1 {
		return u.Arms[0].Expr
	}
	return l.simplify(u)
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
