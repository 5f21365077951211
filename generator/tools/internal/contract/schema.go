package contract

import (
	"encoding/json"
	"slices"
	"strings"
)

// What a keyword of a schema holds, where it is known here.
var keywords = map[string]func(v any) bool{
	"properties": isObject, "$defs": isObject, "patternProperties": isObject, "dependentSchemas": isObject,
	"items": isSchema, "additionalProperties": isSchema, "propertyNames": isSchema, "not": isSchema, "if": isSchema,
	"then": isSchema, "else": isSchema, "contains": isSchema,
	"oneOf": isArray, "anyOf": isArray, "allOf": isArray, "prefixItems": isArray, "enum": isArray,
	"required": func(v any) bool {
		return isArray(v) && !slices.ContainsFunc(v.([]any), func(x any) bool { return !isString(x) })
	},
	"$ref": isString, "pattern": isString, "format": isString, "contentEncoding": isString, "x-mcp-header": isString,
	"minimum": isNumber, "exclusiveMinimum": isNumber, "minLength": isNumber, "minItems": isNumber, "minProperties": isNumber,
	"x-go-type": isString, "x-go-min": isBound, "x-go-max": isBound, "x-go-minlen": isNumber, "x-go-maxlen": isNumber,
	"maximum": isNumber, "exclusiveMaximum": isNumber, "maxLength": isNumber, "maxItems": isNumber, "maxProperties": isNumber,
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
	mapKeywords    = []string{"properties", "$defs", "patternProperties", "dependentSchemas"}
	singleKeywords = []string{"items", "additionalProperties", "propertyNames", "not", "if", "then", "else", "contains"}
	listKeywords   = []string{"oneOf", "anyOf", "allOf", "prefixItems"}
)

// wording are the keywords that a contract does not hold.
var wording = []string{"title", "description", "examples", "$comment"}

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

// reduced parses a schema of package schema, and leaves out the wording.
func reduced(text string) *object {
	v, err := decode("schema", []byte(text))
	if err != nil {
		panic(err) // the text was generated
	}
	walk(nil, v, func(_ *place, s any) {
		if o, ok := s.(*object); ok {
			for _, k := range wording {
				delete(o.values, k)
			}
			o.names = slices.DeleteFunc(o.names, func(k string) bool { return slices.Contains(wording, k) })
		}
	})
	return v.(*object)
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
	name, ok := strings.CutPrefix(s, "#/$defs/")
	if !ok {
		return nil
	}
	return child(child(root, "$defs"), name)
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
