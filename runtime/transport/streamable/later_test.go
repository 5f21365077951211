package streamable_test

import (
	"context"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// newBusyServer returns a server with a tool echo, which refuses calls while it is busy.
func newBusyServer(t *testing.T, busy *atomic.Bool) *server.Server {
	s := newServer(&server.Options{Middleware: []server.Middleware{func(next server.Handler) server.Handler {
		return func(ctx context.Context, c *server.Call) (wire.Encodable, error) {
			if c.Name() != "" && busy.Load() {
				return nil, transport.TryLater("too many calls", 1234567*time.Microsecond)
			}
			return next(ctx, c)
		}
	}}})
	tool(t, s, "echo", echo)
	return s
}

const later = `"error":{"code":-32603,"message":"too many calls; try again in 1.3s","data":{"retryAfterMs":1235}}}`

// A request that may come again later is refused with status 429, and the very same request is served when it
// comes again, also in a session, where an id is good for one request.
func TestTryLater(t *testing.T) {
	var busy atomic.Bool
	body := `{"jsonrpc":"2.0","id":ID,"method":"tools/call","params":{"name":"echo","arguments":{}}}`
	expect := func(t *testing.T, send func() got, id string) {
		t.Helper()
		busy.Store(true)
		for range 2 {
			got := send()
			got.want(t, 429, `{"jsonrpc":"2.0","id":`+id+`,`+later)
			if after, kind := got.header.Get("Retry-After"), got.header.Get("Content-Type"); after != "2" || kind != "application/json" {
				t.Errorf("Retry-After %q, Content-Type %q", after, kind)
			}
		}
		busy.Store(false)
		if got := send(); got.status != 200 || got.header.Get("Retry-After") != "" || !strings.Contains(got.body, `"text":"{}"`) {
			t.Errorf("later: %d %v %s", got.status, got.header, got.body)
		}
	}
	for _, rev := range []string{"2025-03-26", "2025-06-18", "2025-11-25"} {
		for _, id := range []string{`7`, `"seven"`} {
			h := serve(t, newBusyServer(t, &busy), nil)
			h.open(rev)
			expect(t, func() got { return h.post(strings.Replace(body, "ID", id, 1)) }, id)
			if got := h.post(strings.Replace(body, "ID", id, 1)); got.status != 400 {
				t.Errorf("%s: the id is used again: %d %s", rev, got.status, got.body)
			}
		}
	}
	stateless := serve(t, newBusyServer(t, &busy), &streamable.Options{Stateless: true})
	expect(t, func() got {
		return stateless.post(strings.Replace(body, "ID", "7", 1), "Mcp-Protocol-Version: 2025-11-25")
	}, "7")
	h := serve(t, newBusyServer(t, &busy), nil)
	expect(t, func() got { return h.modern("7", "tools/call", "echo", `"name":"echo","arguments":{}`) }, "7")

	// Of a batch, other requests may have been served.
	busy.Store(true)
	h.open("2025-03-26")
	call := strings.Replace(body, "ID", "1", 1)
	got := h.post(`[` + call + `,{"jsonrpc":"2.0","id":2,"method":"ping"}]`)
	if got.status != 200 || got.header.Get("Retry-After") != "" || !strings.Contains(got.body, `"id":1,`+later) || !strings.Contains(got.body, `"id":2,"result":{}`) {
		t.Errorf("a batch: %d %v %s", got.status, got.header, got.body)
	}
}

// A client learns when it may come again.
func TestClientLearnsWhen(t *testing.T) {
	for _, rev := range []wire.Revision{mcp.V2025_11_25, mcp.V2026_07_28} {
		var busy atomic.Bool
		h := serve(t, newBusyServer(t, &busy), nil)
		c, err := client.Connect(t.Context(), httpclient.New(h.http.URL, nil), &client.Options{Revisions: []wire.Revision{rev}})
		if err != nil {
			t.Fatal(err)
		}
		busy.Store(true)
		_, err = c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "echo"})
		if after, ok := transport.RetryAfter(err); !ok || after != 1235*time.Millisecond {
			t.Errorf("%s: %s, %t: %v", rev, after, ok, err)
		}
		busy.Store(false)
		if _, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "echo"}); err != nil {
			t.Error(err)
		}
		c.Close()
	}
}

// What is not admitted is refused before its body is read, whatever it is, and belongs to no session.
func TestAdmit(t *testing.T) {
	var seen []transport.Origin
	var refuse bool
	h := streamable.NewHandler(newServer(nil), &streamable.Options{
		Auth:    streamable.Named(func(r *http.Request) (string, error) { return r.Header.Get("X-User"), nil }),
		Address: func(*http.Request) string { return "192.0.2.9" },
		Admit: func(from transport.Origin) *transport.RefusedError {
			seen = append(seen, from)
			if refuse {
				return transport.TryLater("too many requests", time.Minute)
			}
			return nil
		},
	})
	r := &recording{t: t, h: h}
	if status := r.open(); status != 200 {
		t.Fatal(status)
	}
	refuse = true
	for _, method := range []string{"POST", "GET", "DELETE"} {
		w := r.do(t.Context(), method, "no JSON")
		if w.Code != 429 || w.Header().Get("Retry-After") != "60" ||
			w.Body.String() != `{"jsonrpc":"2.0","error":{"code":-32603,"message":"too many requests; try again in 1m0s","data":{"retryAfterMs":60000}}}` {
			t.Errorf("%s: %d %v %s", method, w.Code, w.Header(), w.Body)
		}
	}
	refuse = false
	r.want(202)
	if last := seen[len(seen)-1]; len(seen) != 5 || last.Address != "192.0.2.9" || last.Header == nil {
		t.Errorf("%d were seen, the last from %+v", len(seen), last)
	}
	h.Shutdown(t.Context())
}
