package features

import (
	"context"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// watched is the resource whose updates can be triggered.
const watched = "test://watched-resource"

// changeTools announce changes to those who may know of them.
func (e *everything) changeTools() []tool {
	return []tool{
		{
			mcp.Tool{Name: "test_trigger_tool_change", Description: "Announces that the list of tools changed"},
			announces(func() { e.Changed(server.Change{Tools: true}) }),
		},
		{
			mcp.Tool{Name: "test_trigger_prompt_change", Description: "Announces that the list of prompts changed"},
			announces(func() { e.Changed(server.Change{Prompts: true}) }),
		},
		{
			mcp.Tool{Name: "test_trigger_resource_change", Description: "Announces that the list of resources changed"},
			announces(func() { e.Changed(server.Change{Resources: true}) }),
		},
		{
			mcp.Tool{Name: "test_trigger_resource_update", Description: "Announces that " + watched + " changed"},
			announces(func() { e.ResourceUpdated(watched) }),
		},
	}
}

func announces(change func()) server.ToolHandler {
	return func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		change()
		return server.TextResult("Announced."), nil
	}
}
