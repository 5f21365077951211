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

// What a known keyword of a schema holds.
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

// wording lists the keywords that contracts leave out.
var wording = []string{"title", "description", "examples", "$comment"}

// worded is the keyword for the digest of a description, which schemas of servers get while a client compares them.
const worded = "x-description"

// digest returns a hash of a description.
func digest(description string) string {
	if description == "" {
		return ""
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(description)))[:8]
}

// A place is the place of a value in a file: a name inside another place.
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

// walk visits a schema and all schemas in it.
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

// reduced parses a schema of package schema. It leaves out wording, and sorts what has no order.
func reduced(text string) *object {
	v, err := decode("schema", []byte(text))
	if err != nil {
		panic(err) // the text was generated
	}
	walk(nil, v, func(_ *place, s any) {
		if o, ok := s.(*object); ok {
			o.remove(wording...)
			sortSchema(o)
		}
	})
	return v.(*object)
}

// sortSchema sorts the properties of a schema, and the required ones, so that two branches that each add a property
// seldom change the same line.
func sortSchema(o *object) {
	for _, k := range mapKeywords {
		slices.Sort(members(child(o, k)))
	}
	if list, ok := o.get("required").([]any); ok {
		slices.SortFunc(list, func(a, b any) int { return strings.Compare(a.(string), b.(string)) })
	}
}

// form returns a value on one line, without digests of descriptions. A renamed property has the same form.
func form(v any) string { return text(undescribed(v)) }

// undescribed returns a value without the digests of descriptions. A property of the name of their keyword is kept, since its
// value is a schema and no text.
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

// wide is the keyword that replaces, in lock files, the bounds of an integer that are those of its type, int64 or
// uint64. Their digits would be most of what a reader sees.
const wide = "x-go-int"

// wideRanges holds the bounds of the types that wide can name.
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

// wideType returns the type whose bounds a schema of an integer has, or "" unless it has both.
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

// widen replaces wide with the bounds that it stands for.
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

// members returns the names of an object's members, and none for a value that is not an object.
func members(o *object) []string {
	if o == nil {
		return nil
	}
	return o.names
}

// child returns the member with that name if it is an object, else nil.
func child(o *object, name string) *object {
	c, _ := o.get(name).(*object)
	return c
}

// resolve returns the schema that a reference names, nil if there is none.
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

// expand returns a schema with its reference replaced by the schema that it names. Its own keywords take
// precedence.
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

// circular reports whether a schema in root applies to the same value as a schema that it is part of: some validators
// take no value then, and others any. A circle of references alone does not count.
func circular(root *object) (is bool) {
	const entered, left = 1, 2
	state := map[*object]int{}
	var enter func(schema any)
	enter = func(schema any) {
		s, ok := schema.(*object)
		for range maxReferences {
			if !ok || !slices.Equal(s.names, []string{"$ref"}) {
				break
			}
			s = resolve(root, s)
			ok = s != nil
		}
		if !ok || is || state[s] == left || slices.Equal(s.names, []string{"$ref"}) {
			return
		}
		if state[s] == entered {
			is = true
			return
		}
		state[s] = entered
		if target := resolve(root, s); target != nil {
			enter(target)
		}
		for _, k := range []string{"allOf", "anyOf", "oneOf"} {
			list, _ := s.get(k).([]any)
			for _, part := range list {
				enter(part)
			}
		}
		for _, k := range []string{"not", "if", "then", "else"} {
			enter(s.get(k))
		}
		if m := child(s, "dependentSchemas"); m != nil {
			for _, name := range m.names {
				enter(m.values[name])
			}
		}
		state[s] = left
	}
	walk(nil, root, func(_ *place, s any) { enter(s) })
	return is
}

// maxReferences is how many references may lead from one to the next.
const maxReferences = 100
