// Package outputcheck validates the results of tools against their output schemas:
//
//	opts := &client.Options{CheckOutput: new(outputcheck.Checker).Check}
//
// It knows the dialects 2020-12, which is the default, 2019-09, and drafts 7, 6 and 4. References must
// stay inside a schema: nothing is ever fetched. Formats are annotations in the first two, and are checked in the
// drafts, as by default in each. A schema whose cost cannot be known before a check is refused: see
// [Checker.Check].
//
// See https://modelcontextprotocol.io/specification/2026-07-28/server/tools and
// https://json-schema.org/draft/2020-12/json-schema-core.
package outputcheck

import (
	"context"
	"fmt"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/internal/lru"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/internal/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Checker validates values against JSON Schemas, and keeps compiled schemas. The zero value is ready to
// use. It may be used by several goroutines at once.
type Checker struct {
	// MaxSchema is the largest size of a schema in bytes. The default is 1 MiB; a negative number is no
	// limit. In any case a schema may have at most 4000 subschemas.
	MaxSchema int
	// MaxSteps bounds the time of a check. It is how many steps a check may take; a step is about one application
	// of a subschema, in each branch that the value could take. The default is 50,000, and one more for each byte of the schema and the value; a negative
	// number is no limit.
	MaxSteps int

	mu       sync.Mutex
	compiled lru.Map[string, *schema.Schema] // by text
}

// The limits of what a Checker keeps: the number of schemas, and the total length of their texts.
const (
	maxCompiled = 256
	maxBytes    = 4 << 20
)

// leastSteps is how many steps the smallest check may take.
const leastSteps = 50_000

// Check validates a value. The error lists the first 20 problems, or says why the schema cannot be used.
// Duplicate members are errors, as are numbers with more than 1000 digits or an exponent beyond ±400.
//
// A check begins after its steps are counted, and cannot be cancelled from then on. Three kinds of schemas whose steps
// cannot be counted are errors: those with $dynamicRef or $recursiveRef if another $id is in them, references to a
// metaschema that has such references, and references that lead to themselves for the same value.
func (c *Checker) Check(ctx context.Context, text, value wire.Raw) error {
	s, err := c.compile(text)
	if err != nil {
		return fmt.Errorf("the schema cannot be used: %w", err)
	}
	return s.Check(ctx, value, option.Limit(c.MaxSteps, leastSteps+len(text)+len(value)))
}

// compile returns a compiled schema, and keeps it for the next time.
func (c *Checker) compile(text wire.Raw) (*schema.Schema, error) {
	if most := option.Limit(c.MaxSchema, 1<<20); len(text) > most {
		return nil, fmt.Errorf("want at most %d bytes, got %d", most, len(text))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if s, ok := c.compiled.Get(string(text)); ok {
		return s, nil
	}
	s, err := schema.Compile(text, schema.MaxParts)
	if err == nil {
		c.compiled.MaxItems, c.compiled.MaxSize = maxCompiled, maxBytes
		c.compiled.Put(string(text), s, len(text))
	}
	return s, err
}
