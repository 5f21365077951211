package client

import (
	"strconv"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// buildArray makes a slice, or a struct if the elements differ.
func (l *lowering) buildArray(t *typ, s *flat, p place) {
	var items, first, rest []*node
	least, most := 0, -1
	var tuple *node
	for _, n := range s.nodes {
		if v, ok := count(n.get("minItems")); ok {
			least = max(least, v)
		}
		if v, ok := count(n.get("maxItems")); ok && (most < 0 || v < most) {
			most = v
		}
		own := n.get("prefixItems")
		after := n.get("items")
		if after != nil && after.kind == wire.KindArray {
			own, after = after, n.get("additionalItems")
		}
		if after == nil && own != nil {
			after = n.get("unevaluatedItems")
		}
		switch {
		case own != nil && tuple != nil:
			l.raw(t, own, "there are several tuples")
			return
		case own != nil && len(own.items) > 0:
			tuple, first = own, own.items
			if after != nil {
				rest = append(rest, after)
			}
		case after != nil && after.kind != wire.KindArray:
			items = append(items, after)
		}
	}
	if tuple == nil {
		t.kind = listKind
		t.elem = &typ{kind: rawKind}
		if len(items) > 0 {
			t.elem = l.typeOf(items, p.under("Item", p.path+"/items"))
		}
		return
	}
	t.kind = tupleKind
	l.named(t, s, p)
	for i, n := range first {
		f := &field{key: strconv.Itoa(i), path: t.path + "/prefixItems/" + strconv.Itoa(i), required: i < least}
		f.name = "Item" + strconv.Itoa(i)
		at := place{name: t.name + f.name, path: f.path, member: true}
		conj := append([]*node{n}, items...)
		if flat := l.flatten(conj); flat != nil {
			f.at = Untyped{Tool: l.tool, Output: l.output, Pointer: n.pointer}
			f.typ = l.typeOfFlat(flat, at)
			f.doc = l.fieldDoc(flat, f)
			t.fields = append(t.fields, f)
		}
	}
	if most >= 0 && most <= len(first) {
		t.closed = true
	}
	for _, n := range rest {
		t.closed = t.closed || n.isBool("false")
	}
	closed := t.closed
	t.closed = closed && !l.output // the result of a newer server may have more
	if rest = append(rest, items...); !t.closed {
		t.elem = &typ{kind: rawKind}
		if len(rest) > 0 && !closed {
			t.elem = l.typeOf(rest, place{name: t.name + "Rest", path: t.path + "/items"})
		}
	}
}

// count returns a number of elements.
func count(n *node) (int, bool) {
	if n == nil {
		return 0, false
	}
	text, ok := integer(n.text)
	if !ok {
		return 0, false
	}
	v, err := strconv.Atoi(text)
	return v, err == nil && v >= 0
}
