// Package serve has the main function for a server that is started by a client, or listens for many.
package serve

import (
	"context"
	"errors"
	"flag"
	"log"
	"os"
	"os/signal"
	"syscall"

	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

// Main is the main function of a server. It parses the command line, calls newServer, and serves the client that
// started the program, over standard input and output. With the flags that it defines, it serves any number of
// clients over HTTP instead, as [streamable.ListenAndServe] does:
//
//	-http HOST:PORT   the address to listen at
//	-host DOMAIN      the name by which clients reach the server, if it is not on their machine
//
// Main returns when the client that started the program has gone or, after shutting down gracefully, on an
// interrupt or SIGTERM. If something fails, it logs the error and exits with status 1.
//
// A program may define its own flags with package flag before it calls Main; they are parsed before newServer is
// called. With -http, the functions in http then set other options, such as authorization; -host is set already. A
// program that must not link net/http calls [stdio.Serve] itself.
func Main(newServer func() (*server.Server, error), http ...func(*streamable.Options) error) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, flag.CommandLine, os.Args[1:], newServer, http...); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, flags *flag.FlagSet, args []string, newServer func() (*server.Server, error), http ...func(*streamable.Options) error) error {
	addr := flags.String("http", "", "serve HTTP at `HOST:PORT`, under "+streamable.Endpoint+", rather than standard input and output")
	host := flags.String("host", "", "accept clients over HTTP that reach the server by the name `DOMAIN`; not needed on this machine")
	if err := flags.Parse(args); err != nil { // those of a program exit
		return err
	}
	if *host != "" && *addr == "" {
		return errors.New("the flag -host is only for HTTP: want -http HOST:PORT with it")
	}
	s, err := newServer()
	if err != nil {
		return err
	}
	if *addr == "" {
		return stdio.Serve(ctx, s, nil)
	}
	var opts streamable.Options
	if *host != "" {
		opts.Hosts = []string{*host}
	}
	for _, set := range http {
		if err := set(&opts); err != nil {
			return err
		}
	}
	return streamable.ListenAndServe(ctx, *addr, s, &opts)
}
