package authclient

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/transport/sse"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// guarded is an MCP server behind a resource of the test's.
type guarded struct {
	*local
	server *server.Server
	site   *httptest.Server

	mu       sync.Mutex
	naked    int            // requests without a token
	byMethod map[string]int // served, by HTTP method
}

func newGuarded(t *testing.T, handler func(s *server.Server) http.Handler) *guarded {
	g := &guarded{local: newLocal(t), byMethod: map[string]int{}}
	g.server = server.New(mcp.Implementation{Name: "guarded", Version: "1"}, nil)
	addTool(t, g.server, "greet")
	next := handler(g.server)
	g.site = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
		g.rs.mu.Lock()
		ok := scheme == "Bearer" && g.rs.valid[token] != nil
		g.rs.mu.Unlock()
		g.mu.Lock()
		if token == "" {
			g.naked++
		}
		if ok {
			g.byMethod[r.Method]++
		}
		g.mu.Unlock()
		if !ok {
			w.Header().Set("WWW-Authenticate", g.rs.challenge)
			w.WriteHeader(401)
			return
		}
		next.ServeHTTP(w, r)
	}))
	t.Cleanup(g.site.Close)
	t.Cleanup(g.site.CloseClientConnections)
	g.at = g.site.URL + "/mcp"
	g.rs.document["resource"] = g.at
	return g
}

func (g *guarded) count(method string) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.byMethod[method]
}

func (g *guarded) revoke() {
	g.rs.mu.Lock()
	defer g.rs.mu.Unlock()
	clear(g.rs.valid)
}

func addTool(t *testing.T, s *server.Server, name string) {
	t.Helper()
	err := s.AddTool(mcp.Tool{Name: name}, func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		return server.TextResult("hello"), nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A token that ends in the middle of a session is replaced wherever it is missed: in a call, and when the stream of the
// session is opened again.
//
// REQ AUTH-05
func TestTokenEndsInSession(t *testing.T) {
	for _, tt := range []struct {
		name string
		rev  wire.Revision
	}{{"session", mcp.V2025_11_25}, {"no session", mcp.V2026_07_28}} {
		t.Run(tt.name, func(t *testing.T) {
			g := newGuarded(t, func(s *server.Server) http.Handler {
				h := streamable.NewHandler(s, nil)
				// Streams that leave package net/http outlive CloseClientConnections.
				return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(wrapped{w}, r) })
			})
			tr := g.transport(t, &AuthorizationCode{Open: g.open}, nil)
			changed := make(chan bool, 100)
			conn := httpclient.New(g.at, &httpclient.Options{HTTP: &http.Client{Transport: tr}, RetryTime: time.Millisecond})
			c := g.connect(t, conn, tt.rev, changed)
			g.call(t, c)
			g.revoke()
			g.call(t, c)
			if n := len(g.as.tokens); n != 2 {
				t.Errorf("%d token requests", n)
			}
			if tt.rev < mcp.V2026_07_28 {
				for g.count("GET") == 0 { // until the stream is open
					time.Sleep(time.Millisecond)
				}
				g.revoke()
				g.site.CloseClientConnections()
				for g.count("GET") == 1 {
					time.Sleep(time.Millisecond)
				}
				addTool(t, g.server, "another")
				<-changed
				if n := len(g.as.tokens); n != 3 {
					t.Errorf("%d token requests", n)
				}
			}
			if err := c.Close(); err != nil {
				t.Error(err)
			}
			if g.naked != 1 || len(g.as.logins) != 1 {
				t.Errorf("%d requests without a token, %d logins", g.naked, len(g.as.logins))
			}
		})
	}
}

func TestTokenOverSSE(t *testing.T) {
	g := newGuarded(t, func(s *server.Server) http.Handler { return sse.NewHandler(s, nil) })
	tr := g.transport(t, &AuthorizationCode{Open: g.open}, nil)
	c := g.connect(t, httpclient.New(g.at, &httpclient.Options{HTTP: &http.Client{Transport: tr}}), mcp.V2024_11_05, nil)
	g.call(t, c)
	g.revoke()
	g.call(t, c)
	if g.naked != 1 || len(g.as.logins) != 1 || len(g.as.tokens) != 2 {
		t.Errorf("%d requests without a token, %d logins, %d token requests", g.naked, len(g.as.logins), len(g.as.tokens))
	}
}

func (g *guarded) connect(t *testing.T, conn transport.Transport, rev wire.Revision, changed chan bool) *client.Client {
	t.Helper()
	c, err := client.Connect(t.Context(), conn, &client.Options{
		Revisions:    []wire.Revision{rev},
		ProbeTimeout: time.Minute,
		OnChange:     func(context.Context, client.Change) { changed <- true },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func (g *guarded) call(t *testing.T, c *client.Client) {
	t.Helper()
	r, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "greet"})
	if err != nil || r.Content[0].(*mcp.TextContent).Text != "hello" {
		t.Fatalf("got %v, %v", r, err)
	}
}

// A wrapped writer passes everything on, but does not let a handler take over its connection directly.
type wrapped struct{ http.ResponseWriter }

func (w wrapped) Unwrap() http.ResponseWriter { return w.ResponseWriter }
