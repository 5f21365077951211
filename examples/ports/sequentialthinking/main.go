// Sequentialthinking is a server for thinking in steps: one after another, revised, and in branches.
//
// It serves the client that starts it, over standard input and output or, with -http, any number of clients.
//
//mcp:server name=sequential-thinking version=1.0.0
package main

//go:generate go tool mcpgen tools

import (
	"github.com/mcpgen/mcpgen/runtime/serve"
	"github.com/mcpgen/mcpgen/runtime/server"
)

func main() {
	serve.Main(func() (*server.Server, error) { return NewServer(&Thinking{sessions: make(map[string]Session)}, nil) })
}
