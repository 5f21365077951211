package deployment_test

import (
	"context"
	"fmt"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/deployment"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func Example() {
	cluster := &deployment.Param{Name: "cluster", Description: "Which cluster to ask.", Values: []string{"eu", "us"}}
	s := server.New(mcp.Implementation{Name: "pods", Version: "1.0.0"}, deployment.Options(nil, cluster))
	err := s.AddTool(mcp.Tool{Name: "count", InputSchema: wire.Raw(`{"type":"object"}`)}, func(ctx context.Context, _ *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		return server.TextResult("3 pods in " + cluster.Value(ctx)), nil
	})
	for i := range s.Items() {
		fmt.Println(string(i.Definition.(*mcp.Tool).InputSchema), err)
	}
	// Output: {"type":"object","properties":{"cluster":{"type":"string","description":"Which cluster to ask.","enum":["eu","us"]}},"required":["cluster"]} <nil>
}
