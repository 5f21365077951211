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
	"github.com/mcpgen/mcpgen/runtime/mount"
	"github.com/mcpgen/mcpgen/runtime/serve"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/toolset"
)

func main() {
	var selection toolset.Selection
	selection.Flags(flag.CommandLine)
	serve.Main(func() (*server.Server, error) { return newServer(selection) })
}

// groups describes the groups of tools.
var groups = toolset.Groups{{Name: "notes", Title: "Notes in memory", Instructions: "List notes before you write one."}}

// newServer returns a server of both packages, of which it offers what is selected: one is registered, the other one is a
// server that is mounted.
func newServer(selection toolset.Selection) (*server.Server, error) {
	opts := &server.Options{Define: define, Instructions: groups.Instructions("An office.", selection)}
	var tools toolset.Set
	s := server.New(mcp.Implementation{Name: "office", Version: "1.0.0"}, tools.Options(opts))
	time, err := clock.NewServer(nil)
	if err != nil {
		return nil, err
	}
	err = errors.Join(
		notes.RegisterStore(s, &notes.Store{}),
		mount.On(s, "clock_", time),
	)
	if err != nil {
		return nil, err
	}
	return s, tools.Use(s, selection)
}

// define changes definitions before they are registered.
func define(item any) {
	if t, ok := item.(*mcp.Tool); ok && t.Title == "" {
		t.Title = "Office: " + t.Name
	}
}
