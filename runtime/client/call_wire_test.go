package client_test

import (
	"context"
	"errors"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A toolFunc calls tools.
type toolFunc func(*mcp.CallToolRequestParams) (*mcp.CallToolResult, error)

func (f toolFunc) CallTool(_ context.Context, params *mcp.CallToolRequestParams) (*mcp.CallToolResult, error) {
	return f(params)
}

func TestCallToolWire(t *testing.T) {
	text := func(s string) []mcp.ContentBlock { return []mcp.ContentBlock{&mcp.TextContent{Text: s}} }
	for _, tt := range []struct {
		name   string
		in     wire.Raw
		result mcp.CallToolResult
		want   int64
		err    string
	}{
		{"structured content", wire.Raw(`{"a":1}`), mcp.CallToolResult{StructuredContent: wire.Raw("7")}, 7, ""},
		{"text", wire.Raw(`{}`), mcp.CallToolResult{Content: text("7")}, 7, ""},
		{"text after text", wire.Raw(`{}`), mcp.CallToolResult{Content: append(text("it is"), text("7")...)}, 7, ""},
		{"not JSON", wire.Raw(`{}`), mcp.CallToolResult{Content: text("seven")}, 0, `client: tool "x": the text of the result does not decode: wire: want integer, got 's' at offset 0; it is seven`},
		{"another type", wire.Raw(`{}`), mcp.CallToolResult{StructuredContent: wire.Raw(`"7"`)}, 0, `client: tool "x": the structured content does not decode: wire: want integer, got string; it is "7"`},
		{"failed", wire.Raw(`{}`), mcp.CallToolResult{IsError: new(true), Content: text("no disk")}, 0, `tool "x" failed: no disk`},
		{"arguments that are no JSON", wire.Raw(`{`), mcp.CallToolResult{}, 0, `client: tool "x": arguments: wire: the raw value is not valid JSON: want a member's name, got the end of the input at offset 1`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			call := toolFunc(func(p *mcp.CallToolRequestParams) (*mcp.CallToolResult, error) {
				if p.Name != "x" || string(p.Arguments) != string(tt.in) {
					t.Errorf("received %s, %s", p.Name, p.Arguments)
				}
				return &tt.result, nil
			})
			var got int64
			r, err := client.CallToolWire(t.Context(), call, "x", tt.in, wire.Into(&got, wire.GetInt))
			if tt.err != "" {
				if err == nil || err.Error() != tt.err || r != nil {
					t.Fatalf("got %v, %v, want %s", r, err, tt.err)
				}
				if failed := (*client.ToolError)(nil); errors.As(err, &failed) != tt.result.GetIsError() {
					t.Errorf("a ToolError: %v", failed)
				}
				return
			}
			if err != nil || got != tt.want || r != &tt.result {
				t.Errorf("got %d, %v, want %d", got, err, tt.want)
			}
		})
	}
	failed := errors.New("no connection")
	call := toolFunc(func(*mcp.CallToolRequestParams) (*mcp.CallToolResult, error) { return nil, failed })
	if _, err := client.CallToolWire(t.Context(), call, "x", wire.Raw("{}"), nil); !errors.Is(err, failed) {
		t.Errorf("got %v", err)
	}
	if err := client.DecodeWire(&mcp.CallToolResult{IsError: new(true)}, new(wire.Raw)); err == nil {
		t.Error("the result of a tool that failed was decoded")
	}
}
