package mcptest_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A test calls a server without a transport.
func ExampleCaller() {
	s := server.New(mcp.Implementation{Name: "greeter", Version: "1.0.0"}, nil)
	err := s.AddTool(mcp.Tool{Name: "greet"}, func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		return server.TextResult("hello"), nil
	})
	if err != nil {
		log.Fatal(err)
	}

	calls := mcp.ServerCalls{Caller: mcptest.Caller(s, nil)}
	r, err := calls.CallTool(context.Background(), &mcp.CallToolRequestParams{Name: "greet"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Content[0].(*mcp.TextContent).Text)
	// Output: hello
}
