package model

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// hoist gives every inline object, enum and union of objects a name, and a place among the types.
// The name is the path from the type that declares it: ToolChoice.mode is ToolChoiceMode.
func (m *merger) hoist() {
	types := m.out.Types
	m.out.Types = nil
	for _, t := range types {
		m.out.Types = append(m.out.Types, t)
		switch t.Role {
		case RoleData:
			m.hoistIn(t, t.Expr)
		case RoleRequest, RoleNotification:
			if p := t.Expr.member("params"); p != nil {
				m.hoistMember(t, p)
			}
		case RoleError:
			if t.Category == "" {
				t.Category = "Errors"
			}
			if d := errorData(t); d != nil {
				m.hoistAt(t, d, t.Name+"Data", t.Name+".data", &d.Type)
			}
		}
	}
}

// hoistIn hoists what is inside the definition of t.
func (m *merger) hoistIn(t *Type, e *Expr) {
	switch e.Kind {
	case Struct:
		for _, member := range e.Members {
			m.hoistMember(t, member)
		}
		if e.Rest != nil {
			m.hoistAt(t, &Member{Revs: t.Revs, Doc: e.Rest.Doc}, t.Name+"Item", t.Name+"[]", &e.Rest)
		}
	case Union:
		for _, a := range e.Arms {
			if a.Expr.Kind != Struct {
				continue
			}
			name := t.Name + armName(a.Expr)
			if name == t.Name {
				m.errorAt(t, "an object without a name or a literal member cannot be an arm of %s: declare a type for it", t.Name)
				continue
			}
			m.hoistAt(t, &Member{Revs: a.Revs, Doc: a.Doc}, name, name, &a.Expr)
		}
	case Tuple:
		m.hoistElems(t, &Member{Revs: t.Revs, Doc: t.Doc}, t.Name, t.Name, e)
	case Array, Map, Nullable, OneOrMany:
		m.hoistAt(t, &Member{Revs: t.Revs, Doc: t.Doc}, t.Name+"Item", t.Name+"[]", &e.Elem)
	}
}

// hoistElems names the types in a tuple: by the names of the elements, or by their numbers.
func (m *merger) hoistElems(t *Type, member *Member, name, at string, tuple *Expr) {
	for i, x := range tuple.Elems {
		key := x.Name
		if key == "" {
			key = strconv.Itoa(i + 1)
		}
		m.hoistAt(t, member, name+pathName(key), at+"."+key, &x.Type)
	}
}

// armName is the part of an inline arm's name that follows that of its union: the name of the arm from which it was
// made, or the value of its first literal member.
func armName(e *Expr) string {
	if e.Name != "" {
		return e.Name
	}
	for _, m := range e.Members {
		if s, ok := m.Type.Value.(string); ok && m.Type.Kind == Literal {
			return pathName(s)
		}
	}
	return ""
}

func (m *merger) hoistMember(t *Type, member *Member) {
	owner := t.Name
	if member.From != "" {
		owner = member.From
	}
	m.hoistAt(t, member, owner+pathName(member.Name), owner+"."+member.Name, &member.Type)
}

// pathName is the part of an invented name that a key gives it: letters and digits of its last
// segment, each word with a capital.
func pathName(key string) string {
	key = key[strings.LastIndexByte(key, '/')+1:]
	var b strings.Builder
	up := true
	for _, r := range key {
		switch {
		case r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9':
			if s := string(r); up {
				b.WriteString(strings.ToUpper(s))
			} else {
				b.WriteString(s)
			}
			up = false
		default:
			up = true
		}
	}
	return b.String()
}

// hoistAt names the type at *e, which is that of a member or of an element of one. The default name for `path` is
// typeName.
func (m *merger) hoistAt(t *Type, member *Member, typeName, path string, e **Expr) {
	x := *e
	if _, ok := m.x.find(raw, path); ok {
		*e = &Expr{Kind: Raw, Elem: x}
		return
	}
	switch x.Kind {
	case Array, Nullable, OneOrMany:
		m.hoistAt(t, member, typeName, path, &x.Elem)
		return
	case Map:
		if _, ok := m.x.find(ordered, path); ok {
			x.Ordered = true
		}
		m.hoistAt(t, member, typeName, path+"[]", &x.Elem)
		return
	case Tuple:
		m.hoistElems(t, member, typeName, path, x)
		return
	case Struct, Enum:
	case Union:
		if !m.objects(x) {
			return
		}
	default:
		return
	}
	if to, ok := m.x.find(name, path); ok {
		typeName = to.to.(string)
	}
	u := &Type{Name: typeName, Role: RoleData, Inline: true, Doc: member.Doc, Revs: member.Revs, Category: t.Category, Expr: x, Pos: cmp.Or(member.Pos, t.Pos), File: t.File}
	m.hoistIn(u, x)
	*e = &Expr{Kind: Ref, Name: typeName}
	switch old := m.out.byName[typeName]; {
	case old == nil:
		m.out.byName[typeName] = u
		m.out.Types = append(m.out.Types, u)
		m.places[typeName] = path
	case old.Role == RoleBase: // it gives its name to what it is the base of
		old.Role, old.Inline, old.Expr = RoleData, true, x
		if old.Category == "" {
			old.Category = t.Category
		}
		old.Revs = old.Revs.with(u.Revs)
	case old.Inline && same(old.Expr, x):
		old.Revs = old.Revs.with(u.Revs)
	case m.places[typeName] == path: // inherited from another revision of one type
		old.Revs = old.Revs.with(u.Revs)
		old.Expr, _ = m.merge(site{path: path, rev: u.Revs[0], old: m.out}, old.Expr, x)
	default:
		m.errorAt(t, "the inline type at %s would be called %s, which is another type: name it in the table of exceptions", path, typeName)
	}
}

// objects reports whether every arm of a union is an object.
func (m *merger) objects(u *Expr) bool {
	seen := map[string]bool{} // a name is looked at once: one that is no object decides
	var object func(e *Expr) bool
	object = func(e *Expr) bool {
		switch e.Kind {
		case Struct:
			return true
		case Ref:
			if seen[e.Name] {
				return true
			}
			seen[e.Name] = true
			return object(m.out.byName[e.Name].Expr)
		case Union:
			return !slices.ContainsFunc(e.Arms, func(a *Arm) bool { return !object(a.Expr) })
		}
		return false
	}
	return object(u)
}

// finish determines the meaning of each member after everything has been merged.
func (m *merger) finish() {
	m.keys()
	m.codes()
	for _, t := range m.out.Types {
		for _, x := range t.Expr.Members {
			x.Optional = !x.Required.HasAll(t.Revs)
			_, always := m.findMember(everywhere, t, x)
			x.Always = always || x.Name == metaMember
			if e, ok := m.findMember(fill, t, x); ok {
				x.Fill = literal(e.to)
			}
			if e, ok := m.findMember(absence, t, x); ok {
				x.Default = literal(e.to)
				if x.Type.Kind == Literal { // what is always written need not come
					x.Optional, x.Required = true, nil
				}
			}
			if _, ok := m.findMember(pointer, t, x); ok {
				x.Pointer = true
			}
			slices.SortFunc(x.Narrowings, func(a, b *Narrowing) int { return strings.Compare(a.Revs[0], b.Revs[0]) })
			if x.Type.Kind == Raw { // what a narrower type says beyond "an object" is not checked
				x.Narrowings = slices.DeleteFunc(x.Narrowings, func(v *Narrowing) bool {
					return x.Type.Elem.Kind != Unknown || v.Type.Kind != Map && v.Type.Kind != AnyObject && v.Type.Kind != Struct
				})
			}
		}
		// Literals come first on the wire: they tell the reader what follows.
		slices.SortStableFunc(t.Expr.Members, func(a, b *Member) int {
			return rank(a) - rank(b)
		})
	}
}

func rank(m *Member) int {
	if m.Type.Kind == Literal {
		return 0
	}
	return 1
}

// categorize gives a category to types without one: the only category that refers to them, or what several have in
// common.
func (m *merger) categorize() {
	const several = "Common Types"
	for changed := true; changed; {
		changed = false
		users := map[string]string{} // type → category of those that name it
		for _, t := range m.out.Types {
			if t.Category == "" || t.Role == RoleDirection || t.Role == RoleEnvelope {
				continue
			}
			t.Expr.walk(func(e *Expr) {
				if e.Kind != Ref || users[e.Name] == t.Category {
					return
				}
				if users[e.Name] == "" {
					users[e.Name] = t.Category
				} else {
					users[e.Name] = several
				}
			})
		}
		for _, t := range m.out.Types {
			if c := users[t.Name]; t.Category == "" && c != "" {
				t.Category, changed = c, true
			}
		}
	}
}

// findMember looks up an exception for a member: first under its type, then under the type that declares it.
func (m *merger) findMember(do action, t *Type, x *Member) (exception, bool) {
	if e, ok := m.x.find(do, t.Name+"."+x.Name); ok || x.From == "" {
		return e, ok
	}
	return m.x.find(do, x.From+"."+x.Name)
}

func literal(v any) *Expr {
	if n, ok := v.(int); ok {
		v = number(n)
	}
	return &Expr{Kind: Literal, Value: v}
}
