package streamable_test

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestCostOfCalls counts the allocations that a call of a tool takes between net/http and the tool, and back.
func TestCostOfCalls(t *testing.T) {
	testenv.Measures(t)
	result := server.TextResult("done")
	s := newServer(&server.Options{Logger: silent})
	err := s.AddTool(mcp.Tool{Name: "fast"}, func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) { return result, nil })
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name      string
		stateless bool
		modern    bool
		old       bool // the client is of a revision whose requests do not name it
		most      float64
	}{
		{name: "session", most: 11},
		{name: "session 2025-03-26", old: true, most: 11},
		{name: "stateless 2025-11-25", stateless: true, most: 14},
		{name: "stateless 2025-03-26", stateless: true, old: true, most: 14},
		{name: "2026-07-28", modern: true, most: 14},
	} {
		t.Run(test.name, func(t *testing.T) {
			h := streamable.NewHandler(s, &streamable.Options{Logger: silent, Stateless: test.stateless})
			defer h.Shutdown(t.Context())
			meta := ""
			r := httptest.NewRequest(http.MethodPost, "http://localhost/mcp", nil)
			set := func(name, value string) { r.Header[http.CanonicalHeaderKey(name)] = []string{value} }
			set("Content-Type", "application/json")
			set("Accept", "application/json, text/event-stream")
			switch {
			case test.modern:
				meta = "," + modernMeta
				set("Mcp-Protocol-Version", "2026-07-28")
				set("Mcp-Method", "tools/call")
				set("Mcp-Name", "fast")
			case test.stateless:
				set("Mcp-Protocol-Version", "2025-11-25")
			default:
				client := recording{t: t, h: h}
				client.open()
				client.want(http.StatusAccepted)
				set("Mcp-Session-Id", client.session)
				set("Mcp-Protocol-Version", "2025-11-25")
			}
			if test.old {
				delete(r.Header, "Mcp-Protocol-Version")
			}
			text := []byte(`{"jsonrpc":"2.0","id":10000000,"method":"tools/call","params":{"name":"fast","arguments":{}` + meta + `}}`)
			id := text[bytes.IndexByte(text, '1'):][:8]
			data, w := new(body), &sink{header: http.Header{}}
			r.ContentLength = int64(len(text))
			got := testing.AllocsPerRun(300, func() {
				for i := len(id) - 1; ; i-- { // each request has an id of its own
					if id[i]++; id[i] <= '9' {
						break
					}
					id[i] = '0'
				}
				data.Reset(text)
				r.Body = data
				clear(w.header)
				h.ServeHTTP(w, r)
				if w.status != 0 && w.status != http.StatusOK || !bytes.Contains(w.body, []byte(`"done"`)) {
					t.Fatalf("got %d %s", w.status, w.body)
				}
			})
			if got > test.most {
				t.Errorf("got %v allocations, want at most %v", got, test.most)
			}
		})
	}
}

// TestCostOfNotifications counts the allocations that a notification takes without a session, from a client of a revision
// whose requests do not name it.
func TestCostOfNotifications(t *testing.T) {
	testenv.Measures(t)
	h := streamable.NewHandler(newServer(&server.Options{Logger: silent}), &streamable.Options{Logger: silent, Stateless: true})
	defer h.Shutdown(t.Context())
	r := httptest.NewRequest(http.MethodPost, "http://localhost/mcp", nil)
	r.Header["Content-Type"] = []string{"application/json"}
	r.Header["Accept"] = []string{"application/json, text/event-stream"}
	text := []byte(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	data, w := new(body), &sink{header: http.Header{}}
	r.ContentLength = int64(len(text))
	got := testing.AllocsPerRun(300, func() {
		data.Reset(text)
		r.Body = data
		clear(w.header)
		h.ServeHTTP(w, r)
		if w.status != http.StatusAccepted {
			t.Fatalf("got %d", w.status)
		}
	})
	if got > 11 {
		t.Errorf("got %v allocations, want at most 11", got)
	}
	if !data.closed {
		t.Error("the body is not closed, so net/http allocates a reader to look for more")
	}
}

// A sink is an http.ResponseWriter that allocates nothing. It keeps the status and the last body.
type sink struct {
	header http.Header
	status int
	body   []byte
}

func (w *sink) Header() http.Header            { return w.header }
func (w *sink) WriteHeader(status int)         { w.status = status }
func (*sink) SetReadDeadline(time.Time) error  { return nil }
func (*sink) SetWriteDeadline(time.Time) error { return nil }

func (w *sink) Write(data []byte) (int, error) {
	w.body = append(w.body[:0], data...)
	return len(data), nil
}

// A body is that of one request after the other.
type body struct {
	bytes.Reader
	closed bool
}

func (b *body) Close() error {
	b.closed = true
	return nil
}
