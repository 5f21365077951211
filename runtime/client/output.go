package client

import (
	"context"
	"errors"
	"slices"
	"sync"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// outputs are the output schemas of tools that the client has seen in lists. Beyond the limits of what is
// remembered, results of the tools that were seen first are not checked.
type outputs struct {
	mu      sync.Mutex
	schemas learned[wire.Raw]
}

func (o *outputs) learn(tools []mcp.Tool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range tools {
		t := &tools[i]
		if t.OutputSchema == nil {
			o.schemas.drop(t.Name)
			continue
		}
		o.schemas.put(t.Name, slices.Clone(t.OutputSchema), len(t.OutputSchema))
	}
}

func (o *outputs) of(tool string) wire.Raw {
	o.mu.Lock()
	defer o.mu.Unlock()
	schema, _ := o.schemas.get(tool)
	return schema
}

// forget discards all schemas.
func (o *outputs) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.schemas = learned[wire.Raw]{}
}

// checkOutput validates the structured content of a tool's result against the output schema, unless the
// tool failed.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/server/tools#output-schema.
func (c *Client) checkOutput(ctx context.Context, params wire.Encodable, r *mcp.CallToolResult) error {
	call, ok := params.(*mcp.CallToolRequestParams)
	if !ok || c.opts.CheckOutput == nil || r.GetIsError() {
		return nil
	}
	schema := c.outputs.of(call.Name)
	if schema == nil {
		return nil
	}
	// REQ TOOL-08
	if r.StructuredContent == nil {
		return &OutputError{call.Name, errors.New("there is no structured content")}
	}
	if err := c.opts.CheckOutput(ctx, schema, r.StructuredContent); err != nil {
		return &OutputError{call.Name, err}
	}
	return nil
}
