package server_test

import (
	"context"
	"fmt"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A tool that tries another one again until it succeeds. Each attempt is a request like those of the client: whoever may not
// call the tool cannot do so by this one.
func ExampleCall_Dispatch() {
	s := server.New(mcp.Implementation{Name: "shop", Version: "1.0.0"}, nil)
	attempts := 0
	pay := func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		if attempts++; attempts < 3 {
			return nil, fmt.Errorf("the bank does not answer")
		}
		return server.TextResult("paid"), nil
	}
	patiently := func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		for {
			raw, err := c.Dispatch(ctx, mcp.MethodCallTool.Name, wire.Raw(`{"name":"pay"}`))
			if err != nil {
				return nil, err
			}
			var r mcp.CallToolResult
			if err := wire.Decode(raw, &r); err != nil || !r.GetIsError() {
				return &r, err
			}
		}
	}
	for name, h := range map[string]server.ToolHandler{"pay": pay, "pay_patiently": patiently} {
		if err := s.AddTool(mcp.Tool{Name: name}, h); err != nil {
			panic(err)
		}
	}
	calls := mcp.ServerCalls{Caller: mcptest.Caller(s, nil)}
	r, err := calls.CallTool(context.Background(), &mcp.CallToolRequestParams{Name: "pay_patiently"})
	if err != nil {
		panic(err)
	}
	fmt.Println(r.Content[0].(*mcp.TextContent).Text, "after", attempts, "attempts")
	// Output: paid after 3 attempts
}
