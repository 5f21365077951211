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
	if err := serve(ctx, *addr, &Memory{file: *file}); err != nil {
		log.Fatal(err)
	}
}

func serve(ctx context.Context, addr string, m *Memory) error {
	s, err := NewServer(m, nil)
	if err != nil {
		return err
	}
	if addr != "" {
		return streamable.ListenAndServe(ctx, addr, s, nil)
	}
	return stdio.Serve(ctx, s, nil)
}
