package roundtrip

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp/syntax"
	"slices"
	"strings"
)

// A maker makes random values that are mostly valid against a schema.
type maker struct {
	*rand.Rand
	root map[string]any
}

// maxDepth is from where on as little as possible is made.
const maxDepth = 7

// value makes a value of a schema.
func (m *maker) value(schema any, depth int) any {
	s, ok := schema.(map[string]any)
	if !ok || depth > 2*maxDepth {
		return m.any(depth)
	}
	s = m.resolve(s, depth)
	if c, ok := s["const"]; ok {
		return c
	}
	if list, ok := s["enum"].([]any); ok {
		return list[m.IntN(len(list))]
	}
	switch m.typeOf(s, depth) {
	case "object":
		return m.object(s, depth)
	case "array":
		return m.array(s, depth)
	case "string":
		return m.text(s)
	case "integer":
		return m.integer(s)
	case "number":
		return m.number(s)
	case "boolean":
		return m.IntN(2) == 0
	case "null":
		return nil
	}
	return m.any(depth)
}

// resolve puts a schema together with what it refers to, and with one of its alternatives.
func (m *maker) resolve(s map[string]any, depth int) map[string]any {
	for range 100 {
		switch {
		case s["$ref"] != nil:
			ref := s["$ref"].(string)
			s = merge(without(s, "$ref"), m.find(ref))
		case s["allOf"] != nil:
			list := s["allOf"].([]any)
			s = without(s, "allOf")
			for _, part := range list {
				s = merge(s, m.resolve(part.(map[string]any), depth))
			}
		case s["oneOf"] != nil:
			s = m.choose(s, "oneOf", depth)
		case s["anyOf"] != nil:
			s = m.choose(s, "anyOf", depth)
		default:
			return s
		}
	}
	return s
}

// choose takes an alternative, a small one if the value is large already.
func (m *maker) choose(s map[string]any, keyword string, depth int) map[string]any {
	list := s[keyword].([]any)
	arm := list[m.IntN(len(list))]
	if depth > maxDepth {
		flat := slices.DeleteFunc(slices.Clone(list), func(a any) bool {
			text, _ := json.Marshal(a)
			return bytes.Contains(text, []byte("$ref"))
		})
		if len(flat) > 0 {
			arm = flat[m.IntN(len(flat))]
		}
	}
	arms, _ := arm.(map[string]any)
	s = merge(without(s, keyword), arms)
	if d, ok := s["discriminator"].(map[string]any); ok {
		for name, ref := range d["mapping"].(map[string]any) {
			if ref == arms["$ref"] {
				is := map[string]any{"const": name}
				s["properties"] = map[string]any{d["propertyName"].(string): is}
			}
		}
		delete(s, "discriminator")
	}
	return s
}

func without(s map[string]any, keyword string) map[string]any {
	s = maps.Clone(s)
	delete(s, keyword)
	return s
}

// merge puts two schemas together that must both be valid.
func merge(a, b map[string]any) map[string]any {
	out := maps.Clone(a)
	for k, v := range b {
		switch old := out[k].(type) {
		case map[string]any:
			if more, ok := v.(map[string]any); ok && k == "properties" {
				both := maps.Clone(old)
				for name, p := range more {
					if q, found := both[name].(map[string]any); found {
						p = merge(q, p.(map[string]any))
					}
					both[name] = p
				}
				v = both
			}
		case []any:
			if more, ok := v.([]any); ok && (k == "required" || k == "allOf") {
				v = append(slices.Clone(old), more...)
			}
		}
		if _, known := out["const"]; known && k == "enum" {
			continue
		}
		out[k] = v
	}
	return out
}

func (m *maker) find(ref string) map[string]any {
	var at any = m.root
	for part := range strings.SplitSeq(strings.TrimPrefix(strings.TrimPrefix(ref, "#"), "/"), "/") {
		if part != "" {
			at = at.(map[string]any)[part]
		}
	}
	return at.(map[string]any)
}

func (m *maker) typeOf(s map[string]any, depth int) string {
	switch t := s["type"].(type) {
	case string:
		return t
	case []any:
		if depth > maxDepth && slices.Contains(t, any("null")) {
			return "null"
		}
		return t[m.IntN(len(t))].(string)
	}
	switch {
	case s["properties"] != nil || s["required"] != nil:
		return "object"
	case s["items"] != nil || s["prefixItems"] != nil:
		return "array"
	}
	return ""
}

func (m *maker) object(s map[string]any, depth int) any {
	out := make(map[string]any)
	properties, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if slices.Contains(required, any(name)) || depth <= maxDepth && m.IntN(depth/2+2) == 0 {
			out[name] = m.value(properties[name], depth+1)
		}
	}
	for _, name := range required {
		if _, ok := out[name.(string)]; !ok {
			out[name.(string)] = m.any(depth)
		}
	}
	patterns, _ := s["patternProperties"].(map[string]any)
	for pattern, p := range patterns {
		if m.IntN(2) == 0 {
			out[m.match(pattern)] = m.value(p, depth+1)
		}
	}
	rest, closed := s["additionalProperties"], s["additionalProperties"] == false || s["unevaluatedProperties"] == false
	if closed || depth > maxDepth || m.IntN(3) > 0 && rest == nil {
		return out
	}
	for range m.IntN(3) {
		name := m.word()
		if names, ok := s["propertyNames"].(map[string]any); ok {
			name = m.text(names).(string)
		}
		if _, taken := properties[name]; !taken {
			out[name] = m.value(rest, depth+1)
		}
	}
	return out
}

func (m *maker) array(s map[string]any, depth int) any {
	first, _ := s["prefixItems"].([]any)
	rest := s["items"]
	if list, ok := rest.([]any); ok {
		first, rest = list, s["additionalItems"]
	}
	least, most := int(number(s["minItems"], 0)), int(number(s["maxItems"], float64(len(first)+3)))
	n := least
	if depth <= maxDepth && most > least {
		n += m.IntN(min(most, least+3) - least + 1)
	}
	out := []any{}
	for i := range n {
		switch {
		case i < len(first):
			out = append(out, m.value(first[i], depth+1))
		case rest == false:
			return out
		default:
			out = append(out, m.value(rest, depth+1))
		}
	}
	return out
}

func number(v any, other float64) float64 {
	if n, ok := v.(json.Number); ok {
		f, _ := n.Float64()
		return f
	}
	return other
}

func (m *maker) text(s map[string]any) any {
	if pattern, ok := s["pattern"].(string); ok {
		return m.match(pattern)
	}
	if s["contentEncoding"] == "base64" {
		b := make([]byte, m.IntN(10))
		for i := range b {
			b[i] = byte(m.IntN(256))
		}
		return base64.StdEncoding.EncodeToString(b)
	}
	switch s["format"] {
	case "date-time":
		return [...]string{"2026-11-22T10:00:00Z", "2026-11-22T10:00:00.000Z", "1999-12-31T23:59:59.123456789+05:30"}[m.IntN(3)]
	case "date":
		return "2026-02-28"
	case "time":
		return "08:30:00Z"
	case "duration":
		return "PT1H30M"
	case "email":
		return "jo@example.com"
	case "uri":
		return "https://example.com/" + m.word()
	case "uuid":
		return "123e4567-e89b-12d3-a456-426614174000"
	case "byte":
		return "aGk="
	case "regex":
		return "a+"
	}
	text := m.word()
	for len([]rune(text)) < int(number(s["minLength"], 0)) {
		text += "x"
	}
	if most := int(number(s["maxLength"], 1000)); len([]rune(text)) > most {
		text = string([]rune(text)[:most])
	}
	return text
}

var words = []string{"", "a", "name", "héllo", "日本", "<&>\u2028", "tab\t\"quote\"\\", "with space", "x-y", "😀", "null", "0", "line\nbreak"}

func (m *maker) word() string { return words[m.IntN(len(words))] }

// match makes a string that matches a pattern.
func (m *maker) match(pattern string) string {
	re, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return ""
	}
	var b strings.Builder
	m.write(&b, re.Simplify())
	return b.String()
}

func (m *maker) write(b *strings.Builder, re *syntax.Regexp) {
	times := 1
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		i := m.IntN(len(re.Rune)/2) * 2
		b.WriteRune(re.Rune[i] + rune(m.IntN(int(min(re.Rune[i+1]-re.Rune[i], 50))+1)))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteByte('z')
	case syntax.OpAlternate:
		m.write(b, re.Sub[m.IntN(len(re.Sub))])
		return
	case syntax.OpStar:
		times = m.IntN(3)
	case syntax.OpPlus:
		times = 1 + m.IntN(3)
	case syntax.OpQuest:
		times = m.IntN(2)
	}
	for range times {
		for _, sub := range re.Sub {
			m.write(b, sub)
		}
	}
}

func (m *maker) integer(s map[string]any) any {
	lo, hi := number(s["minimum"], -1e6), number(s["maximum"], 1e6)
	lo = max(lo, number(s["exclusiveMinimum"], lo-1)+1)
	if s["maximum"] == nil && s["minimum"] == nil && m.IntN(5) == 0 {
		return json.Number([]string{"9223372036854775807", "-9223372036854775808", "9007199254740993", "0", "1e3", "7.0"}[m.IntN(6)])
	}
	if s["format"] == "uint64" && m.IntN(3) == 0 {
		return json.Number("18446744073709551615")
	}
	hi = max(hi, lo)
	return json.Number(fmt.Sprint(int64(lo) + m.Int64N(int64(hi-lo)+1)))
}

func (m *maker) number(s map[string]any) any {
	lo, hi := number(s["minimum"], -1e3), number(s["maximum"], 1e3)
	lo = max(lo, number(s["exclusiveMinimum"], lo))
	if s["minimum"] == nil && s["exclusiveMinimum"] == nil && m.IntN(5) == 0 {
		return json.Number([]string{"0.1", "-0", "1e-7", "1.7976931348623157e308", "1e21", "123456789.12345679"}[m.IntN(6)])
	}
	step := number(s["multipleOf"], 0.25)
	return json.Number(fmt.Sprint(lo + step*float64(m.IntN(int((max(hi, lo+2)-lo)/step)))))
}

// any makes any value.
func (m *maker) any(depth int) any {
	switch n := m.IntN(8); {
	case n == 0:
		return nil
	case n == 1:
		return m.IntN(2) == 0
	case n == 2:
		return json.Number("12345678901234567890.5")
	case n == 3 && depth < maxDepth:
		return []any{m.any(depth + 1), m.any(depth + 1)}
	case n == 4 && depth < maxDepth:
		return map[string]any{m.word(): m.any(depth + 1)}
	}
	return m.word()
}
