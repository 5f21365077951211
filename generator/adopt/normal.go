package adopt

import (
	"encoding/json"
	"slices"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// normal returns a tool whose schemas are written in one of the ways that mean the same: without references, unless they lead
// to themselves, with unions in place of lists of types, and with the type of enumerated values.
func normal(t *mcp.Tool) mcp.Tool {
	n := *t
	for _, schema := range []*wire.Raw{&n.InputSchema, &n.OutputSchema} {
		tree, _ := decode(*schema)
		root, ok := tree.(map[string]any)
		if !ok {
			continue
		}
		w := normalizer{maker: maker{root: root}}
		made := w.schema(root, nil)
		if s, ok := made.(map[string]any); ok && !w.refers {
			delete(s, "$defs")
			delete(s, "definitions")
		}
		if w.parts <= maxParts {
			*schema = wire.Raw(encode(made))
		}
	}
	return n
}

// A normalizer writes schemas in their normal form. What is beyond its limits stays as it is.
type normalizer struct {
	maker
	refers    bool     // a reference is left
	directive bool     // leave out what a schema in a directive cannot have
	dropped   []string // what that was
}

// The keywords of schemas, by what they hold.
var (
	innerSchemas = []string{"additionalProperties", "contains", "else", "if", "items", "not", "propertyNames", "then"}
	innerLists   = []string{"allOf", "anyOf", "oneOf", "prefixItems"}
	innerMaps    = []string{"dependentSchemas", "patternProperties", "properties"}
	innerValues  = []string{
		"const", "enum", "type", "exclusiveMaximum", "exclusiveMinimum", "maxItems", "maxLength", "maximum", "maxProperties", "maxContains", "minContains",
		"minItems", "minLength", "minimum", "minProperties", "multipleOf", "pattern", "required", "dependentRequired", "uniqueItems", "format",
		"contentEncoding", "contentMediaType", "title", "description", "default", "deprecated", "examples", "readOnly", "writeOnly",
	}
)

// drops reports whether a keyword is left out.
func (w *normalizer) drops(k string, v any) bool {
	pattern, _ := v.(string)
	known := slices.Contains(innerSchemas, k) || slices.Contains(innerLists, k) || slices.Contains(innerMaps, k) || slices.Contains(innerValues, k)
	switch {
	case !w.directive || known && (k != "pattern" || isShared(pattern)):
		return false
	case k == "pattern":
		w.dropped = append(w.dropped, "the pattern "+short(pattern))
	case !slices.Contains(rootWords, k):
		w.dropped = append(w.dropped, k)
	}
	return true
}

// schema returns a copy of a schema in its normal form. Chain has the references that led to it.
func (w *normalizer) schema(schema any, chain []string) any {
	s, ok := schema.(map[string]any)
	if w.parts++; !ok || w.parts > maxParts {
		return schema
	}
	c := map[string]any{}
	for k, v := range s {
		c[k] = v
	}
	if ref, ok := s["$ref"].(string); ok {
		to, _ := w.resolve(ref).(map[string]any)
		if to == nil || slices.Contains(chain, ref) || len(chain) > maxDepth {
			w.refers = true
			return c
		}
		delete(c, "$ref")
		for k, v := range to {
			if _, own := c[k]; !own {
				c[k] = v
			}
		}
		return w.schema(c, append(slices.Clip(chain), ref))
	}
	for _, k := range sorted(c) {
		v := c[k]
		switch items, _ := v.([]any); {
		case w.drops(k, v):
			delete(c, k)
		case slices.Contains(innerSchemas, k):
			c[k] = w.schema(v, chain)
		case slices.Contains(innerLists, k):
			var all []any
			for _, item := range items {
				all = append(all, w.schema(item, chain))
			}
			c[k] = all
		case slices.Contains(innerMaps, k):
			all := map[string]any{}
			members, _ := v.(map[string]any)
			for _, name := range sorted(members) {
				if w.directive && k == "patternProperties" && !isShared(name) {
					w.dropped = append(w.dropped, "the pattern "+short(name))
					continue
				}
				all[name] = w.schema(members[name], chain)
			}
			c[k] = all
		}
	}
	enumerated, _ := c["enum"].([]any)
	if v, has := c["const"]; has {
		enumerated = []any{v}
	}
	if kind := kindOf(enumerated); c["type"] == nil && kind != "" {
		c["type"] = kind
	}
	return oneType(c)
}

// kindOf returns the type that all values have, empty if they have several.
func kindOf(values []any) (kind string) {
	for _, v := range values {
		k := ""
		switch v := v.(type) {
		case string:
			k = "string"
		case bool:
			k = "boolean"
		case json.Number:
			if _, whole := plainNumber(v, true); whole {
				k = "integer"
			}
		}
		if k == "" || kind != "" && k != kind {
			return ""
		}
		kind = k
	}
	return kind
}
