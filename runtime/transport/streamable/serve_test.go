package streamable_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A pipeListener is a listener without a network, for a fake clock.
type pipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func listenPipe() *pipeListener {
	return &pipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error   { l.once.Do(func() { close(l.closed) }); return nil }
func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

func (l *pipeListener) client() *http.Client {
	return &http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		a, b := net.Pipe()
		select {
		case l.conns <- b:
			return a, nil
		case <-l.closed:
			return nil, net.ErrClosed
		}
	}}}
}

func request(t testing.TB, method, body string, headers ...string) *http.Request {
	t.Helper()
	req, err := http.NewRequest(method, "http://localhost"+streamable.Endpoint, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if method == "POST" {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ": ")
		req.Header.Set(name, value)
	}
	return req
}

// A server that is told to end lets requests finish, ends streams so that clients come back, and
// leaves nothing behind.
//
// REQ HTTP-28, H26-11
func TestServe(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(nil)
		tool(t, s, "slow", func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
			time.Sleep(5 * time.Second)
			return server.TextResult("done"), nil
		})
		l := listenPipe()
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() { ended <- streamable.Serve(ctx, l, s, &streamable.Options{ReadTimeout: -1}) }()
		client := l.client()
		do := func(req *http.Request) got {
			resp, err := client.Do(req)
			if err != nil {
				t.Error(err)
				return got{}
			}
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			if err != nil {
				t.Error(err)
			}
			return got{resp.StatusCode, resp.Header, string(body)}
		}
		opened := do(request(t, "POST", initialize("2025-11-25")))
		session := "Mcp-Session-Id: " + opened.header.Get("Mcp-Session-Id")
		if got := do(request(t, "POST", ping, session)); got.status != 200 {
			t.Fatalf("%d %s", got.status, got.body)
		}
		var wg sync.WaitGroup
		wg.Go(func() { // a stream
			body := do(request(t, "GET", "", session)).body
			if lines := strings.Count(body, ":\n\n"); lines != 2 { // two comments in a minute
				t.Errorf("%d comments in %q", lines, body)
			}
			if !strings.HasSuffix(body, "retry: 1000\n\n") {
				t.Errorf("the stream ends with %q", body)
			}
		})
		time.Sleep(time.Minute)
		wg.Go(func() { // a request
			do(request(t, "POST", `{"jsonrpc":"2.0","id":"1","method":"tools/call","params":{"name":"slow"}}`, session)).
				want(t, 200, `{"jsonrpc":"2.0","id":"1","result":{"content":[{"type":"text","text":"done"}]}}`)
		})
		synctest.Wait()
		start := time.Now()
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("Serve: %v", err)
		}
		if passed := time.Since(start); passed < 5*time.Second || passed > 6*time.Second {
			t.Errorf("it took %v", passed)
		}
		wg.Wait()
		if _, err := client.Do(request(t, "POST", ping, session)); err == nil {
			t.Error("the listener is open")
		}
		client.CloseIdleConnections()
	})
}

// What does not finish in time is cut off: the contexts of its handlers end, and the error says how much it was.
func TestServeGrace(t *testing.T) {
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"forever"}}`
	stateless := &streamable.Options{Stateless: true}
	for _, test := range []struct {
		name    string
		opts    *streamable.Options
		request func(t *testing.T, session string) *http.Request
		calls   int
		want    string
	}{
		{"session", &streamable.Options{}, func(t *testing.T, session string) *http.Request {
			return request(t, "POST", call, "Mcp-Session-Id: "+session)
		}, 1, "1 request was"},
		{"stateless", stateless, func(t *testing.T, _ string) *http.Request {
			return request(t, "POST", call, "MCP-Protocol-Version: 2025-11-25")
		}, 1, "1 request was"},
		{"stateless stream", stateless, func(t *testing.T, _ string) *http.Request {
			return request(t, "POST", call, "MCP-Protocol-Version: 2025-11-25", "Accept: application/json, text/event-stream")
		}, 2, "2 requests were"},
		{"2026-07-28", &streamable.Options{}, func(t *testing.T, _ string) *http.Request {
			return request(t, "POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"forever","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"},"io.modelcontextprotocol/clientCapabilities":{}}}}`,
				"MCP-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: forever", "Accept: application/json, text/event-stream")
		}, 2, "2 requests were"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newServer(nil)
				begun, cancelled := make(chan struct{}, test.calls), make(chan error, test.calls)
				tool(t, s, "forever", func(ctx context.Context, _ *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
					begun <- struct{}{}
					select {
					case <-ctx.Done():
					case <-time.After(time.Hour):
					}
					cancelled <- ctx.Err()
					return nil, ctx.Err()
				})
				l := listenPipe()
				ctx, cancel := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				opts := *test.opts
				opts.Grace = 3 * time.Second
				go func() { ended <- streamable.Serve(ctx, l, s, &opts) }()
				client := l.client()
				resp, err := client.Do(request(t, "POST", initialize("2025-11-25")))
				if err != nil {
					t.Fatal(err)
				}
				resp.Body.Close()
				var wg sync.WaitGroup
				for range test.calls {
					wg.Go(func() {
						if resp, err := client.Do(test.request(t, resp.Header.Get("Mcp-Session-Id"))); err == nil {
							io.Copy(io.Discard, resp.Body)
							resp.Body.Close()
						}
					})
					<-begun
				}
				start := time.Now()
				cancel()
				want := "streamable: shutting down: " + test.want + " cut off after 3s: context deadline exceeded"
				if err := <-ended; !errors.Is(err, context.DeadlineExceeded) || err.Error() != want || time.Since(start) != 3*time.Second {
					t.Errorf("Serve: %v after %v, want %s", err, time.Since(start), want)
				}
				for range test.calls {
					if err := <-cancelled; !errors.Is(err, context.Canceled) {
						t.Errorf("the handler: %v", err)
					}
				}
				wg.Wait()
				client.CloseIdleConnections()
			})
		})
	}
}

// The server may be shut down before its handler, or after it.
func TestShutdownOfBoth(t *testing.T) {
	s := newServer(nil)
	tool(t, s, "echo", echo)
	h := serve(t, s, nil)
	h.open("2025-11-25")
	h.version = "" // of the session, which is known
	r := h.stream(h.modernRequest(`1`, "subscriptions/listen", "", `"notifications":{}`))
	r.next()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := s.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	r.want(`data: {"jsonrpc":"2.0","id":1,"result":{"_meta":{"io.modelcontextprotocol/subscriptionId":1},"resultType":"complete"}}`)
	r.want("end")
	h.modern("1", "tools/list", "", "").want(t, 503, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the server is shutting down"}}`)
	h.post(ping).want(t, 200, `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the server is shutting down"}}`)
	if err := h.h.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	h.post(`{"jsonrpc":"2.0","id":2,"method":"ping"}`).want(t, 404, "…")
	h.session, h.version = "", ""
	h.post(initialize("2025-11-25")).want(t, 503, "…")
}

func TestListenAndServe(t *testing.T) {
	testenv.NoGoroutinesLeft(t)
	if err := streamable.ListenAndServe(t.Context(), "127.0.0.1:nonsense", newServer(nil), nil); err == nil {
		t.Error("no error for an address of nonsense")
	}
	ctx, cancel := context.WithCancel(t.Context())
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- streamable.Serve(ctx, l, newServer(nil), nil) }()
	url := "http://" + l.Addr().String()
	resp, err := http.Post(url+"/mcp", "application/json", strings.NewReader(initialize("2025-06-18")))
	if err != nil || resp.StatusCode != 200 {
		t.Fatal(resp, err)
	}
	io.Copy(io.Discard, resp.Body)
	resp.Body.Close()
	if resp, err = http.Get(url + "/other"); err != nil || resp.StatusCode != 404 {
		t.Error(resp, err)
	}
	resp.Body.Close()
	req, _ := http.NewRequest("POST", url+"/mcp", nil)
	req.Header.Set("X-Long", strings.Repeat("x", 80_000))
	if resp, err := http.DefaultClient.Do(req); err == nil { // REQ HDR-15
		resp.Body.Close()
		if resp.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
			t.Errorf("long headers: %d", resp.StatusCode)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	http.DefaultClient.CloseIdleConnections()
}

// A described is an authorizer with something to serve itself.
type described struct{ *authorizer }

func (described) Register(mux *http.ServeMux) {
	mux.HandleFunc("/.well-known/about", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "about") })
}

// What an authorizer registers is served beside the endpoint, without authorization.
//
// REQ AUTH06-01
func TestServeMetadata(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	l := listenPipe()
	ended := make(chan error, 1)
	go func() {
		ended <- streamable.Serve(ctx, l, newServer(nil), &streamable.Options{Auth: described{new(authorizer)}})
	}()
	for path, want := range map[string]string{
		"/.well-known/about": "200 about",
		"/.well-known/other": "404 there is nothing here; the endpoint is /mcp",
		"/mcp":               "401 ",
	} {
		resp, err := l.client().Get("http://localhost" + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if got := fmt.Sprint(resp.StatusCode, " ", string(body)); err != nil || !strings.HasPrefix(got, want) {
			t.Errorf("%s: got %q, %v, want %q", path, got, err, want)
		}
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// A server whose tools require scopes is told when nobody can have any: no Authorizer is set, and what Serve serves has no
// middleware in front of it, unless the context has an identity for all.
func TestServeWithoutAuthorizer(t *testing.T) {
	const want = "level=WARN msg=\"http: tools, prompts or resources require scopes, but there is no authorization (Options.Auth): nobody can use them over HTTP"
	for name, test := range map[string]struct {
		scopes []string
		opts   streamable.Options
		as     transport.Identity
		warns  bool
	}{
		"without scopes":           {},
		"with scopes":              {scopes: []string{"a"}, warns: true},
		"with names of senders":    {scopes: []string{"a"}, opts: streamable.Options{Auth: streamable.Named(func(*http.Request) (string, error) { return "ada", nil })}, warns: true},
		"with an Authorizer":       {scopes: []string{"a"}, opts: streamable.Options{Auth: new(authorizer)}},
		"with an identity for all": {scopes: []string{"a"}, as: &token{name: "ada"}},
	} {
		s := newServer(nil)
		if err := s.Add(server.Item{Definition: &mcp.Tool{Name: "talk"}, Handler: server.ToolHandler(talk), Access: server.Access{Scopes: test.scopes}}); err != nil {
			t.Fatal(err)
		}
		var log strings.Builder
		test.opts.Logger = slog.New(slog.NewTextHandler(&log, nil))
		ctx, cancel := context.WithCancel(transport.WithIdentity(t.Context(), test.as))
		cancel()
		if err := streamable.Serve(ctx, listenPipe(), s, &test.opts); err != nil {
			t.Error(err)
		}
		if strings.Contains(log.String(), want) != test.warns {
			t.Errorf("%s: the log is\n%s", name, log.String())
		}
	}
}

// After clients that came, did everything, and went, nothing is left.
func TestNothingIsLeft(t *testing.T) {
	testenv.NoGoroutinesLeft(t)
	s := newServer(nil)
	tool(t, s, "talk", talk)
	h := streamable.NewHandler(s, nil)
	srv := httptest.NewServer(h)
	var open []*http.Response
	for i := range 30 {
		c := &host{t: t, h: h, http: srv}
		c.open("2025-11-25")
		r := c.stream(c.request("GET", ""))
		r.next()
		talking := c.stream(c.request("POST", talkCall))
		for talking.next() != "end" {
		}
		c.version = ""
		listening := c.stream(c.modernRequest("1", "subscriptions/listen", "", `"notifications":{}`))
		listening.next()
		open = append(open, r.resp, talking.resp, listening.resp)
		switch i % 3 {
		case 0: // it says that it goes
			c.version = "2025-11-25"
			c.send(c.request("DELETE", "")).want(t, 204, "")
		case 1: // it closes its streams
			r.resp.Body.Close()
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := h.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	for _, resp := range open {
		resp.Body.Close()
	}
	srv.Close()
}

// What else a program serves has the values of its context, and is cut off after the time of grace, too.
func TestServeOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type key struct{}
		ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "value"))
		h := streamable.NewHandler(newServer(nil), &streamable.Options{Grace: 3 * time.Second, Logger: silent})
		begun, gone := make(chan any, 1), make(chan struct{})
		l := listenPipe()
		ended := make(chan error, 1)
		go func() {
			ended <- h.Serve(ctx, l, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				begun <- r.Context().Value(key{})
				<-r.Context().Done()
				close(gone)
			}))
		}()
		go l.client().Do(request(t, "GET", ""))
		if got := <-begun; got != "value" {
			t.Errorf("the context has %v", got)
		}
		cancel()
		const want = "streamable: shutting down: connections in use were cut off after 3s: context deadline exceeded"
		if err := <-ended; err == nil || err.Error() != want {
			t.Errorf("got  %v\nwant %s", err, want)
		}
		<-gone
	})
	l := listenPipe()
	l.Close()
	if err := streamable.Serve(t.Context(), l, newServer(nil), &streamable.Options{Logger: silent}); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a listener that fails: %v", err)
	}
}
