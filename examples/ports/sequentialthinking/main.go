// Sequentialthinking is a server for thinking in steps: one after another, revised, and in branches.
//
// It serves the client that starts it, over standard input and output or, with -http, any number of clients.
//
//mcp:server name=sequential-thinking version=1.0.0
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
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	s, err := NewServer(&Thinking{sessions: make(map[string]Session)}, nil)
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
