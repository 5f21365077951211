package server_test

import (
	"context"
	"fmt"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A visitor has no scopes.
type visitor string

func (v visitor) Principal() string              { return string(v) }
func (visitor) Missing(scopes []string) []string { return scopes }
func (visitor) Expires() time.Time               { return time.Time{} }

// An audit log that also sees what is refused before any middleware or handler learns of it: here, a call without the
// scope that its tool requires.
func ExampleOptions_watch() {
	s := server.New(mcp.Implementation{Name: "vault", Version: "1.0.0"}, &server.Options{
		Identity: func(context.Context) transport.Identity { return visitor("ada") },
		Watch: func(ctx context.Context, c *server.Call) (context.Context, func(wire.Raw, error)) {
			return ctx, func(_ wire.Raw, err error) { fmt.Println(c.Principal(), c.Method(), c.Name(), err) }
		},
	})
	open := func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		return server.TextResult("open"), nil
	}
	if err := s.Add(server.Item{Definition: &mcp.Tool{Name: "open"}, Handler: server.ToolHandler(open), Access: server.Access{Scopes: []string{"vault:open"}}}); err != nil {
		panic(err)
	}
	calls := mcp.ServerCalls{Caller: mcptest.Caller(s, nil)}
	calls.ListTools(context.Background(), nil)
	calls.CallTool(context.Background(), &mcp.CallToolRequestParams{Name: "open"})
	// Output:
	// ada tools/list  <nil>
	// ada tools/call open insufficient scope: the request requires vault:open; the sender lacks vault:open
}

// A browser for each session, which is closed with it.
func ExampleOptions_onSession() {
	closed := make(chan bool)
	s := server.New(mcp.Implementation{Name: "browser", Version: "1.0.0"}, &server.Options{
		OnSession: func(_ context.Context, c *server.Call) func() {
			fmt.Println("a browser for", c.Session().Client().Name)
			return func() { close(closed) }
		},
	})
	ctx := context.Background()
	near, far := inmem.Pair(0)
	go s.Serve(ctx, far)
	c, err := client.Connect(ctx, near, &client.Options{
		Info: mcp.Implementation{Name: "reader", Version: "1.0.0"}, Revisions: []wire.Revision{mcp.V2025_11_25},
	})
	if err != nil {
		panic(err)
	}
	c.Close()
	<-closed
	fmt.Println("closed")
	// Output:
	// a browser for reader
	// closed
}
