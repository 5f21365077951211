package client_test

import (
	"context"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// BenchmarkCallTool is a call of a tool that does nothing, within one process.
func BenchmarkCallTool(b *testing.B) {
	for _, rev := range []wire.Revision{mcp.V2025_11_25, mcp.V2026_07_28} {
		b.Run(rev.String(), func(b *testing.B) {
			s := server.New(mcp.Implementation{Name: "s", Version: "1"}, &server.Options{Logger: quiet})
			result := server.TextResult("done")
			if err := s.AddTool(mcp.Tool{Name: "t"}, func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
				return result, nil
			}); err != nil {
				b.Fatal(err)
			}
			near, far := inmem.Pair(0)
			go s.Serve(context.Background(), far)
			c, err := client.Connect(b.Context(), near, &client.Options{
				Revisions: []wire.Revision{rev}, Logger: quiet})
			if err != nil {
				b.Fatal(err)
			}
			defer c.Close()
			params := &mcp.CallToolRequestParams{Name: "t", Arguments: wire.Raw(`{"a":1}`)}
			b.ReportAllocs()
			for b.Loop() {
				if _, err := c.CallTool(b.Context(), params); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
