// Annotated serves golden/annotated on standard input and output.
package main

import (
	"context"
	"log"

	"github.com/mcpgen/mcpgen/golden/annotated"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
)

func main() {
	s, err := annotated.Sample(nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := stdio.Serve(context.Background(), s, nil); err != nil {
		log.Fatal(err)
	}
}
