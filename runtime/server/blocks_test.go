package server

import (
	"context"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestBlocks sends what the helpers make, in every revision.
//
// REQ TOOL-15
func TestBlocks(t *testing.T) {
	s := newServer(nil)
	data := []byte{0xfb, 0xff, 0, '\n'} // +/8ACg== in standard Base64, -_8ACg in that of URLs
	add(t, s.AddTool(mcp.Tool{Name: "a"}, func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.ContentBlock{
			Text("x"), Image("image/png", data), Audio("audio/wav", data), Link("a:b", "n"),
			EmbedText("a:b", "text/plain", "x"), EmbedBlob("a:c", "image/png", data), EmbedBlob("a:d", "", nil),
		}}, nil
	}))
	everyRevision(t, func(t *testing.T, rev wire.Revision) {
		audio, link := `{"type":"audio","data":"+/8ACg==","mimeType":"audio/wav"}`, `{"type":"resource_link","name":"n","uri":"a:b"}`
		if rev < mcp.V2025_03_26 {
			audio = `{"type":"text","text":"[audio/wav, 4 bytes, which this client cannot receive]"}`
		}
		if rev < mcp.V2025_06_18 {
			link = `{"type":"text","text":"Resource n: a:b"}`
		}
		equal(t, "result", bare(newClient(t, s, rev, `{}`).Must("tools/call", `{"name":"a"}`)), `{"content":[{"type":"text","text":"x"},`+
			`{"type":"image","data":"+/8ACg==","mimeType":"image/png"},`+audio+`,`+link+`,`+
			`{"type":"resource","resource":{"uri":"a:b","mimeType":"text/plain","text":"x"}},`+
			`{"type":"resource","resource":{"uri":"a:c","mimeType":"image/png","blob":"+/8ACg=="}},`+
			`{"type":"resource","resource":{"uri":"a:d","blob":""}}]}`)
	})
}
