// Stdioserver is the smallest server over standard input and output.
package main

import (
	"context"
	"log"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func greet(_ context.Context, _ *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
	return server.TextResult("Hello, " + args.StringAt("name") + "!"), nil
}

func main() {
	s := server.New(mcp.Implementation{Name: "greeter", Version: "1.0.0"}, nil)
	if err := s.AddTool(mcp.Tool{Name: "greet"}, greet); err != nil {
		log.Fatal(err)
	}
	if err := stdio.Serve(context.Background(), s, nil); err != nil {
		log.Fatal(err)
	}
}
