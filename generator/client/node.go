package client

import (
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A node is a JSON value with its place in its schema.
type node struct {
	kind    wire.Kind
	raw     wire.Raw
	text    string // KindString: the string; KindNumber, KindBool: as written
	members []member
	items   []*node
	index   map[string]*node // of members, if there are many
	pointer string           // JSON pointer

	sum    string // digest, if it was asked for
	closed bool   // known with the digest: something in it refuses what it does not declare
}

type member struct {
	name  string
	value *node
}

// parseNode reads a JSON value. Duplicate members are an error.
func parseNode(raw wire.Raw, pointer string) (*node, error) {
	n := &node{kind: raw.Kind(), raw: raw, pointer: pointer}
	switch n.kind {
	case wire.KindObject:
		d := wire.NewDecoder(raw)
		list := wire.Ordered(&d, (*wire.Raw).DecodeWire)
		if err := d.Finish(); err != nil {
			return nil, err
		}
		for _, m := range list {
			value, err := parseNode(m.Value, pointer+"/"+escapePointer(m.Name))
			if err != nil {
				return nil, err
			}
			n.members = append(n.members, member{m.Name, value})
		}
		if len(n.members) > 8 {
			n.index = make(map[string]*node, len(n.members))
			for _, m := range n.members {
				n.index[m.name] = m.value
			}
		}
	case wire.KindArray:
		d := wire.NewDecoder(raw)
		list := wire.Slice(&d, (*wire.Raw).DecodeWire)
		if err := d.Finish(); err != nil {
			return nil, err
		}
		for i, item := range list {
			value, err := parseNode(item, pointer+"/"+strconv.Itoa(i))
			if err != nil {
				return nil, err
			}
			n.items = append(n.items, value)
		}
	case wire.KindString:
		d := wire.NewDecoder(raw)
		n.text = d.String()
		return n, d.Finish()
	default:
		n.text = strings.TrimSpace(string(raw))
		return n, raw.Check()
	}
	return n, nil
}

// get returns the member of that name, nil if there is none.
func (n *node) get(name string) *node {
	if n.index != nil {
		return n.index[name]
	}
	for i := range n.members {
		if n.members[i].name == name {
			return n.members[i].value
		}
	}
	return nil
}

// str returns the string of the member of that name, empty if there is none.
func (n *node) str(name string) string {
	if m := n.get(name); m != nil && m.kind == wire.KindString {
		return m.text
	}
	return ""
}

// has reports whether there is at least one of these members.
func (n *node) has(names ...string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return n.get(name) != nil })
}

func (n *node) isBool(value string) bool {
	return n != nil && n.kind == wire.KindBool && n.text == value
}

func escapePointer(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(name)
}
