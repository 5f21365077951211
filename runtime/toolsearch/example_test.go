package toolsearch_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/toolsearch"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func newServer() (*server.Server, error) {
	s := server.New(mcp.Implementation{Name: "shop", Version: "1.0.0"}, toolsearch.Enable(nil, nil))
	err := s.AddTool(mcp.Tool{
		Name: "list_orders", Description: "Lists the orders of a customer.",
		InputSchema:  wire.Raw(`{"type":"object","properties":{"customer":{"type":"string"}},"required":["customer"]}`),
		OutputSchema: wire.Raw(`{"type":"object","properties":{"orders":{"type":"array","items":{"type":"object","properties":{"id":{"type":"integer"},"state":{"type":"string"}},"required":["id","state"]}}},"required":["orders"]}`),
	}, func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{StructuredContent: wire.Raw(`{"orders":[{"id":7,"state":"open"},{"id":8,"state":"sent"},{"id":9,"state":"open"}]}`)}, nil
	})
	if err != nil {
		return nil, err
	}
	return s, s.AddTool(mcp.Tool{
		Name: "cancel_order", Description: "Cancels an order.",
		InputSchema: wire.Raw(`{"type":"object","properties":{"order":{"type":"integer"}},"required":["order"]}`),
	}, func(_ context.Context, _ *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
		return server.TextResult("cancelled " + string(args)), nil
	})
}

// A client sees two tools. One call of run_plan makes three, with what the first has returned.
func Example() {
	s, err := newServer()
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	calls := mcp.ServerCalls{Caller: mcptest.Caller(s, nil)}
	list, err := calls.ListTools(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	for _, t := range list.Tools {
		fmt.Println(t.Name)
	}
	for _, pointer := range []string{"/id", "/state"} {
		r, err := calls.CallTool(ctx, &mcp.CallToolRequestParams{Name: "run_plan", Arguments: wire.Raw(`{"steps": [
			{"id": "list", "tool": "list_orders", "args": {"customer": "ada"}},
			{"id": "cancel", "tool": "cancel_order", "forEach": {"$from": "list", "pointer": "/orders"},
			 "where": {"pointer": "/state", "equals": "open"}, "args": {"order": {"$from": "item", "pointer": "` + pointer + `"}}}
		]}`)})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(r.Content[0].(*mcp.TextContent).Text)
	}
	// Output:
	// run_plan
	// search_tools
	// {"results":{"cancel":[{"content":[{"type":"text","text":"cancelled {\"order\":7}"}]},{"content":[{"type":"text","text":"cancelled {\"order\":9}"}]}]}}
	// the plan is refused, and nothing of it has run: steps[1].args.order: want integer, got string
}
