package client_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/internal/taught"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/transport/sse"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// over returns what connects by HTTP: a handler for the server, and a transport for the client.
func over(handler func(*server.Server) http.Handler, dial func(url string) transport.Transport) connector {
	return func(t *testing.T, s *server.Server, opts *client.Options) *client.Client {
		t.Helper()
		hs := httptest.NewServer(handler(s))
		t.Cleanup(hs.Close)
		c, err := client.Connect(t.Context(), dial(hs.URL), opts)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close() })
		return c
	}
}

func dialHTTP(url string) transport.Transport {
	return httpclient.New(url, &httpclient.Options{Logger: quiet})
}

func serveStreamable(s *server.Server) http.Handler {
	return streamable.NewHandler(s, &streamable.Options{Logger: quiet})
}

func serveSSE(s *server.Server) http.Handler {
	return sse.NewHandler(s, &streamable.Options{Logger: quiet})
}

// Both transports of HTTP have everything in every revision, also if the client has to find out that
// the server has the old one.
//
// REQ VER-05, VER-14, VER-17, HTTP-01, HTTP-13, HTTP-24, HTTP-26, H26-01, H26-06, SSE-01, SSE-08
func TestRevisionsOverHTTP(t *testing.T) {
	testenv.NoGoroutinesLeft(t)
	t.Run("all", func(t *testing.T) {
		for name, connect := range map[string]connector{
			"streamable": over(serveStreamable, dialHTTP),
			"SSE":        over(serveSSE, dialHTTP),
		} {
			for _, rev := range taught.Revisions() {
				if name != "streamable" && rev >= mcp.V2026_07_28 {
					continue // has no such transport
				}
				t.Run(fmt.Sprintf("%s %v", name, rev), func(t *testing.T) {
					t.Parallel()
					tryEverything(t, newServer(t), rev, connect)
				})
				if name == "streamable" {
					t.Run(fmt.Sprintf("%s %v alone", name, rev), func(t *testing.T) {
						t.Parallel()
						tryEverything(t, newServer(t, []wire.Revision{rev}...), rev, connect)
					})
				}
			}
		}
	})
}

// TestAbout has the server send what belongs to a call: over HTTP the client knows which call.
func TestAbout(t *testing.T) {
	s := server.New(mcp.Implementation{Name: "s"}, &server.Options{Logger: quiet})
	if err := s.AddTool(mcp.Tool{Name: "ask"}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		if err := c.Notify(ctx, "notifications/example", nil); err != nil {
			return nil, err
		}
		_, err := c.ListRoots(ctx)
		return server.TextResult("asked"), err
	}); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var about []wire.ID
	c := over(serveStreamable, dialHTTP)(t, s, &client.Options{
		Revisions: []wire.Revision{mcp.V2025_11_25}, Roots: []mcp.Root{{URI: "file:///a"}}, Logger: quiet,
		Receive: []transport.Middleware{func(next transport.MessageFunc) transport.MessageFunc {
			return func(ctx context.Context, m *transport.ServerMessage) (wire.Raw, error) {
				mu.Lock()
				defer mu.Unlock()
				id, _ := m.Of.(wire.ID)
				about = append(about, id)
				return next(ctx, m)
			}
		}},
	})
	var started wire.ID
	ctx := client.WithStarted(t.Context(), func(id wire.ID) { started = id })
	if _, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "ask"}); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if want := []wire.ID{started, started}; started.IsZero() || !slices.Equal(about, want) {
		t.Errorf("got %v, want %v", about, want)
	}
}
