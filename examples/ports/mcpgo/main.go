// Mcpgo is the example everything of mcp-go: a server with tools, prompts, resources and completions.
//
//mcp:server name=example-servers/everything version=1.0.0
package main

//go:generate go tool mcpgen tools

import (
	"context"
	"fmt"
	"log"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/serve"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func main() { serve.Main(newServer) }

// newServer returns the server, with what is known only when it starts.
func newServer() (*server.Server, error) {
	s, err := NewServer(&server.Options{Logging: true, Middleware: []server.Middleware{logged}})
	if err != nil {
		return nil, err
	}
	for n := 1; n <= 100; n++ {
		mime := "text/plain"
		if n%2 == 0 {
			mime = "application/octet-stream"
		}
		r := mcp.Resource{URI: fmt.Sprintf("test://static/resource/%d", n), Name: fmt.Sprintf("Resource %d", n), MIMEType: mime}
		if err := s.AddResource(r, numbered(n)); err != nil {
			return nil, err
		}
	}
	return s, s.AddNotification("notification", func(_ context.Context, c *server.Call) error {
		log.Print("received ", c.Method())
		return nil
	})
}

// logged writes what is requested to standard error, and how it ends.
func logged(next server.Handler) server.Handler {
	return func(ctx context.Context, c *server.Call) (wire.Encodable, error) {
		log.Printf("request %s %s", c.Method(), c.Params())
		result, err := next(ctx, c)
		log.Printf("done %s, error: %v", c.Method(), err)
		return result, err
	}
}
