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

// A call that asks the server to report its progress.
func ExampleWithProgress() {
	s := server.New(mcp.Implementation{Name: "copier", Version: "1.0.0"}, nil)
	s.AddTool(mcp.Tool{Name: "copy"}, func(_ context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		for i, file := range []string{"a.txt", "b.txt"} {
			c.Progress().Report(float64(i+1), 2, file)
		}
		return server.TextResult("2 files"), nil
	})
	near, far := inmem.Pair(0)
	ctx := context.Background()
	go s.Serve(ctx, far)

	c, err := client.Connect(ctx, near, nil)
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	withProgress := client.WithProgress(ctx, func(p *mcp.ProgressNotificationParams) {
		fmt.Printf("%v of %v: %s\n", p.Progress, p.GetTotal(), p.Message)
	})
	if _, err := c.CallTool(withProgress, &mcp.CallToolRequestParams{Name: "copy"}); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 1 of 2: a.txt
	// 2 of 2: b.txt
}

// Middleware is around every call. This one prints which calls fail.
func ExampleMiddleware() {
	report := func(next client.SendFunc) client.SendFunc {
		return func(ctx context.Context, c *client.Call) error {
			err := next(ctx, c)
			if err != nil {
				fmt.Println(err)
			}
			return err
		}
	}
	s := server.New(mcp.Implementation{Name: "empty", Version: "1.0.0"}, nil)
	near, far := inmem.Pair(0)
	ctx := context.Background()
	go s.Serve(ctx, far)

	c, err := client.Connect(ctx, near, &client.Options{Send: []client.Middleware{report}})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "missing"})
	// Output: tools/call: the server does not declare the capability tools
}

// A client that hears of changes of a resource.
func ExampleClient_Subscribe() {
	s := server.New(mcp.Implementation{Name: "ticker", Version: "1.0.0"}, &server.Options{
		OnSubscribe: func(context.Context, *server.Call, string) error { return nil }, // anybody may
	})
	s.AddResource(mcp.Resource{Name: "price", URI: "ticker://price"}, func(context.Context, *server.Call, string) (*mcp.ReadResourceResult, error) {
		return server.TextResource("text/plain", "42"), nil
	})
	near, far := inmem.Pair(0)
	ctx := context.Background()
	go s.Serve(ctx, far)

	updated := make(chan string, 1)
	c, err := client.Connect(ctx, near, &client.Options{
		OnChange: func(_ context.Context, change client.Change) { updated <- change.URI },
	})
	if err != nil {
		log.Fatal(err)
	}
	defer c.Close()
	sub, err := c.Subscribe(ctx, mcp.SubscriptionFilter{ResourceSubscriptions: []string{"ticker://price"}})
	if err != nil {
		log.Fatal(err)
	}
	defer sub.Close()

	s.ResourceUpdated("ticker://price") // as the server does when the price changes
	uri := <-updated
	r, err := c.ReadResource(ctx, &mcp.ReadResourceRequestParams{URI: uri})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(uri, r.Contents[0].(*mcp.TextResourceContents).Text)
	// Output: ticker://price 42
}
