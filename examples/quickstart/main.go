// Quickstart is a server with one tool, and a client that calls it. Run it by
//
//	go run ./examples/quickstart
//
// The client starts the same program again as its server, and the two speak over the server's
// standard input and output. With the argument "serve" the program is a server for other clients.
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/server/typed"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func main() {
	run := ask
	if len(os.Args) > 1 && os.Args[1] == "serve" {
		run = serve
	}
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

// The server.

// A guest holds the tool's arguments. Their JSON Schema is inferred from it.
type guest struct {
	Name string `json:"name" jsonschema:"whom to greet"`
}

// greet is the tool.
func greet(_ context.Context, _ *server.Call, g guest) (*mcp.CallToolResult, error) {
	return server.TextResult("Hello, " + g.Name + "!"), nil
}

// serve answers the client that started this program, until it closes standard input.
func serve(ctx context.Context) error {
	s := server.New(mcp.Implementation{Name: "quickstart", Version: "1.0.0"}, nil)
	if err := typed.AddTool(s, mcp.Tool{Name: "greet", Description: "Greets somebody"}, greet); err != nil {
		return err
	}
	return stdio.Serve(ctx, s, nil)
}

// The client.

// ask starts the server, lists its tools, and calls one.
func ask(ctx context.Context) error {
	command := &stdio.Command{Path: os.Args[0], Args: []string{"serve"}}
	process, err := command.Start(ctx)
	if err != nil {
		return err
	}
	c, err := client.Connect(ctx, process, nil)
	if err != nil {
		return err
	}
	defer c.Close()

	for tool, err := range c.Tools(ctx) {
		if err != nil {
			return err
		}
		fmt.Printf("%s: %s\n", tool.Name, tool.Description)
	}

	result, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "greet", Arguments: wire.Raw(`{"name":"Ada"}`)})
	if err != nil {
		return err
	}
	for _, content := range result.Content {
		if text, ok := content.(*mcp.TextContent); ok {
			fmt.Println(text.Text)
		}
	}
	return nil
}
