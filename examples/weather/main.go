// Weather is a server whose tools, prompts and resources are plain Go functions. The schemas, the
// decoding and checking of arguments, and the registration are in mcp_gen.go, which go generate
// writes.
//
//	go run ./examples/weather
//
// serves a client on standard input and output. With -http HOST:PORT it serves any number of clients
// by Streamable HTTP, at the path /mcp.
//
//mcp:server name=weather version=1.0.0 "description=What the weather will be in some cities, from their climate"
//mcp:publish license=Apache-2.0
package main

//go:generate go tool mcpgen tools

import (
	"time"

	"github.com/mcpgen/mcpgen/runtime/serve"
	"github.com/mcpgen/mcpgen/runtime/server"
)

// Weather knows the climate of some cities.
type Weather struct {
	Now func() time.Time
}

func main() {
	serve.Main(func() (*server.Server, error) { return NewServer(&Weather{Now: time.Now}, nil) })
}
