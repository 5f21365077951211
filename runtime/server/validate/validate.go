// Package validate validates the arguments and the structured content of tools against their schemas: those of all tools
// of a server with [Tools] among its [server.Options].WrapTools. Generated tools validate their arguments themselves.
//
// The supported dialects of JSON Schema are 2020-12, which is the default, 2019-09, draft-07, draft-06 and
// draft-04; see https://json-schema.org/specification. References to other documents are never followed:
// they are errors of the schema.
package validate

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/schema"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Tools is a [server.ToolWrapper] that validates the arguments of a tool against its input schema before it calls next,
// and the structured content that next returns against the output schema. Invalid arguments are a
// *[server.ArgumentError]. Structured content that is invalid, or missing although there is a schema, is a fault of the
// tool and becomes an internal error. A schema that is not valid refuses the tool.
//
// REQ TOOL-26, TOOL-08
func Tools(t *mcp.Tool, next server.ToolHandler) (server.ToolHandler, error) {
	var in, out *Schema
	var err error
	if len(t.InputSchema) > 0 {
		if in, err = Compile(t.InputSchema); err != nil {
			return nil, fmt.Errorf("validate: input schema: %w", err)
		}
	}
	if len(t.OutputSchema) > 0 {
		if out, err = Compile(t.OutputSchema); err != nil {
			return nil, fmt.Errorf("validate: output schema: %w", err)
		}
	}
	return func(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
		if in != nil {
			if problems := in.Check(ctx, args); problems != nil {
				return nil, &server.ArgumentError{Problems: problems}
			}
		}
		r, err := next(ctx, c, args)
		if err != nil || out == nil || r.GetIsError() {
			return r, err
		}
		var problems []string
		if r == nil || len(r.StructuredContent) == 0 {
			problems = []string{"it is missing"}
		} else {
			problems = out.Check(ctx, r.StructuredContent)
		}
		if problems != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError,
				Message: "the structured content of tool " + strconv.Quote(t.Name) + " is not valid: " + strings.Join(problems, "; ")}
		}
		return r, nil
	}, nil
}

// A Schema is a compiled JSON Schema.
type Schema struct{ schema *schema.Schema }

// Compile compiles a schema. It returns an error if the schema is not valid in its dialect.
func Compile(text wire.Raw) (*Schema, error) {
	s, err := schema.Compile(text, 0)
	if err != nil {
		return nil, err
	}
	return &Schema{s}, nil
}

// Check validates a value, and returns what is wrong with it: up to 20 problems such as "days: maximum: got
// 20, want 14", or nil. It also refuses duplicate members, and numbers of more than 1000 digits or with an
// exponent beyond ±400.
func (s *Schema) Check(ctx context.Context, value wire.Raw) []string {
	err := s.schema.Check(ctx, value, 0)
	if e := (*schema.ValueError)(nil); errors.As(err, &e) {
		return e.Lines(path)
	}
	if err != nil {
		return []string{err.Error()}
	}
	return nil
}

// path joins the steps to a place in a value: "days[2].name".
func path(steps []string) string {
	var b strings.Builder
	for _, step := range steps {
		if _, err := strconv.Atoi(step); err == nil {
			b.WriteString("[" + step + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(step)
	}
	return b.String()
}
