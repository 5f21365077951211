package toollimit

import (
	"context"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/servertest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func newServer() *server.Server {
	return server.New(mcp.Implementation{Name: "test", Version: "1"}, nil)
}

// newClient connects a client of a revision, with capabilities in JSON.
func newClient(t testing.TB, s *server.Server, rev wire.Revision, caps string) *servertest.Client {
	t.Helper()
	return servertest.Connect(t, rev, caps, func(out transport.Caller) transport.Handler {
		e := server.NewEndpoint(s).NewSession(out, "")
		t.Cleanup(e.Close)
		return e
	})
}

// says returns a tool that says something.
func says(text string) server.ToolHandler {
	return func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		return server.TextResult(text), nil
	}
}
