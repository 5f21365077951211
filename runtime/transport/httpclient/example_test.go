package httpclient_test

import (
	"context"
	"fmt"
	"net/http/httptest"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A server and a client over HTTP. Nothing but the endpoint is needed: the client finds out which
// revision the server speaks.
func ExampleNew() {
	s := server.New(mcp.Implementation{Name: "greeter", Version: "1.0.0"}, nil)
	s.AddTool(mcp.Tool{Name: "greet"}, func(_ context.Context, _ *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
		return server.TextResult("Hello, " + args.StringAt("name") + "!"), nil
	})
	site := httptest.NewServer(streamable.NewHandler(s, nil))
	defer site.Close()

	ctx := context.Background()
	c, err := client.Connect(ctx, httpclient.New(site.URL, nil), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer c.Close()
	r, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "greet", Arguments: wire.Raw(`{"name":"Ada"}`)})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(r.Content[0].(*mcp.TextContent).Text)
	// Output: Hello, Ada!
}
