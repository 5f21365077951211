package witness

import (
	"bytes"
	"encoding/json"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A node is a schema inside a schema.
type node struct {
	id         int
	never      bool
	types      types
	values     []any // of an enum or const; nil if there is neither
	pattern    *regexp.Regexp
	format     string
	low, high  *big.Rat
	above      bool // without the bound itself
	below      bool
	step       *big.Rat
	length     sizes
	count      sizes // of items
	size       sizes // of an object
	unique     bool
	ref        *node
	all        []*node
	arms       [][]*node // of anyOf, oneOf, and what is like them
	prefix     []*node
	items      *node
	properties map[string]*node
	patterns   []patternNode
	names      *node
	rest       *node
	required   []string
}

// A patternNode is the schema of members whose names match a pattern.
type patternNode struct {
	pattern *regexp.Regexp
	*node
}

// types is a set of types.
type types int

const (
	null types = 1 << iota
	boolean
	integer
	fraction
	text
	array
	object
	anyType = 1<<iota - 1
)

var typesByName = map[string]types{
	"null": null, "boolean": boolean, "integer": integer, "number": integer | fraction, "string": text, "array": array, "object": object,
}

// sizes are limits; -1 if there is none.
type sizes struct{ low, high int }

// hints are what the values of a schema are made of.
type hints struct {
	bounds, steps []*big.Rat
	strings       []string
	patterns      []string
	sizes         []int
	names         []string
	named         bool // the names of members have schemas or patterns
}

// A reader reads one document.
type reader struct {
	doc   any
	nodes map[string]*node // by JSON pointer
	list  []*node          // by their ids
	hints
}

// parse reads a schema that has been compiled, so that it has the form of one. It returns all schemas in it, itself first.
func parse(schema string) ([]*node, *hints, error) {
	d := json.NewDecoder(bytes.NewReader([]byte(schema)))
	d.UseNumber()
	x := &reader{nodes: map[string]*node{}}
	if err := d.Decode(&x.doc); err != nil {
		return nil, nil, err
	}
	x.node("#", x.doc)
	return x.list, &x.hints, nil
}

// node returns the schema at a JSON pointer; nil if there is none.
func (x *reader) node(at string, v any) *node {
	if v == nil || x.nodes[at] != nil { // no schema is null
		return x.nodes[at]
	}
	n := anyNode(len(x.nodes))
	x.nodes[at], x.list = n, append(x.list, n)
	s, ok := v.(map[string]any)
	if !ok {
		n.never = v == false
		return n
	}
	sub := func(keyword string) *node { return x.node(at+"/"+keyword, s[keyword]) }
	list := func(keyword string) (all []*node) {
		for i, v := range plain[[]any](s[keyword]) {
			all = append(all, x.node(at+"/"+keyword+"/"+strconv.Itoa(i), v))
		}
		return all
	}
	x.scalars(n, s)
	if ref, ok := s["$ref"].(string); ok {
		n.ref = x.node(ref, find(x.doc, ref))
	}
	n.all, n.prefix = list("allOf"), list("prefixItems")
	for _, keyword := range []string{"anyOf", "oneOf"} {
		if arms := list(keyword); arms != nil {
			n.arms = append(n.arms, arms)
		}
	}
	cases := []*node{anyNode(-1)} // none of them
	for _, keyword := range []string{"if", "then", "else"} {
		if c := sub(keyword); c != nil {
			cases = append(cases, c)
		}
	}
	if len(cases) > 1 {
		n.arms = append(n.arms, cases)
	}
	n.items, n.rest, n.names = sub("items"), sub("additionalProperties"), sub("propertyNames")
	x.named = x.named || n.names != nil
	n.properties = map[string]*node{}
	properties := plain[map[string]any](s["properties"])
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		n.properties[name] = x.node(at+"/properties/"+escaped(name), properties[name])
		x.names = append(x.names, name)
	}
	patterns := plain[map[string]any](s["patternProperties"])
	for _, pattern := range slices.Sorted(maps.Keys(patterns)) {
		if re, err := regexp.Compile(pattern); err == nil {
			x.patterns, x.named = append(x.patterns, pattern), true
			n.patterns = append(n.patterns, patternNode{re, x.node(at+"/patternProperties/"+escaped(pattern), patterns[pattern])})
		}
	}
	for _, name := range plain[[]any](s["required"]) {
		n.required = append(n.required, name.(string))
		x.names = append(x.names, name.(string))
	}
	for _, keyword := range []string{"not", "contains"} {
		sub(keyword) // for its hints
	}
	return n
}

// anyNode is a schema of any value.
func anyNode(id int) *node {
	return &node{id: id, types: anyType, length: sizes{-1, -1}, count: sizes{-1, -1}, size: sizes{-1, -1}}
}

// scalars reads what a schema says about values without parts, and the sizes of those with parts.
func (x *reader) scalars(n *node, s map[string]any) {
	switch t := s["type"].(type) {
	case string:
		n.types = typesByName[t]
	case []any:
		n.types = 0
		for _, name := range t {
			n.types |= typesByName[name.(string)]
		}
	}
	n.values = plain[[]any](s["enum"])
	if v, ok := s["const"]; ok {
		n.values = []any{v}
	}
	for _, v := range n.values {
		switch v := v.(type) {
		case string:
			x.strings = append(x.strings, v)
		case json.Number:
			x.bounds = append(x.bounds, rational(v))
		}
	}
	if p, ok := s["pattern"].(string); ok {
		n.pattern, _ = regexp.Compile(p)
		x.patterns = append(x.patterns, p)
	}
	n.format, _ = s["format"].(string)
	if n.format == "" {
		n.format, _ = s["contentEncoding"].(string)
	}
	n.unique = s["uniqueItems"] == true
	bound := func(keyword string) *big.Rat {
		r := rational(s[keyword])
		if r != nil {
			x.bounds = append(x.bounds, r)
		}
		return r
	}
	n.low, n.high = bound("minimum"), bound("maximum")
	if r := bound("exclusiveMinimum"); r != nil && (n.low == nil || r.Cmp(n.low) >= 0) {
		n.low, n.above = r, true
	}
	if r := bound("exclusiveMaximum"); r != nil && (n.high == nil || r.Cmp(n.high) <= 0) {
		n.high, n.below = r, true
	}
	if n.step = rational(s["multipleOf"]); n.step != nil {
		x.steps = append(x.steps, n.step)
	}
	limit := func(keyword string) int {
		r := rational(s[keyword])
		if r == nil {
			return -1
		}
		i := int(r.Num().Int64())
		x.sizes = append(x.sizes, i-1, i, i+1)
		return i
	}
	n.length = sizes{limit("minLength"), limit("maxLength")}
	n.count = sizes{limit("minItems"), limit("maxItems")}
	n.size = sizes{limit("minProperties"), limit("maxProperties")}
}

func plain[T any](v any) T { t, _ := v.(T); return t }

func rational(v any) *big.Rat {
	n, ok := v.(json.Number)
	if !ok {
		return nil
	}
	r, _ := new(big.Rat).SetString(string(n))
	return r
}

// find returns what a reference in a document leads to; nil if that is nothing.
func find(doc any, ref string) any {
	pointer, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	if pointer != "" && pointer[0] != '/' {
		return anchored(doc, pointer)
	}
	at := doc
	for _, step := range strings.Split(pointer, "/")[1:] {
		switch in := at.(type) {
		case map[string]any:
			at = in[unescaped.Replace(step)]
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i >= len(in) {
				return nil
			}
			at = in[i]
		default:
			return nil
		}
	}
	return at
}

// anchored returns the part of a document with an anchor; nil if there is none.
func anchored(doc any, anchor string) any {
	in, _ := doc.(map[string]any)
	if in["$anchor"] == anchor {
		return in
	}
	for _, name := range slices.Sorted(maps.Keys(in)) {
		if v := anchored(in[name], anchor); v != nil {
			return v
		}
	}
	return nil
}

var (
	escaped   = strings.NewReplacer("~", "~0", "/", "~1").Replace
	unescaped = strings.NewReplacer("~1", "/", "~0", "~")
)
