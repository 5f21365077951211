package console

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// deepest is how many references and combinations of schemas are followed.
const deepest = 16

// schemaOf tells the command line what it must know about a JSON Schema. It ignores uncommon ways of expressing
// that.
type schemaOf struct{ root any }

// object returns a schema's members, those of what it refers to if it is a reference.
func (s schemaOf) object(schema any) map[string]any {
	for range deepest {
		m, _ := schema.(map[string]any)
		ref, ok := m["$ref"].(string)
		if !ok {
			return m
		}
		schema = s.at(ref)
	}
	return nil
}

// at returns the part of the schema that a reference within it names.
func (s schemaOf) at(ref string) any {
	path, ok := strings.CutPrefix(ref, "#")
	if !ok {
		return nil
	}
	schema := s.root
	for part := range strings.SplitSeq(strings.TrimPrefix(path, "/"), "/") {
		if part == "" {
			continue
		}
		m, _ := schema.(map[string]any)
		schema = m[strings.NewReplacer("~1", "/", "~0", "~").Replace(part)]
	}
	return schema
}

// properties returns the schemas of an object's members, by name.
func (s schemaOf) properties(schema any) map[string]any {
	m, _ := s.object(schema)["properties"].(map[string]any)
	return m
}

// member returns the schema of an object's member, and false if the object cannot have it.
func (s schemaOf) member(schema any, name string) (any, bool) {
	if member, ok := s.properties(schema)[name]; ok {
		return member, true
	}
	m := s.object(schema)
	patterns, _ := m["patternProperties"].(map[string]any)
	for _, pattern := range slices.Sorted(maps.Keys(patterns)) {
		if re, err := regexp.Compile(pattern); err == nil && re.MatchString(name) {
			return patterns[pattern], true
		}
	}
	return m["additionalProperties"], m["additionalProperties"] != false
}

// items returns the schema of a list's items.
func (s schemaOf) items(schema any) any {
	m := s.object(schema)
	if items, ok := m["items"]; ok {
		return items
	}
	for _, option := range options(m) {
		if items := s.object(option)["items"]; items != nil {
			return items
		}
	}
	return nil
}

// kinds returns the types that values may have; none if that is not known.
func (s schemaOf) kinds(schema any, depth int) []string {
	m := s.object(schema)
	if m == nil || depth > deepest {
		return nil
	}
	switch t := m["type"].(type) {
	case string:
		return []string{t}
	case []any:
		var kinds []string
		for _, kind := range t {
			if kind, ok := kind.(string); ok {
				kinds = append(kinds, kind)
			}
		}
		return kinds
	}
	if values, ok := m["enum"].([]any); ok {
		if slices.ContainsFunc(values, func(v any) bool { _, ok := v.(string); return ok }) {
			return []string{"string"}
		}
		return nil
	}
	var kinds []string
	for _, option := range options(m) {
		of := s.kinds(option, depth+1)
		if len(of) == 0 {
			return nil
		}
		kinds = append(kinds, of...)
	}
	slices.Sort(kinds)
	return slices.Compact(kinds)
}

// limits describes in a few words the limits of a value, and its default.
func (s schemaOf) limits(schema any) string {
	m := s.object(schema)
	var words []string
	for _, limit := range []struct{ keyword, text string }{
		{"minimum", "at least %v"}, {"exclusiveMinimum", "more than %v"}, {"maximum", "at most %v"}, {"exclusiveMaximum", "less than %v"},
		{"multipleOf", "a multiple of %v"}, {"pattern", "matches %v"}, {"minLength", "at least %v characters"}, {"maxLength", "at most %v characters"},
		{"minItems", "at least %v items"}, {"maxItems", "at most %v items"},
	} {
		if value, ok := m[limit.keyword]; ok {
			text := limit.text
			if value == 1.0 {
				text = strings.TrimSuffix(text, "s")
			}
			words = append(words, fmt.Sprintf(text, value))
		}
	}
	if m["uniqueItems"] == true {
		words = append(words, "no item twice")
	}
	if value, ok := m["default"]; ok {
		if text, err := json.Marshal(value); err == nil {
			words = append(words, "default "+string(text))
		}
	}
	return strings.Join(words, ", ")
}

// options returns the schemas of which a value must match one.
func options(m map[string]any) []any {
	var all []any
	for _, keyword := range []string{"anyOf", "oneOf"} {
		some, _ := m[keyword].([]any)
		all = append(all, some...)
	}
	return all
}

// enum returns the texts that a value may be, none if the schema does not list them.
func (s schemaOf) enum(schema any) []string {
	values, _ := s.object(schema)["enum"].([]any)
	var texts []string
	for _, v := range values {
		if text, ok := v.(string); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// describe describes in a few words which values are valid. Depth is in how many lists they are.
func (s schemaOf) describe(schema any, depth int) string {
	if texts := s.enum(schema); texts != nil {
		return strings.Join(texts, "|")
	}
	kinds := s.kinds(schema, 0)
	for i, kind := range kinds {
		if kind == "array" && depth < deepestRow {
			if item := s.describe(s.items(schema), depth+1); item != "any" {
				kinds = slices.Clone(kinds)
				kinds[i] = "list of " + item
			}
		}
	}
	if len(kinds) == 0 {
		return "any"
	}
	if m := s.object(schema); len(kinds) == 1 && kinds[0] == "string" {
		if format, ok := m["format"].(string); ok {
			return format
		}
	}
	return strings.Join(kinds, " or ")
}
