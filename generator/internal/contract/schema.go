package contract

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// What a keyword of a schema holds, where it is known here.
var keywords = map[string]func(v any) bool{
	"properties": isObject, "$defs": isObject, "patternProperties": isObject, "dependentSchemas": isObject, "definitions": isObject,
	"items": isSchema, "additionalProperties": isSchema, "propertyNames": isSchema, "not": isSchema, "if": isSchema,
	"then": isSchema, "else": isSchema, "contains": isSchema,
	"oneOf": isArray, "anyOf": isArray, "allOf": isArray, "prefixItems": isArray, "enum": isArray,
	"required": func(v any) bool {
		return isArray(v) && !slices.ContainsFunc(v.([]any), func(x any) bool { return !isString(x) })
	},
	worded: isString, wide: isWide, "$ref": isString, "pattern": isString, "format": isString, "contentEncoding": isString, "x-mcp-header": isString,
	"minimum": isNumber, "exclusiveMinimum": isNumber, "minLength": isNumber, "minItems": isNumber, "minProperties": isNumber,
	"x-go-type": isString, "x-go-min": isBound, "x-go-max": isBound, "x-go-minlen": isNumber, "x-go-maxlen": isNumber,
	"multipleOf": isNumber, "x-go-multipleof": isNumber, "x-go-above": isBound, "x-go-below": isBound, "x-go-oneof": isArray, "x-known": isArray,
	"uniqueItems": func(v any) bool { _, is := v.(bool); return is },
	"maximum":     isNumber, "exclusiveMaximum": isNumber, "maxLength": isNumber, "maxItems": isNumber, "maxProperties": isNumber,
}

func isObject(v any) bool { _, ok := v.(*object); return ok }
func isArray(v any) bool  { _, ok := v.([]any); return ok }
func isString(v any) bool { _, ok := v.(string); return ok }
func isNumber(v any) bool { _, ok := v.(json.Number); return ok }

// isBound reports whether a value is a number or a duration.
func isBound(v any) bool { return float(v) != nil }

func isSchema(v any) bool {
	_, isBool := v.(bool)
	return isBool || isObject(v)
}

// Keywords by what schemas they hold.
var (
	mapKeywords    = []string{"properties", "$defs", "patternProperties", "dependentSchemas", "definitions"}
	singleKeywords = []string{"items", "additionalProperties", "propertyNames", "not", "if", "then", "else", "contains"}
	listKeywords   = []string{"oneOf", "anyOf", "allOf", "prefixItems"}
)

// wording are the keywords that a contract does not hold.
var wording = []string{"title", "description", "examples", "$comment"}

// worded is the keyword that has the digest of a description.
const worded = "x-description"

// Digest tells one description from another. It is short, since it is for people who look at the
// difference between two lock files.
func Digest(description string) string {
	if description == "" {
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(description)))[:8]
}

// A place is where something stands in a file: a name, in something else.
type place struct {
	in   *place
	name string
}

// String returns the names, with dots between them.
func (p *place) String() string {
	var names []string
	for ; p != nil; p = p.in {
		names = append(names, p.name)
	}
	slices.Reverse(names)
	return strings.Join(names, ".")
}

// walk visits a schema and all that are in it.
func walk(at *place, schema any, visit func(at *place, schema any)) {
	visit(at, schema)
	o, ok := schema.(*object)
	if !ok {
		return
	}
	for _, k := range o.names {
		v := o.values[k]
		switch {
		case slices.Contains(mapKeywords, k):
			m, _ := v.(*object)
			for _, name := range members(m) {
				walk(&place{&place{at, k}, name}, m.values[name], visit)
			}
		case slices.Contains(singleKeywords, k):
			walk(&place{at, k}, v, visit)
		case slices.Contains(listKeywords, k):
			list, _ := v.([]any)
			for _, s := range list {
				walk(&place{at, k}, s, visit)
			}
		}
	}
}

// reduced parses a schema of package schema. It leaves out the wording, but for digests of descriptions,
// and sorts what has no order.
func reduced(text string) *object {
	v, err := decode("schema", []byte(text))
	if err != nil {
		panic(err) // the text was generated
	}
	walk(nil, v, func(_ *place, s any) {
		if o, ok := s.(*object); ok {
			description, _ := o.get("description").(string)
			o.remove(wording...)
			if description != "" {
				o.set(worded, Digest(description))
			}
			sortSchema(o)
		}
	})
	return v.(*object)
}

// sortSchema sorts the properties of a schema, and what it requires. Two sides that each add a property
// then seldom do so at the same line.
func sortSchema(o *object) {
	for _, k := range mapKeywords {
		slices.Sort(members(child(o, k)))
	}
	if list, ok := o.get("required").([]any); ok {
		slices.SortFunc(list, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
	}
}

// form returns a value on one line without digests of descriptions: that by which a property is known under
// another name.
func form(v any) string { return text(undescribed(v)) }

func undescribed(v any) any {
	switch v := v.(type) {
	case *object:
		o := &object{}
		for _, name := range v.names {
			if name != worded || !isString(v.values[name]) {
				o.set(name, undescribed(v.values[name]))
			}
		}
		return o
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = undescribed(item)
		}
		return list
	}
	return v
}

// wide is the keyword that stands in a lock file for those bounds of an integer that are its type's own: int64 or
// uint64. Their digits would be most of what a reader sees.
const wide = "x-go-int"

// wideRanges are the bounds of the types that wide names.
var wideRanges = map[string][2]json.Number{
	"int64":  {"-9223372036854775808", "9223372036854775807"},
	"uint64": {"0", "18446744073709551615"},
}

func isWide(v any) bool {
	name, _ := v.(string)
	return wideRanges[name][1] != ""
}

// shorter returns a schema with wide in place of bounds.
func shorter(v any) any {
	switch v := v.(type) {
	case *object:
		name := wideType(v)
		o := &object{}
		for _, k := range v.names {
			bound, isLower := v.values[k], k == "minimum"
			if name == "" || !isLower && k != "maximum" {
				o.set(k, shorter(bound))
				continue
			}
			if isLower {
				o.set(wide, name)
			}
			if bound != wideRanges[name][0] && isLower || bound != wideRanges[name][1] && !isLower {
				o.set(k, bound)
			}
		}
		return o
	case []any:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = shorter(item)
		}
		return list
	}
	return v
}

// wideType returns the type of which a schema of an integer has a bound, if it has both; else "".
func wideType(o *object) string {
	low, high := o.get("minimum"), o.get("maximum")
	if o.get("type") != "integer" || low == nil || high == nil {
		return ""
	}
	for _, name := range []string{"int64", "uint64"} {
		if r := wideRanges[name]; high == r[1] || low == r[0] && name == "int64" {
			return name
		}
	}
	return ""
}

// widen puts the bounds back for which wide stands, at its place.
func widen(o *object) {
	name, ok := o.get(wide).(string)
	if !ok {
		return
	}
	at := slices.Index(o.names, wide)
	o.remove(wide)
	for i, k := range []string{"maximum", "minimum"} {
		if o.get(k) == nil {
			o.names = slices.Insert(o.names, at, k)
			o.values[k] = wideRanges[name][1-i]
		}
	}
}

// members returns the names of an object's members; none of no object.
func members(o *object) []string {
	if o == nil {
		return nil
	}
	return o.names
}

// child returns a member that is an object; nil if there is none.
func child(o *object, name string) *object {
	c, _ := o.get(name).(*object)
	return c
}

// resolve returns the schema that a reference leads to; nil if it leads nowhere.
func resolve(root, ref *object) *object {
	s, _ := ref.get("$ref").(string)
	if s == "#" {
		return root
	}
	if name, ok := strings.CutPrefix(s, "#/$defs/"); ok && child(child(root, "$defs"), name) != nil {
		return child(child(root, "$defs"), name)
	}
	pointer, ok := strings.CutPrefix(s, "#/")
	if !ok {
		return nil
	}
	var at any = root
	for step := range strings.SplitSeq(pointer, "/") {
		step = unescaped(step)
		switch in := at.(type) {
		case *object:
			at = in.get(step)
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(in) {
				return nil
			}
			at = in[i]
		default:
			return nil
		}
	}
	o, _ := at.(*object)
	return o
}

// unescaped returns what a step of a JSON pointer in a URI fragment names.
func unescaped(step string) string {
	if plain, err := url.PathUnescape(step); err == nil {
		step = plain
	}
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
}

// expand returns a schema with what it refers to put in. Its own keywords go first.
func expand(root, s *object) *object {
	for range maxReferences {
		if s.get("$ref") == nil {
			return s
		}
		target := resolve(root, s)
		if target == nil {
			return s
		}
		if len(s.names) == 1 {
			s = target
			continue
		}
		merged := &object{}
		for _, from := range []*object{target, s} {
			for _, k := range from.names {
				if k != "$ref" || from == target {
					merged.set(k, from.values[k])
				}
			}
		}
		s = merged
	}
	return s // a circle of nothing but references, or as good as one
}

// maxReferences is how many references may lead from one to the next.
const maxReferences = 100
