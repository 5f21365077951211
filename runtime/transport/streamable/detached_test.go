package streamable_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/observe"
	"github.com/mcpgen/mcpgen/runtime/observe/observeserver"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// What holds for other streams holds for those that stay in package net/http, too.
func TestHeldStreams(t *testing.T) {
	holdStreams = true
	defer func() { holdStreams = false }()
	for name, test := range map[string]func(*testing.T){
		"SessionStreams":     TestSessionStreams,
		"Resume":             TestResume,
		"SessionEndsRequest": TestSessionEndsRequests,
		"StoreFails":         TestStoreFails,
		"Pending":            TestPending,
		"Listen":             TestListen,
		"SlowReader":         TestSlowReader,
	} {
		t.Run(name, test)
	}
}

// A path is a way by which streams reach clients.
type path struct {
	name     string
	opts     streamable.Options
	wrap     bool // the writer
	tls, two bool // over TLS, over HTTP/2
	detaches bool
}

var paths = []path{
	{name: "TCP", detaches: true},
	{name: "TLS", tls: true, detaches: true},
	{name: "wrapped", wrap: true},
	{name: "HTTP/2", tls: true, two: true},
}

// A wrapped writer passes everything on, as those of middleware do.
type wrapped struct{ http.ResponseWriter }

func (w wrapped) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// serve serves a handler, and counts the calls of ServeHTTP that have not returned.
func (p *path) serve(t *testing.T, s *server.Server) (h *host, inside *atomic.Int64) {
	t.Helper()
	inside = new(atomic.Int64)
	handler := streamable.NewHandler(s, &p.opts)
	srv := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		inside.Add(1)
		defer inside.Add(-1)
		if p.wrap {
			w = wrapped{w}
		}
		handler.ServeHTTP(w, r)
	}))
	srv.EnableHTTP2 = p.two
	if p.tls {
		srv.StartTLS()
	} else {
		srv.Start()
	}
	t.Cleanup(srv.Close)
	return &host{t: t, h: handler, http: srv}, inside
}

// until waits for what is expected.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for begun := time.Now(); !is(); time.Sleep(time.Millisecond) {
		if time.Since(begun) > time.Minute {
			t.Fatalf("not %s after a minute", what)
		}
	}
}

// Streams leave package net/http if nothing else uses their connection. The client sees no difference.
//
// REQ HTTP-25, HTTP-28
func TestDetached(t *testing.T) {
	for _, p := range paths {
		t.Run(p.name, func(t *testing.T) {
			testenv.NoGoroutinesLeft(t)
			h, inside := p.serve(t, newServer(nil))
			h.open("2025-11-25")
			want := int64(8)
			if p.detaches {
				want = 0
			}
			req := h.request("GET", "")
			ctx, leave := context.WithCancel(t.Context())
			events := h.stream(req.WithContext(ctx))
			events.next()
			for range 7 {
				h.stream(h.request("GET", "")).next()
			}
			until(t, "waiting", func() bool { return inside.Load() == want })
			if got := h.send(h.request("GET", "")); got.status != 429 {
				t.Errorf("one more stream than there may be: %d %s", got.status, got.body)
			}
			leave()
			var again *eventReader
			until(t, "notified that the client has closed the connection", func() bool {
				resp := h.do(h.request("GET", ""))
				if resp.StatusCode == 429 {
					resp.Body.Close()
					return false
				}
				again = &eventReader{t, resp, bufio.NewReader(resp.Body)}
				return true
			})
			again.next()
			ended := make(chan string, 1)
			go func() {
				rest, err := io.ReadAll(again.r)
				ended <- fmt.Sprint(string(rest), err)
			}()
			if err := h.h.Shutdown(t.Context()); err != nil {
				t.Error(err)
			}
			if got := <-ended; got != "retry: 1000\n\n<nil>" {
				t.Errorf("the stream ends with %q", got)
			}
			until(t, "returned from the handler", func() bool { return inside.Load() == 0 })
			h.http.CloseClientConnections()
			h.http.Client().CloseIdleConnections()
		})
	}
}

// So do subscriptions, which have no goroutine of the server's either. They end with their results.
//
// REQ H26-11, H26-12
func TestDetachedListen(t *testing.T) {
	for _, p := range paths {
		for _, by := range []string{"handler", "server"} {
			t.Run(p.name+" shut down by the "+by, func(t *testing.T) {
				testenv.NoGoroutinesLeft(t)
				var numbers observe.Numbers
				var subscribed atomic.Int64
				p.opts.Observer = &numbers
				s := newServer(observeserver.Options(&numbers, &server.Options{
					OnSubscribe:   func(context.Context, *server.Call, string) error { subscribed.Add(1); return nil },
					OnUnsubscribe: func(string) { subscribed.Add(-1) },
				}))
				s.AddResource(mcp.Resource{URI: "test://one", Name: "one"}, func(context.Context, *server.Call, string) (*mcp.ReadResourceResult, error) {
					return server.TextResource("text/plain", "1"), nil
				})
				h, inside := p.serve(t, s)
				want := int64(2)
				if p.detaches {
					want = 0
				}
				listen := func() *http.Request {
					return h.modernRequest("1", "subscriptions/listen", "", `"notifications":{"resourceSubscriptions":["test://one"]}`)
				}
				ctx, leave := context.WithCancel(t.Context())
				leaving, staying := h.stream(listen().WithContext(ctx)), h.stream(listen())
				for _, r := range []*eventReader{leaving, staying} {
					if got := r.next(); !strings.Contains(got, "acknowledged") {
						t.Errorf("event %s", got)
					}
				}
				until(t, "waiting", func() bool { return inside.Load() == want })
				s.ResourceUpdated("test://one")
				if got := staying.next(); !strings.Contains(got, "resources/updated") {
					t.Errorf("event %s", got)
				}
				if got := subscribed.Load(); got != 2 {
					t.Errorf("%d subscriptions, want 2", got)
				}
				leave()
				until(t, "notified that the client has closed the connection", func() bool { return subscribed.Load() == 1 })
				shutdown := h.h.Shutdown
				if by == "server" {
					shutdown = s.Shutdown
				}
				ended := make(chan error, 1)
				go func() { ended <- shutdown(t.Context()) }()
				if got := staying.next(); !strings.Contains(got, `subscriptionId":1`) || !strings.Contains(got, `"resultType":"complete"`) {
					t.Errorf("event %s", got)
				}
				staying.want("end")
				if err := <-ended; err != nil {
					t.Error(err)
				}
				h.h.Shutdown(t.Context())
				h.http.Client().CloseIdleConnections()
				h.http.Close()
				if got := numbers.String(); subscribed.Load() != 0 || !strings.Contains(got, `"now":{"request":0,"sent notification":0,"stream":0}`) {
					t.Errorf("afterwards: %d subscriptions, %s", subscribed.Load(), got)
				}
			})
		}
	}
}

// Middleware of the server sees the end of a subscription, and its result.
func TestDetachedListenMiddleware(t *testing.T) {
	results := make(chan any, 1)
	s := newServer(&server.Options{Middleware: []server.Middleware{func(next server.Handler) server.Handler {
		return func(ctx context.Context, c *server.Call) (wire.Encodable, error) {
			result, err := next(ctx, c)
			results <- result
			return result, err
		}
	}}})
	h := serve(t, s, nil)
	r := h.stream(h.modernRequest("1", "subscriptions/listen", "", `"notifications":{}`))
	r.next()
	go h.h.Shutdown(t.Context())
	if _, ok := (<-results).(*mcp.SubscriptionsListenResult); !ok {
		t.Error("the middleware saw no result")
	}
	if got := r.next(); !strings.Contains(got, `"resultType":"complete"`) {
		t.Errorf("event %s", got)
	}
	r.want("end")
}

// A graceful end does not wait longer than it may for clients that do not read.
func TestDetachedCutOff(t *testing.T) {
	testenv.NoGoroutinesLeft(t)
	s := newServer(nil)
	l := listenPipe() // on which writing takes until somebody reads
	h := streamable.NewHandler(s, &streamable.Options{WriteTimeout: time.Hour})
	srv := &http.Server{Handler: h}
	go srv.Serve(l)
	a, b := net.Pipe()
	l.conns <- b
	req := (&host{t: t, http: &httptest.Server{URL: "http://localhost"}}).modernRequest("1", "subscriptions/listen", "", `"notifications":{"toolsListChanged":true}`)
	go req.Write(a)
	events := bufio.NewReader(a)
	for line := ""; !strings.Contains(line, "acknowledged"); {
		var err error
		if line, err = events.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	events.Discard(events.Buffered())
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if err := h.Shutdown(ctx); err == nil {
		t.Error("Shutdown returned no error, though a client has not read the end of its stream")
	}
	srv.Close()
	until(t, "closed", func() bool { _, err := a.Write([]byte("x")); return err != nil })
}

// Streams that have left package net/http count as requests until they end. A client may have a quarter of these.
func TestDetachedStreamsCount(t *testing.T) {
	h := serve(t, newServer(nil), &streamable.Options{MaxRequests: 8})
	h.open("2025-11-25")
	var open []*eventReader
	for range 2 {
		r := h.stream(h.request("GET", ""))
		r.next()
		open = append(open, r)
	}
	ping := `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	if got := h.post(ping); got.status != 503 {
		t.Errorf("one more request than there may be: %d %s", got.status, got.body)
	}
	open[0].resp.Body.Close()
	until(t, "served", func() bool { return h.post(ping).status != 503 })
}

// Comments keep many streams alive, at the time or a little earlier.
func TestPulse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := listenPipe()
		h := streamable.NewHandler(newServer(nil), &streamable.Options{KeepAlive: time.Minute})
		srv := &http.Server{Handler: h}
		go srv.Serve(l)
		client := l.client()
		do := func(req *http.Request) *http.Response {
			resp, err := client.Do(req)
			if err != nil {
				t.Fatal(err)
			}
			return resp
		}
		resp := do(request(t, "POST", initialize("2025-06-18")))
		resp.Body.Close()
		var open []*http.Response
		for range 3 {
			open = append(open, do(request(t, "GET", "", "Accept: text/event-stream", "Mcp-Session-Id: "+resp.Header.Get("Mcp-Session-Id"))))
			time.Sleep(10 * time.Second)
		}
		begun := time.Now().Add(-30 * time.Second)
		for round := range 3 {
			for i, stream := range open {
				buf := make([]byte, 3)
				if _, err := io.ReadFull(stream.Body, buf); err != nil || string(buf) != ":\n\n" {
					t.Fatalf("%q, %v", buf, err)
				}
				due := time.Duration(round+1)*time.Minute + time.Duration(i)*10*time.Second
				if at := time.Since(begun); at > due || at < due-time.Duration(round+1)*4*time.Second {
					t.Errorf("a comment after %v, want %v", at, due)
				}
			}
		}
		for _, stream := range open {
			stream.Body.Close()
		}
		h.Shutdown(t.Context())
		srv.Close()
		client.CloseIdleConnections()
	})
}

// Clients that do not read do not hold up the comments for others.
func TestPulseGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := listenPipe() // on which writing takes until somebody reads
		h := streamable.NewHandler(newServer(nil), &streamable.Options{KeepAlive: time.Minute, WriteTimeout: time.Hour})
		srv := &http.Server{Handler: h}
		go srv.Serve(l)
		open := func() (net.Conn, *bufio.Reader) {
			r := &recording{t: t, h: h}
			if status := r.open(); status != 200 {
				t.Fatalf("status %d", status)
			}
			a, b := net.Pipe()
			l.conns <- b
			fmt.Fprintf(a, "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nMcp-Session-Id: %s\r\n\r\n", r.session)
			events := bufio.NewReader(a)
			for {
				if line, err := events.ReadString('\n'); err != nil {
					t.Fatal(err)
				} else if line == "data: \n" { // the first event; two empty lines follow
					events.ReadString('\n')
					events.ReadString('\n')
					return a, events
				}
			}
		}
		var conns []net.Conn
		for range 3 {
			conn, _ := open()
			conns = append(conns, conn)
		}
		conn, events := open()
		begun := time.Now()
		for range 5 {
			for _, want := range []string{"3\r\n", ":\n", "\n", "\r\n"} {
				if line, err := events.ReadString('\n'); line != want {
					t.Fatalf("%q, %v, want %q", line, err, want)
				}
			}
		}
		if took := time.Since(begun); took > 5*time.Minute+time.Second {
			t.Errorf("5 comments came after %v", took)
		}
		for _, c := range append(conns, conn) {
			c.Close()
		}
		h.Shutdown(t.Context())
		srv.Close()
	})
}

// An open stream takes little memory, and no goroutine where the system reports closed connections.
func TestOpenStreamSize(t *testing.T) {
	if testing.Short() {
		t.Skip("it measures memory, which -short does without")
	}
	const n = 500
	measure := func(h http.Handler, request func() string) (heap, goroutines int) {
		srv := httptest.NewServer(h)
		defer srv.Close()
		before, goroutinesBefore := memory()
		var conns []net.Conn
		for range n {
			conn, err := net.Dial("tcp", srv.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			conns = append(conns, conn)
			io.WriteString(conn, request())
			if line, err := bufio.NewReaderSize(conn, 64).ReadString('\n'); line != "HTTP/1.1 200 OK\r\n" {
				t.Fatalf("%q, %v", line, err)
			}
		}
		after, goroutinesAfter := memory()
		for _, conn := range conns {
			conn.Close()
		}
		return int(after-before) / n, (goroutinesAfter - goroutinesBefore + n/2) / n
	}
	floor, _ := measure(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}), func() string { return "GET /mcp HTTP/1.1\r\nHost: localhost\r\n\r\n" })
	listen := `{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + modernMeta + `}}`
	for _, kind := range []string{"GET", "listen"} {
		for _, hold := range []bool{false, true} {
			h := streamable.NewHandler(newServer(nil), nil)
			r := &recording{t: t, h: h}
			handler := http.Handler(h)
			if hold {
				handler = held(h)
			}
			heap, goroutines := measure(handler, func() string {
				if kind == "listen" {
					return fmt.Sprintf("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nMcp-Protocol-Version: 2026-07-28\r\n"+
						"Mcp-Method: subscriptions/listen\r\nContent-Length: %d\r\n\r\n%s", len(listen), listen)
				}
				if status := r.open(); status != 200 {
					t.Fatalf("status %d", status)
				}
				return "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nMcp-Session-Id: " + r.session + "\r\n\r\n"
			})
			most, want := floor+4096, 2
			if !hold {
				most, want = 4096, 1
				if runtime.GOOS != "linux" {
					most = 8192
				}
			}
			t.Logf("%s, held %v: a stream takes %d bytes of heap, with its session and the client's end; one of net/http alone %d", kind, hold, heap, floor)
			if heap > most || goroutines != want {
				t.Errorf("%s, held %v: a stream takes %d bytes and %d goroutines, want at most %d bytes and %d goroutines", kind, hold, heap, goroutines, most, want)
			}
			h.Shutdown(t.Context())
		}
	}
}

// A connection that leaves package net/http need not be of TCP.
func TestDetachedPipe(t *testing.T) {
	testenv.NoGoroutinesLeft(t)
	a, b := net.Pipe()
	l := listenPipe()
	h := streamable.NewHandler(newServer(nil), &streamable.Options{MaxRequests: 1})
	srv := &http.Server{Handler: h}
	go srv.Serve(l)
	r := &recording{t: t, h: h}
	if status := r.open(); status != 200 {
		t.Fatalf("status %d", status)
	}
	l.conns <- b
	fmt.Fprintf(a, "GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\nMcp-Session-Id: %s\r\n\r\n", r.session)
	line, err := bufio.NewReader(a).ReadString('\n')
	if !strings.HasPrefix(line, "HTTP/1.1 200") {
		t.Fatalf("%q, %v", line, err)
	}
	a.Close()
	until(t, "served", func() bool { return r.do(t.Context(), "POST", `{"jsonrpc":"2.0","id":1,"method":"ping"}`).Code == 200 })
	h.Shutdown(t.Context())
	srv.Close()
}
