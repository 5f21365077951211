package toolsearch

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/roomtest"
	"github.com/mcpgen/mcpgen/runtime/internal/schema"
	"github.com/mcpgen/mcpgen/runtime/internal/servertest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/server/validate"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// object is a JSON object.
type object = map[string]any

// A source makes schemas, values and plans at random. Schemas come again, as those of tools of one server do.
type source struct {
	*rand.Rand
	pool *[]object
}

func (r source) one(of ...any) any    { return of[r.IntN(len(of))] }
func (r source) often(n float64) bool { return r.Float64() < n }

// schema returns a schema, of a value that may be as deep as given.
func (r source) schema(depth int) object {
	if len(*r.pool) > 5 && r.often(0.6) {
		return (*r.pool)[r.IntN(len(*r.pool))]
	}
	s := r.fresh(depth)
	if !strings.Contains(fmt.Sprint(s), "$ref") {
		*r.pool = append(*r.pool, s)
	}
	return s
}

func (r source) fresh(depth int) object {
	n := 9
	if depth == 0 {
		n = 6
	}
	switch r.IntN(n) {
	case 0:
		return object{"type": "boolean"}
	case 1:
		s := object{"type": r.one("integer", "number")}
		if r.often(0.4) {
			s[r.one("minimum", "exclusiveMinimum").(string)] = r.IntN(3)
		}
		if r.often(0.4) {
			s[r.one("maximum", "exclusiveMaximum").(string)] = 5 + r.IntN(3)
		}
		return s
	case 2:
		s := object{"type": "string"}
		if r.often(0.3) {
			s["maxLength"] = 2 + r.IntN(3)
		}
		if r.often(0.3) {
			s["minLength"] = r.IntN(3)
		}
		if r.often(0.1) {
			s["pattern"] = r.one("^a*$", "^[ab]*$")
		}
		return s
	case 3:
		return object{"enum": []any{"a", r.one("b", 1, nil), r.one("aa", 2.5)}}
	case 4:
		return object{"anyOf": []any{r.schema(0), object{"type": "null"}}}
	case 5:
		return object{"$ref": "#/$defs/" + r.one("d0", "d1").(string)}
	case 6:
		s := object{"type": "array", "items": r.schema(depth - 1)}
		if r.often(0.3) {
			s["minItems"] = r.IntN(2)
		}
		if r.often(0.3) {
			s["maxItems"] = 2 + r.IntN(2)
		}
		return s
	case 7:
		return object{"type": []any{"string", "null"}}
	}
	return r.object(depth, 1+r.IntN(3))
}

// object returns the schema of an object with some members.
func (r source) object(depth, members int) object {
	properties, required := object{}, []any{}
	for i := range members {
		name := r.one(string(rune('p'+i)), "x/y", "z~").(string)
		if properties[name] == nil && r.often(0.8) {
			required = append(required, name)
		}
		properties[name] = r.schema(depth - 1)
	}
	s := object{"type": "object", "properties": properties, "required": required}
	if r.often(0.6) {
		s["additionalProperties"] = r.one(false, false, r.schema(0))
	}
	return s
}

// root returns the schema of arguments, or of a result.
func (r source) root() object {
	s := r.object(3, 1+r.IntN(4))
	s["$defs"] = object{"d0": r.schema(0), "d1": object{"type": r.one("integer", "string")}}
	for s["$defs"].(object)["d0"].(object)["$ref"] == "#/$defs/d0" || strings.Contains(fmt.Sprint(s["$defs"].(object)["d0"]), "d0") {
		s["$defs"].(object)["d0"] = r.schema(0)
	}
	return s
}

// value returns a value of a schema, mostly: what it makes is validated where that matters.
func (r source) value(root, s object) any {
	if ref, ok := s["$ref"].(string); ok {
		return r.value(root, root["$defs"].(object)[strings.TrimPrefix(ref, "#/$defs/")].(object))
	}
	if all, ok := s["enum"].([]any); ok {
		return r.one(all...)
	}
	if arms, ok := s["anyOf"].([]any); ok {
		return r.value(root, r.one(arms...).(object))
	}
	switch s["type"] {
	case "boolean":
		return r.often(0.5)
	case "integer", "number", "string":
		// which is valid in most cases
		some := []any{0, 1, 2, 3, 4, 5, 6}
		if s["type"] == "string" {
			some = []any{"", "a", "ab", "aa", "aaa", "aba"}
		}
		v := r.one(some...)
		for range 20 {
			if r.often(0.01) || fits(s, v) {
				break
			}
			v = r.one(some...)
		}
		return v
	case "array":
		list := []any{}
		for range r.IntN(4) {
			list = append(list, r.value(root, s["items"].(object)))
		}
		return list
	case "object":
		v := object{}
		properties := s["properties"].(object)
		for _, name := range slices.Sorted(maps.Keys(properties)) {
			if r.often(0.3) || slices.Contains(s["required"].([]any), any(name)) {
				v[name] = r.value(root, properties[name].(object))
			}
		}
		if s["additionalProperties"] == nil && r.often(0.3) {
			v["more"] = r.one("a", 1, true)
		}
		return v
	}
	return r.one("a", nil)
}

// fits reports whether a number or a string is valid.
func fits(s object, v any) bool {
	size := func(keyword string, otherwise int) int {
		if n, ok := s[keyword].(int); ok {
			return n
		}
		return otherwise
	}
	if n, ok := v.(int); ok {
		return n >= size("minimum", 0) && n > size("exclusiveMinimum", -1) && n <= size("maximum", 9) && n < size("exclusiveMaximum", 10)
	}
	text := v.(string)
	pattern, _ := s["pattern"].(string)
	return len(text) >= size("minLength", 0) && len(text) <= size("maxLength", 9) && regexp.MustCompile(pattern).MatchString(text)
}

// valid returns a value that is valid, nil if none is found.
func (r source) valid(t *testing.T, root object) wire.Raw {
	s, err := schema.Compile(encode(root), 0)
	servertest.Check(t, err)
	for range 200 {
		if v := encode(r.value(root, root)); s.Check(t.Context(), v, 0) == nil {
			return v
		}
	}
	return nil
}

func encode(v any) wire.Raw {
	raw, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return raw
}

// A place is where a value is in a result, with what its schema says.
type at struct {
	pointer string
	sure    bool // it is in every result
	schema  object
	of      object // the root
}

// places returns what can be bound of a result.
func places(root, s object, pointer string, sure bool) []at {
	all := []at{{pointer, sure, s, root}}
	properties, _ := s["properties"].(object)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		sure := sure && slices.Contains(s["required"].([]any), any(name))
		all = append(all, places(root, properties[name].(object), pointer+"/"+strings.NewReplacer("~", "~0", "/", "~1").Replace(name), sure)...)
	}
	return all
}

// A tool has what a plan needs of it.
type tool struct {
	name    string
	in, out object
}

// plan returns a plan, and whether it binds anything.
func (r source) plan(tools []tool) (p object, binds bool) {
	var steps []any
	known := map[string][]at{} // by step
	for i := range 2 + r.IntN(4) {
		t := tools[r.IntN(len(tools))]
		id := fmt.Sprint("s", i)
		step := object{"id": id, "tool": t.name}
		from := map[string][]at{}
		for k, v := range known {
			from[k] = v
		}
		out := places(t.out, t.out, "", true)
		if lists := r.bindings(from, object{"type": "array"}); len(lists) > 0 && r.often(0.4) {
			b := lists[r.IntN(len(lists))]
			step["forEach"], binds = object{"$from": b.step, "pointer": b.at.pointer}, true
			from["item"] = places(b.at.of, b.at.schema["items"].(object), "", true)
			if r.often(0.3) {
				step["limit"] = 1 + r.IntN(2)
			}
			if w := from["item"][r.IntN(len(from["item"]))]; r.often(0.3) {
				step["where"] = object{"pointer": w.pointer, "equals": r.value(w.of, w.schema)}
			}
			out = []at{{"", true, object{"type": "array", "items": t.out}, t.out}}
		}
		args := r.args(t.in, t.in, from, &binds)
		step["args"] = args
		known[id] = out
		steps = append(steps, step)
	}
	return object{"steps": steps}, binds
}

// A bindable is a place of a step.
type bindable struct {
	step string
	at   at
}

// bindings returns the places that have a schema, if there are any, or else those whose schema has its type.
func (r source) bindings(from map[string][]at, schema object) (all []bindable) {
	var alike []bindable
	unsure := r.often(0.05)
	for _, step := range slices.Sorted(maps.Keys(from)) {
		for _, a := range from[step] {
			switch {
			case !a.sure && !unsure:
			case fmt.Sprint(a.schema) == fmt.Sprint(schema):
				all = append(all, bindable{step, a})
			case a.schema["type"] == "object" && r.often(0.95): // seldom what another is
			case a.schema["type"] != nil && fmt.Sprint(a.schema["type"]) == fmt.Sprint(schema["type"]):
				alike = append(alike, bindable{step, a})
			}
		}
	}
	if len(all) == 0 || r.often(0.1) {
		return append(all, alike...)
	}
	return all
}

// args returns arguments of a schema, in which some values are bound, most of them to values of the same type.
func (r source) args(root, s object, from map[string][]at, binds *bool) any {
	if len(from) > 0 && r.often(0.75) {
		candidates := r.bindings(from, s)
		if r.often(0.03) {
			candidates = append(candidates, r.bindings(from, object{"type": r.one("string", "integer", "array", "boolean")})...)
		}
		if len(candidates) > 0 {
			*binds = true
			b := candidates[r.IntN(len(candidates))]
			pointer := b.at.pointer
			if r.often(0.02) {
				pointer += "/none"
			}
			return object{"$from": b.step, "pointer": pointer}
		}
	}
	switch s["type"] {
	case "object":
		v := object{}
		for _, name := range slices.Sorted(maps.Keys(s["properties"].(object))) {
			if r.often(0.3) || slices.Contains(s["required"].([]any), any(name)) {
				v[name] = r.args(root, s["properties"].(object)[name].(object), from, binds)
			}
		}
		return v
	case "array":
		list := []any{}
		for range r.IntN(3) {
			list = append(list, r.args(root, s["items"].(object), from, binds))
		}
		return list
	}
	return r.value(root, s)
}

// Of random plans with random tools, each is either refused, with a place, or all its calls have valid arguments. The judge is
// the validation of the server itself, by a library.
func TestRandomPlans(t *testing.T) {
	plans := 300
	if testenv.Full() {
		plans = 10_000
	}
	count := map[string]int{}
	for round := 0; count["plans"] < plans; round++ {
		r := source{rand.New(rand.NewPCG(20260728, uint64(round))), new([]object)}
		s := roomtest.NewServer(Enable(&server.Options{WrapTools: []server.ToolWrapper{validate.Tools}}, &Options{Calls: -1, Bytes: -1}))
		var tools []tool
		ran := 0
		for len(tools) < 12 {
			one := tool{fmt.Sprint("t", len(tools)), r.root(), r.root()}
			var results []any
			for range 5 {
				if v := r.valid(t, one.out); v != nil {
					results = append(results, v)
				}
			}
			if len(results) == 0 {
				continue
			}
			def := mcp.Tool{Name: one.name, InputSchema: encode(one.in), OutputSchema: encode(one.out)}
			servertest.Check(t, s.AddTool(def, func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
				ran++
				return &mcp.CallToolResult{StructuredContent: r.one(results...).(wire.Raw)}, nil
			}))
			tools = append(tools, one)
		}
		c := roomtest.NewClient(t, s, mcp.V2026_07_28, `{}`)
		for range 100 {
			p, binds := r.plan(tools)
			count["plans"]++
			if binds {
				count["bound"]++
			}
			before := ran
			_, failed := call(c, planTool, string(encode(p)))
			switch {
			case failed == "":
				count["run"]++
				count["calls"] += ran - before
				if binds {
					count["run and bound"]++
				}
			case !strings.HasPrefix(failed, "the plan is refused, and nothing of it has run: steps[") || ran > before:
				t.Fatalf("round %d: %s\n%s", round, encode(p), failed)
			}
		}
	}
	t.Log(count)
	if count["bound"] < count["plans"]/2 || count["run and bound"] < count["plans"]/20 || count["run"] > count["plans"]*9/10 {
		t.Errorf("the plans show little: %v", count)
	}
}
