package client

import "github.com/mcpgen/mcpgen/runtime/wire"

// A lowering makes types of one schema.
type lowering struct {
	g      *generator
	tool   string
	output bool
	path   string // what the names of its parts begin with
}

func (l *lowering) fail(pointer, msg string) {
	l.g.errs = append(l.g.errs, &Error{Tool: l.tool, Output: l.output, Pointer: pointer, Msg: msg})
}

// raw is the type of what cannot be typed, and notes why.
func (l *lowering) raw(n *node, why string) *typ {
	l.g.untyped = append(l.g.untyped, Untyped{Tool: l.tool, Output: l.output, Pointer: n.pointer, Why: why})
	return &typ{kind: rawKind, why: why}
}

func (l *lowering) root(n *node, name string) *typ {
	if n.kind != wire.KindObject || n.str("type") != "object" {
		return l.raw(n, "it is no object")
	}
	return l.object(n, name)
}

func (l *lowering) object(n *node, name string) *typ {
	t := &typ{kind: structKind, path: l.path + n.pointer, doc: n.str("description")}
	t.name = l.g.names.typeName(t.path, name)
	l.g.types = append(l.g.types, t)
	required := make(map[string]bool)
	if list := n.get("required"); list != nil {
		for _, item := range list.items {
			required[item.text] = true
		}
	}
	var wishes []wish
	if properties := n.get("properties"); properties != nil {
		for _, m := range properties.members {
			f := &field{key: m.name, path: l.path + m.value.pointer, required: required[m.name], doc: wrap(m.value.str("description"))}
			f.typ = l.value(m.value)
			t.fields = append(t.fields, f)
			wishes = append(wishes, wish{f.path, camel(m.name, "Member"), &f.name})
		}
	}
	t.closed = n.get("additionalProperties").isBool("false")
	taken := newScope(ofValues)
	taken["Extra"] = true
	l.g.names.fulfill(taken, wishes)
	return t
}

func (l *lowering) value(n *node) *typ {
	switch n.str("type") {
	case "string":
		return &typ{kind: stringKind}
	case "integer":
		return &typ{kind: intKind}
	case "number":
		return &typ{kind: floatKind}
	case "boolean":
		return &typ{kind: boolKind}
	}
	return l.raw(n, "it is not supported yet")
}
