package client

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/generator/internal/goname"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A lowering makes types from one schema.
type lowering struct {
	*document
	g       *generator
	tool    string
	output  bool
	path    string // what the names of its parts begin with
	memo    map[string]*typ
	active  map[*typ]bool // whose members are being found out
	checked map[*node]bool
	steps   int
	unions  []*union // to be decided when all members are known
}

// maxSteps bounds the work for one schema, whose references can multiply its size.
const maxSteps = 50_000

// step counts a step of the work. After too many it fails, once.
func (l *lowering) step(n *node) bool { return l.spend(n, 1) }

// spend counts several steps.
func (l *lowering) spend(n *node, steps int) bool {
	before := l.steps
	if l.steps += steps; before < maxSteps && l.steps >= maxSteps {
		l.fail(n.pointer, "the schema says too much: its references and unions multiply")
	}
	return l.steps < maxSteps
}

// A place is where a type is used.
type place struct {
	name   string   // of a type that is made for it
	path   string   // by which that name is kept, and what the paths of its parts begin with
	paths  []string // by which the name is kept instead, if it is that of several places
	local  string   // what it is called in what contains it
	unsaid bool     // only the tool says that: the place is the member result of a result, or in it
	member bool     // of an object, or of a tuple: a constant needs no field
	root   bool     // the arguments or the result of a tool
}

// under is the place of a part.
func (p place) under(name, path string) place {
	local := name
	if name == "Item" || name == "Value" {
		words := goname.Words(strings.TrimSuffix(p.local, "Result"))
		if n := len(words); n > 0 {
			words[n-1] = goname.Singular(words[n-1])
		}
		local = camel(strings.Join(words, "_"), name)
	}
	return place{name: p.name + name, path: path, local: local, unsaid: p.unsaid && (name == "Item" || name == "Value")}
}

func (l *lowering) fail(pointer, msg string) {
	l.g.errs = append(l.g.errs, &Error{Tool: l.tool, Output: l.output, Pointer: pointer, Msg: msg})
}

// raw makes t a raw value, and notes why.
func (l *lowering) raw(t *typ, n *node, why string) {
	l.g.untyped = append(l.g.untyped, Untyped{Tool: l.tool, Output: l.output, Pointer: n.pointer, Why: why})
	*t = typ{kind: rawKind, why: why}
}

// root makes the type of the arguments or the result of a tool.
func (l *lowering) root(name string) *typ {
	p := place{name: name, path: l.path, local: name, root: true}
	s := l.flatten([]*node{l.document.root})
	if s == nil {
		return &typ{}
	}
	if !l.output {
		if s.kinds()&kindObject == 0 && !s.never {
			l.fail("/type", "want a schema of objects, which arguments are")
			return &typ{}
		}
		s = s.restrict(kindObject)
	}
	t := l.typeOfFlat(s, p)
	l.decide()
	return t
}

// typeOf makes a type from schemas. A value must be valid against all of them.
func (l *lowering) typeOf(conj []*node, p place) *typ {
	s := l.flatten(conj)
	if s == nil {
		return &typ{} // there was an error
	}
	return l.typeOfFlat(s, p)
}

// typeOfFlat makes a type, or returns the one of an equal flat in this document, or of an equal schema anywhere if
// their group has a name. A type is in memo before its parts are made, so that a part which leads back finds it and
// makes it recursive.
func (l *lowering) typeOfFlat(s *flat, p place) *typ {
	p.member = p.member && s.isConstant()
	key := s.key(p.member)
	if t := l.memo[key]; t != nil {
		if l.active[t] {
			t.recursive = true
		}
		return t
	}
	if !l.step(s.at) {
		return &typ{}
	}
	leaves, ok := l.leaves(s)
	if !ok {
		return &typ{}
	}
	if len(leaves) == 1 && leaves[0] != s && leaves[0].kinds()&kindNull == 0 {
		t := l.typeOfFlat(leaves[0], p) // the only arm
		l.memo[key] = t
		return t
	}
	t := &typ{}
	var of *group
	if id, n, ok := l.shapeOf(s, p); ok {
		l.g.join(id, l, s, p)
		if of = l.g.chosen[id]; l.g.chosen == nil || of != nil && of.name != "" { // the first reading does not know names yet
			if shared := l.g.shared[id]; shared != nil {
				l.memo[key] = shared
				l.alias(n)
				return shared
			}
			l.g.shared[id] = t
			by := sharing{id.text, id.output}
			l.g.sharings[by] = append(l.g.sharings[by], t)
		}
		if of != nil && of.name != "" {
			p.name, p.path, p.paths = of.name, "types/"+of.name, of.paths // what it is called inside does not depend on which tool comes first
		}
	}
	l.memo[key] = t
	l.active[t] = true
	l.build(t, s, leaves, p)
	delete(l.active, t)
	if of != nil && of.name != "" && of.def == "" && len(of.docs) > 1 {
		t.doc = "" // each place has its own
	}
	if t.recursive {
		l.nameRecursive(t, p)
	}
	return t
}

// A sharing is what shapes have in common whose types are named alike: see [lowering.alias].
type sharing struct {
	text   string
	output bool
}

// alias records, under the paths of this document, the names that the definitions to which a schema refers already have.
func (l *lowering) alias(n *node) {
	for _, n := range l.closure(n).nodes {
		if definition(n.pointer) == "" {
			continue
		}
		c := l.closure(n)
		for _, t := range l.g.sharings[sharing{c.text, l.output && c.closed}] {
			if path := l.path + n.pointer; t.ownName() != "" && l.g.names.given[path] == "" {
				l.g.names.given[path] = t.ownName()
			}
		}
	}
}

// nameRecursive names a list or a map that contains itself: Go has no unnamed recursive types.
func (l *lowering) nameRecursive(t *typ, p place) {
	if t.kind == nullKind {
		t = t.elem
	}
	if (t.kind == listKind || t.kind == mapKind) && t.name == "" {
		l.named(t, nil, p)
	}
}

// A flat is the schemas that a value must be valid against, with references and allOf resolved.
type flat struct {
	at     *node   // where it is used
	nodes  []*node // without references
	about  []*node // those with descriptions, from the place of use on
	only   kinds   // those that are looked at, 0 for all
	done   []*node // lists of arms (oneOf, anyOf) from which one has been chosen
	remote *node   // a reference to another document
	never  bool
}

// flatten resolves references and allOf. It returns nil after an error.
func (l *lowering) flatten(conj []*node) *flat {
	s := &flat{at: conj[0]}
	if !l.addAll(s, conj, nil) {
		return nil
	}
	return s
}

func (l *lowering) addAll(s *flat, conj []*node, chain []*node) bool {
	for _, n := range conj {
		if !l.add(s, n, chain) {
			return false
		}
	}
	return true
}

// add adds the schema n to s. It returns false after an error. chain has the schemas whose references led to n.
func (l *lowering) add(s *flat, n *node, chain []*node) bool {
	if !l.check(n) {
		return false
	}
	if n.kind == wire.KindBool {
		s.never = s.never || n.text == "false"
		return true
	}
	if slices.Contains(chain, n) {
		l.fail(n.pointer, "the schema refers to itself, and never says what it is")
		return false
	}
	chain = append(chain[:len(chain):len(chain)], n)
	if !l.step(n) {
		return false
	}
	s.about = append(s.about, n)
	ref := n.get("$ref")
	if n.has("$dynamicRef", "$recursiveRef") && ref == nil {
		if ref = n.get("$dynamicRef"); ref == nil {
			ref = n.get("$recursiveRef")
		}
	}
	if ref != nil {
		to, err := l.resolve(ref.text)
		switch {
		case errors.Is(err, errRemote):
			s.remote = ref
			return true
		case err != nil:
			l.fail(ref.pointer, err.Error())
			return false
		}
		if !l.add(s, to, chain) {
			return false
		}
	}
	if ref != nil && !l.siblings {
		return true
	}
	if all := n.get("allOf"); all != nil && !l.addAll(s, all.items, chain) {
		return false
	}
	if saysMore(n) && !slices.Contains(s.nodes, n) {
		s.nodes = append(s.nodes, n)
	}
	return true
}

// saysMore reports whether a schema says more about values than its references do.
func saysMore(n *node) bool {
	for _, m := range n.members {
		switch m.name {
		case "$ref", "allOf", "$dynamicRef", "$recursiveRef", "$defs", "definitions", "components", "description", "title", "default", "examples",
			"example", "deprecated", "readOnly", "writeOnly", "$comment", "$id", "id", "$schema", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "discriminator":
		case "nullable", "uniqueItems", "additionalProperties", "unevaluatedProperties":
			if m.value.kind == wire.KindBool && m.value.text == map[bool]string{true: "true", false: "false"}[strings.HasSuffix(m.name, "Properties")] {
				continue // it says nothing
			}
			return true
		default:
			return true
		}
	}
	return false
}

// key returns a text that is the same for equal flats alone.
func (s *flat) key(member bool) string {
	var b strings.Builder
	pointers := make([]string, len(s.nodes))
	for i, n := range s.nodes {
		pointers[i] = n.pointer
	}
	slices.Sort(pointers)
	fmt.Fprintf(&b, "%q %d %t %t", pointers, s.only, member, s.never)
	for _, n := range s.done {
		fmt.Fprintf(&b, " %q", n.pointer)
	}
	if len(s.nodes) == 0 || s.remote != nil {
		fmt.Fprintf(&b, " at %q", s.at.pointer)
	}
	return b.String()
}

// definition returns the definition that the flat consists of, nil if there is none.
func (s *flat) definition() *node {
	if len(s.nodes) == 1 && len(s.done) == 0 && !s.never && s.remote == nil && definition(s.nodes[0].pointer) != "" {
		return s.nodes[0]
	}
	return nil
}

// isConstant reports whether there may be only one value.
func (s *flat) isConstant() bool {
	return s.kinds() == kindNull || slices.ContainsFunc(s.nodes, func(n *node) bool { return len(enumOf(n)) == 1 })
}

// first returns the first value of a keyword.
func (s *flat) first(keyword string) *node {
	for _, n := range s.about {
		if v := n.get(keyword); v != nil {
			return v
		}
	}
	return nil
}

// kinds returns the kinds that values may have.
func (s *flat) kinds() kinds {
	k, null := kindAny, false
	for _, n := range s.nodes {
		if t := n.get("type"); t != nil {
			own := typesOf(t)
			if n.get("nullable").isBool("true") {
				own |= kindNull
			}
			k &= own
		} else if n.get("nullable").isBool("true") {
			null = true
		}
		if list := enumOf(n); list != nil {
			var own kinds
			for _, v := range list {
				own |= kindsOf(v)
			}
			if own&kindFraction != 0 {
				own |= kindInt
			}
			if n.get("nullable").isBool("true") {
				own |= kindNull
			}
			k &= own
		}
	}
	if null {
		k |= kindNull
	}
	if s.only != 0 {
		k &= s.only
	}
	return k
}

// infer returns the kind that values are meant to have if no schema states it.
func (s *flat) infer() kinds {
	var k kinds
	for _, n := range s.nodes {
		if n.has(objectKeywords...) {
			k |= kindObject
		}
		if n.has(arrayKeywords...) {
			k |= kindArray
		}
	}
	return k
}

func typesOf(t *node) (k kinds) {
	if t.kind == wire.KindString {
		return typeNames[t.text]
	}
	for _, item := range t.items {
		k |= typeNames[item.text]
	}
	return k
}

// enumOf returns the values that a schema enumerates, nil if it does not.
func enumOf(n *node) []*node {
	if c := n.get("const"); c != nil {
		return []*node{c}
	}
	if list := n.get("enum"); list != nil {
		return list.items
	}
	return nil
}

// restrict returns the flat of the values that are of the given kinds.
func (s *flat) restrict(k kinds) *flat {
	r := *s
	if r.only = k; s.kinds() == r.kinds() {
		r.only = s.only
	}
	return &r
}
