// Server is the server that the official conformance suite tries: the one of examples/everything, with
// skills, in all revisions at one endpoint.
//
//	go run ./conformance/server [-addr HOST:PORT]
//
// It prints the URL of the endpoint, and serves until it is interrupted.
package main

import (
	"context"
	"embed"
	"flag"
	"fmt"
	"io/fs"
	"log"
	"net"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/mcpgen/mcpgen/examples/everything/features"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/skills/skillserver"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

func main() {
	log.SetPrefix("server: ")
	log.SetFlags(0)
	addr := flag.String("addr", "127.0.0.1:8080", "the `host:port` to listen on; port 0 is any that is free")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "unexpected argument %q\n", flag.Arg(0))
		flag.Usage()
		os.Exit(2)
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	s, err := newServer()
	if err != nil {
		log.Fatal(err)
	}
	l, err := net.Listen("tcp", *addr)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("http://%s/mcp\n", l.Addr())
	err = streamable.Serve(ctx, l, s, &streamable.Options{
		Polling: true, // for test_reconnection
		Retry:   100 * time.Millisecond,
		Grace:   time.Second,
	})
	if err != nil {
		log.Fatal(err)
	}
}

//go:embed skills
var files embed.FS

func newServer() (*server.Server, error) {
	files, err := fs.Sub(files, "skills")
	if err != nil {
		return nil, err
	}
	s, err := features.NewServer(mcp.Implementation{Name: "conformance", Version: "1.0.0"}, server.Options{
		Setup: []server.Setup{skillserver.Enable(files, nil)},
	})
	if err != nil {
		return nil, err
	}
	// The suite reads the first resource that is listed, and gives no input for it.
	s.RemoveResources("test://input-required-resource")
	return s, nil
}
