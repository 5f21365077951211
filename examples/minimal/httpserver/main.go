// Httpserver is the smallest server over HTTP. It prints its URL.
package main

import (
	"context"
	"fmt"
	"log"
	"net"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
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
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("http://%s%s\n", l.Addr(), streamable.Endpoint)
	log.Fatal(streamable.Serve(context.Background(), l, s, nil))
}
