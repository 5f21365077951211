// Toolsets is a server of two packages, whose tools are chosen on the command line:
//
//	go run ./examples/toolsets -read-only
//	go run ./examples/toolsets -groups notes -disable notes_delete
//	go run ./examples/toolsets -toolset tools.json
package main

import (
	"errors"
	"flag"

	"github.com/mcpgen/mcpgen/examples/toolsets/clock"
	"github.com/mcpgen/mcpgen/examples/toolsets/notes"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/serve"
	"github.com/mcpgen/mcpgen/runtime/server"
)

func main() {
	var tools server.Toolset
	tools.Flags(flag.CommandLine)
	serve.Main(func() (*server.Server, error) {
		s, err := newServer()
		if err != nil {
			return nil, err
		}
		return s, s.SetToolset(tools)
	})
}

// newServer returns a server of both packages: one is registered, the other one is a server that is mounted.
func newServer() (*server.Server, error) {
	s := server.New(mcp.Implementation{Name: "office", Version: "1.0.0"}, &server.Options{Define: define})
	time, err := clock.NewServer(nil)
	if err != nil {
		return nil, err
	}
	err = errors.Join(
		notes.RegisterStore(s, &notes.Store{}),
		s.Mount("clock_", time),
	)
	return s, err
}

// define changes definitions before they are registered.
func define(item any) {
	if t, ok := item.(*mcp.Tool); ok && t.Title == "" {
		t.Title = "Office: " + t.Name
	}
}
