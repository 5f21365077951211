package client

import (
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// outputs are the output schemas of the tools that the client has seen in lists.
type outputs struct {
	mu      sync.Mutex
	schemas map[string]wire.Raw
}

func (o *outputs) learn(tools []mcp.Tool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range tools {
		t := &tools[i]
		if t.OutputSchema == nil {
			delete(o.schemas, t.Name)
			continue
		}
		if o.schemas == nil {
			o.schemas = map[string]wire.Raw{}
		}
		o.schemas[strings.Clone(t.Name)] = slices.Clone(t.OutputSchema) // not the whole list with it
	}
}

func (o *outputs) of(tool string) wire.Raw {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.schemas[tool]
}

// forget is for when the server's tools have changed.
func (o *outputs) forget() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.schemas = nil
}

// checkOutput checks what a tool returned, unless it is about a failure.
func (c *Client) checkOutput(params wire.Encodable, r *mcp.CallToolResult) error {
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
	if err := c.opts.CheckOutput(schema, r.StructuredContent); err != nil {
		return &OutputError{call.Name, err}
	}
	return nil
}
