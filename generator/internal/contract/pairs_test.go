package contract

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/mcpgen/mcpgen/generator/internal/witness"
	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var (
	pairsFlag = flag.Int("pairs", 0, "how many pairs of schemas TestPairs compares (default 200, fewer with -short, or 5000 if MCPGEN_FULL is set)")
	firstFlag = flag.Int("first", 0, "the number of the first pair of TestPairs, to see one again")
	seedFlag  = flag.Uint64("seed", 22, "of TestPairs")
)

// TestPairs compares random schemas with edited ones. What is said to break nobody must not be contradicted by a value,
// and there must be a value that shows each break: a validator that is not ours decides which values are valid. Where a
// pair has what the oracle knows by its text alone, a break need not show.
func TestPairs(t *testing.T) {
	n := *pairsFlag
	if n == 0 {
		switch n = 200; {
		case testenv.Full():
			n = 5_000
		case testing.Short():
			n = 100
		}
	}
	var counts [4]atomic.Int64
	var next atomic.Int64
	var workers sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for i := next.Add(1); i <= int64(n) && counts[wrong].Load() < 20; i = next.Add(1) {
				comparePair(t, *firstFlag+int(i)-1, &counts)
				if i%20_000 == 0 {
					t.Logf("%d pairs, %d verdicts wrong", i, counts[wrong].Load())
				}
			}
		})
	}
	workers.Wait()
	t.Logf("seed %d: %d pairs, %d verdicts: %d compatible, %d breaking, %d cautious, %d wrong", *seedFlag, n, 2*n,
		counts[compatible].Load(), counts[breaking].Load(), counts[cautious].Load(), counts[wrong].Load())
	if n := int64(n); n >= 100 && (min(counts[compatible].Load(), counts[breaking].Load()) < n/4 || counts[cautious].Load() > n/10) {
		t.Error("one verdict is rare, or another one is not")
	}
}

// comparePair counts what became of the verdicts about a pair.
func comparePair(t *testing.T, number int, counts *[4]atomic.Int64) {
	t.Helper()
	p := newPair(rand.New(rand.NewPCG(*seedFlag, uint64(number))))
	old, new := compile(t, p.old), compile(t, p.new)
	for _, returned := range []bool{false, true} {
		small, large := old, new
		if returned {
			small, large = new, old
		}
		o, value := p.judge(t, small, large, returned)
		if counts[o].Add(1); o == wrong {
			t.Errorf("pair %d of seed %d, returned=%v: the value that shows a break is %s\nold %s\nnew %s\n%v", number, *seedFlag, returned, cmp.Or(value, "none"), p.old, p.new, p.lines(returned))
		}
	}
}

// An outcome says what became of a verdict.
type outcome int

const (
	compatible outcome = iota // and no value contradicts it
	breaking                  // as a value shows
	cautious                  // breaking, where the oracle need not know better
	wrong
)

// judge looks for a value that shows a break, and returns it.
func (p *pair) judge(t *testing.T, small, large *witness.Schema, returned bool) (outcome, string) {
	t.Helper()
	broken, values := p.broken(t, returned), 40
	switch {
	case broken && p.foreign:
		values = 400
	case broken:
		values = 40_000
	case p.foreign:
		values = 100
	}
	switch value := witness.Find(p.Rand, small, large, values); {
	case !broken && value == "":
		return compatible, ""
	case broken && value != "":
		return breaking, value
	case broken && p.foreign:
		return cautious, ""
	default:
		return wrong, value
	}
}

func compile(t *testing.T, schema string) *witness.Schema {
	t.Helper()
	s, err := witness.Compile(schema)
	if err != nil {
		t.Fatalf("%s: %v", schema, err)
	}
	return s
}

// A pair is a schema before and after some edits.
type pair struct {
	*rand.Rand
	old, new string
	foreign  bool // it has what is never generated, or known by its text alone
}

// A node is a schema while it is made.
type node = map[string]any

func newPair(r *rand.Rand) *pair {
	p := &pair{Rand: r, foreign: r.IntN(8) == 0}
	g := &schemaMaker{Rand: r, budget: 3 + r.IntN(9), foreign: p.foreign}
	root := g.object(0)
	root["$defs"] = node{"D0": g.object(1), "D1": g.array(1)} // which are no references alone
	if p.foreign {
		root["$defs"].(node)["D0"].(node)["$anchor"] = "anchor"
	}
	g.tidy(root)
	p.old = jsonText(root)
	g.budget = 4
	for range 1 + r.IntN(3) {
		g.edit(root)
	}
	g.tidy(root)
	p.new = jsonText(root)
	return p
}

// tidy leaves uniqueItems where items have no parts, and one pattern or format of schemas that all apply, unless schemas
// are foreign: the oracle counts the values of scalars alone, and does not know that a text cannot match two of these.
func (g *schemaMaker) tidy(v any) {
	switch v := v.(type) {
	case node:
		items, _ := v["items"].(node)
		plain := slices.Contains([]any{"string", "integer", "number", "boolean"}, items["type"]) || items["type"] == nil && items["enum"] != nil
		if v["uniqueItems"] != nil && (!plain || v["prefixItems"] != nil) && !g.foreign {
			delete(v, "uniqueItems")
		}
		if all, _ := v["allOf"].([]any); !g.foreign {
			matched := false
			for _, part := range all {
				for _, k := range []string{"pattern", "format"} {
					if part := part.(node); part[k] != nil && matched {
						delete(part, k)
					} else if part[k] != nil {
						matched = true
					}
				}
			}
		}
		for _, part := range v {
			g.tidy(part)
		}
	case []any:
		for _, part := range v {
			g.tidy(part)
		}
	}
}

func jsonText(v any) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err)
	}
	return strings.TrimSpace(b.String())
}

// broken returns what is said about the pair: by check and diff, which compare contracts, and by client -check, too. That
// compares arguments as if objects that do not say whether they are open were closed.
func (p *pair) broken(t *testing.T, returned bool) bool {
	t.Helper()
	breaks := func(all []Change) bool { return slices.ContainsFunc(all, func(c Change) bool { return c.Breaking }) }
	is := breaks(p.lines(returned))
	definitions := func(text string) *Definitions {
		tool := mcp.Tool{Name: "t", InputSchema: wire.Raw(text)}
		if returned {
			tool.InputSchema, tool.OutputSchema = wire.Raw(`{"type":"object"}`), wire.Raw(text)
		}
		return &Definitions{Tools: []mcp.Tool{tool}}
	}
	client, err := CompareClient(definitions(p.old), definitions(p.new))
	if err != nil {
		t.Fatal(err)
	}
	check := is
	if !returned {
		closed := &pair{old: closedArguments(t, p.old), new: closedArguments(t, p.new)}
		check = breaks(closed.lines(false))
	}
	if breaks(client) != check {
		t.Errorf("check says %v, and client -check %v\nold %s\nnew %s", check, !check, p.old, p.new)
	}
	return is
}

// closedArguments returns a schema of arguments as client -check reads it.
func closedArguments(t *testing.T, schema string) string {
	t.Helper()
	s, err := decode("schema", []byte(schema))
	if err != nil {
		t.Fatal(err)
	}
	declaredAlone(s, true)
	return text(s)
}

// lines returns the changes between tools that have the schemas.
func (p *pair) lines(returned bool) []Change {
	of := func(text string) *Contract {
		c, tool := New(), &Tool{Result: NoResult}
		if tool.SetInput(`{"type":"object"}`); returned {
			tool.SetOutput(text)
		} else {
			tool.SetInput(text)
		}
		c.Tools["t"] = tool
		return c
	}
	return Compare(of(p.old), of(p.new))
}

// A schemaMaker makes schemas as they are generated from Go types, and as other servers have them.
type schemaMaker struct {
	*rand.Rand
	budget  int
	foreign bool
}

var memberNames = []string{"a", "b", "c", "d", "e", "title", "properties"}

// Patterns and formats of which none contains another, and each allows strings of any length, or of one.
var (
	somePatterns = []string{"^[a-z]*$", "^[A-Z]*$", "^[b-y_]*$"}
	someFormats  = []string{"date-time", "uri"}
)

func chosen[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

func (g *schemaMaker) schema(depth int) node {
	s := g.plain(depth)
	if g.foreign && g.IntN(3) == 0 {
		g.strange(s, depth+1)
	}
	return s
}

// strange adds what is never generated, or what the oracle knows by its text alone.
func (g *schemaMaker) strange(s node, depth int) {
	switch g.IntN(10) {
	case 0, 1:
		s["not"] = g.schema(depth)
	case 2:
		s["if"], s["then"] = g.schema(depth), g.schema(depth)
	case 3:
		s["if"], s["else"] = g.schema(depth), g.schema(depth)
	case 4:
		s["contains"] = g.schema(depth)
		if k := chosen(g.Rand, "minContains", "maxContains", ""); k != "" {
			s[k] = g.IntN(3)
		}
	case 5:
		s["allOf"] = []any{g.schema(depth), g.schema(depth)}
	case 6:
		s["dependentRequired"] = node{chosen(g.Rand, memberNames...): g.some("a", "b", "c")}
	case 7:
		s["dependentSchemas"] = node{chosen(g.Rand, memberNames...): g.schema(depth)}
	case 8:
		s[chosen(g.Rand, "unevaluatedProperties", "unevaluatedItems")] = chosen[any](g.Rand, false, g.schema(depth))
	case 9:
		s["patternProperties"] = node{chosen(g.Rand, somePatterns...): g.schema(depth)}
	}
}

func (g *schemaMaker) plain(depth int) node {
	if depth > 3 || g.budget <= 0 {
		return chosen(g.Rand, g.text, g.number, g.boolean)()
	}
	switch g.IntN(15) {
	case 0, 1, 2:
		return g.text()
	case 3, 4:
		return g.number()
	case 5:
		return g.boolean()
	case 6:
		return node{}
	case 7:
		return g.enum()
	case 8, 9:
		return g.array(depth)
	case 10:
		return g.dictionary(depth)
	case 11:
		return g.union(depth)
	case 12:
		return g.several()
	case 13:
		if g.foreign && g.IntN(2) == 0 {
			return node{"$ref": "#anchor"}
		}
		return node{"$ref": chosen(g.Rand, "#/$defs/D0", "#/$defs/D1", "#/$defs/D0")}
	}
	return g.object(depth)
}

func (g *schemaMaker) boolean() node { return node{"type": "boolean"} }

func (g *schemaMaker) text() node {
	s := node{"type": "string"}
	switch g.IntN(8) {
	case 0:
		s["pattern"] = chosen(g.Rand, somePatterns...)
		if g.foreign {
			s["pattern"] = chosen(g.Rand, "^[a-f]*$", "^[a-z]*$", "b", "")
		}
	case 1:
		s["format"] = chosen(g.Rand, someFormats...)
		return s
	case 2:
		return g.enum()
	}
	if g.IntN(3) == 0 {
		s["minLength"] = g.IntN(3)
	}
	if g.IntN(3) == 0 {
		s["maxLength"] = 2 + g.IntN(4)
	}
	return s
}

func (g *schemaMaker) number() node {
	s := node{"type": chosen(g.Rand, "integer", "number")}
	if g.IntN(3) == 0 {
		s[chosen(g.Rand, "minimum", "exclusiveMinimum")] = chosen[any](g.Rand, -5, 0, 1, 2, 2.5, 3)
	}
	if g.IntN(3) == 0 {
		s[chosen(g.Rand, "maximum", "exclusiveMaximum")] = chosen[any](g.Rand, 4, 5, 7, 7.5, 10, 127)
	}
	if g.IntN(5) == 0 {
		s["multipleOf"] = chosen[any](g.Rand, 2, 3, 0.5, 1)
	}
	return s
}

func (g *schemaMaker) enum() node {
	switch g.IntN(3) {
	case 0:
		return node{"type": "integer", "enum": g.some(1, 2, 3, 4)}
	case 1:
		return node{"enum": g.some("x", 1, nil, true, 2.5)}
	}
	return node{"type": "string", "enum": g.some("x", "y", "zed", "aa")}
}

// some returns some of a list, at least one.
func (g *schemaMaker) some(list ...any) []any {
	all := slices.DeleteFunc(slices.Clone(list), func(any) bool { return g.IntN(2) == 0 })
	if len(all) == 0 {
		return list[:1]
	}
	return all
}

func (g *schemaMaker) array(depth int) node {
	s := node{"type": "array", "items": g.schema(depth + 1)}
	if g.IntN(3) == 0 {
		s["minItems"] = g.IntN(3)
	}
	if g.IntN(3) == 0 {
		s["maxItems"] = 2 + g.IntN(3)
	}
	if g.IntN(6) == 0 {
		s["uniqueItems"] = true
	}
	if g.IntN(6) == 0 {
		s["prefixItems"] = []any{g.schema(depth + 1), g.schema(depth + 1)}
	}
	return s
}

func (g *schemaMaker) dictionary(depth int) node {
	s := node{"type": "object", "additionalProperties": g.schema(depth + 1)}
	switch g.IntN(6) {
	case 0:
		s["propertyNames"] = node{"pattern": chosen(g.Rand, somePatterns...)}
	case 1:
		s["propertyNames"] = node{"enum": g.some("a", "b", "x")}
	case 2:
		s["minProperties"] = 1
	case 3:
		s["maxProperties"] = 2 + g.IntN(2)
	}
	return s
}

func (g *schemaMaker) object(depth int) node {
	properties, required := node{}, []any{}
	for range g.IntN(4) {
		name := chosen(g.Rand, memberNames...)
		properties[name] = g.schema(depth + 1)
		if ref := properties[name].(node)["$ref"]; ref == nil && g.IntN(2) == 0 && !slices.Contains(required, any(name)) {
			required = append(required, name)
		}
	}
	s := node{"type": "object", "properties": properties, "required": required}
	g.rest(s, depth)
	return s
}

// rest says which members an object may have that it does not declare.
func (g *schemaMaker) rest(s node, depth int) {
	switch g.IntN(7) {
	case 0, 1, 2:
		s["additionalProperties"] = false
	case 3:
		s["additionalProperties"] = g.schema(depth + 1)
	case 4:
		s["additionalProperties"] = node{}
	default:
		delete(s, "additionalProperties")
	}
}

// union is a union that a discriminator tells apart.
func (g *schemaMaker) union(depth int) node {
	arms := []any{}
	for i := range 1 + g.IntN(3) {
		arms = append(arms, g.arm(depth, string(rune('k'+i))))
	}
	return node{"type": "object", "oneOf": arms}
}

func (g *schemaMaker) arm(depth int, label string) node {
	arm := g.object(depth + 1)
	arm["properties"].(node)["kind"] = node{"type": "string", "const": label}
	arm["required"] = append([]any{"kind"}, arm["required"].([]any)...)
	return arm
}

// several takes values of several types.
func (g *schemaMaker) several() node {
	all := g.some("string", "integer", "null", "boolean")
	switch {
	case g.IntN(2) == 0:
		return node{"type": all}
	case g.IntN(3) == 0:
		return node{"allOf": []any{g.text(), node{"type": "string", "minLength": 1}}}
	}
	var arms []any
	for _, name := range all {
		switch name {
		case "string":
			arms = append(arms, g.text())
		case "integer":
			arms = append(arms, g.number())
		default:
			arms = append(arms, node{"type": name})
		}
	}
	return node{"anyOf": arms}
}

// edit changes one place of a schema.
func (g *schemaMaker) edit(root node) {
	var all []node
	var collect func(v any)
	collect = func(v any) {
		s, ok := v.(node)
		if !ok || s["const"] != nil {
			return
		}
		all = append(all, s)
		for _, k := range []string{"properties", "$defs", "patternProperties", "dependentSchemas"} {
			m, _ := s[k].(node)
			for _, name := range slices.Sorted(maps.Keys(m)) {
				collect(m[name])
			}
		}
		for _, k := range []string{"items", "additionalProperties", "propertyNames", "not", "if", "then", "else", "contains"} {
			collect(s[k])
		}
		for _, k := range []string{"oneOf", "anyOf", "allOf", "prefixItems"} {
			list, _ := s[k].([]any)
			for _, arm := range list {
				collect(arm)
			}
		}
	}
	collect(root)
	s := all[g.IntN(len(all))]
	defs := root["$defs"].(node)
	isRoot := s["$defs"] != nil || slices.ContainsFunc([]string{"D0", "D1"}, func(name string) bool { return jsonText(defs[name]) == jsonText(s) })
	if g.foreign && g.IntN(4) == 0 {
		g.strange(s, 2)
		return
	}
	if g.IntN(8) == 0 && !isRoot && !isArm(s) { // another type
		fresh := g.schema(2)
		clear(s)
		maps.Copy(s, fresh)
		return
	}
	switch {
	case s["properties"] != nil:
		g.editObject(s)
	case s["oneOf"] != nil:
		arms := s["oneOf"].([]any)
		if g.IntN(2) == 0 && len(arms) > 1 {
			s["oneOf"] = arms[1:]
		} else if len(arms) < 4 {
			s["oneOf"] = append(slices.Clone(arms), g.arm(2, "z"))
		}
	case s["anyOf"] != nil:
		arms := s["anyOf"].([]any)
		if len(arms) > 1 {
			s["anyOf"] = arms[:len(arms)-1]
		}
	case s["enum"] != nil:
		list := s["enum"].([]any)
		if g.IntN(2) == 0 && len(list) > 1 {
			s["enum"] = list[1:]
		} else if s["type"] == "string" {
			s["enum"] = append(slices.Clone(list), "fresh")
		} else if g.IntN(2) == 0 {
			delete(s, "enum")
		}
	case s["type"] == "string":
		other := g.text()
		clear(s)
		maps.Copy(s, other)
	case s["type"] == "integer", s["type"] == "number":
		g.editNumber(s)
	case s["type"] == "array":
		g.editArray(s)
	case s["additionalProperties"] != nil:
		g.editSizes(s, "minProperties", "maxProperties")
	default:
		fresh := g.schema(3)
		if isRoot || isArm(s) {
			return
		}
		clear(s)
		maps.Copy(s, fresh)
	}
}

// isArm reports whether a schema has a discriminator.
func isArm(s node) bool {
	properties, _ := s["properties"].(node)
	kind, _ := properties["kind"].(node)
	return kind["const"] != nil
}

func (g *schemaMaker) editNumber(s node) {
	fresh := g.number()
	switch k := chosen(g.Rand, "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf", "type"); {
	case fresh[k] != nil:
		s[k] = fresh[k]
	default:
		delete(s, k)
	}
}

func (g *schemaMaker) editArray(s node) {
	switch g.IntN(6) {
	case 0:
		if s["uniqueItems"] == nil {
			s["uniqueItems"] = true
		} else {
			delete(s, "uniqueItems")
		}
	case 1:
		switch list, _ := s["prefixItems"].([]any); {
		case len(list) == 0 || g.IntN(2) == 0:
			s["prefixItems"] = append(slices.Clone(list), g.schema(3))
		case len(list) > 1:
			s["prefixItems"] = list[1:]
		default:
			delete(s, "prefixItems")
		}
	default:
		g.editSizes(s, "minItems", "maxItems")
	}
}

func (g *schemaMaker) editSizes(s node, lower, upper string) {
	switch g.IntN(4) {
	case 0:
		s[lower] = g.IntN(3)
	case 1:
		s[upper] = 1 + g.IntN(4)
	case 2:
		delete(s, lower)
	case 3:
		delete(s, upper)
	}
}

func (g *schemaMaker) editObject(s node) {
	properties := s["properties"].(node)
	required, _ := s["required"].([]any)
	names := slices.DeleteFunc(slices.Sorted(maps.Keys(properties)), func(name string) bool { return name == "kind" })
	name := chosen(g.Rand, memberNames...)
	if len(names) > 0 && g.IntN(3) > 0 {
		name = chosen(g.Rand, names...)
	}
	if name == "kind" {
		return
	}
	drop := func() {
		s["required"] = slices.DeleteFunc(slices.Clone(required), func(v any) bool { return v == name })
	}
	switch g.IntN(5) {
	case 0:
		if properties[name] == nil {
			properties[name] = g.schema(2)
			return
		}
		fallthrough
	case 1:
		delete(properties, name)
		drop()
	case 2:
		if slices.Contains(required, any(name)) {
			drop()
		} else {
			s["required"] = append(slices.Clone(required), name)
		}
	case 3:
		g.rest(s, 2)
	case 4:
		if properties[name] != nil {
			to := chosen(g.Rand, memberNames...)
			properties[to] = properties[name]
			if to != name {
				delete(properties, name)
				drop()
			}
		}
	}
}
