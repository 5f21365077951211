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

// A server whose clients may call its tools a hundred times at once and a thousand times an hour, and of whose calls four of
// each client and eight in all run at the same time.
func Example() {
	s := server.New(mcp.Implementation{Name: "studio", Version: "1.0.0"}, &server.Options{
		Middleware: []server.Middleware{
			limit.Rate{N: 1000, Per: time.Hour, Burst: 100}.Middleware(),
			limit.Rate{N: 50, Methods: []string{"resources/read", "completion/complete"}}.Middleware(), // by default it is about tools/call
			limit.Concurrency{Max: 4, Queue: 8}.Middleware(),
			limit.Concurrency{Max: 8, Queue: 32, Wait: 5 * time.Second, Shared: true}.Middleware(),
		},
		WrapTools: []server.ToolWrapper{func(_ *mcp.Tool, next server.ToolHandler) (server.ToolHandler, error) {
			return limit.Rate{N: 5}.Tool(next), nil // each tool, in a second
		}},
	})
	_ = s
}

// A server that hears each client at most fifty times a second.
func ExampleRate_Admit() {
	s := server.New(mcp.Implementation{Name: "studio", Version: "1.0.0"}, nil)
	h := streamable.NewHandler(s, &streamable.Options{Admit: limit.Rate{N: 50}.Admit()})
	if err := http.ListenAndServe("127.0.0.1:8080", h); err != nil {
		log.Fatal(err)
	}
}

// A client that comes again when the server says.
func Example_client() {
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
