// Package outputcheck checks what tools return against their output schemas:
//
//	opts := &client.Options{CheckOutput: new(outputcheck.Checker).Check}
//
// The dialects are 2020-12, which a schema has that does not say otherwise, 2019-09, and drafts 7,
// 6 and 4. A schema that refers to something outside of itself is an error: nothing is ever
// fetched. Formats are not checked, as the dialects have it.
package outputcheck

import (
	"context"
	"fmt"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/internal/schema"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Checker checks values against JSON Schemas, and keeps what it made of the schemas. The zero
// value is ready. It may be used by several goroutines.
type Checker struct {
	// MaxSchema is how large a schema may be, in bytes. 0 means 1 MiB. It has at most 4000 parts, too.
	MaxSchema int
	// MaxSteps is how many steps a check may take, each about the application of a subschema, which
	// bounds the time. 0 means 50,000 and one for each byte of the schema and the value.
	MaxSteps int

	mu       sync.Mutex
	compiled map[string]*schema.Schema // by text
	bytes    int                       // of the texts
}

// maxCompiled and maxBytes are how many schemas a Checker keeps, and how long their texts may be
// together.
const (
	maxCompiled = 256
	maxBytes    = 4 << 20
)

// Check returns an error that says in which ways the value does not fit the schema, the first 20 of
// them, or why the schema cannot be used. It also refuses members that stand twice in their object,
// and numbers of more than 1000 digits or with an exponent beyond ±400.
func (c *Checker) Check(ctx context.Context, text, value wire.Raw) error {
	s, err := c.compile(text)
	if err != nil {
		return fmt.Errorf("the schema cannot be used: %w", err)
	}
	return s.Check(ctx, value, orDefault(c.MaxSteps, 50_000+len(text)+len(value)))
}

func (c *Checker) compile(text wire.Raw) (*schema.Schema, error) {
	if limit := orDefault(c.MaxSchema, 1<<20); len(text) > limit {
		return nil, fmt.Errorf("it has %d bytes; the limit is %d", len(text), limit)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if s := c.compiled[string(text)]; s != nil {
		return s, nil
	}
	s, err := schema.Compile(text, schema.MaxParts)
	if err != nil {
		return nil, err
	}
	if c.compiled == nil {
		c.compiled = map[string]*schema.Schema{}
	}
	for old := range c.compiled {
		if len(c.compiled) < maxCompiled && c.bytes+len(text) <= maxBytes {
			break
		}
		delete(c.compiled, old)
		c.bytes -= len(old)
	}
	c.compiled[string(text)] = s
	c.bytes += len(text)
	return s, nil
}

func orDefault(n, standard int) int {
	if n <= 0 {
		return standard
	}
	return n
}
