// Package outputcheck checks what tools return against their output schemas:
//
//	opts := &client.Options{CheckOutput: new(outputcheck.Checker).Check}
//
// The dialects are 2020-12, which a schema has that does not say otherwise, 2019-09, and drafts 7,
// 6 and 4. A schema that refers to something outside of itself is an error: nothing is ever
// fetched. Formats are not checked, as the dialects have it.
package outputcheck

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Checker checks values against JSON Schemas, and keeps what it made of the schemas. The zero
// value is ready. It may be used by several goroutines.
type Checker struct {
	// MaxSchema is how large a schema may be, in bytes. 0 means 1 MiB.
	MaxSchema int
	// MaxSteps is how often subschemas may be applied in one check, which bounds the time that it
	// takes. 0 means 1 million.
	MaxSteps int

	mu       sync.Mutex
	compiled map[string]*schema // by text
}

// maxCompiled is how many schemas a Checker keeps.
const maxCompiled = 256

// Check returns an error that says everything in which the value does not fit the schema, or why
// the schema cannot be used.
func (c *Checker) Check(text, value wire.Raw) error {
	s, err := c.compile(text)
	if err != nil {
		return fmt.Errorf("the schema cannot be used: %w", err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	if err != nil {
		return err
	}
	return s.check(v, orDefault(c.MaxSteps, 1_000_000))
}

func (c *Checker) compile(text wire.Raw) (*schema, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.compiled[string(text)]; s != nil {
		return s, nil
	}
	s, err := c.newSchema(text)
	if err != nil {
		return nil, err
	}
	if c.compiled == nil {
		c.compiled = map[string]*schema{}
	}
	for old := range c.compiled {
		if len(c.compiled) < maxCompiled {
			break
		}
		delete(c.compiled, old)
	}
	c.compiled[string(text)] = s
	return s, nil
}

// location is where the schema pretends to be, so that references within it can be resolved.
const location = "schema:output"

func (c *Checker) newSchema(text wire.Raw) (*schema, error) {
	if limit := orDefault(c.MaxSchema, 1<<20); len(text) > limit {
		return nil, fmt.Errorf("it has %d bytes; the limit is %d", len(text), limit)
	}
	if err := text.Check(); err != nil { // which bounds its depth, too
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, err
	}
	s := new(schema)
	compiler := jsonschema.NewCompiler()
	// REQ JSCH-01
	compiler.DefaultDraft(jsonschema.Draft2020)
	// REQ JSCH-06, JSCH-07
	compiler.UseLoader(noLoader{})
	compiler.AssertVocabs()
	compiler.RegisterVocabulary(s.stepCounter())
	if err := compiler.AddResource(location, doc); err != nil {
		return nil, err
	}
	// REQ JSCH-03
	s.compiled, err = compiler.Compile(location)
	// REQ JSCH-05
	if invalid := (*jsonschema.SchemaValidationError)(nil); errors.As(err, &invalid) {
		if e := (*jsonschema.ValidationError)(nil); errors.As(invalid.Err, &e) {
			err = problems(e)
		}
	}
	return s, err
}

// A schema is a compiled schema that counts how often its parts are applied.
type schema struct {
	compiled *jsonschema.Schema

	mu    sync.Mutex // held during a check
	steps int        // how many are left
}

// errSteps ends a check from within.
var errSteps = errors.New("the schema takes too many steps")

func (s *schema) check(value any, steps int) (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.steps = steps
	defer func() {
		if p := recover(); p == errSteps {
			err = errSteps
		} else if p != nil {
			panic(p)
		}
	}()
	err = s.compiled.Validate(value)
	if invalid := (*jsonschema.ValidationError)(nil); errors.As(err, &invalid) {
		return problems(invalid)
	}
	return err
}

// stepCounter is a vocabulary without keywords that is part of every subschema.
func (s *schema) stepCounter() *jsonschema.Vocabulary {
	return &jsonschema.Vocabulary{
		URL: "schema:steps",
		Compile: func(*jsonschema.CompilerContext, map[string]any) (jsonschema.SchemaExt, error) {
			return step{s}, nil
		},
	}
}

type step struct{ *schema }

func (s step) Validate(*jsonschema.ValidatorContext, any) {
	if s.steps--; s.steps < 0 {
		panic(errSteps)
	}
}

// noLoader fetches nothing.
type noLoader struct{}

func (noLoader) Load(string) (any, error) {
	return nil, errors.New("references to other documents are not followed")
}

// problems lists what does not fit, each with its place in the value.
func problems(e *jsonschema.ValidationError) error {
	var list []string
	var visit func(*jsonschema.ValidationError)
	visit = func(e *jsonschema.ValidationError) {
		for _, cause := range e.Causes {
			visit(cause)
		}
		if unit := e.DetailedOutput(); len(e.Causes) == 0 && unit.Error != nil {
			list = append(list, "/"+strings.Join(e.InstanceLocation, "/")+": "+unit.Error.String())
		}
	}
	visit(e)
	slices.Sort(list) // they come in any order
	return errors.New(strings.Join(list, "; "))
}

func orDefault(n, standard int) int {
	if n <= 0 {
		return standard
	}
	return n
}
