// Package typed offers Go functions as tools and as handlers of custom methods. Schemas are inferred from
// their types while the program runs. Tools that mcpgen generates need neither reflection nor this package.
package typed

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/gotype"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/server/validate"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Handler handles a call of a tool or a request of a custom method. In is a struct or a map, into which
// arguments are decoded as by encoding/json, except that the names of members must be exactly those of the
// fields, and duplicate members are errors; types with methods of their own decode as these do. Out is
// encoded as structured content, unless it is *[mcp.CallToolResult]. Errors are those of a
// [server.ToolHandler].
type Handler[In, Out any] func(ctx context.Context, c *server.Call, in In) (Out, error)

// AddTool offers a tool to everyone: see [Tool].
func AddTool[In, Out any](s *server.Server, t mcp.Tool, h Handler[In, Out]) error {
	i, err := Tool(t, h)
	if err != nil {
		return err
	}
	return s.Add(i)
}

// Tool returns a tool for [server.Server.Add]. Schemas that t does not have are inferred: from the fields of structs, with the names
// in their json tags, and the descriptions in their jsonschema tags. A field is optional if its tag says
// omitempty or omitzero. Arguments that a struct does not have are refused; results may have members more, so that
// callers that validate them by a schema from before go on when a struct gets a field. Arguments are validated against
// the input schema before the handler is called, and its result against the output schema; see package validate.
func Tool[In, Out any](t mcp.Tool, h Handler[In, Out]) (i server.Item, err error) {
	whole := reflect.TypeFor[Out]() == reflect.TypeFor[*mcp.CallToolResult]()
	if len(t.InputSchema) == 0 {
		if t.InputSchema, err = infer[In](nil); err != nil {
			return i, fmt.Errorf("typed: tool %q: input: %w", t.Name, err)
		}
	}
	if len(t.OutputSchema) == 0 && !whole {
		if t.OutputSchema, err = infer[Out](opened); err != nil {
			return i, fmt.Errorf("typed: tool %q: output: %w", t.Name, err)
		}
	}
	if h == nil {
		return i, fmt.Errorf("typed: tool %q has no handler", t.Name)
	}
	d := gotype.NewDecoder[In]()
	valid, err := validate.Tools(&t, func(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
		in, err := d.Decode(args)
		if err != nil {
			return nil, &server.ArgumentError{Problems: []string{err.Error()}}
		}
		out, err := h(ctx, c, in)
		if err != nil {
			return nil, err
		}
		if r, ok := any(out).(*mcp.CallToolResult); ok && whole {
			return r, nil
		}
		structured, err := json.Marshal(out)
		if err != nil {
			return nil, err
		}
		return &mcp.CallToolResult{StructuredContent: structured}, nil
	})
	if err != nil {
		return i, fmt.Errorf("typed: tool %q: %w", t.Name, err)
	}
	return server.Item{Definition: &t, Handler: valid}, nil
}

// infer returns the schema of a type, after a change unless that is nil.
func infer[T any](change func(*jsonschema.Schema)) (wire.Raw, error) {
	schema, err := jsonschema.For[T](nil)
	if err != nil {
		return nil, err
	}
	if change != nil {
		change(schema)
	}
	return json.Marshal(schema)
}

// opened allows objects to have members that are not declared, at all depths of an inferred schema.
func opened(s *jsonschema.Schema) {
	switch {
	case s == nil:
	case s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil: // false, of a struct
		s.AdditionalProperties = nil
		for _, p := range s.Properties {
			opened(p)
		}
	default:
		opened(s.AdditionalProperties)
		opened(s.Items)
	}
}
