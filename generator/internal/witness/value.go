package witness

import (
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"reflect"
	"slices"
	"strconv"
	"unicode/utf8"
)

// odd are values of each type.
var odd = []any{nil, true, json.Number("1"), json.Number("1.5"), "q", []any{}, map[string]any{}}

// How large a value may be: what contains itself may have no end.
const (
	deepest  = 14
	maxParts = 1000
)

// A maker makes random values of a schema, at its bounds and those of another more often than not.
type maker struct {
	*rand.Rand
	pools
	place   *place           // where values vary; nil if they do everywhere
	deep    int              // where nothing is added that need not be, if they do
	formats bool             // strings have the formats that schemas name
	leaves  map[string][]any // values without parts
	parts   int              // of the value so far
}

// value returns a value of schemas that all apply, or false if it finds none. If it is on the way to the place where values
// vary, so is one of its parts, until it is that place.
func (m *maker) value(all []*node, depth int, onWay bool) (any, bool) {
	if m.parts++; m.parts > maxParts || depth > deepest {
		return nil, false
	}
	if len(all) == 0 {
		return odd[m.IntN(len(odd))], true
	}
	all, ok := m.whole(all, onWay)
	varies := m.place == nil && depth <= m.deep
	if onWay && m.place.steps(all) == 0 {
		varies, onWay = true, false
	}
	is := types(anyType)
	listed := false
	for _, n := range all {
		is &= n.types
		listed = listed || n.values != nil
	}
	if !ok || is == 0 {
		return nil, false
	}
	if !listed {
		is = m.oneOf(is)
		switch is {
		case array:
			return m.array(all, depth, varies, onWay)
		case object:
			return m.object(all, depth, varies, onWay)
		}
	}
	values := m.leaf(all, is)
	if len(values) == 0 {
		return nil, false
	}
	return values[m.IntN(len(values))], true
}

// whole adds what schemas refer to, and one arm of each union: one that is on the way, if there are such. It reports whether
// there may be values.
func (m *maker) whole(all []*node, onWay bool) (whole []*node, ok bool) {
	var add func(n *node) bool
	add = func(n *node) bool {
		if slices.Contains(whole, n) {
			return true
		}
		if n.never {
			return false
		}
		whole = append(whole, n)
		if n.ref != nil && !add(n.ref) {
			return false
		}
		for _, arms := range n.arms {
			arm := arms[m.IntN(len(arms))]
			if onWay && m.place.steps(arms) < unreachable {
				arm = slices.MinFunc(arms, func(a, b *node) int { return m.place.steps([]*node{a}) - m.place.steps([]*node{b}) })
			}
			if !add(arm) {
				return false
			}
		}
		return !slices.ContainsFunc(n.all, func(n *node) bool { return !add(n) })
	}
	return whole, !slices.ContainsFunc(all, func(n *node) bool { return !add(n) })
}

// oneOf returns one of a set of types.
func (m *maker) oneOf(set types) types {
	var all []types
	for t := types(1); t < anyType; t <<= 1 {
		if set&t != 0 {
			all = append(all, t)
		}
	}
	return all[m.IntN(len(all))]
}

// leaf returns values of some types that have no parts, or are listed.
func (m *maker) leaf(all []*node, is types) []any {
	key := strconv.AppendInt(nil, int64(is), 10)
	for _, n := range all {
		key = strconv.AppendInt(append(key, ' '), int64(n.id), 10)
	}
	key = strconv.AppendBool(append(key, ' '), m.formats)
	values, ok := m.leaves[string(key)]
	if ok {
		return values
	}
	for _, n := range all {
		values = append(values, n.values...)
	}
	if len(values) == 0 {
		values = slices.Concat([]any{nil, true, false}, m.numbers, m.strings)
	}
	values = slices.DeleteFunc(values, func(v any) bool {
		return typeOf(v)&is == 0 || slices.ContainsFunc(all, func(n *node) bool { return !n.takes(v, m.formats) })
	})
	m.leaves[string(key)] = values
	return values
}

// typeOf returns the type of a value.
func typeOf(v any) types {
	switch v := v.(type) {
	case nil:
		return null
	case bool:
		return boolean
	case json.Number:
		if rational(v).IsInt() {
			return integer
		}
		return fraction
	case string:
		return text
	case []any:
		return array
	}
	return object
}

// isName reports whether the name of a member may be valid.
func (n *node) isName(name string, depth int) bool {
	if n.never || n.types&text == 0 || !n.takes(name, false) {
		return false
	}
	if depth == deepest {
		return true
	}
	isNone := func(n *node) bool { return !n.isName(name, depth+1) }
	if n.ref != nil && isNone(n.ref) || slices.ContainsFunc(n.all, isNone) {
		return false
	}
	return !slices.ContainsFunc(n.arms, func(arms []*node) bool {
		return !slices.ContainsFunc(arms, func(n *node) bool { return !isNone(n) })
	})
}

// takes reports whether a value without parts may be valid.
func (n *node) takes(v any, formats bool) bool {
	if n.values != nil && !slices.ContainsFunc(n.values, func(w any) bool { return equal(v, w) }) {
		return false
	}
	switch v := v.(type) {
	case json.Number:
		return n.takesNumber(rational(v))
	case string:
		size := utf8.RuneCountInString(v)
		right := formatted[n.format]
		return n.length.has(size) && (n.pattern == nil || n.pattern.MatchString(v)) && (!formats || right == nil || slices.Contains(right, v))
	}
	return true
}

func (n *node) takesNumber(r *big.Rat) bool {
	switch {
	case n.low != nil && (r.Cmp(n.low) < 0 || n.above && r.Cmp(n.low) == 0):
	case n.high != nil && (r.Cmp(n.high) > 0 || n.below && r.Cmp(n.high) == 0):
	case n.step != nil && !new(big.Rat).Quo(r, n.step).IsInt():
	default:
		return true
	}
	return false
}

func (s sizes) has(n int) bool { return n >= s.low && (s.high < 0 || n <= s.high) }

// equal reports whether two values are equal. Numbers are, if they are written in the same way.
func equal(a, b any) bool { return reflect.DeepEqual(a, b) }

// limits returns the limits that all have.
func limits(all []*node, of func(n *node) sizes) sizes {
	both := sizes{0, -1}
	for _, n := range all {
		s := of(n)
		if both.low = max(both.low, s.low); s.high >= 0 && (both.high < 0 || s.high < both.high) {
			both.high = s.high
		}
	}
	return both
}

// pick returns a size in limits.
func (m *maker) pick(s sizes, varies bool) int {
	if !varies || m.IntN(3) == 0 {
		return s.low
	}
	fit := slices.DeleteFunc(slices.Clone(m.sizes), func(n int) bool { return !s.has(n) })
	if len(fit) == 0 {
		return s.low
	}
	return fit[m.IntN(len(fit))]
}

// array is value for an array. Varies says whether it has more items than it must have.
func (m *maker) array(all []*node, depth int, varies, onWay bool) (any, bool) {
	limit := limits(all, func(n *node) sizes { return n.count })
	list := []any{}
	size, way := m.pick(limit, varies), -1
	if onWay {
		way = m.itemOnWay(all)
		size = max(size, way+1)
	}
	unique := slices.ContainsFunc(all, func(n *node) bool { return n.unique })
	for i := range size {
		of := itemsAt(all, i)
		tries := 4
		if unique {
			tries = 40
		}
		for range tries {
			v, ok := m.value(of, depth+1, i == way)
			if ok && !(unique && slices.ContainsFunc(list, func(w any) bool { return equal(v, w) })) {
				list = append(list, v)
				break
			}
		}
		if len(list) <= i {
			break
		}
	}
	return list, len(list) >= limit.low
}

// itemsAt returns the schemas of an item.
func itemsAt(all []*node, i int) (of []*node) {
	for _, n := range all {
		if i < len(n.prefix) {
			of = append(of, n.prefix[i])
		} else if n.items != nil {
			of = append(of, n.items)
		}
	}
	return of
}

// itemOnWay returns which item of an array leads to the place in the fewest steps; -1 if none does.
func (m *maker) itemOnWay(all []*node) int {
	last := 0 // from here on, all have the same schemas
	for _, n := range all {
		last = max(last, len(n.prefix))
	}
	way, least := -1, unreachable
	for i := range last + 1 {
		if steps := m.place.steps(itemsAt(all, i)); steps < least {
			way, least = i, steps
		}
	}
	return way
}

// memberOnWay returns the name of a member that leads to the place in the fewest steps, or false if none does.
func (m *maker) memberOnWay(all []*node) (way string, ok bool) {
	next, least := m.place.steps(all)-1, unreachable
	for _, i := range m.Perm(len(m.names)) {
		of, ok := memberOf(all, m.names[i])
		if steps := m.place.steps(of); ok && steps < least {
			way, least = m.names[i], steps
		}
		if least <= next {
			break
		}
	}
	return way, least < unreachable
}

// memberOf returns the schemas of a member, or false if there cannot be one.
func memberOf(all []*node, name string) (of []*node, ok bool) {
	for _, n := range all {
		declared := false
		if p := n.properties[name]; p != nil {
			of, declared = append(of, p), true
		}
		for _, p := range n.patterns {
			if p.pattern.MatchString(name) {
				of, declared = append(of, p.node), true
			}
		}
		if !declared && n.rest != nil {
			of = append(of, n.rest)
		}
		if n.names != nil && !n.names.isName(name, 0) {
			return nil, false
		}
	}
	return of, true
}

// object is value for an object. First it gets the member on the way, if there is one, then those that are required, then
// others. Varies says whether there are more of these than must be.
func (m *maker) object(all []*node, depth int, varies, onWay bool) (any, bool) {
	o := map[string]any{}
	way := ""
	if onWay {
		way, onWay = m.memberOnWay(all)
	}
	add := func(name string) bool {
		of, ok := memberOf(all, name)
		if !ok {
			return false
		}
		v, ok := m.value(of, depth+1, onWay && name == way)
		if ok {
			o[name] = v
		}
		return ok
	}
	if onWay && !add(way) {
		return nil, false
	}
	mentioned := map[string]bool{}
	for _, n := range all {
		for _, name := range n.required {
			if _, ok := o[name]; !ok && !add(name) {
				return nil, false
			}
		}
		for name := range n.properties {
			mentioned[name] = true
		}
	}
	limit := limits(all, func(n *node) sizes { return n.size })
	style := m.IntN(3) // few members, many, or others than those declared
	least := limit.low
	if style == 2 {
		least = max(least, m.pick(limit, varies))
	}
	for _, i := range m.Perm(len(m.names)) {
		name := m.names[i]
		wanted := len(o) < least || style == 1 && mentioned[name] || m.IntN(6) == 0
		if _, has := o[name]; has || !wanted || limit.high >= 0 && len(o) >= limit.high || !varies && len(o) >= least {
			continue
		}
		add(name)
	}
	return o, true
}
