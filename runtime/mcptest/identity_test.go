package mcptest

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Two users of one server, of whom one has a scope.
//
// REQ AUTH11-14
func TestIdentity(t *testing.T) {
	EachRevision(t, func(t *testing.T, revision wire.Revision) {
		s := newServer(t, func(_ context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			return server.TextResult(c.Principal() + " " + c.Identity().Principal()), nil
		}, revision)
		if err := s.Add(server.Item{Definition: &mcp.Tool{Name: "erase"}, Handler: server.ToolHandler(echo), Access: server.Access{Scopes: []string{"notes:write"}}}); err != nil {
			t.Fatal(err)
		}
		ada := Connect(t, s, &Options{Revision: revision, Identity: As("ada", "notes:read", "notes:write")})
		bob := Connect(t, s, &Options{Revision: revision, Identity: As("bob", "notes:read")})
		for c, want := range map[*Client]string{ada: "ada ada", bob: "bob bob"} {
			if got := c.CallText("tool", nil); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		}
		ada.CallText("erase", nil)
		_, err := bob.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "erase"})
		if err == nil || !strings.Contains(err.Error(), "the sender lacks notes:write") {
			t.Errorf("got %v, want a missing scope", err)
		}
	})
}

// get is a tool that fetches a page, and may forget its response.
func get(client *http.Client, url string, forget bool) server.ToolHandler {
	return func(ctx context.Context, _ *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		resp, err := client.Get(url)
		if err != nil {
			return nil, err
		}
		if forget {
			return server.TextResult("forgotten"), nil
		}
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		return server.TextResult(string(body)), err
	}
}

// A server whose tools use net/http has idle connections at the end, which are no leaks; a response that nobody
// closes is one.
func TestIdleConnections(t *testing.T) {
	for name, start := range map[string]func(*httptest.Server){
		"HTTP/1": (*httptest.Server).Start,
		"HTTP/2": func(hs *httptest.Server) { hs.EnableHTTP2 = true; hs.StartTLS() },
	} {
		t.Run(name, func(t *testing.T) {
			hs := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Write(make([]byte, 1<<20)) // more than what is read ahead
			}))
			start(hs)
			defer hs.Close()
			if verdict := judge(t, func(t testing.TB) {
				Connect(t, newServer(t, get(hs.Client(), hs.URL, false)), nil).CallText("tool", nil)
			}); verdict != "" {
				t.Errorf("got %s", verdict)
			}
			if name == "HTTP/2" {
				return // the goroutine of a connection says nothing about its streams
			}
			// With connections of its own, since the goroutines of those that are there belong to the first test.
			fresh := &http.Client{Transport: new(http.Transport)}
			verdict := judge(t, func(t testing.TB) {
				Connect(t, newServer(t, get(fresh, hs.URL, true)), nil).CallText("tool", nil)
			})
			if !strings.Contains(verdict, "readLoop") {
				t.Errorf("got %q, want a leak", verdict)
			}
		})
	}
}

// The folder of a transcript is made if it is not there.
func TestUpdateMakesFolders(t *testing.T) {
	file := filepath.Join(t.TempDir(), "testdata", "new", "call.txtar")
	c := Connect(t, newServer(t, echo), nil)
	c.CallText("tool", nil)
	c.CompareTranscript(file, true)
	if _, err := os.Stat(file); err != nil {
		t.Error(err)
	}
	c.CompareTranscript(file, false)
}
