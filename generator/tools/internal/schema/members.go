package schema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// members holds the keywords of one schema, or the properties of one object.
type members []member

type member struct {
	name  string
	value string // JSON
}

// set gives the member a value, in the place that it has already, else at the end.
func (m *members) set(name, value string) {
	for i := range *m {
		if (*m)[i].name == name {
			(*m)[i].value = value
			return
		}
	}
	*m = append(*m, member{name, value})
}

// remove removes a member.
func (m *members) remove(name string) {
	*m = slices.DeleteFunc(*m, func(k member) bool { return k.name == name })
}

// order is the order of the keywords that are written here. Other keywords, of a schema that a directive gives,
// follow in their own order.
var order = []string{
	"type", "$ref", "description", "const", "enum", "format", "pattern", "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength",
	"contentEncoding", "items", "minItems", "maxItems", "uniqueItems", "properties", "required", "propertyNames", "additionalProperties",
	"minProperties", "maxProperties", "oneOf", "anyOf", "default", "examples", "x-mcp-header", "$defs",
}

func rank(keyword string) int {
	if i := slices.Index(order, keyword); i >= 0 {
		return i
	}
	return len(order)
}

// String returns the schema with these keywords.
func (m members) String() string {
	m = slices.Clone(m)
	slices.SortStableFunc(m, func(a, b member) int { return cmp.Compare(rank(a.name), rank(b.name)) })
	return m.json()
}

// json returns the object with these members, in their order.
func (m members) json() string {
	var b strings.Builder
	b.WriteByte('{')
	for i, p := range m {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(quote(p.name) + ":" + p.value)
	}
	b.WriteByte('}')
	return b.String()
}

// parse splits a schema that a directive gives, which has been checked to be an object.
func parse(text string) members {
	var m members
	d := json.NewDecoder(strings.NewReader(text))
	if _, err := d.Token(); err != nil {
		panic(fmt.Sprintf("schema %s: %v", text, err))
	}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			panic(fmt.Sprintf("schema %s: %v", text, err))
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			panic(fmt.Sprintf("schema %s: %v", text, err))
		}
		var compact bytes.Buffer
		if err := json.Compact(&compact, value); err != nil {
			panic(fmt.Sprintf("schema %s: %v", text, err))
		}
		m.set(name.(string), compact.String())
	}
	return m
}

// quote returns a JSON string.
func quote(s string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(s); err != nil {
		panic(err) // a string can be encoded
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// list returns a JSON array.
func list(values []string) string { return "[" + strings.Join(values, ",") + "]" }
