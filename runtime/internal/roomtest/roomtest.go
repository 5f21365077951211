// Package roomtest has what the tests of the packages that build on package server share.
package roomtest

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/internal/servertest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// NewServer returns a server that logs nothing, unless the options say where. Opts may be nil.
func NewServer(opts *server.Options) *server.Server {
	o := option.Of(opts)
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return server.New(mcp.Implementation{Name: "test", Version: "1"}, &o)
}

// NewClient connects a client of a revision, with capabilities in JSON.
func NewClient(t testing.TB, s *server.Server, rev wire.Revision, caps string) *servertest.Client {
	t.Helper()
	return servertest.Connect(t, rev, caps, func(out transport.Caller) transport.Handler {
		e := server.NewEndpoint(s).NewSession(out, "")
		t.Cleanup(e.Close)
		return e
	})
}

// Says returns a tool that says something.
func Says(text string) server.ToolHandler {
	return func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		return server.TextResult(text), nil
	}
}

// NoPrompt is a prompt without messages.
func NoPrompt(context.Context, *server.Call, map[string]string) (*mcp.GetPromptResult, error) {
	return nil, nil
}

// Prefix returns a matcher of URIs with a prefix. What follows it is the variable x.
func Prefix(p string) server.Matcher {
	return func(uri string) (map[string]string, bool) {
		x, ok := strings.CutPrefix(uri, p)
		return map[string]string{"x": x}, ok
	}
}

// Settle waits, in a bubble, until changes have been sent.
func Settle() { time.Sleep(time.Second); synctest.Wait() }
