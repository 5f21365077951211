package client

import (
	"context"
	"fmt"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// CallToolWire is [CallTool] without reflection, for code that `mcpgen client` generates: in encodes the arguments,
// and out decodes the structured content, or else the text of the content. If out is nil, the content is not decoded.
// The result is returned as well; it is nil after an error.
func CallToolWire(ctx context.Context, c ToolCaller, tool string, in wire.Encodable, out wire.Decodable) (*mcp.CallToolResult, error) {
	raw, err := wire.MarshalChecked(wire.Any, in)
	if err != nil {
		return nil, fmt.Errorf("client: tool %q: arguments: %w", tool, err)
	}
	r, err := called(ctx, c, &mcp.CallToolRequestParams{Name: tool, Arguments: raw})
	switch {
	case err != nil:
		return nil, err
	case r.GetIsError():
		return nil, &ToolError{tool, r}
	case out == nil:
		return r, nil
	}
	if err := DecodeWire(r, out); err != nil {
		return nil, fmt.Errorf("client: tool %q: %w", tool, err)
	}
	return r, nil
}

// DecodeWire is [Decode] without reflection: it decodes the structured content of a tool's result, or else the text of
// its content, into out, which shares the memory of the result. The error is a *[ToolError] if the tool failed.
func DecodeWire(r *mcp.CallToolResult, out wire.Decodable) error {
	if r.GetIsError() {
		return &ToolError{Result: r}
	}
	raw, what := outputOf(r)
	if err := wire.DecodeAlias(raw, out); err != nil {
		return fmt.Errorf("%s does not decode: %w; it is %s", what, err, excerpt.Of(string(raw)))
	}
	return nil
}
