package server

import (
	"context"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// REQ META-13, STATE-09: every result says who answers and what kind it is, whatever its method.
func TestEveryResultSaysWho(t *testing.T) {
	s := newServer(nil)
	add(t, s.AddTool(mcp.Tool{Name: "a"}, says("a")))
	add(t, s.AddPrompt(mcp.Prompt{Name: "a", Arguments: []mcp.PromptArgument{{Name: "x"}}},
		func(context.Context, *Call, map[string]string) (*mcp.GetPromptResult, error) { return nil, nil }))
	add(t, s.AddResource(mcp.Resource{URI: "a:b", Name: "a"}, func(context.Context, *Call, string) (*mcp.ReadResourceResult, error) {
		return TextResource("", "x"), nil
	}))
	add(t, s.CompletePrompt("a", "x", func(context.Context, *Call, string, map[string]string) ([]string, error) { return nil, nil }))
	c := newClient(t, s, mcp.V2026_07_28, `{}`)
	for method, params := range map[string]string{
		"server/discover": `{}`, "tools/list": `{}`, "prompts/list": `{}`, "resources/list": `{}`, "resources/templates/list": `{}`,
		"tools/call": `{"name":"a"}`, "prompts/get": `{"name":"a"}`, "resources/read": `{"uri":"a:b"}`,
		"completion/complete": `{"ref":{"type":"ref/prompt","name":"a"},"argument":{"name":"x","value":""}}`,
	} {
		got := c.Must(method, params)
		contains(t, method, got, `"_meta":{"io.modelcontextprotocol/serverInfo":{"name":"test","version":"1"}}`)
		contains(t, method, got, `"resultType":"complete"`)
	}
}

// A result is put into the room of its request, and nothing that the call leaves behind is.
func TestRoom(t *testing.T) {
	s := newServer(nil)
	var call *Call
	add(t, s.AddTool(mcp.Tool{Name: "a"}, func(_ context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		call = c
		return &mcp.CallToolResult{Content: []mcp.ContentBlock{&mcp.TextContent{Text: "hi"}}}, nil
	}))
	c := newClient(t, s, mcp.V2025_11_25, `{}`)
	want := c.Must("tools/call", `{"name":"a"}`)
	for _, size := range []int{0, 10, 1000} {
		r := c.Request("tools/call", `{"name":"a"}`)
		room := make([]byte, 0, size)
		r.Room = room
		result, err := c.session.ServeRequest(t.Context(), r)
		if err != nil || string(result) != want {
			t.Errorf("with room for %d bytes: %s, %v, want %s", size, result, err, want)
		}
		if size == 1000 && &result[0] != &room[:1][0] {
			t.Error("the result is not in the room")
		}
		if call.req.Room != nil {
			t.Error("the call may still use the room")
		}
	}
}
