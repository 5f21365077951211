package contract

import (
	"encoding/base64"
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/mcpgen/mcpgen/runtime/args"
)

// A verdict says whether a value is valid.
type verdict int

const (
	no verdict = iota
	perhaps
	yes
)

// accepts says whether a value is valid against all parts.
func (m *meet) accepts(v any) verdict {
	is := yes
	for _, p := range m.parts {
		is = min(is, (&validation{o: m.o, root: m.root}).part(p, v, "$ref", "allOf")) // which have parts of their own
		if is == no {
			break
		}
	}
	return is
}

// accepts says whether a value is valid against a schema. Values are those of enums, or such as belong to small types.
func (o *oracle) accepts(root *object, schema, v any) verdict {
	return (&validation{o: o, root: root}).of(schema, v)
}

// A validation validates one value.
type validation struct {
	o     *oracle
	root  *object
	depth int
}

// of says whether a value is valid against a schema.
func (x *validation) of(schema, v any) verdict {
	s := asObject(schema)
	if s == nothing {
		return no
	}
	if x.depth > maxReferences {
		return perhaps
	}
	x.depth++
	defer func() { x.depth-- }()
	return x.part(s, v)
}

// part says whether a value is valid against a schema without some keywords.
func (x *validation) part(s *object, v any, without ...string) verdict {
	is := yes
	if !x.o.spend(1 + len(s.names)) {
		return perhaps
	}
	for _, k := range s.names {
		if slices.Contains(silent, k) || slices.Contains(without, k) {
			continue
		}
		is = min(is, x.keyword(s, k, v))
		if is == no {
			return no
		}
	}
	return is
}

// keyword says whether a value is valid against one keyword, k, of a schema. A keyword that is about values of another type
// accepts all.
func (x *validation) keyword(s *object, k string, v any) verdict {
	switch k {
	case "$ref":
		if target := resolve(x.root, s); target != nil {
			return x.of(target, v)
		}
		return perhaps
	case "type":
		return truth(hasType(s.values[k], typeOf(v)))
	case "const":
		return truth(equal(s.values[k], v))
	case "enum":
		list, _ := s.values[k].([]any)
		return truth(x.o.has(list, v))
	case "anyOf", "oneOf", "allOf":
		list, _ := s.values[k].([]any)
		return x.list(k, list, v)
	}
	switch v := v.(type) {
	case json.Number:
		return x.number(s, k, v)
	case string:
		return x.text(s, k, v)
	case []any:
		return x.array(s, k, v)
	case *object:
		return x.object(s, k, v)
	}
	if slices.Contains(understood, k) && k != "x-go-type" {
		return yes
	}
	return perhaps
}

// list is keyword for anyOf, oneOf and allOf.
func (x *validation) list(k string, list []any, v any) verdict {
	counts := [3]int{}
	for _, s := range list {
		counts[x.of(s, v)]++
	}
	switch {
	case k == "allOf" && counts[no] > 0, k != "allOf" && counts[yes]+counts[perhaps] == 0, k == "oneOf" && counts[yes] > 1:
		return no
	case k == "allOf" && counts[perhaps] > 0, k == "oneOf" && counts[perhaps] > 0, k != "allOf" && counts[yes] == 0:
		return perhaps
	}
	return yes
}

func truth(is bool) verdict {
	if is {
		return yes
	}
	return no
}

// typeOf returns the type of a value, of those of valueTypes.
func typeOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case json.Number:
		if r := rational(v); r == nil || !r.IsInt() {
			return "fraction"
		}
		return "integer"
	case string:
		return "string"
	case []any:
		return "array"
	}
	return "object"
}

// equal reports whether two values are the same.
func equal(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		x, y := rational(a), rational(b)
		return ok && (a == b || x != nil && y != nil && x.Cmp(y) == 0)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, equal)
	case *object:
		b, ok := b.(*object)
		return ok && len(a.names) == len(b.names) && !slices.ContainsFunc(a.names, func(name string) bool {
			v, ok := b.values[name]
			return !ok || !equal(a.values[name], v)
		})
	}
	return a == b
}

// number is keyword for the value of a number.
func (x *validation) number(s *object, k string, v json.Number) verdict {
	switch k {
	case "minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf":
	case "x-go-multipleof":
		return truth(args.IsMultipleOf(string(v), plain(s.values[k])))
	default:
		return unless(k, "x-go-type")
	}
	n, by := rational(v), rational(s.values[k])
	if n == nil || by == nil {
		return perhaps
	}
	order := n.Cmp(by)
	switch k {
	case "minimum":
		return truth(order >= 0)
	case "exclusiveMinimum":
		return truth(order > 0)
	case "maximum":
		return truth(order <= 0)
	case "exclusiveMaximum":
		return truth(order < 0)
	}
	return truth(by.Sign() <= 0 || new(big.Rat).Quo(n, by).IsInt())
}

// unless is the verdict of a keyword that is about values of another type, which is yes, unless it is one of others, which are
// about values of this type but are not checked here, or a keyword that nobody here understands.
func unless(k string, others ...string) verdict {
	if slices.Contains(understood, k) && !slices.Contains(others, k) {
		return yes
	}
	return perhaps
}

// text is keyword for the value of a string.
func (x *validation) text(s *object, k, v string) verdict {
	size := big.NewFloat(float64(utf8.RuneCountInString(v)))
	n := float(json.Number(v))
	limit := func(sign int, exclusive bool) verdict {
		by := float(s.values[k])
		if n == nil || by == nil {
			return perhaps
		}
		order := n.Cmp(by) * sign
		return truth(order > 0 || order == 0 && !exclusive)
	}
	switch k {
	case "minLength":
		return truth(size.Cmp(float(s.values[k])) >= 0)
	case "maxLength":
		return truth(size.Cmp(float(s.values[k])) <= 0)
	case "pattern":
		return x.o.match(plainText(s.values[k]), v)
	case "contentEncoding":
		if isBase64(v) && s.values[k] == "base64" {
			return yes
		}
		return perhaps // some validators take more, or anything
	case "x-go-min", "x-go-above":
		return limit(1, k == "x-go-above")
	case "x-go-max", "x-go-below":
		return limit(-1, k == "x-go-below")
	case "x-go-multipleof":
		return truth(n != nil && args.IsMultipleOf(v, plain(s.values[k])))
	}
	return unless(k, "format", "x-go-type", "x-go-minlen", "x-go-maxlen")
}

// isBase64 reports whether every decoder of base64 takes a text.
func isBase64(s string) bool {
	_, err := base64.StdEncoding.Strict().DecodeString(s)
	return err == nil && !strings.ContainsAny(s, "\r\n")
}

func plainText(v any) string { s, _ := v.(string); return s }

// array is keyword for an array.
func (x *validation) array(s *object, k string, v []any) verdict {
	n := big.NewFloat(float64(len(v)))
	is := yes
	switch k {
	case "minItems":
		return truth(n.Cmp(float(s.values[k])) >= 0)
	case "maxItems":
		return truth(n.Cmp(float(s.values[k])) <= 0)
	case "uniqueItems":
		for i, item := range v {
			if s.values[k] == true && slices.ContainsFunc(v[:i], func(other any) bool { return equal(item, other) }) {
				return no
			}
		}
	case "items", "prefixItems":
		for i, item := range v {
			for _, schema := range itemsAt(&meet{o: x.o, parts: []*object{s}}, i) {
				is = min(is, x.of(schema, item))
			}
		}
	default:
		return unless(k, "x-go-type")
	}
	return is
}

// object is keyword for an object.
func (x *validation) object(s *object, k string, v *object) verdict {
	n := big.NewFloat(float64(len(v.names)))
	is := yes
	switch k {
	case "minProperties":
		return truth(n.Cmp(float(s.values[k])) >= 0)
	case "maxProperties":
		return truth(n.Cmp(float(s.values[k])) <= 0)
	case "required":
		return truth(!slices.ContainsFunc(required(s).names, func(name string) bool { _, ok := v.values[name]; return !ok }))
	case "properties", "additionalProperties", "patternProperties":
		for _, name := range v.names {
			m := &meet{o: x.o, parts: []*object{without(s, "propertyNames")}}
			schemas := m.members(name, true)
			for _, schema := range schemas {
				is = min(is, x.of(schema, v.values[name]))
			}
			if len(m.members(name, false)) > len(schemas) {
				is = min(is, perhaps)
			}
		}
	case "propertyNames":
		for _, name := range v.names {
			is = min(is, x.of(s.values[k], name))
		}
	default:
		return unless(k, "x-go-type", "x-go-oneof")
	}
	return is
}
