package client

import (
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// named names a type, and registers it. Without a flat, the type is that of its place.
func (l *lowering) named(t *typ, s *flat, p place) {
	if t.path = p.path; p.paths != nil {
		t.name = l.g.names.sharedName(p.paths, p.name)
		t.path = "types/" + t.name
	} else {
		t.name = l.g.names.typeName(p.path, p.name)
	}
	if s != nil {
		t.doc = s.description()
	}
}

// description returns the first description of a flat.
func (s *flat) description() string {
	if d := s.first("description"); d != nil {
		return d.text
	}
	return ""
}

// buildObject makes a struct, or a map if all members are alike.
func (l *lowering) buildObject(t *typ, s *flat, p place) {
	o := l.readObject(s)
	if !p.root && len(o.members) == 0 && !o.closed {
		t.kind = mapKind
		if t.elem = &(typ{}); len(o.rest) > 0 {
			t.elem = l.typeOf(o.rest, p.under("Value", p.path+"/additionalProperties"))
		}
		return
	}
	t.kind = structKind
	l.named(t, s, p)
	t.closed = o.closed && !l.output // the result of a newer server may have more
	if len(o.rest) == 0 {
		t.why = o.why
	}
	if len(o.rest) > 0 {
		t.elem = l.typeOf(o.rest, p.under("Extra", t.path+"/additionalProperties"))
		if t.elem.kind == rawKind && !l.active[t.elem] {
			t.elem = nil
		}
	}
	under := place{name: t.name}
	var wishes []wish
	for _, m := range o.members {
		f := &field{key: m.name, path: t.path + "/properties/" + escapePointer(m.name), required: m.required}
		at := under.under(camel(m.name, "Member"), f.path)
		at.member = true
		if p.root && l.output && m.name == "result" { // what servers call a result without a name
			at.local, at.unsaid = p.local, true
		}
		if len(m.conj) == 0 {
			f.typ = &typ{kind: rawKind}
			if t.elem != nil {
				f.typ = t.elem
			}
		} else {
			conj := l.flatten(m.conj)
			if conj == nil {
				continue
			}
			if conj.never && !m.required {
				continue // it must not be there
			}
			f.at = Untyped{Tool: l.tool, Output: l.output, Pointer: conj.at.pointer}
			f.typ = l.typeOfFlat(conj, at)
			f.doc = l.fieldDoc(conj, f)
		}
		t.fields = append(t.fields, f)
		wishes = append(wishes, wish{ofField + f.path, camel(m.name, "Member"), &f.name})
	}
	taken := newScope(append([]string{"Extra"}, ofValues...)...)
	l.g.names.fulfill(taken, wishes)
}

// A property is what schemas say about one member.
type property struct {
	name     string
	conj     []*node // none if it is only required
	required bool
}

// An object is what schemas say about objects.
type object struct {
	members []*property
	index   map[string]*property // the same
	rest    []*node              // of all other members
	closed  bool                 // there are no other members
	why     string               // sentences on those that have a type, but not here
}

// readObject combines what the schemas of a flat say about members.
func (l *lowering) readObject(s *flat) *object {
	index := make(map[string]*property)
	o := &object{index: index}
	for _, n := range s.nodes {
		if properties := n.get("properties"); properties != nil {
			for _, m := range properties.members {
				p := index[m.name]
				if p == nil {
					p = &property{name: m.name}
					index[m.name] = p
					o.members = append(o.members, p)
				}
				p.conj = append(p.conj, m.value)
			}
		}
	}
	for _, n := range s.nodes { // last: a member that is required need not be declared
		if list := n.get("required"); list != nil {
			for _, item := range list.items {
				p := index[item.text]
				if p == nil {
					p = &property{name: item.text}
					index[item.text] = p
					o.members = append(o.members, p)
				}
				p.required = true
			}
		}
	}
	patterns := 0
	for _, n := range s.nodes {
		if list := n.get("patternProperties"); list != nil {
			patterns += len(list.members)
		}
	}
	for i, n := range s.nodes {
		if i > 0 && !l.spend(n, len(o.members)) { // each may go through all members
			break
		}
		l.readRest(s, o, n, patterns)
	}
	l.noteConditions(s, o)
	return o
}

// readRest reads what one schema says about the members that it does not declare.
func (l *lowering) readRest(s *flat, o *object, n *node, patterns int) {
	rest, own := n.get("additionalProperties"), n.get("properties")
	list := n.get("patternProperties")
	if list != nil && len(list.members) == 0 {
		list = nil
	}
	if rest == nil {
		if rest = n.get("unevaluatedProperties"); rest != nil {
			if conditional(s) || patterns > 0 {
				rest = nil // what is not evaluated depends on the value
			} else {
				own = nil
				if !rest.isBool("false") {
					own = &node{}
				}
			}
		}
	}
	switch {
	case list != nil && len(o.members) == 0 && len(list.members) == 1 && rest.isBool("false"):
		o.rest = append(o.rest, list.members[0].value)
		return
	case list != nil:
		l.note(list, "which members these are depends on their names: they are in Extra")
		const why = " The schema gives some of them types by patterns of their names."
		if !strings.Contains(o.why, why) {
			o.why += why
		}
		if rest.isBool("false") {
			l.limit(o, n)
		}
		return
	case rest == nil || rest.isBool("true"):
		return
	case rest.isBool("false"):
		o.closed = true
		if n.get("unevaluatedProperties") == nil || n.get("additionalProperties") != nil {
			l.limit(o, n)
		}
		return
	}
	o.rest = append(o.rest, rest)
	for _, m := range o.members {
		if own == nil || own.get(m.name) == nil && own.kind == wire.KindObject {
			m.conj = append(m.conj, rest)
		}
	}
}

// limit removes members that only other schemas declare, if a schema is closed.
func (l *lowering) limit(o *object, n *node) {
	own := n.get("properties")
	patterns := n.get("patternProperties")
	if patterns != nil && len(patterns.members) > 0 {
		return
	}
	o.members = slices.DeleteFunc(o.members, func(m *property) bool {
		gone := !m.required && (own == nil || own.get(m.name) == nil)
		if gone {
			delete(o.index, m.name)
		}
		return gone
	})
}

// conditional reports whether members may be declared under a condition.
func conditional(s *flat) bool {
	return slices.ContainsFunc(s.nodes, func(n *node) bool {
		return n.has("if", "dependentSchemas", "dependencies", "anyOf")
	})
}

// noteConditions notes the members that are declared only under a condition.
func (l *lowering) noteConditions(s *flat, o *object) {
	if o.closed {
		return
	}
	const shown = 10
	found := 0
	for _, n := range s.nodes {
		for _, keyword := range []string{"then", "else"} {
			branch := n.get(keyword)
			if branch == nil || branch.get("properties") == nil {
				continue
			}
			for _, m := range branch.get("properties").members {
				if o.index[m.name] == nil {
					l.note(m.value, "the member exists under a condition: it is in Extra")
					if found++; found <= shown {
						o.why += " So is " + short(m.name) + ", which the schema has under a condition."
					}
				}
			}
		}
	}
	if found > shown {
		o.why += fmt.Sprintf(" So are %d others.", found-shown)
	}
}

// note records that a part of a schema has no type, because it is inside a raw value.
func (l *lowering) note(n *node, why string) {
	l.g.untyped = append(l.g.untyped, Untyped{Tool: l.tool, Output: l.output, Pointer: n.pointer, Why: why})
}
