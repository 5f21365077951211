package client

import (
	"context"
	"errors"
	"slices"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// learnOutputs remembers the output schemas of tools. Results of tools whose schema is not remembered are not
// checked.
func (c *Client) learnOutputs(tools []mcp.Tool) {
	for i := range tools {
		if t := &tools[i]; t.OutputSchema == nil {
			c.outputs.drop(t.Name)
		} else {
			c.outputs.put(t.Name, slices.Clone(t.OutputSchema), len(t.OutputSchema))
		}
	}
}

// CheckOutput validates the structured content of a tool's result by [Options].CheckOutput, as every call of a tool does;
// it is for results that arrive in another way. The error is an *[OutputError]. A result that has been decoded into
// something else than package mcp has for it is not checked, nor is that of a tool that failed.
//
// The schema that the client has seen may be that of an older server: before a result is refused, whose tool has done its
// work, the tools are listed again.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/server/tools#output-schema.
//
// REQ TOOL-08
func (c *Client) CheckOutput(ctx context.Context, call *mcp.CallToolRequestParams, result wire.Decodable) error {
	r := toolResult(result)
	if r == nil || c.opts.CheckOutput == nil || r.GetIsError() {
		return nil
	}
	schema, known := c.outputs.get(call.Name)
	if !known {
		return nil
	}
	if r.StructuredContent == nil {
		return &OutputError{call.Name, errors.New("there is no structured content")}
	}
	err := c.opts.CheckOutput(ctx, schema, r.StructuredContent)
	if err == nil {
		return nil
	}
	if failed := c.listAgain(ctx, call.Name); failed != nil {
		c.logger().Warn("client: the tools could not be listed to find out whether an output schema has changed", "tool", call.Name, "error", failed)
	} else if now, known := c.outputs.get(call.Name); !known {
		return nil
	} else if string(now) != string(schema) {
		err = c.opts.CheckOutput(ctx, now, r.StructuredContent)
	}
	if err != nil {
		return &OutputError{call.Name, err}
	}
	return nil
}
