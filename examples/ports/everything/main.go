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
	"flag"
	"fmt"
	"log"
	"net/http"
	_ "net/http/pprof" // for -pprof
	"runtime"

	"github.com/mcpgen/mcpgen/runtime/serve"
	"github.com/mcpgen/mcpgen/runtime/server"
)

func main() {
	pprof := flag.String("pprof", "", "serve profiles at `HOST:PORT`, under /debug/pprof; /gc collects garbage")
	serve.Main(func() (*server.Server, error) {
		if *pprof != "" {
			http.HandleFunc("/gc", func(w http.ResponseWriter, _ *http.Request) {
				runtime.GC()
				fmt.Fprintln(w, "GC'ed")
			})
			go func() { log.Print(http.ListenAndServe(*pprof, nil)) }()
		}
		return NewServer(nil)
	})
}
