package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/mcpgen/mcpgen/parser"
)

// JSONSchema returns the schema as a JSON Schema document, draft 2020-12, with one entry of $defs for each
// definition, in source order. It is meant for the result of Lower: a model merged from several revisions is
// refused, since no single document is valid for all of them.
//
// Only what JSON Schema has a keyword for is in the document: constants, categories and the names
// of extended types are not, and neither is the documentation of single enum values.
func (s *Schema) JSONSchema() ([]byte, error) {
	if len(s.Revisions) != 1 {
		return nil, fmt.Errorf("a JSON Schema describes one revision, not %d", len(s.Revisions))
	}
	var defs object
	for _, t := range s.Types {
		def, err := s.jsonSchema(t.Expr)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.Name, err)
		}
		defs.set(t.Name, def.documented(t.Doc))
	}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(object{
		{"$schema", "https://json-schema.org/draft/2020-12/schema"},
		{"$defs", defs},
	})
	return b.Bytes(), err
}

// An object is a JSON object whose members keep their order.
type object []field

type field struct {
	name  string
	value any
}

func (o *object) set(name string, value any) {
	for i, f := range *o {
		if f.name == name {
			(*o)[i].value = value
			return
		}
	}
	*o = append(*o, field{name, value})
}

// MarshalJSON writes the members in their order.
func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, f := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := enc.Encode(f.name); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := enc.Encode(f.value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// documented adds what a schema says about the value, for people.
func (o object) documented(d Doc) object {
	if d.Text != "" {
		o.set("description", plainText(d.Text))
	}
	if d.Deprecated != "" {
		o.set("deprecated", true)
	}
	return o
}

// plainText replaces {@link Name} and {@link Name | text} with the text for readers.
func plainText(s string) string {
	const open = "{@link "
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(s, open)
		link, after, closed := strings.Cut(rest, "}")
		if !found || !closed {
			b.WriteString(s)
			return b.String()
		}
		if _, text, ok := strings.Cut(link, "|"); ok {
			link = text
		}
		b.WriteString(before + strings.TrimSpace(link))
		s = after
	}
}

// jsonSchema returns the JSON Schema of a type.
func (s *Schema) jsonSchema(e *Expr) (object, error) {
	o, err := s.kindSchema(e)
	return o.documented(e.Doc), err
}

// kindSchema returns the schema of e without its documentation. Kinds that only [Merge] makes have none.
func (s *Schema) kindSchema(e *Expr) (object, error) {
	switch e.Kind {
	case String:
		o := typed("string")
		if e.Pattern != "" {
			o.set("pattern", e.Pattern)
		}
		return o, nil
	case Integer, Number, Boolean, Null, AnyObject:
		return typed(string(e.Kind)), nil // the names of JSON Schema are those of the kinds
	case Unknown:
		return object{}, nil
	case ID:
		return object{{"type", []string{"string", "integer"}}}, nil
	case Literal:
		return append(typed(literalType(e.Value)), field{"const", e.Value}), nil
	case Enum:
		o := append(typed("string"), field{"enum", literalStrings(e)})
		if e.Open {
			o = object{{"anyOf", []object{o, typed("string")}}}
		}
		return o, nil
	case Ref:
		return object{{"$ref", definition(e.Name)}}, nil
	case Array:
		elem, err := s.jsonSchema(e.Elem)
		return append(typed("array"), field{"items", elem}), err
	case OneOrMany:
		return s.anyOf(e.Elem, &Expr{Kind: Array, Elem: e.Elem})
	case Nullable:
		return s.nullable(e.Elem)
	case Map:
		elem, err := s.jsonSchema(e.Elem)
		return append(typed("object"), field{"additionalProperties", elem}), err
	case Struct:
		return s.structSchema(e)
	case Union:
		var arms []*Expr
		for _, a := range e.Arms {
			arms = append(arms, a.Expr)
		}
		return s.anyOf(arms...)
	case Tuple:
		return s.tupleSchema(e)
	}
	return nil, fmt.Errorf("the kind %q has no JSON Schema: want a schema that comes from Lower", e.Kind)
}

func typed(name string) object { return object{{"type", name}} }

// literalType names the type of a constant as JSON Schema does: a number without a fraction is an
// integer.
func literalType(v any) string {
	switch v := v.(type) {
	case bool:
		return "boolean"
	case parser.Number:
		if strings.ContainsAny(string(v), ".eE") {
			return "number"
		}
		return "integer"
	}
	return "string"
}

// definition is the reference to a definition. Names are identifiers; letters outside ASCII are escaped in the URI.
func definition(name string) string {
	return (&url.URL{Fragment: "/$defs/" + name}).String()
}

func (s *Schema) anyOf(arms ...*Expr) (object, error) {
	var list []object
	for _, a := range arms {
		o, err := s.jsonSchema(a)
		if err != nil {
			return nil, err
		}
		list = append(list, o)
	}
	return object{{"anyOf", list}}, nil
}

// nullable adds null to a type: to its list of types or of alternatives, where it has one.
func (s *Schema) nullable(e *Expr) (object, error) {
	o, err := s.jsonSchema(e)
	if err != nil {
		return nil, err
	}
	if len(o) == 1 {
		switch v := o[0].value.(type) {
		case string:
			if o[0].name == "type" {
				return object{{"type", []string{v, "null"}}}, nil
			}
		case []string: // of a type
			return object{{"type", append(v, "null")}}, nil
		case []object: // of anyOf
			return object{{"anyOf", append(v, typed("null"))}}, nil
		}
	}
	return s.anyOf(e, &Expr{Kind: Null})
}

// structSchema returns the schema of an object. Other members may be of any type, unless a rest says of which: that is what an
// interface means, and JSON Schema's default.
func (s *Schema) structSchema(e *Expr) (object, error) {
	properties := object{}
	var required []string
	for _, m := range e.Members {
		o, err := s.jsonSchema(m.Type)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
		properties.set(m.Name, m.annotate(o))
		if !m.Optional {
			required = append(required, m.Name)
		}
	}
	o := append(typed("object"), field{"properties", properties})
	if required != nil {
		o.set("required", required)
	}
	if e.Rest != nil {
		rest, err := s.jsonSchema(e.Rest)
		if err != nil {
			return nil, err
		}
		o.set("additionalProperties", rest)
	}
	return o, nil
}

// annotate adds what the tags of a member say.
func (m *Member) annotate(o object) object {
	if m.Format != "" {
		o.set("format", m.Format)
	}
	for _, limit := range []struct{ name, value string }{
		{"minimum", m.Minimum}, {"maximum", m.Maximum}, {"maxItems", m.MaxItems},
	} {
		if limit.value != "" {
			o.set(limit.name, json.Number(limit.value))
		}
	}
	if m.Default != nil {
		o.set("default", m.Default.Value)
	}
	return o.documented(m.Doc)
}

// tupleSchema returns the schema of an array whose first elements have types of their own. Only a rest of one type at the end can
// be said in JSON Schema.
func (s *Schema) tupleSchema(e *Expr) (object, error) {
	first := []object{}
	required := 0
	var rest any = false // no further elements
	for i, x := range e.Elems {
		elem := x.Type
		if x.Rest {
			if elem = s.deref(elem); elem.Kind != Array || i < len(e.Elems)-1 {
				return nil, errors.New("JSON Schema has no form for a tuple whose rest element is not an array at its end")
			}
			elem = elem.Elem
		}
		o, err := s.jsonSchema(elem)
		if err != nil {
			return nil, err
		}
		switch {
		case x.Rest:
			rest = o
			continue
		case !x.Optional:
			required++
		}
		first = append(first, o)
	}
	o := typed("array")
	if len(first) > 0 { // an empty list is not allowed
		o.set("prefixItems", first)
	}
	o.set("items", rest)
	if required > 0 {
		o.set("minItems", required)
	}
	return o, nil
}
