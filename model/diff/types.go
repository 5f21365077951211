package diff

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"github.com/mcpgen/mcpgen/model"
)

func (c *comparison) types() {
	data := func(s *model.Schema) []*model.Type {
		return slices.DeleteFunc(slices.Clone(s.Types), func(t *model.Type) bool { return t.Role != model.RoleData })
	}
	name := func(t *model.Type) string { return t.Name }
	pair(data(c.older), data(c.newer), name, func(older, newer *model.Type) {
		switch {
		case older == nil:
			c.add(Change{Kind: Added, What: Type, Name: newer.Name, New: Text(newer.Expr)})
		case newer == nil: // what had members of the type says who breaks
			c.add(Change{Kind: Removed, What: Type, Name: older.Name, Old: Text(older.Expr)})
		default:
			before := len(c.changes)
			c.expr(newer.Name, older.Expr, newer.Expr)
			if len(c.changes) == before {
				c.docs(Type, "", newer.Name, older.Doc, newer.Doc)
			}
		}
	})
}

// expr compares what a type's name means in two revisions.
func (c *comparison) expr(name string, older, newer *model.Expr) {
	if older.Kind != newer.Kind {
		c.retyped(Change{What: Type, Name: name}, older, newer, c.senders[name])
		return
	}
	switch newer.Kind {
	case model.Struct:
		member := func(m *model.Member) string { return m.Name }
		pair(older.Members, newer.Members, member, func(a, b *model.Member) { c.member(name, a, b) })
		if a, b := rest(older), rest(newer); a != b {
			c.add(Change{Kind: Changed, What: Member, Of: name, Name: "[key: string]", Old: a, New: b})
		}
	case model.Enum:
		c.values(name, older, newer)
	case model.Union:
		text := func(a *model.Arm) string { return Text(a.Expr) }
		pair(older.Arms, newer.Arms, text, func(a, b *model.Arm) { c.arm(name, a, b) })
	default:
		c.retyped(Change{What: Type, Name: name}, older, newer, c.senders[name])
	}
}

// rest describes which other members a struct may have.
func rest(e *model.Expr) string {
	if e.Rest == nil {
		return "not declared"
	}
	return Text(e.Rest)
}

// inherited reports whether a member comes from a type that is itself compared, where its changes are reported.
func (c *comparison) inherited(of string, older, newer *model.Member) bool {
	if older != nil && newer != nil && older.From != newer.From {
		return false
	}
	from := cmp.Or(newer, older).From
	if from == "" || from == of {
		return false
	}
	a, b := c.older.Type(from), c.newer.Type(from)
	return a != nil && b != nil && a.Role == model.RoleData && b.Role == model.RoleData
}

// member compares a member of a struct.
func (c *comparison) member(of string, older, newer *model.Member) {
	if c.inherited(of, older, newer) {
		return
	}
	senders := c.senders[of]
	switch {
	case older == nil:
		ch := Change{Kind: Added, What: Member, Of: of, Name: newer.Name, New: memberText(newer)}
		if isRequired(newer) {
			ch.Breaks, ch.Why = senders, "it must be sent"
		}
		c.add(ch)
		return
	case newer == nil:
		ch := Change{Kind: Removed, What: Member, Of: of, Name: older.Name, Old: memberText(older)}
		if isRequired(older) {
			ch.Breaks, ch.Why = receivers(senders), "it is no longer sent"
		}
		c.add(ch)
		return
	}
	before := len(c.changes)
	a, b := isRequired(older), isRequired(newer)
	switch {
	case a && !b:
		c.add(Change{Kind: Changed, What: Member, Of: of, Name: newer.Name, Old: "required", New: "optional",
			Breaks: receivers(senders), Why: "it may be absent"})
	case !a && b:
		c.add(Change{Kind: Changed, What: Member, Of: of, Name: newer.Name, Old: "optional", New: "required",
			Breaks: senders, Why: "it must be sent"})
	}
	c.retyped(Change{What: Member, Of: of, Name: newer.Name}, older.Type, newer.Type, senders)
	for _, limit := range []struct{ name, a, b string }{
		{"@minimum", older.Minimum, newer.Minimum}, {"@maximum", older.Maximum, newer.Maximum},
		{"@maxItems", older.MaxItems, newer.MaxItems}, {"@format", older.Format, newer.Format},
	} {
		if limit.a != limit.b {
			c.add(Change{Kind: Changed, What: Member, Of: of, Name: newer.Name, Old: limit.name + " " + orNone(limit.a), New: limit.name + " " + orNone(limit.b),
				Breaks: both(senders, receivers(senders)), Why: "the limits differ"})
		}
	}
	if len(c.changes) == before {
		c.docs(Member, of, newer.Name, older.Doc, newer.Doc)
	}
}

func isRequired(m *model.Member) bool { return len(m.Required) > 0 }

// arm compares an arm of a union.
func (c *comparison) arm(of string, older, newer *model.Arm) {
	senders := c.senders[of]
	switch {
	case older == nil:
		c.add(Change{Kind: Added, What: Arm, Of: of, Name: Text(newer.Expr), Breaks: receivers(senders), Why: "it may occur"})
	case newer == nil:
		c.add(Change{Kind: Removed, What: Arm, Of: of, Name: Text(older.Expr), Breaks: senders, Why: "it is no longer allowed"})
	}
}

// values compares the values of an enumeration.
func (c *comparison) values(of string, older, newer *model.Expr) {
	senders := c.senders[of]
	name := func(v *model.EnumValue) string { return v.Value }
	pair(older.Values, newer.Values, name, func(a, b *model.EnumValue) {
		switch {
		case a == nil:
			ch := Change{Kind: Added, What: Value, Of: of, Name: fmt.Sprintf("%q", b.Value)}
			if !older.Open {
				ch.Breaks, ch.Why = receivers(senders), "it may occur"
			}
			c.add(ch)
		case b == nil:
			ch := Change{Kind: Removed, What: Value, Of: of, Name: fmt.Sprintf("%q", a.Value)}
			if !newer.Open {
				ch.Breaks, ch.Why = senders, "it is no longer allowed"
			}
			c.add(ch)
		default:
			c.docs(Value, of, fmt.Sprintf("%q", b.Value), a.Doc, b.Doc)
		}
	})
	switch {
	case !older.Open && newer.Open:
		c.add(Change{Kind: Changed, What: Type, Name: of, Old: "these values", New: "any string", Breaks: receivers(senders), Why: "other values may occur"})
	case older.Open && !newer.Open:
		c.add(Change{Kind: Changed, What: Type, Name: of, Old: "any string", New: "these values", Breaks: senders, Why: "other values are no longer allowed"})
	}
}

// retyped records that a type has changed, if it has.
func (c *comparison) retyped(ch Change, older, newer *model.Expr, senders []Side) {
	ch.Kind, ch.Old, ch.New = Changed, Text(older), Text(newer)
	if ch.Old == ch.New {
		return
	}
	wider := typeIn{c.newer, newer}.accepts(typeIn{c.older, older})
	narrower := typeIn{c.older, older}.accepts(typeIn{c.newer, newer})
	switch {
	case wider && narrower && (typeIn{c.older, older}).sameMembers(typeIn{c.newer, newer}): // written otherwise
		return
	case wider && narrower: // what has changed is optional
	case wider:
		ch.Breaks, ch.Why = receivers(senders), "more values may occur"
	case narrower:
		ch.Breaks, ch.Why = senders, "fewer values are allowed"
	default:
		ch.Breaks, ch.Why = both(senders, receivers(senders)), "it is a different type"
	}
	c.add(ch)
}

// A typeIn is a type in one revision.
type typeIn struct {
	schema *model.Schema
	*model.Expr
}

func (t typeIn) of(e *model.Expr) typeIn { return typeIn{t.schema, e} }

// resolve returns the type behind a name that the other revision does not have; types that both have are compared
// separately. How Go holds a value does not matter here.
func (t typeIn) resolve(other *model.Schema) typeIn {
	for {
		switch {
		case t.Kind == model.Ref && other.Type(t.Name) == nil:
			t.Expr = t.schema.Type(t.Name).Expr
		case t.Kind == model.Raw && t.Elem != nil:
			t.Expr = t.Elem
		default:
			return t
		}
	}
}

// accepts reports whether every value of type b is one of type a.
func (a typeIn) accepts(b typeIn) bool {
	a, b = a.resolve(b.schema), b.resolve(a.schema)
	switch {
	case a.isAny():
		return true
	case b.isAny():
		return false
	case Text(a.Expr) == Text(b.Expr) && a.Kind != model.Struct:
		return true
	case a.Kind == model.Struct:
		return b.Kind == model.Struct && a.acceptsMembers(b)
	case b.Kind == model.Nullable:
		return a.accepts(b.of(&model.Expr{Kind: model.Null})) && a.accepts(b.of(b.Elem))
	case b.Kind == model.OneOrMany:
		return a.accepts(b.of(b.Elem)) && a.accepts(b.of(&model.Expr{Kind: model.Array, Elem: b.Elem}))
	case b.Kind == model.Union:
		return !slices.ContainsFunc(b.Arms, func(x *model.Arm) bool { return !a.accepts(b.of(x.Expr)) })
	case b.Kind == model.Ref && !isStruct(b):
		return a.accepts(b.of(b.schema.Type(b.Name).Expr))
	}
	switch a.Kind {
	case model.Nullable:
		return b.Kind == model.Null || a.of(a.Elem).accepts(b)
	case model.Number:
		return b.Kind == model.Integer
	case model.ID:
		return b.Kind == model.String || b.Kind == model.Integer || isText(b.Expr)
	case model.String:
		return a.Pattern == "" && (b.Kind == model.String || b.Kind == model.Enum || isText(b.Expr))
	case model.Enum:
		return a.Open && (b.Kind == model.String || b.Kind == model.Enum || isText(b.Expr)) || b.Kind == model.Enum && contains(a.Expr, b.Expr) ||
			isText(b.Expr) && slices.ContainsFunc(a.Values, func(v *model.EnumValue) bool { return v.Value == b.Value })
	case model.Array:
		return b.Kind == model.Array && a.of(a.Elem).accepts(b.of(b.Elem))
	case model.OneOrMany:
		return a.of(a.Elem).accepts(b) || b.Kind == model.Array && a.of(a.Elem).accepts(b.of(b.Elem))
	case model.AnyObject:
		return b.Kind == model.AnyObject || b.Kind == model.Map || b.Kind == model.Struct || isStruct(b)
	case model.Map:
		if a.of(a.Elem).isAny() {
			return b.Kind == model.AnyObject || b.Kind == model.Map || b.Kind == model.Struct || isStruct(b)
		}
		return b.Kind == model.Map && a.of(a.Elem).accepts(b.of(b.Elem))
	case model.Union:
		return slices.ContainsFunc(a.Arms, func(x *model.Arm) bool { return a.of(x.Expr).accepts(b) })
	case model.Ref:
		return !isStruct(a) && a.of(a.schema.Type(a.Name).Expr).accepts(b)
	}
	return false
}

// sameMembers reports whether two unnamed types that accept each other's values declare the same members.
func (a typeIn) sameMembers(b typeIn) bool {
	a, b = a.resolve(b.schema), b.resolve(a.schema)
	switch {
	case a.Kind == model.Struct && b.Kind == model.Struct:
		return slices.EqualFunc(a.Members, b.Members, func(x, y *model.Member) bool { return x.Name == y.Name }) &&
			(a.Rest == nil) == (b.Rest == nil)
	case a.Elem != nil && b.Elem != nil:
		return a.of(a.Elem).sameMembers(b.of(b.Elem))
	}
	return true
}

// acceptsMembers compares the members of structs. A receiver ignores members that it does not know, so those of
// only one struct matter only if they are required.
func (a typeIn) acceptsMembers(b typeIn) bool {
	for _, m := range a.Members {
		i := slices.IndexFunc(b.Members, func(o *model.Member) bool { return o.Name == m.Name })
		switch {
		case i < 0 && isRequired(m):
			return false
		case i < 0:
		case isRequired(m) && !isRequired(b.Members[i]), !a.of(m.Type).accepts(b.of(b.Members[i].Type)):
			return false
		}
	}
	return true
}

// isAny reports whether a type allows every JSON value, like unknown, or a union of all kinds of values.
func (t typeIn) isAny() bool {
	for t.Kind == model.Ref && t.schema.Type(t.Name) != nil {
		t.Expr = t.schema.Type(t.Name).Expr
	}
	if t.Kind == model.Raw && t.Elem != nil {
		return t.of(t.Elem).isAny()
	}
	if t.Kind == model.Unknown || t.Kind == model.Raw && t.Elem == nil {
		return true
	}
	if t.Kind != model.Nullable || t.Elem.Kind != model.Union {
		return false
	}
	kinds := map[model.Kind]bool{}
	for _, a := range t.Elem.Arms {
		e := a.Expr
		for e.Kind == model.Ref && t.schema.Type(e.Name) != nil {
			e = t.schema.Type(e.Name).Expr
		}
		kinds[e.Kind] = true
	}
	return kinds[model.String] && kinds[model.Number] && kinds[model.Boolean] && kinds[model.Array] && (kinds[model.Map] || kinds[model.AnyObject])
}

// isStruct reports whether a type is an object with members, by its name.
func isStruct(t typeIn) bool {
	if t.Kind != model.Ref {
		return false
	}
	def := t.schema.Type(t.Name)
	return def == nil || def.Expr.Kind == model.Struct
}

func isText(e *model.Expr) bool {
	_, ok := e.Value.(string)
	return e.Kind == model.Literal && ok
}

// contains reports whether an enumeration has all values of another.
func contains(a, b *model.Expr) bool {
	return !b.Open && !slices.ContainsFunc(b.Values, func(v *model.EnumValue) bool {
		return !slices.ContainsFunc(a.Values, func(w *model.EnumValue) bool { return w.Value == v.Value })
	})
}

func (c *comparison) constants() {
	name := func(x *model.Const) string { return x.Name }
	pair(c.older.Consts, c.newer.Consts, name, func(older, newer *model.Const) {
		switch {
		case older == nil:
			c.add(Change{Kind: Added, What: Constant, Name: newer.Name, New: valueText(newer.Value)})
		case newer == nil:
			c.add(Change{Kind: Removed, What: Constant, Name: older.Name, Old: valueText(older.Value)})
		case !reflect.DeepEqual(older.Value, newer.Value):
			c.add(Change{Kind: Changed, What: Constant, Name: newer.Name, Old: valueText(older.Value), New: valueText(newer.Value)})
		default:
			c.docs(Constant, "", newer.Name, older.Doc, newer.Doc)
		}
	})
}
