package client

import (
	"context"
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
	size    int // of the names and schemas, in bytes
}

// maxOutputs is how many bytes of schemas are remembered, however many a server comes up with over
// time. The output of other tools is not checked until they are listed again.
const maxOutputs = 16 << 20

func (o *outputs) learn(tools []mcp.Tool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for i := range tools {
		t := &tools[i]
		if before, ok := o.schemas[t.Name]; ok {
			o.size -= len(t.Name) + len(before)
			delete(o.schemas, t.Name)
		}
		size := len(t.Name) + len(t.OutputSchema)
		if t.OutputSchema == nil || size > maxOutputs {
			continue
		}
		if o.schemas == nil || o.size+size > maxOutputs {
			o.schemas, o.size = map[string]wire.Raw{}, 0
		}
		o.schemas[strings.Clone(t.Name)] = slices.Clone(t.OutputSchema) // not the whole list with it
		o.size += size
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
	o.schemas, o.size = nil, 0
}

// checkOutput checks what a tool returned, unless it is about a failure.
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
