package client

import (
	"fmt"
	"slices"

	"github.com/mcpgen/mcpgen/generator/internal/spelling"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// check notes the mistakes in the keywords of one schema, and reports whether there are none.
func (l *lowering) check(n *node) bool {
	if ok, seen := l.checked[n]; seen {
		return ok
	}
	before := len(l.g.errs)
	switch n.kind {
	case wire.KindBool:
	case wire.KindObject:
		for _, m := range n.members {
			l.checkKeyword(m.name, m.value)
		}
	default:
		l.fail(n.pointer, fmt.Sprintf("want a schema, an object or a boolean, got %s", n.kind))
	}
	ok := len(l.g.errs) == before
	l.checked[n] = ok
	return ok
}

// checkKeyword notes a keyword whose value is of a kind that it cannot have. It also records the enums of arguments, by
// which adopt recognizes results with the same values.
func (l *lowering) checkKeyword(name string, n *node) {
	switch name {
	case "type":
		l.checkTypes(n)
	case "properties", "patternProperties", "$defs", "definitions", "dependentSchemas":
		l.want(n, wire.KindObject)
	case "required":
		if l.want(n, wire.KindArray) {
			for _, item := range n.items {
				l.want(item, wire.KindString)
			}
		}
	case "enum":
		if l.want(n, wire.KindArray) && len(n.items) == 0 {
			l.fail(n.pointer, "want at least one value, got none")
		}
		if key := valuesKey(n.items); !l.output && key != "" && len(n.items) > 1 {
			l.g.enums[key] = true
		}
	case "allOf", "oneOf", "anyOf":
		if l.want(n, wire.KindArray) && len(n.items) == 0 {
			l.fail(n.pointer, "want at least one schema, got none")
		}
	case "prefixItems":
		l.want(n, wire.KindArray)
	case "$ref", "$dynamicRef", "$recursiveRef", "format", "pattern", "description", "contentEncoding":
		l.want(n, wire.KindString)
	case "minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties", "minimum", "maximum", "multipleOf":
		l.want(n, wire.KindNumber)
	case "nullable":
		l.want(n, wire.KindBool)
	}
}

// checkTypes notes mistakes in the keyword type, which has a name or an array of names.
func (l *lowering) checkTypes(n *node) {
	list := n.items
	switch n.kind {
	case wire.KindString:
		list = []*node{n}
	case wire.KindArray:
		if len(list) == 0 {
			l.fail(n.pointer, "want at least one type, got none")
		}
	default:
		l.fail(n.pointer, "want the name of a type, or an array of names, got "+n.kind.String())
	}
	for _, item := range list {
		if !l.want(item, wire.KindString) {
			continue
		}
		if _, ok := typeNames[item.text]; !ok {
			l.fail(item.pointer, fmt.Sprintf("want a type of JSON Schema, got %q%s", short(item.text), spelling.DidYouMean(item.text, typeList())))
		}
	}
}

func typeList() []string {
	var list []string
	for name := range typeNames {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}

// want reports whether a keyword has a value of the kind that it must have.
func (l *lowering) want(n *node, k wire.Kind) bool {
	if n.kind != k {
		l.fail(n.pointer, "want "+k.String()+", got "+n.kind.String())
	}
	return n.kind == k
}

// short cuts a text for a message or a comment.
func short(text string) string {
	if r := []rune(text); len(r) > maxShort {
		return string(r[:maxShort]) + "…"
	}
	return text
}

const maxShort = 60
