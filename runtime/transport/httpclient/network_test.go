package httpclient_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// connectOver connects a client to an endpoint over a real network.
func connectOver(t *testing.T, endpoint string, rev wire.Revision, opts *httpclient.Options, timeout time.Duration) (*client.Client, error) {
	t.Helper()
	if opts == nil {
		opts = &httpclient.Options{}
	}
	opts.Logger = silent
	return client.Connect(t.Context(), httpclient.New(endpoint, opts), &client.Options{
		Revisions:       []wire.Revision{rev},
		AllowUndeclared: true,
		Logger:          silent,
		Limits:          transport.Limits{Timeout: timeout},
	})
}

// Redirects are followed within an origin and nowhere else, and never turn a POST into a GET.
//
// REQ SESS-04
func TestClientRedirects(t *testing.T) {
	s := &site{}
	s.does("tools/call", func(v *visit) { v.answer(textResult) })
	var strangers atomic.Int32
	stranger := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strangers.Add(1) }))
	defer stranger.Close()
	for name, test := range map[string]struct {
		to     string
		status int
		want   string
	}{
		"same origin, http.StatusTemporaryRedirect": {"/mcp", 307, ""},
		"same origin, 308":                          {"/mcp", 308, ""},
		"same origin, 302":                          {"/mcp", 302, `Post "/mcp": redirect that makes a GET of a POST`},
		"another origin":                            {stranger.URL, http.StatusTemporaryRedirect, `Post "` + stranger.URL + `": redirect to another origin, ` + stranger.URL},
		"another scheme":                            {"https://HOST/mcp", 308, `Post "https://HOST/mcp": redirect to another origin, https://HOST/mcp`},
		"five times":                                {"/5", http.StatusTemporaryRedirect, ""},
		"around":                                    {"/around", http.StatusTemporaryRedirect, `Post "/around": more than 5 redirects`},
		"nowhere":                                   {"", http.StatusTemporaryRedirect, "the server answered POST with HTTP status 307"},
		"into what is none":                         {"http://[::1", http.StatusTemporaryRedirect, `Post "ENDPOINT": failed to parse Location header "http://[::1": parse "http://[::1": missing ']' in host`},
	} {
		t.Run(name, func(t *testing.T) {
			redirect := func(w http.ResponseWriter, r *http.Request) {
				to := strings.ReplaceAll(test.to, "HOST", r.Host)
				if to != "" {
					w.Header().Set("Location", to)
				}
				w.WriteHeader(test.status)
			}
			mux := http.NewServeMux()
			mux.Handle("/mcp", s)
			mux.HandleFunc("/around", redirect)
			for n := 2; n <= 5; n++ {
				next := fmt.Sprint("/", n-1)
				if n == 2 {
					next = "/mcp"
				}
				mux.Handle(fmt.Sprint("/", n), http.RedirectHandler(next, http.StatusTemporaryRedirect))
			}
			// The session is opened before the redirects begin.
			var moved atomic.Bool
			mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
				if moved.Load() {
					redirect(w, r)
				} else {
					s.ServeHTTP(w, r)
				}
			})
			server := httptest.NewServer(mux)
			defer server.Close()
			c, err := connectOver(t, server.URL+"/start", mcp.V2025_11_25, nil, time.Minute)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			s.took()
			moved.Store(true)
			text, err := callTool(t, c, "")
			want := ""
			if test.want != "" {
				want = "tools/call: " + strings.NewReplacer("HOST", strings.TrimPrefix(server.URL, "http://"), "ENDPOINT", server.URL+"/start").Replace(test.want)
			}
			if errorText(err) != want || text != "hi" && want == "" {
				t.Errorf("got %q, %v\nwant %s", text, err, want)
			}
			if want == "" {
				if got := s.took(); got != "POST tools/call 2025-11-25 s1" {
					t.Errorf("got %s", got)
				}
			}
			if n := strangers.Load(); n != 0 {
				t.Errorf("a stranger got %d requests", n)
			}
		})
	}
}

// The HTTP client of the program has a say in redirects, too.
func TestClientRedirectsAsToldTo(t *testing.T) {
	server := httptest.NewServer(http.RedirectHandler("/mcp", http.StatusTemporaryRedirect))
	defer server.Close()
	no := errors.New("no redirects, please")
	_, err := connectOver(t, server.URL+"/start", mcp.V2025_11_25, &httpclient.Options{
		HTTP: &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return no }},
	}, time.Minute)
	if !errors.Is(err, no) {
		t.Errorf("got %v, want %v", err, no)
	}
}

// A connection is used again after a response whose body nobody needs.
func TestClientUsesConnectionsAgain(t *testing.T) {
	var connections atomic.Int32
	s := &site{}
	s.does("notifications/x", func(v *visit) { io.WriteString(v, "thank you") })
	server := httptest.NewUnstartedServer(s)
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	defer server.Close()
	c := httpclient.New(server.URL, &httpclient.Options{Logger: silent})
	defer c.Close()
	for range 5 {
		if err := c.Send(t.Context(), transport.Message{Data: []byte(`{"jsonrpc":"2.0","method":"notifications/x"}`)}); err != nil {
			t.Fatal(err)
		}
	}
	if n := connections.Load(); n != 1 {
		t.Errorf("%d connections, want 1", n)
	}
}

// raw is a server of TCP: the first calls of a connection are answered in the way of 2026-07-28, the
// rest is up to a test.
func raw(t *testing.T, then func(conn net.Conn)) (endpoint string) {
	t.Helper()
	s := &site{}
	s.does("server/discover", func(v *visit) { v.answer(discovered) })
	s.does("tools/call", func(v *visit) {
		conn, buf, err := http.NewResponseController(v.ResponseWriter).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		buf.Flush()
		defer conn.Close()
		then(conn)
	})
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	return server.URL + "/"
}

// What a server can do to a connection ends in an error, in time.
//
// REQ HDR-15, TIME-01
func TestClientConnectionFaults(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Type: "
	for name, test := range map[string]struct {
		then func(conn net.Conn)
		want string // in the error
	}{
		"reset at once":  {func(c net.Conn) { c.(*net.TCPConn).SetLinger(0) }, "connection reset by peer"},
		"closed at once": {func(net.Conn) {}, "EOF"},
		"no HTTP":        {func(c net.Conn) { io.WriteString(c, "220 mail.example.com ESMTP\r\n\r\n") }, "malformed HTTP"},
		"endless headers": {func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\n")
			for {
				if _, err := io.WriteString(c, "X-More: "+strings.Repeat("x", 1000)+"\r\n"); err != nil {
					return
				}
			}
		}, "server response headers exceeded 262144 bytes"},
		"slow headers": {func(c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\n")
			for {
				if _, err := io.WriteString(c, "X: y\r\n"); err != nil {
					return
				}
				time.Sleep(50 * time.Millisecond)
			}
		}, "no response within 1s"},
		"half a body": {func(c net.Conn) {
			io.WriteString(c, head+"application/json\r\nContent-Length: 1000\r\n\r\n{\"jsonrpc\":")
		}, "the response broke off: unexpected EOF"},
		"half a chunk": {func(c net.Conn) {
			io.WriteString(c, head+"text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n20\r\nid: 1\r\n")
		}, "the stream broke off before the response: unexpected EOF"},
		"a bad chunk": {func(c net.Conn) {
			io.WriteString(c, head+"text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
		}, "the stream broke off before the response: invalid byte in chunk length"},
		"reset in the middle of the stream": {func(c net.Conn) {
			io.WriteString(c, head+"text/event-stream\r\n\r\nid: 1\ndata: {\n\n")
			time.Sleep(20 * time.Millisecond)
			c.(*net.TCPConn).SetLinger(0)
		}, "connection reset by peer"},
		"a stream of nothing": {func(c net.Conn) {
			io.WriteString(c, head+"text/event-stream\r\n\r\n")
			for {
				if _, err := io.WriteString(c, ":\n"); err != nil {
					return
				}
				time.Sleep(50 * time.Millisecond)
			}
		}, "no response within 1s"},
		"a line without an end": {func(c net.Conn) {
			io.WriteString(c, head+"text/event-stream\r\n\r\ndata: ")
			for {
				if _, err := io.WriteString(c, strings.Repeat("x", 1<<16)); err != nil {
					return
				}
			}
		}, "event too large: it has more than the 1048576 bytes allowed"},
		"compressed without an end": {func(c net.Conn) { // 3 MB in 3 KB
			io.WriteString(c, head+"application/json\r\nContent-Encoding: gzip\r\n\r\n")
			c.Write(zeros(t))
		}, "a message is longer than the limit of 1048576 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			timeout := time.Minute
			if strings.HasPrefix(test.want, "no response") {
				timeout = time.Second
			}
			inTime := func(do func() error) (err error) { // what is in time as a rule may take longer on a slow machine
				for range 60 {
					if err = do(); !errors.As(err, new(*jsonrpc.TimeoutError)) {
						break
					}
				}
				return err
			}
			var c *client.Client
			if err := inTime(func() (err error) {
				c, err = connectOver(t, raw(t, test.then), mcp.V2026_07_28, &httpclient.Options{MaxMessage: 1 << 20}, timeout)
				return err
			}); err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if _, err := callTool(t, c, ""); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
			if err := inTime(func() error { _, err := c.ListTools(t.Context(), nil); return err }); !strings.Contains(errorText(err), "-32601") {
				t.Errorf("the next call: %v", err)
			}
		})
	}
}

// Nothing is left when a client is closed, whatever is going on.
func TestClientGoroutines(t *testing.T) {
	s := &site{}
	s.does("GET", func(v *visit) { v.stream(); v.wait() })
	s.does("tools/call", func(v *visit) {
		switch v.msg.Params.StringAt("name") {
		case "wait":
			v.wait()
		case "stream":
			v.stream("id: 1\ndata:\n\n")
			v.wait()
		case "linger":
			v.stream(event(answerTo(v.msg.ID, textResult)))
			v.wait()
		default:
			v.answer(textResult)
		}
	})
	server := httptest.NewServer(s)
	t.Cleanup(server.Close)
	t.Cleanup(func() {
		for deadline := time.Now().Add(10 * time.Second); s.atWork() > 0 && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond) // until the server sees that the connections are closed
		}
		if n := s.atWork(); n != 0 {
			t.Errorf("%d requests are left at the server", n)
		}
	})
	testenv.NoGoroutinesLeft(t)
	for range 10 {
		c, err := connectOver(t, server.URL, mcp.V2025_11_25, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		var ending, lasting sync.WaitGroup
		calls := func(group *sync.WaitGroup, name string, ends bool) {
			for range 10 {
				group.Go(func() {
					if _, err := c.CallTool(context.Background(), &mcp.CallToolRequestParams{Name: name}); (err == nil) != ends {
						t.Errorf("%s: %v", name, err)
					}
				})
			}
		}
		calls(&ending, "answer", true)
		calls(&ending, "linger", true)
		calls(&lasting, "wait", false)
		calls(&lasting, "stream", false)
		ending.Wait()
		for deadline := time.Now().Add(10 * time.Second); s.atWork() < 21 && time.Now().Before(deadline); {
			time.Sleep(time.Millisecond)
		}
		c.Close()
		lasting.Wait()
	}
}

// The time limit of a program's client for everything does not end streams.
func TestClientGivenTimeout(t *testing.T) {
	s := &site{}
	s.does("tools/call", func(v *visit) {
		v.stream("id: 1\ndata:\n\n")
		v.sleep(300 * time.Millisecond)
		fmt.Fprint(v, event(answerTo(v.msg.ID, textResult)))
	})
	server := httptest.NewServer(s)
	defer server.Close()
	given := &http.Client{Timeout: 100 * time.Millisecond}
	c, err := connectOver(t, server.URL, mcp.V2025_11_25, &httpclient.Options{HTTP: given}, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if text, err := callTool(t, c, ""); text != "hi" {
		t.Error(err)
	}
	if given.Timeout != 100*time.Millisecond || given.CheckRedirect != nil {
		t.Error("the program's client was changed")
	}
}

// zeros returns many zeros in few bytes.
func zeros(t *testing.T) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	for range 3 {
		if _, err := w.Write(make([]byte, 1<<20)); err != nil {
			t.Error(err)
		}
	}
	w.Close()
	return b.Bytes()
}
