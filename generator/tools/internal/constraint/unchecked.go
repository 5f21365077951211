package constraint

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
)

// scalarTypes are the types whose values are compared as wholes.
var scalarTypes = []string{"null", "boolean", "integer", "number", "string"}

// annotations are keywords that say nothing of which values are valid.
var annotations = []string{"title", "description", "default", "deprecated", "examples", "readOnly", "writeOnly", "$comment", "contentMediaType", "contentEncoding", "contentSchema"}

// checked are keywords that generated code checks wherever they stand.
var checked = []string{
	"type", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength", "pattern",
	"items", "minItems", "maxItems", "properties", "required", "additionalProperties", "minProperties", "maxProperties", "allOf", "anyOf", "oneOf", "not",
}

// Unchecked returns the places of what a schema says and generated code does not check, such as /properties/a/if. The
// schema is valid.
func Unchecked(text string) []string {
	var schema any
	if err := json.Unmarshal([]byte(text), &schema); err != nil {
		return nil // which is reported elsewhere
	}
	return unchecked("", schema)
}

// unchecked returns the places in a schema at path. It looks into schemas only below keywords that are checked
// themselves.
func unchecked(path string, schema any) (places []string) {
	m, _ := schema.(map[string]any)
	for _, k := range slices.Sorted(maps.Keys(m)) {
		at := path + "/" + k
		if !isChecked(k, m) {
			places = append(places, at)
			continue
		}
		switch vocabulary[k] {
		case "schema":
			places = append(places, unchecked(at, m[k])...)
		case "list":
			list, _ := m[k].([]any)
			for i, s := range list {
				places = append(places, unchecked(at+"/"+strconv.Itoa(i), s)...)
			}
		case "map":
			parts, _ := m[k].(map[string]any)
			for _, name := range slices.Sorted(maps.Keys(parts)) {
				places = append(places, unchecked(at+"/"+name, parts[name])...)
			}
		}
	}
	return places
}

// isChecked reports whether generated code checks a keyword of a schema, or need not.
func isChecked(keyword string, m map[string]any) bool {
	isScalar := func(v any) bool {
		switch v.(type) {
		case []any, map[string]any:
			return false
		}
		return true
	}
	switch keyword {
	case "enum":
		list, _ := m[keyword].([]any)
		return !slices.ContainsFunc(list, func(v any) bool { return !isScalar(v) })
	case "const":
		return isScalar(m[keyword])
	case "format":
		name, _ := m[keyword].(string)
		return formats[name] != nil
	case "uniqueItems":
		items, _ := m["items"].(map[string]any)
		of, _ := items["type"].(string)
		return m[keyword] == false || slices.Contains(scalarTypes, of)
	}
	_, known := vocabulary[keyword]
	return !known || slices.Contains(checked, keyword) || slices.Contains(annotations, keyword)
}
