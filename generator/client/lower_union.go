package client

import (
	"slices"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// maxArms is how many arms a union may have.
const maxArms = 200

// groups returns the lists of arms (oneOf, anyOf) that affect the type, and from which none has been chosen yet.
func (s *flat) groups() []*node {
	var groups []*node
	for _, n := range s.nodes {
		for _, keyword := range []string{"oneOf", "anyOf"} {
			g := n.get(keyword)
			if g != nil && !slices.Contains(s.done, g) && !slices.Contains(groups, g) && slices.ContainsFunc(g.items, s.differs) {
				groups = append(groups, g)
			}
		}
	}
	return groups
}

// differs reports whether an arm affects the type, and not only which values are valid.
func (s *flat) differs(arm *node) bool {
	if arm.kind != wire.KindObject {
		return arm.kind != wire.KindBool
	}
	for _, m := range arm.members {
		if m.name == "type" && len(arm.members) > 1 {
			if own := s.ownKinds(); typesOf(m.value)&own == own && own != kindAny {
				continue
			}
		}
		if slices.Contains(structural, m.name) || slices.Contains([]string{"$ref", "allOf", "oneOf", "anyOf", "$dynamicRef", "$recursiveRef"}, m.name) {
			return true
		}
	}
	return false
}

// ownKinds returns the kinds that the schemas themselves state or imply.
func (s *flat) ownKinds() kinds {
	if k := s.kinds(); k != kindAny {
		return k
	}
	if k := s.infer(); k != 0 {
		return k
	}
	return kindAny
}

// leaves returns the arms of a flat, with the arms of these in their place, and so on; the flat itself if it has none. It
// reports whether there was no error.
func (l *lowering) leaves(s *flat) ([]*flat, bool) {
	groups := s.groups()
	if len(groups) == 0 || s.never || s.remote != nil {
		return []*flat{s}, true
	}
	group := groups[0]
	var list []*flat
	seen := make(map[string]bool)
	for _, item := range group.items {
		arm := &flat{at: item, nodes: slices.Clone(s.nodes), only: s.only, done: append(slices.Clone(s.done), group)}
		if !l.add(arm, item, nil) {
			return nil, false
		}
		if slices.ContainsFunc(arm.nodes[len(s.nodes):], arm.chose) {
			continue // it contains itself, which adds nothing
		}
		arm.simplify(len(s.nodes))
		more, ok := l.leaves(arm)
		if !ok {
			return nil, false
		}
		for _, leaf := range more {
			if key := leaf.key(false); !leaf.never && !seen[key] {
				seen[key] = true
				list = append(list, leaf)
			}
		}
		if len(list) > maxArms {
			l.fail(group.pointer, "there are too many arms (oneOf, anyOf)")
			return nil, false
		}
	}
	return list, true
}

// chose reports whether an arm of a schema has been chosen.
func (s *flat) chose(n *node) bool {
	return slices.ContainsFunc([]*node{n.get("oneOf"), n.get("anyOf")}, func(g *node) bool { return g != nil && slices.Contains(s.done, g) })
}

// simplify removes those of the first n schemas that say nothing beyond the others.
func (s *flat) simplify(n int) {
	base, own := s.nodes[:n], s.nodes[n:]
	kinds := (&flat{nodes: own}).kinds()
	var kept, list []*node
	for _, b := range base {
		says, types := false, kindAny
		for _, m := range b.members {
			switch {
			case m.name == "type":
				types = typesOf(m.value)
			case slices.Contains(s.done, m.value):
			case m.name == "discriminator":
			case saysMore(&node{kind: wire.KindObject, members: []member{m}}):
				says = true
			}
		}
		if says || kinds&^types != 0 {
			kept = append(kept, b)
		}
	}
	list = append(list, kept...)
	for _, o := range own {
		if !slices.Contains(list, o) {
			list = append(list, o)
		}
	}
	s.nodes = list
	if len(kept) == 0 {
		s.done = slices.DeleteFunc(s.done, func(g *node) bool {
			return !slices.ContainsFunc(list, func(n *node) bool { return n.get("oneOf") == g || n.get("anyOf") == g })
		})
	}
}

// classify sorts flats by the classes of their values. It reports whether null is one of them, and whether values
// of unknown types are valid.
func classify(leaves []*flat) (by map[kinds][]*flat, null bool, unknown *flat) {
	by = make(map[kinds][]*flat)
	for _, f := range leaves {
		k := f.ownKinds()
		if k&^kindNull == kindAny&^kindNull {
			return nil, false, f
		}
		null = null || k&kindNull != 0
		for _, class := range classes {
			if k&class != 0 {
				by[class] = append(by[class], f.restrict(k&class))
			}
		}
	}
	splitNumbers(by)
	return by, null, nil
}

// splitNumbers makes two arms of integers and numbers, if both occur: a float64 cannot hold every int64.
func splitNumbers(by map[kinds][]*flat) {
	var integers, numbers []*flat
	openIntegers := false
	for _, f := range by[kindNumber] {
		_, enumerated := f.values()
		switch {
		case f.kinds()&kindFraction == 0 && !enumerated && f.integers() != intKind:
			return
		case f.kinds()&kindFraction == 0:
			integers = append(integers, f)
			openIntegers = openIntegers || !enumerated
		default:
			numbers = append(numbers, f)
			if only := f.restrict(kindInt); f.namesIntegers() && only.integers() == intKind && !enumerated {
				integers = append(integers, only)
				openIntegers = true
			}
		}
	}
	if openIntegers && len(numbers) > 0 {
		delete(by, kindNumber)
		by[kindInt], by[kindFraction] = integers, numbers
	}
}

// namesIntegers reports whether a schema lists both types of numbers.
func (f *flat) namesIntegers() bool {
	return slices.ContainsFunc(f.nodes, func(n *node) bool {
		t := n.get("type")
		return t != nil && slices.ContainsFunc(t.items, func(item *node) bool { return item.text == "integer" }) && typesOf(t)&kindFraction != 0
	})
}

// build determines a type.
func (l *lowering) build(t *typ, s *flat, leaves []*flat, p place) {
	switch {
	case s.never || len(leaves) == 0:
		l.raw(t, s.at, "no value is valid")
		return
	case s.remote != nil:
		l.raw(t, s.remote, errRemote.Error())
		return
	}
	if slices.ContainsFunc(s.nodes, enumeratesMore) {
		l.raw(t, s.at, "it is one of several objects or arrays")
		return
	}
	if other := l.orNull(s); other != nil && !(p.root && !l.output) { // made from that schema itself, the type has its name
		p.member = false
		t.kind = nullKind
		if t.elem = l.typeOf([]*node{other}, p); !l.active[t.elem] && (t.elem.kind == rawKind || t.elem.kind == nullKind) {
			*t = *t.elem // which can be null already
		}
		for inner := t.elem; inner != nil && inner.kind == nullKind; inner = inner.elem {
			if inner == t { // the schema leads to itself, and to nothing else
				l.raw(t, s.at, "only null is valid")
			}
		}
		return
	}
	by, null, unknown := classify(leaves)
	switch {
	case unknown != nil && len(unknown.nodes) == 0 && unknown.remote == nil:
		*t = typ{kind: rawKind}
		return
	case unknown != nil && unknown.remote != nil:
		l.raw(t, unknown.remote, errRemote.Error())
		return
	case unknown != nil:
		l.raw(t, unknown.at, "the schema does not say of which type it is")
		return
	}
	if p.root && !l.output {
		null = false // arguments are objects
	}
	n := len(by[kindArray]) + len(by[kindObject]) // arms: scalars of one class are one together
	for _, class := range []kinds{kindBool, kindNumber, kindInt, kindFraction, kindString} {
		n += min(1, len(by[class]))
	}
	switch {
	case n == 0 && null && p.member:
		*t = typ{kind: constKind, value: value{kind: nullKind, text: "null"}}
	case n == 0 && null:
		l.raw(t, s.at, "only null is valid")
	case n == 0:
		l.raw(t, s.at, "no value is valid")
	case null:
		p.member = false
		t.kind, t.elem = nullKind, &typ{}
		if n == 1 {
			t.elem = l.single(t.elem, nil, by, p)
		} else {
			l.buildArms(t.elem, s, by, p)
		}
		if t.elem.kind == rawKind && !l.active[t.elem] {
			*t = *t.elem
		}
	case n == 1:
		l.single(t, s, by, p)
	default:
		l.buildArms(t, s, by, p)
	}
}

// enumeratesMore reports whether a schema enumerates objects or arrays.
func enumeratesMore(n *node) bool {
	return slices.ContainsFunc(enumOf(n), func(v *node) bool { return kindsOf(v)&(kindArray|kindObject) != 0 })
}

// orNull returns the one arm beside null, if there are two and the schema says nothing else.
func (l *lowering) orNull(s *flat) (other *node) {
	groups := s.groups()
	if len(groups) != 1 || s.only != 0 {
		return nil
	}
	for _, n := range s.nodes {
		for _, m := range n.members {
			if m.value != groups[0] && saysMore(&node{kind: wire.KindObject, members: []member{m}}) {
				return nil
			}
		}
	}
	null := false
	for _, item := range groups[0].items {
		switch f := l.flatten([]*node{item}); {
		case f == nil || len(f.groups()) == 0 && f.kinds() == 0:
			return nil
		case len(f.groups()) == 0 && f.kinds() == kindNull:
			null = true
		case other != nil:
			return nil
		default:
			other = item
		}
	}
	if !null {
		return nil
	}
	return other
}

// single makes the type of the only class. If that must be a new type, it is t, made from s.
func (l *lowering) single(t *typ, s *flat, by map[kinds][]*flat, p place) *typ {
	for class, list := range by {
		switch {
		case class != kindArray && class != kindObject:
			l.buildScalar(t, list, class, p)
		case s == nil:
			return l.typeOfFlat(list[0], p)
		case class == kindObject:
			l.buildObject(t, list[0], p)
		default:
			l.buildArray(t, list[0], p)
		}
	}
	return t
}

// buildArms makes a union.
func (l *lowering) buildArms(t *typ, s *flat, by map[kinds][]*flat, p place) {
	t.kind = unionKind
	l.named(t, s, p)
	u := &union{typ: t, at: s.at, discriminator: s.first("discriminator")}
	l.unions = append(l.unions, u)
	var wishes []wish
	add := func(a *arm, name string, f *flat) {
		a.doc = f.description()
		a.path = t.path + "|" + f.at.pointer + "|" + name
		for slices.ContainsFunc(t.arms, func(b *arm) bool { return a.path == b.path }) {
			a.path += "'"
		}
		t.arms = append(t.arms, a)
		u.flats = append(u.flats, f)
		wishes = append(wishes, wish{ofField + a.path, name, &a.name})
	}
	for _, class := range []kinds{kindBool, kindInt, kindFraction, kindNumber, kindString, kindArray, kindObject} {
		list := by[class]
		switch {
		case len(list) == 0:
		case class == kindArray || class == kindObject:
			requiring := make(map[string]int)
			for _, f := range list {
				for _, name := range f.required() {
					requiring[name]++
				}
			}
			for _, f := range list {
				name := f.armName(class, requiring)
				add(&arm{class: class, typ: l.typeOfFlat(f, p.under(name, t.path+"|"+f.at.pointer+"|type"))}, name, f)
			}
		default:
			name := map[kinds]string{kindBool: "Bool", kindNumber: "Number", kindInt: "Integer", kindFraction: "Number", kindString: "String"}[class]
			a := &arm{class: class, typ: &typ{}}
			switch class {
			case kindInt:
				a.typ.kind = intKind
			case kindFraction:
				a.typ.kind = floatKind
			default:
				l.buildScalar(a.typ, list, class, p.under(name, t.path+"|"+name))
			}
			add(a, name, list[0])
		}
	}
	l.g.names.fulfill(newScope(append([]string{"Other"}, ofValues...)...), wishes)
}

// armName returns the name of an arm that is an array or an object: that of its definition, its title, a constant in it, or a
// member that it alone requires. Requiring says how many arms of the union require a member.
func (f *flat) armName(class kinds, requiring map[string]int) string {
	if def := f.definition(); def != nil {
		return camel(definition(def.pointer), "Option")
	}
	for _, n := range f.about {
		if title := n.str("title"); title != "" && len(title) <= maxShort {
			return camel(title, "Option")
		}
	}
	if class == kindArray {
		return "List"
	}
	if name := f.constantName(); name != "" {
		return name
	}
	for _, name := range f.required() {
		if requiring[name] == 1 {
			return camel(name, "Object")
		}
	}
	return "Object"
}

// constantName is a name made of the constant of a member, empty if there is none.
func (f *flat) constantName() string {
	for _, n := range f.nodes {
		properties := n.get("properties")
		if properties == nil {
			continue
		}
		for _, m := range properties.members {
			list := enumOf(m.value)
			switch {
			case len(list) != 1:
			case list[0].kind == wire.KindString && list[0].text != "":
				return camel(list[0].text, "Option")
			case list[0].isBool("true"):
				return camel(m.name, "Option")
			case list[0].isBool("false"):
				return "Not" + camel(m.name, "Option")
			}
		}
	}
	return ""
}

// required returns the names of the members that objects must have.
func (f *flat) required() (names []string) {
	seen := make(map[string]bool)
	for _, n := range f.nodes {
		if list := n.get("required"); list != nil {
			for _, item := range list.items {
				if !seen[item.text] {
					seen[item.text] = true
					names = append(names, item.text)
				}
			}
		}
	}
	return names
}
