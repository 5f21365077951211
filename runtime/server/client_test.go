package server

import (
	"context"
	"io"
	"log/slog"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/servertest"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A client drives a server without a transport.
type client struct {
	*servertest.Client
	s       *Server
	session *SessionEndpoint
}

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

func newServer(o *Options) *Server {
	if o == nil {
		o = &Options{}
	}
	if o.Logger == nil {
		o.Logger = quiet
	}
	return New(mcp.Implementation{Name: "test", Version: "1"}, o)
}

// newClient connects a client of a revision, with capabilities in JSON.
func newClient(t testing.TB, s *Server, rev wire.Revision, caps string) *client {
	t.Helper()
	c := &client{s: s}
	c.Client = servertest.Connect(t, rev, caps, c.open)
	t.Cleanup(c.session.Close)
	return c
}

// strangerTo returns a client that has not said anything yet.
func strangerTo(t testing.TB, s *Server, rev wire.Revision, caps string) *client {
	c := &client{s: s}
	c.Client = servertest.New(t, rev, caps, c.open)
	return c
}

// open opens a session for the client.
func (c *client) open(out transport.Caller) transport.Handler {
	c.session = NewEndpoint(c.s).NewSession(out, "")
	return c.session
}

// moveTo makes the client send its next requests to another server.
func (c *client) moveTo(s *Server) {
	to := strangerTo(c.T, s, c.Rev, c.Caps)
	c.s, c.session, c.Server = s, to.session, to.Server
}

const allCaps = servertest.AllCaps

var (
	everyRevision = servertest.EveryRevision
	eras          = servertest.Eras
	form          = servertest.Form
	bare          = servertest.Bare
	equal         = servertest.Equal
	contains      = servertest.Contains
	add           = servertest.Check
)

// visible returns a filter that hides what f does not report.
func visible(f func(ctx context.Context, c *Call, item any) bool) []Filter {
	return []Filter{{Admit: func(ctx context.Context, c *Call, i *Item) (bool, error) { return f(ctx, c, i.Definition), nil }}}
}

// says returns a tool that says something.
func says(text string) ToolHandler {
	return func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) { return TextResult(text), nil }
}

func bubbles(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	synctest.Test(t, f)
}

// bothEras runs a test in a bubble for each era.
func bothEras(t *testing.T, f func(t *testing.T, rev wire.Revision)) {
	eras(t, func(t *testing.T, rev wire.Revision) { bubbles(t, func(t *testing.T) { f(t, rev) }) })
}
