package client

import (
	"cmp"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/goname"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A shape is what equal schemas have in common. Schemas of one shape that have a name in common become one type.
type shape struct {
	text   string // of what the schema consists of: its hash
	only   kinds
	member bool
	output bool // it is one of results, and differs from an equal one of arguments: newer servers may add to it
}

// A group holds the places of one shape.
type group struct {
	name   string // of the type; empty if each place has its own
	def    string // the name of the definition, if it is one
	tool   string // of the first place
	paths  []string
	locals []string // what the places are called, without what they are in
	unsaid []string // what the places are called that have no name of their own: after their tools
	nested bool     // a place is not the result of a tool, or has a title
	input  bool     // all places are in arguments
	docs   []string // the descriptions, without duplicates
}

// shapeOf returns the shape of a schema that becomes a type with a name.
func (l *lowering) shapeOf(s *flat, p place) (of shape, n *node, ok bool) {
	if len(s.nodes) != 1 || len(s.done) > 0 || s.never || s.remote != nil || p.root && !l.output {
		return of, nil, false
	}
	n = s.nodes[0]
	if definition(n.pointer) == "" {
		properties := n.get("properties")
		if (properties == nil || len(properties.members) == 0 || s.kinds()&kindObject == 0) && len(enumOf(n)) < 2 {
			return of, nil, false
		}
		if l.definitions > manyDefinitions {
			return of, nil, false
		}
	}
	c := l.closure(n)
	return shape{c.text, s.only, p.member, l.output && c.closed}, n, true
}

// join adds a place to the group of a shape.
func (g *generator) join(of shape, l *lowering, s *flat, p place) {
	m := g.groups[of]
	if m == nil {
		m = &group{tool: l.tool, input: true}
		g.groups[of] = m
		g.order = append(g.order, m)
	}
	path, local := p.path, p.local
	if d := s.definition(); d != nil {
		m.def = cmp.Or(m.def, definition(d.pointer))
		path, local = l.path+d.pointer, camel(definition(d.pointer), "Type")
	} else if title := s.first("title"); title != nil && title.text != "" && len(title.text) <= maxShort {
		local = camel(title.text, local)
		m.nested = true
	}
	m.paths = append(m.paths, path)
	if p.unsaid && local == p.local {
		m.unsaid = append(m.unsaid, local)
	} else {
		m.locals = append(m.locals, local)
	}
	m.nested = m.nested || !p.root
	m.input = m.input && !l.output
	if doc := s.description(); !slices.Contains(m.docs, doc) {
		m.docs = append(m.docs, doc)
	}
}

// chooseNames names the groups whose places have a name in common.
func (g *generator) chooseNames() {
	list := slices.Clone(g.order)
	slices.SortStableFunc(list, func(a, b *group) int { return cmp.Compare(a.rank(), b.rank()) })
	taken := newScope(ownTypes...)
	for _, m := range list {
		want := ""
		switch {
		case m.def != "":
			if want = camel(m.def, "Type"); taken.taken[want] {
				want = camel(m.tool, "Tool") + want
			}
		case len(m.paths) > 1:
			want = camel(goname.Common(slices.Concat(m.locals, m.unsaid)), "")
			if want == "" && len(m.locals) > 1 {
				want = camel(goname.Common(m.locals), "")
			}
			if want == "" {
				continue
			}
			if !m.nested {
				want += "Result"
			} else if m.input && taken.taken[want] {
				want += "Input"
			}
		default:
			continue
		}
		taken.taken[want] = true
		m.name = want
	}
}

// rank returns the order in which groups choose their names.
func (m *group) rank() int {
	switch {
	case m.def != "":
		return 0
	case !m.input:
		return 1
	}
	return 2
}

// again returns a generator of the same contract that knows the names of groups.
func (g *generator) again() *generator {
	g.chooseNames()
	next := newGenerator(g.contract, g.options)
	next.mistaken, next.chosen, next.known = g.mistaken, g.groups, g.enums
	return next
}

// valuesKey returns a text that is the same for equal lists of strings alone, empty if a value is no string.
func valuesKey(list []*node) string {
	var b strings.Builder
	for _, v := range list {
		if v.kind != wire.KindString {
			return ""
		}
		b.WriteString(keyText(v.text) + `"`)
	}
	return b.String()
}

// adopt makes an enum of the strings of a result whose examples are the values of an enum of arguments: so do servers
// describe a result that may have values which are not known yet. Types of results take these.
func (g *generator) adopt(n *node) {
	if examples := n.get("examples"); examples != nil && n.str("type") == "string" && !n.has("enum", "const", "pattern", "format", "contentEncoding") && g.known[valuesKey(examples.items)] {
		for i := range n.members {
			if n.members[i].name == "examples" {
				n.members[i].name = "enum"
			}
		}
	}
	for _, m := range n.members {
		g.adopt(m.value)
	}
	for _, item := range n.items {
		g.adopt(item)
	}
}
