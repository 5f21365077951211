package streamable_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/limits"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// REQ SESS-02: when there are as many sessions as there may be, an idle one gives way, of the client
// itself or of the one who has most: one that was never used, else the least used. Those in use stay.
func TestSessionsGiveWay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(nil)
		block := make(chan struct{})
		tool(t, s, "wait", func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
			<-block
			return nil, nil
		})
		h := streamable.NewHandler(s, &streamable.Options{MaxSessions: 16})
		open := func(address string, ready bool) *recording {
			t.Helper()
			r := &recording{t: t, h: h, address: address}
			if status := r.open(); status != 200 {
				t.Fatalf("%s: status %d", address, status)
			}
			if ready {
				r.want(202)
			}
			time.Sleep(time.Millisecond)
			return r
		}
		mallory := "192.0.2.1:1"
		used, unused, newer := open(mallory, true), open(mallory, false), open(mallory, true)
		used.want(202)
		busy := open(mallory, true)
		var group sync.WaitGroup
		group.Go(func() {
			busy.do(t.Context(), "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"wait"}}`)
		})
		synctest.Wait()
		fifth := open(mallory, true) // a quarter of 16 are his
		unused.want(404)
		used.want(202)
		open(mallory, true)
		newer.want(404)
		busy.want(202)

		ada, bob := open("192.0.2.2:1", true), open("192.0.2.3:1", true)
		for i := range 11 { // the last is one too many
			open(fmt.Sprintf("192.0.2.%d:1", 4+i), true)
		}
		fifth.want(404)
		used.want(202)
		ada.want(202)
		bob.want(202)
		close(block)
		group.Wait()
		h.Shutdown(t.Context())
	})
	synctest.Test(t, func(t *testing.T) {
		h := streamable.NewHandler(newServer(nil), &streamable.Options{MaxSessions: 16})
		all := map[string][]*recording{}
		limits.Shared(t, 4, func(who string) bool {
			r := &recording{t: t, h: h, address: who}
			r.open()
			all[who] = append(all[who], r)
			return !slices.ContainsFunc(all[who], func(r *recording) bool {
				time.Sleep(time.Millisecond)
				return r.do(t.Context(), "POST", `{"jsonrpc":"2.0","method":"notifications/initialized"}`).Code != 202
			})
		})
		h.Shutdown(t.Context())
	})
	synctest.Test(t, func(t *testing.T) {
		h := streamable.NewHandler(newServer(nil), &streamable.Options{MaxSessions: 1})
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		r := &recording{t: t, h: h}
		r.open()
		group.Go(func() { r.do(ctx, "GET", "") })
		synctest.Wait()
		w := (&recording{h: h, address: "192.0.2.9:1"}).do(t.Context(), "POST", initialize("2025-11-25"))
		if body := w.Body.String(); w.Code != 503 || w.Header().Get("Retry-After") == "" || body != `{"jsonrpc":"2.0","id":"init","error":{"code":-32603,"message":"there are too many sessions; try again later"}}` {
			t.Errorf("all are in use: %d %v %s", w.Code, w.Header(), body)
		}
		cancel()
		group.Wait()
		h.Shutdown(t.Context())
	})
}

// REQ SUB-01: requests at work are bounded, those that listen since 2026-07-28 among them, and no client
// can have all of them.
func TestRequestsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := streamable.NewHandler(newServer(nil), &streamable.Options{MaxRequests: 8})
		listen := func(ctx context.Context, address string) *httptest.ResponseRecorder {
			body := `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{},` + modernMeta + `}}`
			req := httptest.NewRequestWithContext(ctx, "POST", "http://localhost/mcp", strings.NewReader(body))
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Mcp-Protocol-Version", "2026-07-28")
			req.Header.Set("Mcp-Method", "subscriptions/listen")
			req.RemoteAddr = address
			w := httptest.NewRecorder()
			h.ServeHTTP(w, req)
			return w
		}
		ctx, cancel := context.WithCancel(t.Context())
		var group sync.WaitGroup
		limits.Shared(t, 2, func(who string) bool {
			var w *httptest.ResponseRecorder
			group.Go(func() { w = listen(ctx, who) })
			synctest.Wait()
			if w != nil && (w.Code != 503 || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), "too many requests at the same time")) {
				t.Errorf("the third: %d %s", w.Code, w.Body)
			}
			return w == nil
		})
		for i := range 4 {
			group.Go(func() { listen(ctx, fmt.Sprintf("192.0.2.%d:2", 10+i)) })
			synctest.Wait()
		}
		if w := listen(t.Context(), "192.0.2.99:2"); w.Code != 503 {
			t.Errorf("the ninth: %d %s", w.Code, w.Body)
		}
		cancel()
		group.Wait()
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		if w := listen(ended, "mallory"); w.Code == 503 {
			t.Errorf("when there is room again: %d", w.Code)
		}
		h.Shutdown(t.Context())
	})
}

// Large bodies are bounded together, while they arrive and while they are worked on.
func TestBodiesAreBounded(t *testing.T) {
	s := newServer(nil)
	block := make(chan struct{})
	started := make(chan struct{}, 10)
	tool(t, s, "wait", func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		started <- struct{}{}
		<-block
		return nil, nil
	})
	h := serve(t, s, &streamable.Options{MaxBytes: 4 << 20, Address: func(r *http.Request) string { return r.Header.Get("From") }})
	call := func(from string) *http.Request {
		return h.modernRequest("1", "tools/call", "wait", `"name":"wait","arguments":{"a":"`+strings.Repeat("x", 400<<10)+`"}`, "From: "+from)
	}
	var group sync.WaitGroup
	limits.Shared(t, 2, func(who string) bool {
		refused := make(chan got, 1)
		group.Go(func() { refused <- h.send(call(who)) })
		select {
		case <-started:
			return true
		case r := <-refused:
			r.want(t, 503, `{"jsonrpc":"2.0","error":{"code":-32603,"message":"the current requests are too large together; try again later"}}`)
			return false
		}
	})
	close(block)
	group.Wait()
	h.send(call("mallory")).want(t, 200, "…")
}

// What waits for a stream is bounded in all sessions together.
func TestPendingIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(&server.Options{Anonymous: true, OnInitialized: func(ctx context.Context, ss *server.Session) {
			for range 4 {
				ss.ElicitationComplete(ctx, strings.Repeat("x", 60<<10))
			}
		}})
		h := streamable.NewHandler(s, nil)
		open := func(address string) *recording {
			r := &recording{t: t, h: h, address: address}
			r.open()
			r.want(202)
			synctest.Wait()
			return r
		}
		kept := func(r *recording) int {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			return strings.Count(r.do(ctx, "GET", "").Body.String(), "elicitation/complete")
		}
		var all []*recording
		limits.Shared(t, 7, func(who string) bool { // of 9 sessions with 240 KiB each, of the 16 MiB that one client may have
			for range 9 {
				all = append(all, open(who))
			}
			return kept(open(who)) == 4
		})
		n := 0
		for _, r := range all {
			n += kept(r)
		}
		if want := 2*9*4 + 16<<20/(60<<10+95); n != want {
			t.Errorf("%d messages are kept, want %d", n, want)
		}
		if n := kept(open("mallory")); n != 4 {
			t.Errorf("%d messages are kept when there is room again, want 4", n)
		}
		h.Shutdown(t.Context())
	})
}

// REQ HTTP-05: a body that is encoded is refused, and not taken for what it is not.
func TestEncodedBody(t *testing.T) {
	h := serve(t, newServer(nil), nil)
	got := h.post(initialize("2025-11-25"), "Content-Encoding: gzip")
	got.want(t, 415, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"the body must not be encoded: no Content-Encoding but identity"}}`)
	if got.header.Get("Accept-Encoding") != "identity" {
		t.Errorf("headers %v", got.header)
	}
	h.post(initialize("2025-11-25"), "Content-Encoding: identity").want(t, 200, "…")
}

// A request whose body does not come is answered, and ends, however early it is refused.
func TestRefusedWithoutBody(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := listenPipe()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- streamable.Serve(ctx, l, newServer(nil), nil) }()
		var group sync.WaitGroup
		for _, head := range []string{
			"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/plain",
			"POST /mcp HTTP/1.1\r\nHost: evil.example\r\nContent-Type: application/json",
			"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Encoding: br",
			"POST /nowhere HTTP/1.1\r\nHost: localhost",
			"PUT /mcp HTTP/1.1\r\nHost: localhost",
			"GET /mcp HTTP/1.1\r\nHost: localhost",
			"DELETE /mcp HTTP/1.1\r\nHost: localhost",
			"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json",
		} {
			group.Go(func() {
				conn, err := l.client().Transport.(*http.Transport).DialContext(ctx, "", "")
				if err != nil {
					t.Error(err)
					return
				}
				defer conn.Close()
				start := time.Now()
				fmt.Fprintf(conn, "%s\r\nContent-Length: 100\r\n\r\n", head)
				resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
				if err != nil || resp.StatusCode < 400 {
					t.Errorf("%q: %v, %v after %v", head, resp, err, time.Since(start))
					return
				}
				if took := time.Since(start); took > 31*time.Second || took > 0 && resp.StatusCode != 408 {
					t.Errorf("%q: the answer took %v", head, took)
				}
				io.Copy(io.Discard, resp.Body)
			})
		}
		group.Wait()
		start := time.Now()
		cancel()
		if err := <-ended; err != nil || time.Since(start) > time.Second {
			t.Errorf("the end: %v after %v", err, time.Since(start))
		}
	})
}

// Shutdown whose time is up cancels the requests that stand alone, too, if they wait and if they only
// look now and then.
func TestShutdownCancelsModernRequests(t *testing.T) {
	s := newServer(nil)
	started := make(chan struct{})
	tool(t, s, "wait", func(ctx context.Context, _ *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		close(started)
		<-ctx.Done()
		return nil, context.Cause(ctx)
	})
	looking := make(chan struct{})
	tool(t, s, "look", func(ctx context.Context, _ *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		close(looking)
		for ctx.Err() == nil {
			time.Sleep(time.Millisecond)
		}
		return nil, context.Cause(ctx)
	})
	h := serve(t, s, nil)
	var group sync.WaitGroup
	for _, name := range []string{"wait", "look"} {
		group.Go(func() {
			got := h.modern("1", "tools/call", name, `"name":"`+name+`"`)
			if got.status != 200 || !strings.Contains(got.body, "shutting down") {
				t.Errorf("%s: %d %s", name, got.status, got.body)
			}
		})
	}
	<-started
	<-looking
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := h.h.Shutdown(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("Shutdown: %v", err)
	}
	group.Wait()
}
