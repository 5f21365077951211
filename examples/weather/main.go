// Weather is a server whose tools, prompts and resources are plain Go functions. The schemas, the
// decoding and checking of arguments, and the registration are in mcp_gen.go, which go generate
// writes.
//
//	go run ./examples/weather
//
// serves a client on standard input and output. With -http HOST:PORT it serves any number of clients
// by Streamable HTTP, at the path /mcp.
//
//mcp:server name=weather version=1.0.0
package main

//go:generate go tool mcpgen tools

import (
	"context"
	"flag"
	"log"
	"os"
	"os/signal"
	"time"

	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

// Weather knows the climate of some cities.
type Weather struct {
	Now func() time.Time
}

func main() {
	addr := flag.String("http", "", "serve Streamable HTTP at `HOST:PORT` rather than standard input and output")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := serve(ctx, *addr); err != nil {
		log.Fatal(err)
	}
}

func serve(ctx context.Context, addr string) error {
	s, err := NewServer(&Weather{Now: time.Now}, nil)
	if err != nil {
		return err
	}
	if addr != "" {
		return streamable.ListenAndServe(ctx, addr, s, nil)
	}
	return stdio.Serve(ctx, s, nil)
}
