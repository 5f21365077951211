package adopt

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client/outputcheck"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The limits of arguments that are made from a schema.
const (
	maxDepth = 32
	maxItems = 1000
	maxParts = 10_000 // values, of one call
)

// unknownArgument is an argument that no server is assumed to have.
const unknownArgument = "mcpgen_unknown_argument"

// callsOf returns calls of a tool with arguments made from its schema: valid ones, and one for each mistake. Why says why there are
// none. The same schema gives the same calls.
func callsOf(t *mcp.Tool, check *outputcheck.Checker) (calls []Call, why string) {
	v, err := decode(t.InputSchema)
	if err != nil {
		return nil, "its schema is no JSON"
	}
	root, _ := v.(map[string]any)
	m := maker{root: root}
	made, ok := m.value(root, 0)
	args, isObject := made.(map[string]any)
	if !ok || !isObject {
		return nil, "its schema says too little, or too much, to make arguments from it"
	}
	valid := func(args map[string]any) error {
		return check.Check(context.Background(), t.InputSchema, wire.Raw(encode(args)))
	}
	if err := valid(args); err != nil {
		return nil, "no arguments could be made from its schema: " + err.Error()
	}
	add := func(name string, args map[string]any) {
		calls = append(calls, Call{Tool: t.Name, Arguments: encode(args), Case: name, Repeat: true})
	}
	with := func(name string, value any) map[string]any {
		changed := map[string]any{name: value}
		for k, v := range args {
			if k != name {
				changed[k] = v
			}
		}
		return changed
	}
	add(Valid, args)
	for _, name := range names(root["required"]) {
		less := with(name, nil)
		if delete(less, name); valid(less) != nil {
			add("missing "+name, less)
			break
		}
	}
	properties, _ := root["properties"].(map[string]any)
	for _, name := range slices.Concat(names(root["required"]), sorted(properties)) {
		wrong := any(map[string]any{})
		if _, is := args[name].(map[string]any); is {
			wrong = "x"
		}
		if other := with(name, wrong); valid(other) != nil {
			add("wrong type of "+name, other)
			break
		}
	}
	if properties[unknownArgument] == nil {
		add("unknown argument", with(unknownArgument, true))
	}
	return calls, ""
}

// names returns the texts of a list.
func names(v any) (all []string) {
	list, _ := v.([]any)
	for _, item := range list {
		if name, ok := item.(string); ok {
			all = append(all, name)
		}
	}
	return all
}

// A maker makes values that are probably valid.
type maker struct {
	root  map[string]any
	parts int
}

// value returns a value for a schema, with what is required alone.
func (m *maker) value(schema any, depth int) (any, bool) {
	if m.parts++; depth > maxDepth || m.parts > maxParts {
		return nil, false
	}
	s, ok := schema.(map[string]any)
	if !ok {
		return "example", schema == true
	}
	if ref, ok := s["$ref"].(string); ok {
		to := m.resolve(ref)
		if to == nil {
			return nil, false
		}
		return m.value(to, depth+1)
	}
	for _, keyword := range []string{"const", "default"} {
		if v, ok := s[keyword]; ok {
			return v, true
		}
	}
	for _, keyword := range []string{"enum", "examples"} {
		if list, _ := s[keyword].([]any); len(list) > 0 {
			return list[0], true
		}
	}
	for _, keyword := range []string{"anyOf", "oneOf", "allOf"} {
		list, _ := s[keyword].([]any)
		for _, arm := range list {
			v, ok := m.value(arm, depth+1)
			if !ok {
				continue
			}
			if keyword != "allOf" {
				list = nil
			}
			return m.merged(v, s, list, depth)
		}
	}
	return m.typed(s, depth)
}

// merged returns an object with the members that a schema itself requires, too, and those of its parts; any other value as it is.
func (m *maker) merged(v any, s map[string]any, parts []any, depth int) (any, bool) {
	object, ok := v.(map[string]any)
	if !ok {
		return v, true
	}
	own := map[string]any{"type": "object", "properties": s["properties"], "required": s["required"]}
	for _, part := range append(slices.Clip(parts), own) {
		more, ok := m.value(part, depth+1)
		members, isObject := more.(map[string]any)
		if !ok || !isObject {
			return nil, false
		}
		for name, value := range members {
			object[name] = value
		}
	}
	return object, true
}

// resolve returns what a reference inside the schema names, nil if that is nothing.
func (m *maker) resolve(ref string) any {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok || path != "" && path[0] != '/' {
		return nil
	}
	at := any(m.root)
	for _, step := range strings.Split(path, "/")[1:] {
		object, _ := at.(map[string]any)
		if at = object[strings.NewReplacer("~1", "/", "~0", "~").Replace(step)]; at == nil {
			return nil
		}
	}
	return at
}

// typed returns a value of the first type of a schema.
func (m *maker) typed(s map[string]any, depth int) (any, bool) {
	kind, _ := s["type"].(string)
	if list := names(s["type"]); len(list) > 0 {
		kind = list[0]
	}
	switch {
	case kind == "object", kind == "" && s["properties"] != nil:
		object := map[string]any{}
		properties, _ := s["properties"].(map[string]any)
		for _, name := range names(s["required"]) {
			of, declared := properties[name]
			if !declared {
				of = true
			}
			v, ok := m.value(of, depth+1)
			if !ok {
				return nil, false
			}
			object[name] = v
		}
		return object, true
	case kind == "array", kind == "" && s["items"] != nil:
		list := []any{}
		items, declared := s["items"]
		if !declared {
			items = true
		}
		for range min(int(number(s["minItems"], 0)), maxItems) {
			v, ok := m.value(items, depth+1)
			if !ok {
				return nil, false
			}
			list = append(list, v)
		}
		return list, true
	case kind == "boolean":
		return true, true
	case kind == "null":
		return nil, true
	case kind == "integer", kind == "number":
		return m.number(s, kind == "integer"), true
	}
	return text(s), true
}

// number returns 1, or the number next to it that a schema allows.
func (m *maker) number(s map[string]any, whole bool) any {
	step := number(s["multipleOf"], 0)
	if whole || step == 0 {
		step = max(step, 1)
	}
	low := max(number(s["minimum"], math.Inf(-1)), number(s["exclusiveMinimum"], math.Inf(-1)))
	high := min(number(s["maximum"], math.Inf(1)), number(s["exclusiveMaximum"], math.Inf(1)))
	v := math.Ceil(min(max(1, low), high)/step) * step
	if v == number(s["exclusiveMinimum"], math.NaN()) {
		v += step
	}
	if v > high || v == number(s["exclusiveMaximum"], math.NaN()) {
		v -= step
	}
	if !whole && (v < low || v > high) {
		v = low + (high-low)/2
	}
	return json.Number(fmt.Sprintf("%.17g", v))
}

// number returns the value of a keyword, and none if it has no number.
func number(v any, none float64) float64 {
	n, ok := v.(json.Number)
	if !ok {
		return none
	}
	f, err := n.Float64()
	if err != nil {
		return none
	}
	return f
}

// text returns a text of the format and the length that a schema names.
func text(s map[string]any) string {
	format, _ := s["format"].(string)
	if example := examples[format]; example != "" {
		return example
	}
	text := "example"
	if least := min(int(number(s["minLength"], 0)), maxItems); len(text) < least {
		text += strings.Repeat("x", least-len(text))
	}
	if most := int(number(s["maxLength"], maxItems)); most >= 0 && len(text) > most {
		text = text[:most]
	}
	return text
}

// examples holds texts by their formats.
var examples = map[string]string{
	"date": "2026-01-02", "time": "03:04:05Z", "date-time": "2026-01-02T03:04:05Z", "duration": "PT1H",
	"email": "a@example.com", "hostname": "example.com", "ipv4": "192.0.2.1", "ipv6": "2001:db8::1",
	"uri": "https://example.com/", "url": "https://example.com/", "uri-reference": "/a", "uuid": "00000000-0000-4000-8000-000000000000",
	"byte": "YQ==", "regex": "a", "json-pointer": "/a",
}
