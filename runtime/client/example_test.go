package client_test

import (
	"context"
	"fmt"
	"log"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func Example() {
	// A server in the same process; a command is started by package stdio.
	s := server.New(mcp.Implementation{Name: "greeter", Version: "1.0.0"}, nil)
	s.AddTool(mcp.Tool{Name: "greet", Description: "Greets."}, func(_ context.Context, _ *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
		return server.TextResult("Hello, " + args.StringAt("name") + "!"), nil
	})
	near, far := inmem.Pair(0)
	ctx := context.Background()
	go s.Serve(ctx, far)

	c, err := client.Connect(ctx, near, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	for tool, err := range c.Tools(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(tool.Name, "-", tool.Description)
	}
	result, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "greet", Arguments: wire.Raw(`{"name": "Ada"}`)})
	if err != nil {
		log.Fatal(err)
	}
	for _, block := range result.Content {
		if text, ok := block.(*mcp.TextContent); ok {
			fmt.Println(text.Text)
		}
	}
	// Output:
	// greet - Greets.
	// Hello, Ada!
}

// A form that is answered by a program in place of a person.
func ExampleAccept() {
	opts := &client.Options{
		Elicit: func(ctx context.Context, form *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
			fmt.Println(form.Message)
			return client.Accept(map[string]any{"name": "Ada", "age": 36})
		},
	}
	form := &mcp.ElicitRequestFormParams{Message: "Who are you?"}
	answer, err := opts.Elicit(context.Background(), form)
	fmt.Println(answer.Action, string(answer.Content["name"]), err)
	// Output:
	// Who are you?
	// accept "Ada" <nil>
}
