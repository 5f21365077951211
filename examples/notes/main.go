// Notes is a server that keeps notes in a SQLite database. Its tools are the methods of a type that
// knows nothing of the protocol; what connects them to it is in mcp_gen.go, which go generate writes.
//
//	go run . notes.db
//
// serves a client on standard input and output. It is a module of its own, so that only who runs it
// downloads a database.
//
//mcp:server name=notes version=1.0.0
package main

//go:generate go tool mcpgen tools

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"os/signal"

	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: notes FILE")
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := serve(ctx, os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func serve(ctx context.Context, file string) (err error) {
	notes, err := Open(ctx, file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, notes.Close()) }()
	s, err := NewServer(notes, nil)
	if err != nil {
		return err
	}
	return stdio.Serve(ctx, s, nil)
}
