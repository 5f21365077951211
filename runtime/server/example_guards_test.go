package server_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/limit"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/server/ask"
	"github.com/mcpgen/mcpgen/runtime/toolset"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A tool for some callers, with a question to the user, a timeout and a rate.
func ExampleAccess() {
	remove := func(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
		name := args.StringAt("name")
		if err := ask.Confirm(ctx, c, "Delete "+ask.Shown(name)+"?"); err != nil {
			return nil, err
		}
		return server.TextResult("deleted " + name), os.Remove(name)
	}
	var tools toolset.Set
	s := server.New(mcp.Implementation{Name: "files", Version: "1.0.0"}, tools.Options(nil))
	err := s.Add(server.Item{
		Definition: &mcp.Tool{Name: "delete", InputSchema: wire.Raw(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`)},
		Handler:    limit.Rate{N: 5}.Tool(limit.Timeout(30*time.Second, remove)),
		Access:     server.Access{Scopes: []string{"files:write"}, Groups: []string{"files"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(tools.Use(s, toolset.Selection{Groups: []string{"file"}}))
	// Output: toolset: there is no group "file"; there are files
}

// Nobody deletes anything without a person's consent, whatever tools there are.
func ExampleToolWrapper() {
	confirm := func(t *mcp.Tool, next server.ToolHandler) (server.ToolHandler, error) {
		if !t.Annotations.GetDestructiveHint() {
			return next, nil
		}
		return func(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
			if err := ask.Confirm(ctx, c, "Run "+t.Name+"?"); err != nil {
				return nil, err
			}
			return next(ctx, c, args)
		}, nil
	}
	s := server.New(mcp.Implementation{Name: "files", Version: "1.0.0"}, &server.Options{WrapTools: []server.ToolWrapper{confirm}})
	err := s.AddTool(mcp.Tool{Name: "clean", Annotations: &mcp.ToolAnnotations{DestructiveHint: new(true)}},
		func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
			return server.TextResult("everything is gone"), nil
		})
	if err != nil {
		log.Fatal(err)
	}
	calls := mcp.ServerCalls{Caller: mcptest.Caller(s, nil)}
	r, err := calls.CallTool(context.Background(), &mcp.CallToolRequestParams{Name: "clean"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(r.Content[0].(*mcp.TextContent).Text)
	// Output: not confirmed: a person must confirm this, and this client cannot ask them: it does not support elicitation
}
