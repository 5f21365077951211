package features

import (
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The smallest media that are what they say they are, in base64.
const (
	// png is an image of one pixel.
	png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
	// wav is a sound without a sample.
	wav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
)

func image() mcp.ContentBlock {
	return &mcp.ImageContent{Data: wire.Base64{Text: png}, MIMEType: "image/png"}
}

func text(s string) mcp.ContentBlock { return &mcp.TextContent{Text: s} }

func resource(uri, mimeType, s string) mcp.ContentBlock {
	return &mcp.EmbeddedResource{Resource: &mcp.TextResourceContents{URI: uri, MIMEType: mimeType, Text: s}}
}
