package toolsearch

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A plan is proved, not tried: what a binding takes from a result has a schema, the place where it goes has another, and every
// value of the first must be one of the second. The prover errs on one side only. In the schema that describes a value it may
// overlook whatever it does not know, which makes the proof harder; in the schema that a value must satisfy it overlooks nothing
// but annotations, and refuses what it cannot prove.

// A document is a JSON Schema as a tool has it.
type document struct {
	text  wire.Raw
	root  any
	parts map[string]*schema.Schema // compiled, by JSON pointers
}

// read returns a schema as a node. It must be valid.
func read(text wire.Raw) (n node, err error) {
	d := &document{text: text, parts: map[string]*schema.Schema{}}
	if bytes.Contains(text, []byte(`"$id"`)) {
		return n, errors.New("$id, which changes what references mean, is not understood")
	}
	if d.parts[""], err = schema.CompileAt(text, ""); err == nil {
		d.root, err = decode(text)
	}
	return node{in: d, v: d.root}, err
}

// decode decodes JSON, and keeps numbers as they are written.
func decode(text []byte) (v any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

// A node is a schema: a part of a document, or one that describes the arguments of a step, which is in none. In the latter,
// nodes are in the places of bindings.
type node struct {
	in *document
	at string // its JSON pointer
	v  any
}

// child returns what is below a keyword.
func (n node) child(path ...string) node {
	for _, step := range path {
		switch v := n.v.(type) {
		case map[string]any:
			n.v = v[step]
		case []any:
			i, _ := strconv.Atoi(step)
			n.v = v[i]
		}
		n.at += "/" + escape.Replace(step)
	}
	if bound, ok := n.v.(node); ok {
		return bound
	}
	return n
}

func (n node) has(name string) bool {
	m, _ := n.v.(map[string]any)
	_, ok := m[name]
	return ok
}

func (n node) keyword(name string) any {
	m, _ := n.v.(map[string]any)
	return m[name]
}

func (n node) list(name string) (all []any) {
	all, _ = n.keyword(name).([]any)
	return all
}

// follow returns the schema to which a reference leads, without what is beside the reference.
func (n node) follow() (node, error) {
	for range 100 {
		ref, ok := n.keyword("$ref").(string)
		if !ok {
			return n, nil
		}
		pointer, ok := strings.CutPrefix(ref, "#")
		n = node{in: n.in, v: n.in.root}
		for _, step := range split(pointer) {
			if ok = ok && pointer[0] == '/' && n.has(step); !ok {
				break
			}
			n = n.child(step)
		}
		if !ok {
			return n, fmt.Errorf("its reference %q is not followed", ref)
		}
	}
	return n, errors.New("its references lead to each other")
}

var escape, unescape = strings.NewReplacer("~", "~0", "/", "~1"), strings.NewReplacer("~1", "/", "~0", "~")

// split returns the steps of a JSON pointer.
func split(pointer string) (steps []string) {
	if pointer != "" {
		for step := range strings.SplitSeq(pointer[1:], "/") {
			steps = append(steps, unescape.Replace(step))
		}
	}
	return steps
}

// member returns the schema of what a JSON pointer leads to in a value. It must be there in every value.
func (n node) member(pointer string) (_ node, err error) {
	for _, step := range split(pointer) {
		if n, err = n.follow(); err != nil {
			return n, err
		}
		switch {
		case !slices.Equal(n.types(), []string{"object"}):
			return n, fmt.Errorf("pointer %s: want an object around %q, got %s", excerpt.Of(pointer), excerpt.Of(step), or(n.types()))
		case !slices.Contains(n.list("required"), any(step)):
			return n, fmt.Errorf("pointer %s: %q may be absent: the output schema does not require it", excerpt.Of(pointer), excerpt.Of(step))
		}
		n = n.property(step)
	}
	return n.follow()
}

// property returns the schema of a member of objects, as far as it is known.
func (n node) property(name string) node {
	if m, _ := n.keyword("properties").(map[string]any); m[name] != nil {
		return n.child("properties", name)
	}
	if n.has("patternProperties") {
		return node{v: true}
	}
	return n.others("additionalProperties")
}

// item returns the schema of an item of arrays.
func (n node) item(i int) node {
	if i < len(n.list("prefixItems")) {
		return n.child("prefixItems", strconv.Itoa(i))
	}
	return n.others("items")
}

// others returns the schema of members or items that have none of their own.
func (n node) others(keyword string) node {
	if n.has(keyword) && n.list(keyword) == nil {
		return n.child(keyword)
	}
	return node{v: true}
}

var allTypes = []string{"null", "boolean", "number", "string", "array", "object"}

// types returns the types that values may have.
func (n node) types() (types []string) {
	if t, ok := n.keyword("type").(string); ok {
		return []string{t}
	}
	for _, t := range n.list("type") {
		types = append(types, fmt.Sprint(t))
	}
	if types == nil {
		return allTypes
	}
	return types
}

// or joins types as a sentence does.
func or(types []string) string { return strings.Join(types, " or ") }

// A prover proves that values of one schema are values of another.
type prover struct{ pairs int } // that have been compared

// The proofs of a plan may compare so many pairs of schemas, and a place may be named by so many bytes. Schemas can be recursive.
const (
	maxProof = 20_000
	maxPlace = 1000
)

// unproved are keywords that are not understood where a value must satisfy them.
var unproved = []string{"allOf", "oneOf", "not", "if", "prefixItems", "dependentSchemas", "dependentRequired", "dependencies", "propertyNames", "minProperties",
	"maxProperties", "patternProperties", "unevaluatedProperties", "unevaluatedItems", "contains", "$dynamicRef", "$recursiveRef"}

// fits returns an error that names the place if a value of a may not be a value of b.
func (p *prover) fits(ctx context.Context, at string, a, b node) error {
	wrong := func(format string, args ...any) error { return fmt.Errorf(at+": "+format, args...) }
	if p.pairs++; p.pairs > maxProof || len(at) > maxPlace {
		return errors.New("it takes too many steps to compare the schemas")
	}
	a, err := a.follow()
	if err == nil && b.has("$ref") {
		var to node
		if to, err = b.follow(); err == nil {
			if err := p.fits(ctx, at, a, to); err != nil {
				return err
			}
		}
	}
	switch {
	case err != nil:
		return wrong("%w", err)
	case b.v == true:
		return nil
	case b.v == false:
		return wrong("there is no such member")
	case a.has("const"):
		return p.check(ctx, at, b, a.keyword("const"))
	case a.list("enum") != nil:
		return p.check(ctx, at, b, a.list("enum")...)
	}
	for _, union := range []string{"anyOf", "oneOf"} { // each arm by itself
		if arms := a.list(union); arms != nil && !a.has("type") {
			for i := range arms {
				if err := p.fits(ctx, at, a.child(union, strconv.Itoa(i)), b); err != nil {
					return err
				}
			}
			return nil
		}
	}
	fit := !b.has("anyOf")
	for i := range b.list("anyOf") {
		fit = fit || p.fits(ctx, at, a, b.child("anyOf", strconv.Itoa(i))) == nil
	}
	if !fit {
		return wrong("none of the alternatives of its schema takes all that is bound here")
	}
	if i := slices.IndexFunc(unproved, b.has); i >= 0 {
		return wrong("it cannot be proved that what is bound here satisfies %q of its schema", unproved[i])
	}
	if b.has("const") || b.has("enum") {
		return wrong("want one of certain values, and what is bound here may be another")
	}
	have, want := a.types(), b.types()
	for _, t := range have {
		if !slices.Contains(want, t) && (t != "integer" || !slices.Contains(want, "number")) {
			return wrong("want %s, got %s", or(want), or(have))
		}
	}
	if name := beyond(a, b, have); name != "" {
		return wrong("want %s %v, which what is bound here may not satisfy", name, b.keyword(name))
	}
	if slices.Contains(have, "array") {
		if err := p.items(ctx, at, a, b); err != nil {
			return err
		}
	}
	if slices.Contains(have, "object") {
		return p.properties(ctx, at, a, b)
	}
	return nil
}

// check validates values that are known.
func (p *prover) check(ctx context.Context, at string, b node, values ...any) error {
	if b.in == nil { // of which nothing is known
		return nil
	}
	s, err := b.in.parts[b.at], error(nil)
	if s == nil {
		s, err = schema.CompileAt(b.in.text, b.at)
		b.in.parts[b.at] = s
	}
	for i := 0; err == nil && i < len(values); i++ {
		var raw []byte
		if raw, err = json.Marshal(values[i]); err == nil {
			err = s.Check(ctx, raw, 0)
		}
	}
	return placed(at, err)
}

// placed puts a place before each problem of a value there.
func placed(at string, err error) error {
	if e := (*schema.ValueError)(nil); errors.As(err, &e) {
		return errors.New(strings.Join(e.Lines(func(steps []string) string { return join(at, steps...) }), "\n"))
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", at, err)
	}
	return err
}

// join returns the place of a part of what is at a place: "steps[2].args.city".
func join(at string, steps ...string) string {
	for _, step := range steps {
		step = excerpt.Cut(step, 100)
		if _, err := strconv.Atoi(step); err == nil {
			at += "[" + step + "]"
		} else {
			at += "." + step
		}
	}
	return strings.TrimPrefix(at, ".")
}

// Keywords about values of one type: a bound from above, or below, or one that both schemas must have alike.
var keywords = map[string]map[string]int{
	"number": {"maximum": 1, "exclusiveMaximum": 1, "minimum": -1, "exclusiveMinimum": -1, "multipleOf": 0},
	"string": {"maxLength": 1, "minLength": -1, "pattern": 0, "format": 0, "contentEncoding": 0, "contentMediaType": 0},
	"array":  {"maxItems": 1, "minItems": -1, "uniqueItems": 0},
}

// beyond returns a keyword of b that values of a may not satisfy, empty if there is none.
func beyond(a, b node, types []string) string {
	for _, t := range types {
		if t == "integer" {
			t = "number"
		}
		for _, name := range slices.Sorted(maps.Keys(keywords[t])) {
			have, want, sign := a.keyword(name), b.keyword(name), keywords[t][name]
			if !b.has(name) || reflect.DeepEqual(have, want) {
				continue
			}
			x, ok := new(big.Rat).SetString(fmt.Sprint(have))
			y, ok2 := new(big.Rat).SetString(fmt.Sprint(want))
			if sign == 0 || !ok || !ok2 || x.Cmp(y)*sign > 0 {
				return name
			}
		}
	}
	return ""
}

// items compares the items of arrays.
func (p *prover) items(ctx context.Context, at string, a, b node) error {
	if b.list("items") != nil {
		return fmt.Errorf("%s: items of a dialect before 2020-12 are not understood", at)
	}
	n := len(a.list("prefixItems"))
	for i := range n {
		if err := p.fits(ctx, join(at, strconv.Itoa(i)), a.item(i), b.item(i)); err != nil {
			return err
		}
	}
	if rest := a.item(n); rest.v != false {
		return p.fits(ctx, at+"[]", rest, b.item(n))
	}
	return nil
}

// properties compares the members of objects.
func (p *prover) properties(ctx context.Context, at string, a, b node) error {
	for _, name := range b.list("required") {
		if !slices.Contains(a.list("required"), name) {
			return fmt.Errorf("%s: %v is required, and may be absent", at, name)
		}
	}
	names := map[string]any{}
	for _, n := range []node{a, b} {
		m, _ := n.keyword("properties").(map[string]any)
		maps.Copy(names, m)
	}
	const others = "\x00" // a name that no schema has
	for _, name := range append(slices.Sorted(maps.Keys(names)), others) {
		if has := a.property(name); has.v != false {
			if err := p.fits(ctx, join(at, strings.ReplaceAll(name, others, "*")), has, b.property(name)); err != nil {
				return err
			}
		}
	}
	return nil
}
