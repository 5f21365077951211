package server_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A tool for some callers, with a question to the user, a timeout and a rate.
func ExampleAccess() {
	remove := func(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
		name := args.StringAt("name")
		if err := c.Confirm(ctx, "Delete "+server.Shown(name)+"?"); err != nil {
			return nil, err
		}
		return server.TextResult("deleted " + name), os.Remove(name)
	}
	s := server.New(mcp.Implementation{Name: "files", Version: "1.0.0"}, nil)
	err := s.AddTool(
		mcp.Tool{Name: "delete", InputSchema: wire.Raw(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`)},
		server.Rate(5, time.Second, server.Timeout(30*time.Second, remove)),
		server.Access{Scopes: []string{"files:write"}, Group: "files"},
	)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.SetToolset(server.Toolset{Groups: []string{"file"}}))
	// Output: server: SetToolset: there is no group "file"; there are files
}

// The selection changes while the server runs; clients receive list_changed.
func ExampleServer_SetToolset() {
	s := server.New(mcp.Implementation{Name: "files", Version: "1.0.0"}, nil)
	readOnly := func() error {
		tools := s.Toolset()
		tools.ReadOnly = true
		return s.SetToolset(tools)
	}
	fmt.Println(readOnly(), s.Toolset().ReadOnly)
	// Output: <nil> true
}
