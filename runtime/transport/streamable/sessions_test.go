package streamable_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// principals takes the user from the header Authorization.
func principals() *streamable.Options {
	return &streamable.Options{Auth: streamable.Named(func(r *http.Request) (string, error) {
		user := r.Header.Get("Authorization")
		if user == "" {
			return "", errors.New("who are you?")
		}
		return user, nil
	})}
}

// REQ HTTP-05, SEC-10, SEC-11, SESS-07: a session exists for the user who opened it, and nobody else.
func TestSessionOfAnotherUser(t *testing.T) {
	s := newServer(nil)
	var seen []string
	tool(t, s, "who", func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		seen = append(seen, c.Principal())
		return nil, nil
	})
	h := serve(t, s, principals())
	h.open("2025-06-18", "Authorization: ada")
	for i, method := range []string{"POST", "GET", "DELETE"} {
		body, want := "", `{"jsonrpc":"2.0",`+gone
		if method == "POST" {
			body, want = ping, `{"jsonrpc":"2.0","id":1,`+gone
		}
		h.send(h.request(method, body, "Authorization: eve")).want(t, 404, want)
		got := h.send(h.request(method, body))
		got.want(t, 401, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"who are you?"}}`)
		if got.header.Get("WWW-Authenticate") != "Bearer" {
			t.Errorf("%d: no challenge", i)
		}
	}
	h.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"who"}}`, "Authorization: ada").want(t, 200, "…")
	if fmt.Sprint(seen) != "[ada]" {
		t.Errorf("the tool saw %v", seen)
	}
}

// Since 2026-07-28 nothing vouches for a request but what it carries: not the one before it on the same
// connection, and not the handle that another user was given.
//
// REQ HTTP-05, STATE-14, SEC-12
func TestEveryRequestIsAuthenticated(t *testing.T) {
	s := newServer(nil)
	var seen []string
	tool(t, s, "who", func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		seen = append(seen, c.Principal())
		return nil, nil
	})
	h := serve(t, s, principals())
	const refused = `{"jsonrpc":"2.0","error":{"code":-32600,"message":"who are you?"}}`
	for _, user := range []string{"ada", "", "eve", ""} {
		if user != "" {
			h.modern("1", "tools/call", "who", `"name":"who"`, "Authorization: "+user).want(t, 200, "…")
			continue
		}
		for method, params := range map[string]string{
			"tools/call": `"name":"who"`, "tools/list": "", "server/discover": "", "subscriptions/listen": `"notifications":{}`, "no/method": "",
		} {
			got := h.modern("1", method, "", params)
			got.want(t, 401, refused)
			if got.header.Get("WWW-Authenticate") != "Bearer" {
				t.Errorf("%s: no challenge", method)
			}
		}
		h.post(`{"jsonrpc":"2.0","method":"notifications/cancelled"}`, "Mcp-Protocol-Version: 2026-07-28").want(t, 401, refused)
		h.post(initialize("2025-11-25")).want(t, 401, refused)
	}
	if fmt.Sprint(seen) != "[ada eve]" {
		t.Errorf("the tool saw %v", seen)
	}
}

// REQ SESS-02, SESS-03
func TestSessionIDs(t *testing.T) {
	h := serve(t, newServer(nil), nil)
	seen := make(map[string]bool)
	for range 100 {
		h.session, h.version = "", ""
		h.open("2025-06-18")
		id := h.session
		if len(id) < 26 || seen[id] || strings.ContainsFunc(id, func(r rune) bool { return r < 0x21 || r > 0x7e }) {
			t.Fatalf("id %q", id)
		}
		seen[id] = true
	}
}

// A recording client calls a handler without a network, so that it works with a fake clock.
type recording struct {
	t       testing.TB
	h       http.Handler
	session string
	address string // where it seems to be
}

func (r *recording) do(ctx context.Context, method, body string) *httptest.ResponseRecorder {
	req := httptest.NewRequestWithContext(ctx, method, "http://localhost/mcp", strings.NewReader(body))
	if method == "POST" {
		req.Header.Set("Content-Type", "application/json")
	}
	if r.session != "" {
		req.Header.Set("Mcp-Session-Id", r.session)
	}
	if r.address != "" {
		req.RemoteAddr = r.address
	}
	w := httptest.NewRecorder()
	r.h.ServeHTTP(w, req)
	return w
}

func (r *recording) open() int {
	r.session = ""
	w := r.do(context.Background(), "POST", initialize("2025-11-25"))
	r.session = w.Header().Get("Mcp-Session-Id")
	return w.Code
}

func (r *recording) want(status int) {
	r.t.Helper()
	if w := r.do(context.Background(), "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`); w.Code != status {
		r.t.Errorf("status %d, want %d: %s", w.Code, status, w.Body)
	}
}

// A session is opened by a request that can be taken for initialize, and by nothing that looks like one:
// what is refused takes up no room.
//
// REQ BATCH-03
func TestWhatOpensNoSession(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := streamable.NewHandler(newServer(nil), &streamable.Options{MaxSessions: 1})
		r := recording{t: t, h: h}
		r.open()
		r.want(202)
		other := recording{t: t, h: h}
		for _, body := range []string{
			`[` + initialize("2025-03-26") + `]`,
			`{"jsonrpc":"2.0","method":"initialize"}`,
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":[]}`,
			`{"jsonrpc":"1.0","id":1,"method":"initialize"}`,
			`{"jsonrpc":"2.0","id":1,"method":"initialize","result":{}}`,
		} {
			if w := other.do(t.Context(), "POST", body); w.Code != 400 || w.Header().Get("Mcp-Session-Id") != "" {
				t.Errorf("%s: %d %v", body, w.Code, w.Header())
			}
			r.want(202) // it is there
		}
		h.Shutdown(t.Context())
	})
}

// A negative limit is none.
func TestNoLimits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := streamable.NewHandler(newServer(nil), &streamable.Options{SessionIdle: -1, KeepAlive: -1})
		r := recording{t: t, h: h}
		r.open()
		time.Sleep(1000 * time.Hour)
		r.want(202)
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		for range 8 {
			wg.Go(func() {
				if w := r.do(ctx, "GET", ""); w.Code != 200 || strings.Contains(w.Body.String(), ":\n") {
					t.Errorf("the stream: %d %q", w.Code, w.Body)
				}
			})
		}
		time.Sleep(time.Hour)
		cancel()
		wg.Wait()
		h.Shutdown(t.Context())
	})
}

// Sessions end when nobody has used them for a while; an open stream, or a request at work, is use.
//
// REQ SEC-11
func TestSessionsExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(nil)
		tool(t, s, "sleep", func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
			time.Sleep(3 * time.Hour)
			return nil, nil
		})
		h := streamable.NewHandler(s, &streamable.Options{SessionIdle: time.Hour, MaxSessions: 16})
		var idle, used, open, busy recording
		for _, r := range []*recording{&idle, &used, &open, &busy} {
			*r = recording{t: t, h: h}
			if status := r.open(); status != 200 {
				t.Fatalf("status %d", status)
			}
			r.want(202)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() { open.do(ctx, "GET", "") })
		wg.Go(func() {
			w := busy.do(t.Context(), "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"sleep"}}`)
			if w.Code != 200 || !strings.Contains(w.Body.String(), `"result"`) {
				t.Errorf("the call: %d %s", w.Code, w.Body)
			}
		})
		for range 3 {
			time.Sleep(45 * time.Minute)
			used.want(202)
		}
		idle.want(404)
		open.want(202)
		busy.want(202)
		cancel()
		wg.Wait()
		time.Sleep(time.Hour + time.Second)
		for _, r := range []*recording{&used, &open, &busy} {
			r.want(404)
		}
	}) // where no goroutine may be left
}

// Attack: sessions that are opened and abandoned. They are bounded, they end, and they cost little.
func TestAbandonedSessions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := streamable.NewHandler(newServer(nil), nil)
		before := runtime.NumGoroutine()
		user := &recording{t: t, h: h, address: "192.0.2.2:1"}
		user.open()
		user.want(202)
		r := &recording{t: t, h: h, address: "192.0.2.1:1"}
		for i := range 10_000 {
			if status := r.open(); status != 200 {
				t.Fatalf("session %d: status %d", i, status)
			}
		}
		if n := runtime.NumGoroutine() - before; n > 10 {
			t.Errorf("%d goroutines", n)
		}
		user.want(202)
		if status := (&recording{t: t, h: h, address: "192.0.2.3:1"}).open(); status != 200 {
			t.Errorf("somebody else: status %d", status)
		}
		time.Sleep(61 * time.Second) // nothing has followed initialize
		r.want(404)
		user.want(202)
		if status := r.open(); status != 200 {
			t.Errorf("afterwards: status %d", status)
		}
		h.Shutdown(t.Context())
	})
}

// An idle session has no goroutine, and takes little memory.
func TestIdleSessionSize(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures memory, which -short does without")
	}
	s := newServer(nil)
	tool(t, s, "echo", echo)
	h := streamable.NewHandler(s, nil)
	r := &recording{t: t, h: h}
	open := func(n int) {
		for range n {
			if status := r.open(); status != 200 {
				t.Fatalf("status %d", status)
			}
			r.want(202)
			for id := range 3 {
				body := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo"}}`, id+1)
				if w := r.do(t.Context(), "POST", body); w.Code != 200 {
					t.Fatalf("status %d", w.Code)
				}
			}
		}
		time.Sleep(10 * time.Millisecond) // for the notifications
	}
	open(100)
	heap, goroutines := memory()
	const n = 4000
	open(n)
	after, goroutinesAfter := memory()
	size := (after - heap) / n
	t.Logf("an idle session takes %d bytes", size)
	if size > 1024 {
		t.Errorf("an idle session takes %d bytes, want 1 KiB at most", size)
	}
	if goroutinesAfter > goroutines+2 {
		t.Errorf("%d goroutines more", goroutinesAfter-goroutines)
	}
	h.Shutdown(t.Context())
}

func memory() (heap uint64, goroutines int) {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m.HeapAlloc, runtime.NumGoroutine()
}
