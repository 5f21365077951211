// Memory is a server that remembers a graph of entities and the relations between them.
//
// It serves the client that starts it, over standard input and output or, with -http, any number of clients.
//
//mcp:server name=memory version=1.0.0
package main

//go:generate go tool mcpgen tools

import (
	"context"
	"flag"
	"log"
	"os"
	"os/signal"

	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

func main() {
	addr := flag.String("http", "", "serve Streamable HTTP at `HOST:PORT` rather than standard input and output")
	file := flag.String("memory", "", "keep the graph in `FILE`; without it, it is lost at the end")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	s, err := NewServer(&Memory{file: *file}, nil)
	switch {
	case err != nil:
	case *addr != "":
		err = streamable.ListenAndServe(ctx, *addr, s, nil)
	default:
		err = stdio.Serve(ctx, s, nil)
	}
	if err != nil {
		log.Fatal(err)
	}
}
