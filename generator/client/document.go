package client

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A document is one schema with what its references can name.
type document struct {
	root     *node
	siblings bool // whether keywords beside a $ref count, which they do since 2019-09
	pointers map[string]*node
	anchors  map[string]*node // "#name"
	ids      map[string]*node // absolute, as far as the root is
	base     *url.URL
	closures map[*node]closure

	refers      bool   // there are references
	definitions int    // how many there are
	whole       string // the hash of the document
}

// parseDocument reads a schema.
func parseDocument(raw wire.Raw) (*document, error) {
	root, err := parseNode(raw, "")
	if err != nil {
		return nil, err
	}
	d := &document{root: root, siblings: true, pointers: make(map[string]*node), anchors: make(map[string]*node), ids: make(map[string]*node), closures: make(map[*node]closure)}
	dialect := root.str("$schema")
	for _, old := range []string{"draft-03", "draft-04", "draft-05", "draft-06", "draft-07"} {
		d.siblings = d.siblings && !strings.Contains(dialect, old)
	}
	if d.base, err = url.Parse(root.str("$id")); err != nil {
		d.base = new(url.URL)
	}
	d.index(root)
	return d, nil
}

// index records by which references n, and what is in it, can be named: by pointer, anchor and identifier. The values
// of some keywords are no schemas, whatever they look like.
func (d *document) index(n *node) {
	d.pointers[n.pointer] = n
	if definition(n.pointer) != "" {
		d.definitions++
	}
	d.refers = d.refers || n.has("$ref", "$dynamicRef", "$recursiveRef")
	for _, keyword := range []string{"$anchor", "$dynamicAnchor"} {
		if name := n.str(keyword); name != "" {
			d.anchors["#"+name] = n
		}
	}
	for _, keyword := range []string{"$id", "id"} {
		id := n.str(keyword)
		if u, err := url.Parse(id); err != nil || id == "" {
			continue
		} else if strings.HasPrefix(id, "#") {
			d.anchors[id] = n
		} else {
			d.ids[d.base.ResolveReference(u).String()] = n
		}
	}
	for _, m := range n.members {
		if m.name != "enum" && m.name != "const" && m.name != "default" && m.name != "examples" {
			d.index(m.value)
		}
	}
	for _, item := range n.items {
		d.index(item)
	}
}

// errRemote is the error of a reference that leads out of the document.
var errRemote = errors.New("it refers to another document")

// resolve returns the schema that a reference names. The error is errRemote, or describes a mistake.
func (d *document) resolve(ref string) (*node, error) {
	if rest, ok := strings.CutPrefix(ref, "#"); ok {
		if rest == "" {
			return d.root, nil
		}
		if !strings.HasPrefix(rest, "/") {
			if n := d.anchors[ref]; n != nil {
				return n, nil
			}
			return nil, fmt.Errorf("$ref: there is no anchor %q in the schema", ref)
		}
		pointer, err := url.PathUnescape(rest)
		if err != nil {
			return nil, fmt.Errorf("$ref: want a JSON pointer, got %q", ref)
		}
		if n := d.pointers[pointer]; n != nil {
			return n, nil
		}
		return nil, fmt.Errorf("$ref: there is no %q in the schema", ref)
	}
	u, err := url.Parse(ref)
	if err != nil {
		return nil, fmt.Errorf("$ref: want a URI reference, got %q", ref)
	}
	u = d.base.ResolveReference(u)
	if n := d.ids[u.String()]; n != nil {
		return n, nil
	}
	if d.base.String() != "" && strings.HasPrefix(u.String(), d.base.String()+"#") {
		return d.resolve("#" + u.EscapedFragment())
	}
	return nil, errRemote
}

// definition returns the name of the definition at a place in the document, empty if there is none.
func definition(pointer string) string {
	for _, prefix := range []string{"/$defs/", "/definitions/", "/components/schemas/"} {
		if name, ok := strings.CutPrefix(pointer, prefix); ok && name != "" && !strings.Contains(name, "/") {
			return name
		}
	}
	return ""
}

// closure returns what a definition consists of. Definitions of several documents with the same hash become one type.
func (d *document) closure(n *node) closure {
	if c, ok := d.closures[n]; ok {
		return c
	}
	if d.definitions > manyDefinitions {
		if d.whole == "" {
			d.whole = hash(string(d.root.raw))
		}
		return closure{n.pointer + " " + d.whole, []*node{n}, true}
	}
	without := annotations
	if list := n.get("enum"); list != nil && valuesKey(list.items) != "" && n.str("type") == "string" {
		without = append(without[:len(without):len(without)], "type") // which the values say
	}
	var b strings.Builder
	fmt.Fprint(&b, d.siblings, n.digest(without))
	closed := n.closed
	seen := map[*node]bool{n: true}
	nodes := []*node{n}
	var visit func(n *node)
	visit = func(n *node) {
		for _, keyword := range []string{"$ref", "$dynamicRef", "$recursiveRef"} {
			if ref := n.str(keyword); ref != "" {
				if to, err := d.resolve(ref); err == nil && !seen[to] {
					seen[to] = true
					nodes = append(nodes, to)
					fmt.Fprintf(&b, "\n%s %s", to.pointer, to.digest(nil))
					closed = closed || to.closed
					visit(to)
				}
			}
		}
		for _, m := range n.members {
			visit(m.value)
		}
		for _, item := range n.items {
			visit(item)
		}
	}
	if d.refers {
		visit(n)
	}
	c := closure{hash(b.String()), nodes, closed}
	d.closures[n] = c
	return c
}

// annotations are the keywords that say nothing about the type that is made from a schema, or hold what others refer to.
var annotations = []string{"$schema", "$id", "id", "$comment", "title", "description", "default", "examples", "example", "deprecated", "readOnly", "writeOnly",
	"$defs", "definitions", "components"}

// digest returns a hash of a value, without some of its members, that is the same for equal values. It also sets n.closed,
// in the same walk.
func (n *node) digest(without []string) string {
	if n.sum != "" && without == nil {
		return n.sum
	}
	var parts []string
	for _, m := range n.members {
		if !slices.Contains(without, m.name) {
			parts = append(parts, keyText(m.name)+":"+m.value.digest(nil))
			n.closed = n.closed || m.value.closed || m.name == "prefixItems" || m.name == "items" && m.value.kind == wire.KindArray ||
				m.value.isBool("false") && (strings.HasPrefix(m.name, "additional") || strings.HasPrefix(m.name, "unevaluated"))
		}
	}
	slices.Sort(parts)
	for _, item := range n.items {
		parts = append(parts, item.digest(nil))
		n.closed = n.closed || item.closed
	}
	text := n.text
	if n.kind == wire.KindString {
		text = keyText(n.text)
	}
	sum := hash(fmt.Sprint(n.kind, " ", text, " ", strings.Join(parts, " ")))
	if without == nil {
		n.sum = sum
	}
	return sum
}

func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return string(sum[:])
}

// manyDefinitions is how many definitions are too many to compute closures.
const manyDefinitions = 200

// A closure is a definition with everything that it refers to.
type closure struct {
	text   string // the same for equal definitions
	nodes  []*node
	closed bool // somewhere in it, members or elements that are not declared are refused
}

// A kinds is a set of kinds of JSON values.
type kinds uint8

const (
	kindNull kinds = 1 << iota
	kindBool
	kindInt
	kindFraction // numbers that are no integers
	kindString
	kindArray
	kindObject

	kindNumber = kindInt | kindFraction
	kindAny    = kindNull | kindBool | kindNumber | kindString | kindArray | kindObject
)

// typeNames are the kinds by the names that the keyword type has for them.
var typeNames = map[string]kinds{
	"null": kindNull, "boolean": kindBool, "integer": kindInt, "number": kindNumber, "string": kindString,
	"array": kindArray, "object": kindObject,
}

// classes are the kinds that the first character of a value tells apart.
var classes = []kinds{kindBool, kindNumber, kindString, kindArray, kindObject}

// kindsOf returns the kind of a value.
func kindsOf(n *node) kinds {
	switch n.kind {
	case wire.KindNull:
		return kindNull
	case wire.KindBool:
		return kindBool
	case wire.KindString:
		return kindString
	case wire.KindArray:
		return kindArray
	case wire.KindObject:
		return kindObject
	}
	if _, ok := integer(n.text); ok {
		return kindInt
	}
	return kindFraction
}

// structural lists the keywords that say what a value is made of, other than references and unions.
var structural = []string{"type", "enum", "const", "properties", "additionalProperties", "unevaluatedProperties", "patternProperties",
	"items", "prefixItems", "additionalItems", "unevaluatedItems", "contentEncoding", "nullable"}

var objectKeywords = []string{"properties", "additionalProperties", "patternProperties", "unevaluatedProperties", "required", "propertyNames", "minProperties", "maxProperties"}

var arrayKeywords = []string{"items", "prefixItems", "additionalItems", "unevaluatedItems", "contains", "minItems", "maxItems", "uniqueItems"}
