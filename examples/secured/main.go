// Secured is an MCP server with authorization, the authorization server that it trusts, and a client, all in one
// program. Run it with
//
//	go run -C examples/secured .
//
// The client has no token at first. It finds the authorization server, registers there, and sends its user to log
// in. You need not click anything: the program plays the user, and prints what the user sees. With -browser, you are
// the user. With -serve there is no client, and the servers keep running for clients of your own.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"time"
)

func main() {
	log.SetFlags(0)
	addr := flag.String("addr", "127.0.0.1:0", "the `host:port` to listen on, of this machine; port 0 is any that is free")
	serveOnly := flag.Bool("serve", false, "serve clients of your own, until you interrupt the program")
	browser := flag.Bool("browser", false, "log in yourself, with the browser of this machine")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, os.Stdout, *addr, *serveOnly, *browser); err != nil {
		log.Fatal(err)
	}
}

// run starts the servers, and the client unless they are for others.
func run(ctx context.Context, w io.Writer, addr string, serveOnly, browser bool) error {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	origin := "http://" + l.Addr().String()
	handler, end, err := newServers(origin)
	if err != nil {
		return errors.Join(err, l.Close())
	}
	srv := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(l) }()

	fmt.Fprintf(w, "The MCP server is %s/mcp, and %s is its authorization server.\n", origin, origin)
	if serveOnly || browser {
		fmt.Fprintf(w, "Log in as %s, with the password %s.\n", userName, password)
	}
	if serveOnly {
		select {
		case <-ctx.Done():
		case err = <-failed:
		}
	} else {
		err = useNotes(ctx, w, origin+"/mcp", browser)
	}
	last, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	end(last)
	return errors.Join(err, srv.Close())
}
