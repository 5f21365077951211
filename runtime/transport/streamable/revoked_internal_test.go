package streamable

import (
	"bufio"
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
			r, err := http.NewRequestWithContext(t.Context(), method, hs.URL, strings.NewReader(body))
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
