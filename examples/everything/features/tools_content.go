package features

import (
	"context"
	"errors"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// contentTools return each kind of content, and an error.
var contentTools = []tool{
	{
		mcp.Tool{Name: "test_simple_text", Description: "Returns a text"},
		returns(text("This is a simple text response for testing.")),
	},
	{
		mcp.Tool{Name: "test_image_content", Description: "Returns an image"},
		returns(image()),
	},
	{
		mcp.Tool{Name: "test_audio_content", Description: "Returns a sound"},
		returns(&mcp.AudioContent{Data: wire.Base64{Text: wav}, MIMEType: "audio/wav"}),
	},
	{
		mcp.Tool{Name: "test_embedded_resource", Description: "Returns a resource with its contents"},
		returns(resource("test://embedded-resource", "text/plain", "This is an embedded resource content.")),
	},
	{
		mcp.Tool{Name: "test_resource_link", Description: "Returns a link to a resource"},
		returns(&mcp.ResourceLink{URI: "test://static-text", Name: "static-text", MIMEType: "text/plain"}),
	},
	{
		mcp.Tool{Name: "test_multiple_content_types", Description: "Returns a text, an image and a resource"},
		returns(
			text("Multiple content types test:"),
			image(),
			resource("test://mixed-content-resource", "application/json", `{"test":"data","value":123}`),
		),
	},
	{
		mcp.Tool{Name: "test_error_handling", Description: "Fails"},
		func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
			//lint:ignore ST1005 the conformance suite wants this text
			return nil, errors.New("This tool intentionally returns an error for testing")
		},
	},
}

// returns is a tool that always returns the same content.
func returns(content ...mcp.ContentBlock) server.ToolHandler {
	return func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: content}, nil
	}
}
