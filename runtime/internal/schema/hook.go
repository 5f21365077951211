package schema

import (
	"encoding/json"
	"maps"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// Package jsonschema stops applying a subschema if the type, the constant or the enumeration is wrong, before it calls a
// vocabulary, and it compares a value with the values of an enumeration one after the other. So these keywords are
// removed from the compiled schema. They are checked where it checks the format, which comes next, after the steps are
// counted.

// hook changes all subschemas that are reachable from s.
func (in *instance) hook(s *jsonschema.Schema, seen map[*jsonschema.Schema]bool) {
	if s == nil || seen[s] {
		return
	}
	seen[s] = true
	if p := partOf(s); s.Bool == nil && (p == nil || p.in == in) {
		in.hookOne(s)
	}
	for _, sub := range below(s) {
		in.hook(sub, seen)
	}
}

// partOf returns the part that the vocabulary has added to a schema, nil if there is none.
func partOf(s *jsonschema.Schema) *part {
	for _, x := range s.Extensions {
		if p, ok := x.(*part); ok {
			return p
		}
	}
	return nil
}

func (in *instance) hookOne(s *jsonschema.Schema) {
	k := &keywords{format: s.Format}
	if s.Types != nil && !s.Types.IsEmpty() {
		k.types = s.Types.ToStrings()
	}
	if s.Const != nil {
		k.constant = []any{*s.Const}
		k.constants = setOf(k.constant)
	}
	if s.Enum != nil {
		k.enum, k.enums = s.Enum.Values, setOf(s.Enum.Values)
	}
	p := partOf(s)
	if p == nil { // the dialect has no vocabularies
		p = &part{in: in, names: len(s.Required), unique: s.UniqueItems}
	}
	s.Extensions = nil
	s.Types, s.Const, s.Enum = nil, nil, nil
	s.Format = &jsonschema.Format{Name: "keywords", Validate: func(v any) error {
		p.spend(v)
		if k := k.check(v); k != nil {
			return misfit{k}
		}
		if k.format != nil {
			if err := k.format.Validate(v); err != nil {
				return misfit{&kind.Format{Got: v, Want: k.format.Name, Err: err}}
			}
		}
		return nil
	}}
}

// below returns the subschemas that s has or refers to.
func below(s *jsonschema.Schema) []*jsonschema.Schema {
	list := []*jsonschema.Schema{s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else, s.PropertyNames, s.UnevaluatedProperties, s.Contains,
		s.Items2020, s.UnevaluatedItems, s.ContentSchema}
	if s.DynamicRef != nil {
		list = append(list, s.DynamicRef.Ref)
	}
	list = slices.Concat(list, s.AllOf, s.AnyOf, s.OneOf, s.PrefixItems)
	list = slices.AppendSeq(list, maps.Values(s.Properties))
	list = slices.AppendSeq(list, maps.Values(s.PatternProperties))
	list = slices.AppendSeq(list, maps.Values(s.DependentSchemas))
	for _, dep := range s.Dependencies {
		list = append(list, schemas(dep)...)
	}
	return slices.Concat(list, schemas(s.AdditionalProperties), schemas(s.Items), schemas(s.AdditionalItems))
}

// schemas returns the schemas in v, which may be one, a list, or something else.
func schemas(v any) []*jsonschema.Schema {
	switch v := v.(type) {
	case *jsonschema.Schema:
		return []*jsonschema.Schema{v}
	case []*jsonschema.Schema:
		return v
	}
	return nil
}

// keywords holds the keywords that are checked here.
type keywords struct {
	types            []string
	constant, enum   []any
	constants, enums map[string]bool
	format           *jsonschema.Format
}

func (k *keywords) check(v any) jsonschema.ErrorKind {
	if k.types != nil {
		is := typeOf(v)
		if !slices.Contains(k.types, is) && !(is == "number" && slices.Contains(k.types, "integer") && isInteger(v.(json.Number))) {
			return &kind.Type{Got: is, Want: k.types}
		}
	}
	if k.constant == nil && k.enum == nil {
		return nil
	}
	key := appendKey(nil, v)
	if k.constant != nil && !k.constants[string(key)] {
		return &kind.Const{Got: v, Want: k.constant[0]}
	}
	if k.enum != nil && !k.enums[string(key)] {
		return &kind.Enum{Got: v, Want: k.enum}
	}
	return nil
}

// A misfit is the error of a keyword, reported as that of a format.
type misfit struct{ kind jsonschema.ErrorKind }

func (misfit) Error() string { return "misfit" }

func typeOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case json.Number:
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

func isInteger(n json.Number) bool {
	if !strings.ContainsAny(string(n), ".eE") {
		return true
	}
	r, ok := new(big.Rat).SetString(string(n))
	return ok && r.IsInt()
}

func setOf(list []any) map[string]bool {
	set := make(map[string]bool, len(list))
	for _, v := range list {
		set[string(appendKey(nil, v))] = true
	}
	return set
}

// appendKey appends a text that is the same for two values if and only if they are equal.
func appendKey(b []byte, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(b, 'n')
	case bool:
		return strconv.AppendBool(b, v)
	case string:
		b = strconv.AppendInt(append(b, 's'), int64(len(v)), 10)
		return append(append(b, ':'), v...)
	case json.Number:
		text := string(v)
		if strings.ContainsAny(text, ".eE") || text == "-0" {
			if r, ok := new(big.Rat).SetString(text); ok {
				text = r.RatString()
			}
		}
		return append(append(append(b, '#'), text...), ';')
	case []any:
		b = append(b, '[')
		for _, item := range v {
			b = appendKey(b, item)
		}
		return append(b, ']')
	case map[string]any:
		b = append(b, '{')
		for _, name := range slices.Sorted(maps.Keys(v)) {
			b = appendKey(appendKey(b, name), v[name])
		}
		return append(b, '}')
	}
	return b
}
