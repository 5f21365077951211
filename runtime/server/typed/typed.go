// Package typed offers Go functions as tools, with schemas inferred from their types while the
// program runs. The tools that mcpgen generates need neither reflection nor this package.
package typed

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/server/validate"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Handler carries out a call of a tool. In is a struct or a map, the arguments as encoding/json
// decodes them, except that the names of members must be exactly those of the fields, and may stand
// only once; what a type reads by a method of its own is up to that. Out is what it encodes as structured content. If Out is *[mcp.CallToolResult], it is
// the result. Errors are those of a [server.ToolHandler].
type Handler[In, Out any] func(ctx context.Context, c *server.Call, in In) (Out, error)

// AddTool offers a tool. Where t has no schemas they are inferred: from the fields of structs, with
// the names of their json tags, and descriptions in their jsonschema tags. A field is optional if its
// tag says omitempty or omitzero. Arguments are held against the input schema before the handler is
// called, and what it returns against the output schema; see package validate.
func AddTool[In, Out any](s *server.Server, t mcp.Tool, h Handler[In, Out]) error {
	whole := reflect.TypeFor[Out]() == reflect.TypeFor[*mcp.CallToolResult]()
	var err error
	if len(t.InputSchema) == 0 {
		if t.InputSchema, err = infer[In](); err != nil {
			return fmt.Errorf("typed: AddTool %q: input: %w", t.Name, err)
		}
	}
	if len(t.OutputSchema) == 0 && !whole {
		if t.OutputSchema, err = infer[Out](); err != nil {
			return fmt.Errorf("typed: AddTool %q: output: %w", t.Name, err)
		}
	}
	if h == nil {
		return fmt.Errorf("typed: AddTool: tool %q has no handler", t.Name)
	}
	names := shapes{}.of(reflect.TypeFor[In]())
	return validate.AddTool(s, t, func(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
		if err := names.check(args); err != nil {
			return nil, &server.ArgumentError{Problems: []string{problem(err)}}
		}
		var in In
		if err := json.Unmarshal(args, &in); err != nil {
			return nil, &server.ArgumentError{Problems: []string{excerpt.Cut(err.Error(), 1000)}}
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
}

// problem returns the text of an error about the names of members.
func problem(err error) string {
	if e, ok := err.(*wire.DecodeError); ok {
		return e.Path + ": " + e.Msg
	}
	return err.Error()
}

// infer returns the schema of a type.
func infer[T any]() (wire.Raw, error) {
	schema, err := jsonschema.For[T](nil)
	if err != nil {
		return nil, err
	}
	return json.Marshal(schema)
}
