package main

import (
	"context"
	"fmt"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
)

// Static is a sample.
//
//mcp:resource test://static/resource "name=Static Resource" mime=text/plain
//mcp:icon https://example.com/icon.png mime=image/png
func Static() string { return "This is a sample resource" }

// Dynamic is a sample for each id.
//
//mcp:resource test://dynamic/resource/{id} "name=Dynamic Resource" mime=text/plain
func Dynamic(id string) string { return "This is a sample resource" }

// numbered reads a resource by number: text, or bytes if the number is even.
func numbered(n int) server.ResourceHandler {
	return func(_ context.Context, _ *server.Call, uri string) (*mcp.ReadResourceResult, error) {
		if n%2 != 0 {
			text := server.EmbedText(uri, "text/plain", fmt.Sprintf("Text content for resource %d", n))
			return &mcp.ReadResourceResult{Contents: []mcp.ResourceContents{text.Resource}}, nil
		}
		blob := server.EmbedBlob(uri, "application/octet-stream", fmt.Appendf(nil, "Binary content for resource %d", n))
		return &mcp.ReadResourceResult{Contents: []mcp.ResourceContents{blob.Resource}}, nil
	}
}
