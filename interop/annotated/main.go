// Annotated serves golden/annotated on standard input and output. With -later, it is like a later version of itself: the
// objects of its results have a member more, of which the output schemas that it lists know nothing.
package main

import (
	"context"
	"flag"
	"log"

	"github.com/mcpgen/mcpgen/golden/annotated"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
)

func main() {
	later := flag.Bool("later", false, "results have members more")
	flag.Parse()
	opts := &server.Options{Setup: []server.Setup{taskserver.Enable(nil)}}
	if *later {
		opts.Middleware = []server.Middleware{new(widening).wrap}
	}
	s, err := annotated.Sample(opts)
	if err != nil {
		log.Fatal(err)
	}
	if err := stdio.Serve(context.Background(), s, nil); err != nil {
		log.Fatal(err)
	}
}
