// Everything is a server with all kinds of things that a server can have.
//
// It serves the client that starts it, over standard input and output or, with -http, any number of clients.
//
//mcp:server name=everything version=1.0.0 website=https://example.com
//mcp:icon icon.png sizes=48x48 theme=light
//mcp:desc Use this server!
package main

//go:generate go tool mcpgen tools

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net/http"
	_ "net/http/pprof" // for -pprof
	"os"
	"os/signal"
	"runtime"

	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

func main() {
	addr := flag.String("http", "", "serve Streamable HTTP at `HOST:PORT` rather than standard input and output")
	pprof := flag.String("pprof", "", "serve profiles at `HOST:PORT`, under /debug/pprof; /gc collects garbage")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if *pprof != "" {
		http.HandleFunc("/gc", func(w http.ResponseWriter, _ *http.Request) {
			runtime.GC()
			fmt.Fprintln(w, "GC'ed")
		})
		go func() { log.Print(http.ListenAndServe(*pprof, nil)) }()
	}
	s, err := NewServer(nil)
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
