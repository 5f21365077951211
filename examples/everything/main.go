// Everything is a server with every feature of the protocol, for clients to be tried on. It speaks
// over standard input and output:
//
//	go run ./examples/everything [-revision REVISION]
//
// Each file has one area: what a server can offer, what a tool can return, how a handler asks the
// client, and so on. What clients may expect of it is in interop/README.md.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"slices"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func main() {
	log.SetPrefix("everything: ")
	log.SetFlags(0)

	var revisions []wire.Revision // none means all
	flag.Func("revision", "the only `revision` to speak, such as 2025-06-18 (default all)", func(name string) error {
		revision, err := wire.ParseRevision(name)
		if err == nil && !slices.Contains(mcp.Revisions(), revision) {
			err = fmt.Errorf("there is no such revision; want one of %v", mcp.Revisions())
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

	s, err := newServer(revisions)
	if err != nil {
		log.Fatal(err)
	}
	t, err := stdio.Server(nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := s.Serve(context.Background(), t); err != nil {
		log.Fatal(err)
	}
}
