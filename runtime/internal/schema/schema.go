// Package schema validates values against JSON Schemas, for package validate of the server and package outputcheck of the
// client. Neither the value nor the schema is trusted: validation can be cancelled and is bounded, and its messages are
// short.
//
// See https://json-schema.org/draft/2020-12.
package schema

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Schema is a compiled JSON Schema. It is safe for concurrent use.
type Schema struct {
	doc any

	mu   sync.Mutex
	idle []*instance
}

const (
	// maxIdle is how many instances of a schema are kept for concurrent checks.
	maxIdle = 8
	// MaxParts is how many objects and booleans a foreign schema may have. Each may be a subschema, and compiling
	// many takes long.
	MaxParts = 4000
)

// ErrSteps is the error of a check that exceeds its limit of steps.
var ErrSteps = errors.New("validation against the schema takes too many steps")

// Compile compiles a schema. It fails if the schema is not valid in its dialect, which is 2020-12 unless it names another,
// or refers to another document: nothing is ever fetched. Parts is how many objects and booleans it may have, 0 for any
// number.
func Compile(text wire.Raw, parts int) (*Schema, error) {
	doc, err := decode(text)
	if err != nil {
		return nil, err
	}
	if n := countParts(doc); parts > 0 && n > parts {
		return nil, fmt.Errorf("it has %d parts; the limit is %d", n, parts)
	}
	s := &Schema{doc: doc}
	in, err := s.compile()
	if err != nil {
		return nil, err
	}
	s.idle = append(s.idle, in)
	return s, nil
}

// Check validates a value. If the value does not fit, the error is a *[ValueError]. It takes at most as many steps as
// given, each about as much as applying one subschema; 0 means no limit.
func (s *Schema) Check(ctx context.Context, value wire.Raw, steps int) (err error) {
	v, err := decode(value)
	if err != nil {
		return err
	}
	in, err := s.take()
	if err != nil {
		return err
	}
	defer s.put(in)
	in.ctx, in.steps, in.end = ctx, steps, nil
	if steps <= 0 {
		in.steps = math.MaxInt
	}
	defer func() {
		if p := recover(); p == errEnd {
			err = in.end
		} else if p != nil {
			panic(p)
		}
	}()
	err = in.schema.Validate(v)
	if invalid := (*jsonschema.ValidationError)(nil); errors.As(err, &invalid) {
		return newError(invalid)
	}
	return err
}

// An instance is used by one check at a time, because it counts the steps.
type instance struct {
	schema *jsonschema.Schema

	unevaluated bool // whether it tracks which members and items are evaluated
	patterns    map[string]*pattern
	patternSize int

	ctx   context.Context // of the check; the validator hands no context to what counts the steps
	steps int             // how many are left
	end   error           // why it ended early
}

func (s *Schema) take() (*instance, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.idle); n > 0 {
		in := s.idle[n-1]
		s.idle = s.idle[:n-1]
		return in, nil
	}
	return s.compile()
}

func (s *Schema) put(in *instance) {
	in.ctx = nil
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.idle) < maxIdle {
		s.idle = append(s.idle, in)
	}
}

// location is the URI of the schema, by which references within it are resolved.
const location = "schema:root"

func (s *Schema) compile() (_ *instance, err error) {
	in := &instance{}
	c := jsonschema.NewCompiler()
	// REQ JSCH-01
	c.DefaultDraft(jsonschema.Draft2020)
	// REQ JSCH-03, JSCH-06, JSCH-07
	c.UseLoader(noLoader{})
	c.AssertVocabs()
	c.RegisterVocabulary(in.vocabulary())
	c.UseRegexpEngine(in.regexp)
	if err := c.AddResource(location, s.doc); err != nil {
		return nil, short(err)
	}
	// REQ JSCH-01
	in.schema, err = c.Compile(location)
	// REQ JSCH-03, JSCH-05
	if err != nil {
		return nil, short(err)
	}
	in.hook(in.schema, map[*jsonschema.Schema]bool{})
	return in, nil
}

// noLoader loads nothing.
type noLoader struct{}

// REQ JSCH-06, JSCH-07
func (noLoader) Load(string) (any, error) {
	return nil, errors.New("references to other documents are not followed")
}
