// Package schema validates values against JSON Schemas, for package validate of the server and package outputcheck of the
// client. Neither the value nor the schema is trusted: where the schema comes from elsewhere, its size is bounded and so is
// what a validation takes, and messages are short.
//
// See https://json-schema.org/draft/2020-12.
package schema

import (
	"context"
	"errors"
	"fmt"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Schema is a compiled JSON Schema. It is safe for concurrent use.
type Schema struct {
	schema      *jsonschema.Schema
	unevaluated bool
}

// MaxParts is how many objects and booleans a foreign schema may have. Each may be a subschema, and compiling many takes
// long.
const MaxParts = 4000

// ErrSteps is the error of a check that exceeds its limit of steps.
var ErrSteps = errors.New("validation against the schema takes too many steps")

// Compile compiles a schema. It fails if the schema is not valid in its dialect, which is 2020-12 unless it names another,
// or refers to another document: nothing is ever fetched. Parts is how many objects and booleans it may have, 0 for any
// number.
//
// REQ JSCH-01, JSCH-03, JSCH-06, JSCH-07, JSCH-05
func Compile(text wire.Raw, parts int) (*Schema, error) { return compile(text, parts, false) }

// CompileStrict compiles a schema of any size. Unlike Compile, it asserts formats, and the encoding and the media type of texts.
func CompileStrict(text wire.Raw) (*Schema, error) { return compile(text, 0, true) }

func compile(text wire.Raw, parts int, strict bool) (*Schema, error) {
	doc, err := decode(text)
	if err != nil {
		return nil, err
	}
	m := measure{}
	m.add(doc)
	if root, _ := doc.(map[string]any); root["$id"] != nil {
		m.ids--
	}
	switch {
	case parts > 0 && m.parts > parts:
		return nil, fmt.Errorf("it has %d parts; the limit is %d", m.parts, parts)
	case parts > 0 && m.dynamic && m.ids > 0: // where they lead is not known before the validation
		return nil, errors.New("$dynamicRef and $recursiveRef are not supported in a schema with another $id in it")
	}
	var patterns patterns
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(patterns.compile)
	if strict {
		c.AssertFormat()
		c.AssertContent()
	}
	if err := c.AddResource(location, doc); err != nil {
		return nil, short(err)
	}
	s, err := c.Compile(location)
	if err != nil {
		return nil, short(err)
	}
	patterns.closed = true
	return &Schema{s, m.unevaluated}, nil
}

// location is the URI of a schema, by which references within it are resolved. It has a path, so that a relative one
// leads elsewhere.
const location = "schema:///"

// noLoader loads nothing.
type noLoader struct{}

// REQ JSCH-06, JSCH-07
func (noLoader) Load(string) (any, error) {
	return nil, errors.New("references to other documents are not followed")
}

// Check validates a value. If the value does not fit, the error is a *[ValueError]. It takes at most as many steps as
// given, each about as much as applying one subschema; 0 means no limit. They are counted before the validation begins,
// which the context does not end.
func (s *Schema) Check(ctx context.Context, value wire.Raw, steps int) error {
	v, err := decode(value)
	if err != nil {
		return err
	}
	if steps > 0 {
		w := walk{steps: steps, unevaluated: s.unevaluated}
		if w.visit(s.schema, v, nil); w.err != nil {
			return w.err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return Validate(s.schema, v)
}

// Compiled returns the schema as the library has compiled it.
func (s *Schema) Compiled() *jsonschema.Schema { return s.schema }

// Validate validates a value that has been decoded, with numbers of type [json.Number], which must be bounded as [Schema.Check]
// bounds them.
func Validate(s *jsonschema.Schema, v any) error {
	err := s.Validate(v)
	if invalid := (*jsonschema.ValidationError)(nil); errors.As(err, &invalid) {
		return newError(invalid)
	}
	return err
}

// A measure is what is counted in a schema before it is compiled.
type measure struct {
	parts       int // objects and booleans
	ids         int // of schemas with names of their own
	dynamic     bool
	unevaluated bool
}

func (m *measure) add(v any) {
	switch v := v.(type) {
	case bool:
		m.parts++
	case map[string]any:
		m.parts++
		for key, item := range v {
			m.add(item)
			if list, _ := item.([]any); key != "enum" && key != "required" {
				m.parts += len(list) // whatever they are, each may become a problem
			}
			switch key {
			case "$id":
				m.ids++
			case "$dynamicRef", "$recursiveRef":
				m.dynamic = true
			case "unevaluatedProperties", "unevaluatedItems":
				m.unevaluated = true
			}
		}
	case []any:
		for _, item := range v {
			m.add(item)
		}
	}
}
