// Stdioclient is the smallest client of a server that it starts: stdioclient COMMAND.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func main() {
	ctx := context.Background()
	process, err := (&stdio.Command{Path: os.Args[1]}).Start(ctx)
	if err != nil {
		log.Fatal(err)
	}
	c, err := client.Connect(ctx, process, nil)
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
