// Everything is a server with every feature of the protocol, for clients to be tried on. It speaks
// over standard input and output, or HTTP:
//
//	go run ./examples/everything [-http HOST:PORT] [-revision REVISION]
//
// The features are in the folder of that name.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"os/signal"
	"slices"
	"syscall"
	"time"

	"github.com/mcpgen/mcpgen/examples/everything/features"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func main() {
	log.SetPrefix("everything: ")
	log.SetFlags(0)

	addr := flag.String("http", "", "the `host:port` to serve HTTP at; port 0 is any that is free (default stdio)")
	var revisions []wire.Revision // none means all
	flag.Func("revision", "the only `revision` to speak, such as 2025-06-18 (default all)", func(name string) error {
		revision, err := wire.ParseRevision(name)
		if err == nil && !slices.Contains(server.Revisions(), revision) {
			err = fmt.Errorf("there is no such revision; want one of %v", server.Revisions())
		}
		revisions = []wire.Revision{revision}
		return err
	})
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "unexpected argument %q\n", flag.Arg(0))
		flag.Usage()
		os.Exit(2)
	}

	s, err := features.NewServer(
		mcp.Implementation{Name: "everything", Title: "Every feature", Version: "1.0.0"},
		server.Options{
			Revisions: revisions,
			PageSize:  20, // so small that the list of tools has several pages
			// Calls that are at work when the client goes away are not worth waiting for.
			Limits: transport.Limits{DrainTime: 500 * time.Millisecond},
		},
	)
	if err != nil {
		log.Fatal(err)
	}
	if *addr != "" {
		ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
		defer stop()
		err = serveHTTP(ctx, *addr, s)
	} else {
		err = serveStdio(context.Background(), s)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// serveStdio serves until the input ends.
func serveStdio(ctx context.Context, s *server.Server) error {
	return stdio.Serve(ctx, s, nil)
}
