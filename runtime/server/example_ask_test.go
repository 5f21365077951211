package server_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"log"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/server/ask"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// callWith calls a tool with a user who enters content into any form, and visits every URL.
func callWith(h server.ToolHandler, content map[string]any) string {
	s := server.New(mcp.Implementation{Name: "hotel", Version: "1.0.0"}, nil)
	s.AddTool(mcp.Tool{Name: "tool"}, h)
	near, far := inmem.Pair(0)
	ctx := context.Background()
	go s.Serve(ctx, far)
	c, err := client.Connect(ctx, near, &client.Options{
		Elicit: elicit.Handler{
			Form: func(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
				if content == nil {
					return elicit.Decline(), nil
				}
				return elicit.Accept(content)
			},
			URL: func(context.Context, *mcp.ElicitRequestURLParams) (mcp.ElicitResultAction, error) {
				return mcp.ElicitResultActionAccept, nil
			},
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	r, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "tool"})
	if err != nil {
		log.Fatal(err)
	}
	return client.Text(r.Content)
}

// A visit to a URL with a fresh id, which must be the same in each run of the handler.
func ExampleOnceValue() {
	signIn := func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		id, err := server.OnceValue(c, "id", func() (string, error) { return rand.Text(), nil })
		if err != nil {
			return nil, err
		}
		r, err := c.Elicit(ctx, &mcp.ElicitRequestURLParams{
			Message: "Please sign in to the hotel", URL: "https://hotel.example/sign-in/" + id,
		})
		if err != nil {
			return nil, err
		}
		return server.TextResult(string(r.Action)), nil
	}

	fmt.Println(callWith(signIn, nil))
	// Output: accept
}

// A question whose text differs from run to run has a key.
func ExampleCall_WithKey() {
	pay := func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		message := fmt.Sprintf("Pay now? %d rooms are left.", roomsLeft())
		if _, err := ask.Form[struct{}](ctx, c.WithKey("pay"), message); err != nil {
			return nil, err
		}
		return server.TextResult("paid"), nil
	}

	fmt.Println(callWith(pay, map[string]any{}))
	// Output: paid
}

var rooms = 10

func roomsLeft() int { rooms--; return rooms }
