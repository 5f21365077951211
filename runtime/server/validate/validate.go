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
	var in, out *schema.Schema
	var err error
	if len(t.InputSchema) > 0 {
		if in, err = schema.Compile(t.InputSchema, 0); err != nil {
			return nil, fmt.Errorf("validate: input schema: %w", err)
		}
	}
	if len(t.OutputSchema) > 0 {
		if out, err = schema.Compile(t.OutputSchema, 0); err != nil {
			return nil, fmt.Errorf("validate: output schema: %w", err)
		}
	}
	return func(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
		if in != nil {
			if wrong := problems(ctx, in, args); wrong != nil {
				return nil, &server.ArgumentError{Problems: wrong}
			}
		}
		r, err := next(ctx, c, args)
		if err != nil || out == nil || r.GetIsError() {
			return r, err
		}
		wrong := []string{"it is missing"}
		if r != nil && len(r.StructuredContent) > 0 {
			wrong = problems(ctx, out, r.StructuredContent)
		}
		if wrong != nil {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError,
				Message: "the structured content of tool " + strconv.Quote(t.Name) + " is not valid: " + strings.Join(wrong, "; ")}
		}
		return r, nil
	}, nil
}

// problems returns what is wrong with a value: up to 20 problems such as "days: maximum: got 20, want 14", or nil.
func problems(ctx context.Context, s *schema.Schema, value wire.Raw) []string {
	err := s.Check(ctx, value, 0)
	if e := (*schema.ValueError)(nil); errors.As(err, &e) {
		return e.Lines("")
	}
	if err != nil {
		return []string{err.Error()}
	}
	return nil
}
