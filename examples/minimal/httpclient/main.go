// Httpclient is the smallest client of a server over HTTP: httpclient URL.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func main() {
	ctx := context.Background()
	c, err := client.Connect(ctx, httpclient.New(os.Args[1], nil), nil)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	r, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "greet", Arguments: wire.Raw(`{"name":"Ada"}`)})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Content[0].(*mcp.TextContent).Text)
}
