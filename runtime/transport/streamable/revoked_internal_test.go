package streamable

import (
	"bufio"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

type ada struct{}

func (ada) Principal() string         { return "ada" }
func (ada) Missing([]string) []string { return nil }
func (ada) Expires() time.Time        { return time.Time{} }

// A revoking Authorizer knows ada, until she is revoked.
type revoking struct{ atomic.Bool }

func (a *revoking) Authorize(*http.Request) (transport.Identity, error) {
	if a.Load() {
		return nil, errors.New("revoked")
	}
	return ada{}, nil
}

func (*revoking) Refuse(w http.ResponseWriter, _ *http.Request, _ error, _ []byte) {
	w.WriteHeader(401)
}

// A stream whose connection was taken over from package net/http ends when its sender is revoked, too.
func TestDetachedStreamsEndWithRevocation(t *testing.T) {
	for _, body := range []string{
		"", // a stream of a session
		`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{},"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
			`"io.modelcontextprotocol/clientInfo":{"name":"a","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`,
	} {
		auth := new(revoking)
		h := NewHandler(server.New(mcp.Implementation{Name: "s", Version: "1"}, nil), &Options{Auth: auth})
		h.front.Guard.AskEvery = 10 * time.Millisecond
		hs := httptest.NewServer(h)
		t.Cleanup(hs.Close)
		send := func(method, body string, header ...string) *http.Response {
			t.Helper()
			return sendTo(t, t.Context(), hs.URL, method, body, header...)
		}
		var resp *http.Response
		if body == "" {
			opened := send("POST", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}`)
			resp = send("GET", "", "Mcp-Session-Id", opened.Header.Get("Mcp-Session-Id"))
		} else {
			resp = send("POST", body, "Mcp-Protocol-Version", "2026-07-28", "Mcp-Method", "subscriptions/listen")
		}
		lines := bufio.NewScanner(resp.Body)
		if !lines.Scan() || resp.StatusCode != http.StatusOK {
			t.Fatalf("status %d: %v", resp.StatusCode, lines.Err())
		}
		auth.Store(true)
		last := ""
		for lines.Scan() { // to the end
			if lines.Text() != "" {
				last = lines.Text()
			}
		}
		if body != "" && !strings.Contains(last, `"resultType":"complete"`) {
			t.Errorf("it ends with %s", last)
		}
	}
}

// A shrinking Authorizer knows ada, who loses her scopes.
type shrinking struct{ revoking }

func (a *shrinking) Authorize(*http.Request) (transport.Identity, error) { return shrunk{a}, nil }

type shrunk struct{ by *shrinking }

func (shrunk) Principal() string  { return "ada" }
func (shrunk) Expires() time.Time { return time.Time{} }

func (s shrunk) Missing(scopes []string) []string {
	if s.by.Load() {
		return scopes
	}
	return nil
}

// A stream that was resumed ends, as the one before it would have, when its sender loses the scopes that it requires.
func TestResumedStreamEndsWithScopes(t *testing.T) {
	auth, release := new(shrinking), make(chan struct{})
	s := server.New(mcp.Implementation{Name: "s", Version: "1"}, nil)
	err := s.Add(server.Item{
		Definition: &mcp.Tool{Name: "talk"}, Access: server.Access{Scopes: []string{"x"}},
		Handler: server.ToolHandler(func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			c.Progress().Report(1, 2, "")
			<-release
			return server.TextResult(""), nil
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	h := NewHandler(s, &Options{Auth: auth, Events: NewMemoryStore(nil)})
	h.front.Guard.AskEvery = 10 * time.Millisecond
	hs := httptest.NewServer(h)
	t.Cleanup(hs.Close)
	t.Cleanup(func() { close(release) })
	session := sendTo(t, t.Context(), hs.URL, "POST", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}`).Header.Get("Mcp-Session-Id")
	sendTo(t, t.Context(), hs.URL, "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, "Mcp-Session-Id", session)
	ctx, drop := context.WithCancel(t.Context())
	lines := bufio.NewScanner(sendTo(t, ctx, hs.URL, "POST", `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"talk","_meta":{"progressToken":1}}}`, "Mcp-Session-Id", session).Body)
	last, found := "", false
	for !found && lines.Scan() {
		last, found = strings.CutPrefix(lines.Text(), "id: ")
	}
	drop()
	limited, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	resumed := sendTo(t, limited, hs.URL, "GET", "", "Mcp-Session-Id", session, "Last-Event-ID", last)
	if resumed.StatusCode != http.StatusOK {
		t.Fatalf("resumed after %q: status %d", last, resumed.StatusCode)
	}
	auth.Store(true)
	events := bufio.NewScanner(resumed.Body)
	for events.Scan() { // to the end
	}
	if events.Err() != nil {
		t.Errorf("it does not end: %v", events.Err())
	}
}

// sendTo sends a request to a handler, and returns the response, whose body is closed at the end of the test.
func sendTo(t *testing.T, ctx context.Context, url, method, body string, header ...string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(ctx, method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Accept", "application/json, text/event-stream")
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return resp
}
