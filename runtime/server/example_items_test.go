package server_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func hello(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
	return server.TextResult("Hello!"), nil
}

// Some tools are for customers with a plan. Others see them, and the model reads what they would need.
func ExampleFilter() {
	plans := server.Filter{
		Concerns: func(i *server.Item) bool { return slices.Contains(i.Access.Groups, "pro") },
		Admit: func(_ context.Context, c *server.Call, _ *server.Item) (bool, error) {
			if c.Principal() == "ada" {
				return true, nil
			}
			return true, errors.New("this tool needs the plan Pro: https://example.com/plans")
		},
	}
	s := server.New(mcp.Implementation{Name: "shop", Version: "1.0.0"}, &server.Options{Filters: []server.Filter{plans}})
	if err := s.Add(server.Item{Definition: &mcp.Tool{Name: "forecast"}, Handler: server.ToolHandler(hello), Access: server.Access{Groups: []string{"pro"}}}); err != nil {
		panic(err)
	}
	ctx := context.Background()
	for _, name := range []visitor{"ada", "bob"} {
		calls := mcp.ServerCalls{Caller: mcptest.Caller(s, &mcptest.CallerOptions{Identity: transport.Identity(name)})}
		list, err := calls.ListTools(ctx, nil)
		if err != nil {
			panic(err)
		}
		r, err := calls.CallTool(ctx, &mcp.CallToolRequestParams{Name: "forecast"})
		if err != nil {
			panic(err)
		}
		fmt.Println(name, "sees", len(list.Tools), "tool:", r.Content[0].(*mcp.TextContent).Text)
	}
	// Output:
	// ada sees 1 tool: Hello!
	// bob sees 1 tool: this tool needs the plan Pro: https://example.com/plans
}

// A gateway reads a file again when it has changed. Clients are notified once.
func ExampleServer_SetItems() {
	s := server.New(mcp.Implementation{Name: "gateway", Version: "1.0.0"}, nil)
	load := func(names ...string) error {
		var items []server.Item
		for _, name := range names {
			items = append(items, server.Item{Definition: &mcp.Tool{Name: name}, Handler: server.ToolHandler(hello)})
		}
		return s.SetItems("petstore.yaml", items...)
	}
	if err := errors.Join(load("listPets", "addPet"), load("listPets", "getPet")); err != nil {
		panic(err)
	}
	var names []string
	for i := range s.Items() {
		names = append(names, i.Definition.(*mcp.Tool).Name)
	}
	fmt.Println(strings.Join(names, " "))
	// Output: getPet listPets
}
