package streamable_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Attacks, with the status and the body that each gets.

// DNS rebinding and foreign pages: a page makes the browser of somebody who can reach the server
// send requests.
//
// REQ HTTP-02, HTTP-03, SEC-17, AMB-20
func TestForeignPages(t *testing.T) {
	refused := func(msg string) string {
		return `{"jsonrpc":"2.0","error":{"code":-32600,"message":"` + msg + `"}}`
	}
	unknown := func(host string) string {
		return refused(`the host \"` + host + `\" is not known here; Options.Hosts lists the names of this server`)
	}
	foreign := func(origin string) string {
		return refused(`the origin \"` + origin + `\" may not use this server; Options.Origins lists those that may`)
	}
	app := &streamable.Options{Hosts: []string{"mcp.example.com", "other.example.com:8443"}, Origins: []string{"https://app.example.com"}}
	local := &streamable.Options{Origins: []string{"http://localhost:6274"}}
	tests := []struct {
		name    string
		opts    *streamable.Options
		headers []string
		status  int
		want    string // nothing for a good answer
	}{
		{"rebinding", nil, []string{"Host: evil.example.com", "Origin: http://evil.example.com"}, 403, unknown("evil.example.com")},
		{"rebinding with the port", nil, []string{"Host: evil.example.com:8080"}, 403, unknown("evil.example.com:8080")},
		{"name that looks like ours", nil, []string{"Host: localhost.evil.example.com"}, 403, unknown("localhost.evil.example.com")},
		{"address of somebody else", nil, []string{"Host: 192.0.2.1"}, 403, unknown("192.0.2.1")},
		{"address in another notation", nil, []string{"Host: 0x7f.1"}, 403, unknown("0x7f.1")},
		{"localhost", nil, []string{"Host: localhost:1234", "Origin: http://localhost:1234"}, 200, ""},
		{"Localhost", nil, []string{"Host: LocalHost", "Origin: http://localhost"}, 200, ""},
		{"version 4", nil, []string{"Host: 127.0.0.1:1234"}, 200, ""},
		{"version 6", nil, []string{"Host: [::1]:1234", "Origin: http://[::1]:1234"}, 200, ""},
		{"version 6 without port", nil, []string{"Host: [::1]"}, 200, ""},
		{"foreign origin", nil, []string{"Host: localhost:1234", "Origin: https://evil.example.com"}, 403, foreign("https://evil.example.com")},
		{"other port", nil, []string{"Host: localhost:1234", "Origin: http://localhost:3000"}, 403, foreign("http://localhost:3000")},
		{"other name of this machine", nil, []string{"Host: localhost:1234", "Origin: http://127.0.0.1:1234"}, 403, foreign("http://127.0.0.1:1234")},
		{"no origin in particular", nil, []string{"Origin: null"}, 403, foreign("null")},
		{"origin of another kind", nil, []string{"Host: localhost", "Origin: file://localhost"}, 403, foreign("file://localhost")},
		{"two origins", nil, []string{"Host: localhost", "Origin: http://localhost", "Origin: http://localhost"}, 403, refused("the header Origin is duplicated")},
		{"page that hides its origin", nil, []string{"Sec-Fetch-Site: cross-site"}, 403, refused(`the request comes from a page of another site: Sec-Fetch-Site is \"cross-site\"`)},
		{"page of the same site", nil, []string{"Sec-Fetch-Site: same-site"}, 403, refused(`the request comes from a page of another site: Sec-Fetch-Site is \"same-site\"`)},
		{"page of the same origin", nil, []string{"Sec-Fetch-Site: same-origin"}, 200, ""},
		{"listed host", app, []string{"Host: MCP.example.com:9999"}, 200, ""},
		{"listed host and port", app, []string{"Host: other.example.com:8443", "Origin: https://other.example.com:8443"}, 200, ""},
		{"listed host, other port", app, []string{"Host: other.example.com"}, 403, unknown("other.example.com")},
		{"host that is not listed", app, []string{"Host: evil.example.com"}, 403, unknown("evil.example.com")},
		{"this machine beside listed hosts", app, []string{"Host: localhost"}, 200, ""},
		{"page of this machine, which is not listed", app, []string{"Host: mcp.example.com", "Origin: http://localhost:6274"}, 403, foreign("http://localhost:6274")},
		{"page of this machine", local, []string{"Host: localhost:1234", "Origin: http://localhost:6274"}, 200, ""},
		{"pages of this machine by address", local, []string{"Host: localhost:1234", "Origin: http://[::1]:6274"}, 403, foreign("http://[::1]:6274")},
		{"page that looks like one of this machine", local, []string{"Host: localhost:1234", "Origin: http://localhost:6274.evil.example"}, 403, foreign("http://localhost:6274.evil.example")},
		{"listed origin", app, []string{"Host: mcp.example.com", "Origin: https://app.example.com"}, 200, ""},
		{"listed origin without TLS", app, []string{"Host: mcp.example.com", "Origin: http://app.example.com"}, 403, foreign("http://app.example.com")},
		{"own origin behind a proxy", app, []string{"Host: mcp.example.com", "Origin: https://mcp.example.com"}, 200, ""},
		{"everything allowed", &streamable.Options{Hosts: []string{"*"}, Origins: []string{"*"}}, []string{"Host: x", "Origin: http://y"}, 200, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			h := serve(t, newServer(nil), test.opts)
			for _, method := range []string{"POST", "GET", "DELETE"} {
				got := h.send(h.request(method, initialize("2025-11-25"), test.headers...))
				if test.want != "" {
					got.want(t, test.status, test.want)
				} else if good := map[string]int{"POST": 200, "GET": 400, "DELETE": 400}[method]; got.status != good {
					t.Errorf("%s: %d %s", method, got.status, got.body)
				}
			}
		})
	}
}

// What a page may send to a foreign server without asking: forms, and text.
func TestSimplePosts(t *testing.T) {
	h := serve(t, newServer(nil), nil)
	for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain; application/json", ""} {
		headers := []string{"Content-Type:"}
		if kind != "" {
			headers = append(headers, "Content-Type: "+kind)
		}
		h.post(initialize("2025-11-25"), headers...).
			want(t, 415, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"the body must be JSON in UTF-8: Content-Type: application/json"}}`)
		h.post(initialize("2025-11-25"), append(headers, "Origin: https://evil.example.com")...).want(t, 403, "…")
	}
	h.post(initialize("2025-11-25"), "Content-Type: text/plain").want(t, 415, "…") // two types
}

// Bodies that are too large, told before or not; that nest too deep; that arrive too slowly.
//
// REQ HDR-15
func TestBodies(t *testing.T) {
	s := newServer(nil)
	tool(t, s, "echo", echo)
	h := serve(t, s, &streamable.Options{MaxMessage: 1000})
	const large = `{"jsonrpc":"2.0","error":{"code":-32600,"message":"the body is larger than the 1000 bytes allowed"}}`
	h.post(strings.Repeat(" ", 1001)).want(t, 413, large)
	h.post(initialize("2025-11-25")+strings.Repeat(" ", 1000-len(initialize("2025-11-25")))).want(t, 200, "…")
	req := h.request("POST", "")
	req.Body, req.ContentLength = io.NopCloser(strings.NewReader(strings.Repeat(" ", 5000))), -1
	h.send(req).want(t, 413, large)
	req = h.request("POST", "")
	body := initialize("2025-11-25")
	req.Body, req.ContentLength = io.NopCloser(strings.NewReader(body)), -1
	h.send(req).want(t, 200, "…")

	for name, bomb := range map[string]string{
		"arrays":  strings.Repeat("[", 900),
		"objects": strings.Repeat(`{"a":`, 180),
		"params":  `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":` + strings.Repeat("[", 400) + strings.Repeat("]", 400) + `}}`,
	} {
		if got := h.post(bomb); got.status != 400 || !strings.HasPrefix(got.body, `{"jsonrpc":"2.0","error":{"code":-32`) {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}

	// A client that announces a body and sends it byte for byte, or not at all.
	h = serve(t, s, &streamable.Options{ReadTimeout: 100 * time.Millisecond})
	conn, err := net.Dial("tcp", h.http.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{")
	start := time.Now()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		t.Fatal(err)
	}
	text, _ := io.ReadAll(resp.Body)
	got{status: resp.StatusCode, body: string(text)}.want(t, 408, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"the body did not arrive, or not in time"}}`)
	if passed := time.Since(start); passed > 20*time.Second || !resp.Close {
		t.Errorf("after %v, close: %t", passed, resp.Close)
	}
}

// A deadline of ours does not stay on a connection that other requests use, too.
func TestDeadlinesAreTakenBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := streamable.NewHandler(newServer(nil), &streamable.Options{ReadTimeout: time.Second, WriteTimeout: time.Second})
		mux := http.NewServeMux()
		mux.Handle("/mcp", h)
		mux.HandleFunc("/other", func(w http.ResponseWriter, r *http.Request) {
			time.Sleep(4 * time.Second)
			io.WriteString(w, "other")
		})
		l, srv := listenPipe(), &http.Server{Handler: mux}
		go srv.Serve(l)
		conn, err := l.client().Transport.(*http.Transport).DialContext(t.Context(), "", "")
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		r := bufio.NewReader(conn)
		for _, request := range []string{
			"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: " + fmt.Sprint(len(initialize("2025-11-25"))) + "\r\n\r\n" + initialize("2025-11-25"),
			"GET /other HTTP/1.1\r\nHost: localhost\r\n\r\n",
		} {
			time.Sleep(2 * time.Second)
			io.WriteString(conn, request)
			resp, err := http.ReadResponse(r, nil)
			if err != nil {
				t.Fatal(err)
			}
			if body, err := io.ReadAll(resp.Body); err != nil || resp.StatusCode != 200 {
				t.Errorf("%d %s %v", resp.StatusCode, body, err)
			}
		}
		if err := h.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		srv.Close()
	})
}

// A client that opens a stream and does not read it: the stream ends, the server goes on, and what
// was sent is kept.
func TestClientThatDoesNotRead(t *testing.T) {
	s := newServer(nil)
	sent := make(chan error, 1)
	tool(t, s, "flood", func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		big := wire.Raw(`{"text":"` + strings.Repeat("x", 100_000) + `"}`)
		var err error
		for range 200 {
			if err = c.Notify(ctx, "notifications/big", big); err != nil {
				break
			}
		}
		sent <- err
		return server.TextResult("done"), err
	})
	h := serve(t, s, &streamable.Options{WriteTimeout: 50 * time.Millisecond, Events: streamable.NewMemoryStore(&streamable.MemoryStoreOptions{SessionBytes: 1 << 20})})
	call := func(head, body string) {
		t.Helper()
		conn, err := net.Dial("tcp", h.http.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		conn.(*net.TCPConn).SetReadBuffer(4096)
		fmt.Fprintf(conn, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n%sContent-Length: %d\r\n\r\n%s", head, len(body), body)
	}
	call("Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: flood\r\n", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"flood",`+modernMeta+`}}`)
	select {
	case err := <-sent:
		if err == nil {
			t.Error("everything was sent to a client that does not read")
		}
	case <-time.After(25 * time.Second): // less than without a WriteTimeout
		t.Fatal("the handler hangs")
	}
	h.open("2025-11-25")
	call("Mcp-Session-Id: "+h.session+"\r\n", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"flood"}}`)
	select {
	case err := <-sent:
		if err != nil {
			t.Errorf("in a session: %v", err) // the client can come back
		}
	case <-time.After(25 * time.Second):
		t.Fatal("the handler hangs")
	}
	h.post(ping).want(t, 400, "…") // the id is used
	h.post(strings.Replace(ping, "1", "2", 1)).want(t, 200, "…")
}

// A client that does not read what is next to nothing, the answer to a notification, loses its
// connection, too.
func TestClientThatOnlySends(t *testing.T) {
	h := streamable.NewHandler(newServer(nil), &streamable.Options{WriteTimeout: 50 * time.Millisecond})
	client, closed := serveOne(t, h)
	client.SetDeadline(time.Now().Add(20 * time.Second))
	const body = `{"jsonrpc":"2.0","method":"x","params":{` + modernMeta + `}}`
	_, err := fmt.Fprintf(client, "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(body), body)
	if err != nil {
		t.Fatal(err)
	}
	closed()
	if rest, err := io.ReadAll(client); err != nil || len(rest) > 0 {
		t.Errorf("the connection is still there: %q, %v", rest, err)
	}
}

// serveOne serves one connection, which has no buffer: what the client does not read cannot be written.
// The function waits until the server has closed it.
func serveOne(t *testing.T, h http.Handler) (client net.Conn, closed func()) {
	t.Helper()
	client, conn := net.Pipe()
	l := &oneListener{conn: make(chan net.Conn, 1)}
	l.conn <- conn
	ended := make(chan struct{})
	srv := &http.Server{Handler: h, ConnState: func(_ net.Conn, state http.ConnState) {
		if state == http.StateClosed {
			close(ended)
		}
	}}
	go srv.Serve(l)
	t.Cleanup(func() {
		client.Close()
		srv.Close()
	})
	return client, func() {
		t.Helper()
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			t.Fatal("the server does not close the connection")
		}
	}
}

// A oneListener has one connection to accept.
type oneListener struct{ conn chan net.Conn }

func (l *oneListener) Accept() (net.Conn, error) {
	c, ok := <-l.conn
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}

func (l *oneListener) Close() error   { close(l.conn); return nil }
func (l *oneListener) Addr() net.Addr { return new(net.TCPAddr) }

// Whatever text a handler sends, it is one event: its line breaks are escaped in the JSON. What is
// raw JSON with line breaks goes on one line, too.
func TestEventInjection(t *testing.T) {
	s := newServer(nil)
	const evil = "x\n\nid: 666\nevent: evil\rdata: {}\r\n\r\n\u2028"
	tool(t, s, "inject", func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		c.Progress().Report(1, 0, evil)
		if err := c.Notify(ctx, "notifications/raw", wire.Raw("{\n\"a\":\r\n\n1}")); err != nil {
			return nil, err
		}
		return server.TextResult(evil), nil
	})
	h := serve(t, s, nil)
	h.open("2025-06-18")
	r := h.stream(h.request("POST", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"inject","_meta":{"progressToken":"\n\ndata: y"}}}`))
	for _, want := range []string{
		`id: r1-N data: {"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"\n\ndata: y","progress":1,"message":"x\n\nid: 666\nevent: evil\rdata: {}\r\n\r\n` + "\u2028" + `"}}`,
		`id: r1-N data: {"jsonrpc":"2.0","method":"notifications/raw","params":{"a":1}}`,
		`id: r1-N data: {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"x\n\nid: 666\nevent: evil\rdata: {}\r\n\r\n` + "\u2028" + `"}]}}`,
		"end",
	} {
		if got := numbered(r.next()); got != want {
			t.Errorf("event %s\nwant  %s", got, want)
		}
	}
}

// Headers in sessions are not required, and held against the request if they are there.
//
// REQ HDR-08, SEED-02
func TestHeadersInSessions(t *testing.T) {
	s := newServer(nil)
	tool(t, s, "echo", echo)
	h := serve(t, s, nil)
	h.open("2025-11-25")
	id := 0
	call := func(headers ...string) got {
		id++
		return h.post(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo"}}`, id), headers...)
	}
	call("Mcp-Method: tools/call", "Mcp-Name: echo").want(t, 200, "…")
	call("Mcp-Method: tools/list", "Mcp-Name: echo").want(t, 400, `{"jsonrpc":"2.0","id":2,"error":{"code":-32001,"message":"header mismatch: the header Mcp-Method is \"tools/list\", but the method of the request is \"tools/call\""}}`)
	call("Mcp-Method: tools/call", "Mcp-Name: other").want(t, 400, `{"jsonrpc":"2.0","id":3,"error":{"code":-32001,"message":"header mismatch: the header Mcp-Name is \"other\", but params.name is \"echo\""}}`)
	call("Mcp-Method: tools/call", "Mcp-Method: tools/call", "Mcp-Name: echo").want(t, 400, `{"jsonrpc":"2.0","id":4,"error":{"code":-32001,…`)
	call().want(t, 200, "…")
}

// A batch has no one method that headers could repeat: it cannot come with them.
//
// REQ BATCH-01
func TestHeadersOfBatches(t *testing.T) {
	const batch = `[{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"count"}}]`
	for _, opts := range []streamable.Options{{}, {Stateless: true}} {
		s := newServer(nil)
		var called atomic.Int64
		tool(t, s, "count", func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
			called.Add(1)
			return server.TextResult("counted"), nil
		})
		h := serve(t, s, &opts)
		if h.version = "2025-03-26"; !opts.Stateless {
			h.open("2025-03-26")
		}
		for i, header := range []string{"Mcp-Method: tools/call", "Mcp-Method: ping", "Mcp-Name: count"} {
			name, _, _ := strings.Cut(header, ":")
			h.post(fmt.Sprintf(batch, i), header).
				want(t, 400, `{"jsonrpc":"2.0","error":{"code":-32001,"message":"header mismatch: the header `+name+` is that of a single request, but the body is a batch"}}`)
		}
		h.post(fmt.Sprintf(batch, 9)).want(t, 200, `[{"jsonrpc":"2.0","id":9,"result":…`)
		if got := called.Load(); got != 1 {
			t.Errorf("%+v: %d calls, want 1", opts, got)
		}
	}
}
