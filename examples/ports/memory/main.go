// Memory is a server that remembers a graph of entities and the relations between them.
//
// It serves the client that starts it, over standard input and output or, with -http, any number of clients.
//
//mcp:server name=memory version=1.0.0
package main

//go:generate go tool mcpgen tools

import (
	"flag"

	"github.com/mcpgen/mcpgen/runtime/serve"
	"github.com/mcpgen/mcpgen/runtime/server"
)

func main() {
	file := flag.String("memory", "", "keep the graph in `FILE`; without it, it is lost at the end")
	serve.Main(func() (*server.Server, error) { return NewServer(&Memory{file: *file}, nil) })
}
