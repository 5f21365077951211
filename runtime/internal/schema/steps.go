package schema

import (
	"encoding/json"
	"errors"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// errEnd is the panic that ends a check early; instance.end says why.
var errEnd = errors.New("the check ended early")

// spend counts steps, and ends the check when none are left or its context is done.
func (in *instance) spend(steps int) {
	if in.ctx == nil {
		return // the schema itself is being validated
	}
	before := in.steps
	in.steps -= steps
	switch {
	case in.steps < 0:
		in.end = ErrSteps
		panic(errEnd)
	case before>>10 != in.steps>>10 && in.ctx.Err() != nil:
		in.end = in.ctx.Err()
		panic(errEnd)
	}
}

// vocabulary returns a vocabulary without keywords that is part of every subschema.
func (in *instance) vocabulary() *jsonschema.Vocabulary {
	return &jsonschema.Vocabulary{
		URL: "schema:steps",
		Compile: func(_ *jsonschema.CompilerContext, obj map[string]any) (jsonschema.SchemaExt, error) {
			_, constant := obj["const"]
			_, enum := obj["enum"]
			p := part{in: in, compares: constant || enum}
			for _, key := range []string{"required", "dependentRequired", "dependencies"} {
				p.names += weight(obj[key])
			}
			p.unique = obj["uniqueItems"] == true
			for _, key := range []string{"unevaluatedProperties", "unevaluatedItems"} {
				if _, ok := obj[key]; ok {
					in.unevaluated = true
				}
			}
			return &p, nil
		},
	}
}

// A part is the cost of a subschema, without the subschemas that it applies.
type part struct {
	in       *instance
	compares bool // the whole value with others
	names    int  // how many names may be required
	unique   bool
}

// perStep is how many names or short strings can be compared in one step.
const perStep = 16

// Validate does nothing. See spend.
func (p *part) Validate(*jsonschema.ValidatorContext, any) {}

// spend counts one application to a value.
func (p *part) spend(v any) {
	steps := 1
	if p.compares {
		steps += weight(v) / perStep
	}
	switch v := v.(type) {
	case map[string]any:
		steps += p.names/4 + p.in.items(len(v))
	case []any:
		steps += p.in.items(len(v))
		if p.unique {
			steps += weight(v)
		}
	case string:
		steps += len(v) >> 10
	case json.Number:
		steps += numberWeight(v)
	}
	p.in.spend(steps)
}

// items returns how many steps it takes to visit n members or items.
func (in *instance) items(n int) int {
	if in.unevaluated {
		return n
	}
	return n / perStep
}

// countParts counts the objects and booleans in a schema.
func countParts(v any) int {
	n := 0
	switch v := v.(type) {
	case bool:
		return 1
	case map[string]any:
		n = 1
		for key, item := range v {
			n += countParts(item)
			if list, ok := item.([]any); ok && key != "enum" && key != "required" {
				n += len(list) // whatever they are, each may become a problem
			}
		}
	case []any:
		for _, item := range v {
			n += countParts(item)
		}
	}
	return n
}

// weight returns what it costs to compare a value, in fractions of a step (see perStep).
func weight(v any) int {
	n := 1
	switch v := v.(type) {
	case map[string]any:
		for _, item := range v {
			n += perStep/2 + weight(item)
		}
	case []any:
		for _, item := range v {
			n += weight(item)
		}
	case json.Number:
		n += perStep * (2 + numberWeight(v))
	case string:
		n += len(v) >> 6
	}
	return n
}

// numberWeight returns how many steps it takes to convert a number to a fraction.
func numberWeight(n json.Number) int {
	for i := range len(n) {
		if n[i]|0x20 == 'e' {
			return 8
		}
	}
	return len(n) / 16
}
