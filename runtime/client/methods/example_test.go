package methods_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/methods"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A client that handles a notification of an extension.
func ExampleNotification() {
	const name = "notifications/example/alarm"
	type alarm struct {
		Door string `json:"door"`
	}
	s := server.New(mcp.Implementation{Name: "guard", Version: "1.0.0"}, nil)
	s.AddTool(mcp.Tool{Name: "look"}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		if err := c.Notify(ctx, name, wire.Raw(`{"door": "east"}`)); err != nil {
			return nil, err
		}
		return server.TextResult("looked"), nil
	})
	near, far := inmem.Pair(0)
	ctx := context.Background()
	go s.Serve(ctx, far)

	doors := make(chan string, 1)
	c, err := client.Connect(ctx, near, &client.Options{
		Methods: []client.Method{methods.Notification(name, func(_ context.Context, a alarm) {
			doors <- a.Door
		})},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	if _, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "look"}); err != nil {
		log.Fatal(err)
	}
	fmt.Println("alarm:", <-doors)
	// Output: alarm: east
}
