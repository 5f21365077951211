package main

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/peer"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// pageSize is so small that the list of tools has several pages.
const pageSize = 20

// everything is the server with what it has to know for its features. There is one for each
// client: what it observes is what that client did.
type everything struct {
	*server.Server
	seen observed
}

// newServer returns the server. Without revisions it speaks them all.
func newServer(revisions []wire.Revision) (*server.Server, error) {
	e := new(everything)
	e.Server = server.New(
		mcp.Implementation{Name: "everything", Title: "Every feature", Version: "1.0.0"},
		&server.Options{
			Instructions:   "Every tool tries one feature of the protocol and says what came of it.",
			Revisions:      revisions,
			PageSize:       pageSize,
			Logging:        true,
			OnRootsChanged: e.rootsChanged,
			OnSubscribe:    maySubscribe,
			// Calls that are at work when the client goes away are not worth waiting for.
			Connection: peer.Options{DrainTime: 500 * time.Millisecond},
		},
	)
	return e.Server, errors.Join(e.addTools(), e.addPrompts(), e.addResources(), e.addCompletion(), e.addCustom())
}

// A tool is the definition of a tool, and what carries out its calls.
type tool struct {
	mcp.Tool
	run server.ToolHandler
}

func (e *everything) addTools() error {
	all := slices.Concat(contentTools, structuredTools, timeTools, samplingTools, elicitationTools, inputTools,
		e.observationTools(), e.changeTools())
	for _, t := range all {
		if err := e.AddTool(t.Tool, t.run); err != nil {
			return err
		}
	}
	return nil
}

// maySubscribe lets everybody subscribe to everything that can be read.
func maySubscribe(context.Context, *server.Call, string) error { return nil }
