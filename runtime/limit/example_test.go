package limit_test

import (
	"context"
	"log"
	"net/http"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/limit"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

// A server whose clients may call a tool five times a second, and of whose calls eight run at the same time.
func ExampleCalls() {
	limits := limit.Calls(&limit.Options{
		Rates: []limit.Rate{
			{By: limit.Client | limit.Tool, N: 5},                                                 // each client, each tool, in a second
			{By: limit.Client, N: 1000, Per: time.Hour, Burst: 100},                               // each client, all tools together
			{By: limit.Tool, Tools: []string{"render"}, N: 30, Per: time.Minute},                  // all clients together
			{By: limit.Client, N: 50, Methods: []string{"resources/read", "completion/complete"}}, // by default a rule is about tools/call
		},
		Concurrency: []limit.Concurrency{
			{By: limit.Client, Max: 4, Queue: 8},
			{Max: 8, Queue: 32, Wait: 5 * time.Second},
		},
	})
	s := server.New(mcp.Implementation{Name: "studio", Version: "1.0.0"}, &server.Options{
		Middleware: []server.Middleware{limits},
	})
	_ = s
}

// A server that hears each client at most fifty times a second, and each address two hundred times.
func ExampleRequests() {
	s := server.New(mcp.Implementation{Name: "studio", Version: "1.0.0"}, nil)
	h := streamable.NewHandler(s, &streamable.Options{
		Admit: limit.Requests(&limit.Options{Rates: []limit.Rate{
			{By: limit.Client, N: 50},
			{By: limit.Address, N: 200},
		}}),
	})
	if err := http.ListenAndServe("127.0.0.1:8080", h); err != nil {
		log.Fatal(err)
	}
}

// A client that comes again when the server says.
func ExampleCalls_client() {
	var c *client.Client
	again := func(ctx context.Context, p *mcp.CallToolRequestParams) (*mcp.CallToolResult, error) {
		for {
			result, err := c.CallTool(ctx, p)
			after, ok := transport.RetryAfter(err)
			if !ok {
				return result, err
			}
			select {
			case <-time.After(after):
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		}
	}
	_ = again
}
