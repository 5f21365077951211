package sse_test

import (
	"bufio"
	"bytes"
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
	"time"

	"github.com/mcpgen/mcpgen/internal/limits"
	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/sse"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var silent = slog.New(slog.DiscardHandler)

// newServer returns a server with a tool that returns its principal and arguments, and one that waits.
func newServer(t *testing.T) *server.Server {
	t.Helper()
	s := server.New(mcp.Implementation{Name: "s", Version: "1"}, &server.Options{Logger: silent})
	add := func(name string, f func(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error)) {
		if err := s.AddTool(mcp.Tool{Name: name}, f); err != nil {
			t.Fatal(err)
		}
	}
	add("echo", func(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
		return server.TextResult(c.Principal() + string(args)), nil
	})
	add("wait", func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	return s
}

// serve serves a handler of that server.
func serve(t *testing.T, opts *streamable.Options) *httptest.Server {
	t.Helper()
	o := streamable.Options{}
	if opts != nil {
		o = *opts
	}
	o.Logger = silent
	hs := httptest.NewServer(sse.NewHandler(newServer(t), &o))
	t.Cleanup(hs.Close)
	return hs
}

// A stream is what a client sees that was written for a test.
type stream struct {
	*http.Response
	lines *bufio.Scanner
}

func open(t *testing.T, url string, header ...string) *stream {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, "GET", url, nil)
	if err != nil {
		t.Fatal(err)
	}
	set(r, header)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { resp.Body.Close() })
	return &stream{resp, bufio.NewScanner(resp.Body)}
}

// set sets headers, given as names and values.
func set(r *http.Request, header []string) {
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
	}
}

// event returns the next event as "type data", without comments.
func (s *stream) event(t *testing.T) string {
	t.Helper()
	var kind, data string
	for s.lines.Scan() {
		name, value, _ := strings.Cut(s.lines.Text(), ": ")
		switch name {
		case "event":
			kind = value
		case "data":
			data = value
		case "":
			if kind != "" {
				return kind + " " + data
			}
		}
	}
	return fmt.Sprint("end: ", s.lines.Err())
}

func post(t *testing.T, url, body string, header ...string) (status int, text string) {
	t.Helper()
	r, err := http.NewRequest("POST", url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	set(r, append([]string{"Content-Type", "application/json"}, header...))
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, strings.TrimSpace(string(data))
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`

// The stream names a URL, and what is sent to that is answered by the stream.
//
// REQ SSE-01, SSE-02, SSE-04, SSE-08
func TestHandler(t *testing.T) {
	mux := http.NewServeMux()
	mux.Handle("/old/", http.StripPrefix("/old", sse.NewHandler(newServer(t), &streamable.Options{Logger: silent})))
	hs := httptest.NewServer(mux)
	t.Cleanup(hs.Close)
	s := open(t, hs.URL+"/old/sse")
	if s.StatusCode != 200 || s.Header.Get("Content-Type") != "text/event-stream" || s.Header.Get("Cache-Control") != "no-store" ||
		s.Header.Get("X-Accel-Buffering") != "no" {
		t.Errorf("got %d, %v", s.StatusCode, s.Header)
	}
	endpoint, ok := strings.CutPrefix(s.event(t), "endpoint /old/sse?sessionId=")
	if !ok || len(endpoint) < 26 {
		t.Fatalf("got %s", endpoint)
	}
	url := hs.URL + "/old/sse?sessionId=" + endpoint
	for _, exchange := range []struct{ post, want string }{
		{initialize, `message {"jsonrpc":"2.0","id":1,"result":{"protocolVersion":"2024-11-05","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"s","version":"1"}}}`},
		{`{"jsonrpc":"2.0","method":"notifications/initialized"}`, ""},
		{`{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"name":"echo","arguments":{"x":"line\nbreak"}}}`,
			`message {"jsonrpc":"2.0","id":"a","result":{"content":[{"type":"text","text":"{\"x\":\"line\\nbreak\"}"}]}}`},
	} {
		if status, text := post(t, url, exchange.post); status != 202 || text != "" {
			t.Errorf("%s: got %d %s, want 202 and nothing", exchange.post, status, text)
		}
		if exchange.want != "" {
			if got := s.event(t); got != exchange.want {
				t.Errorf("got\n%s\nwant\n%s", got, exchange.want)
			}
		}
	}
}

// What a handler refuses, with the status and the body.
//
// REQ SSE-01, SSE-05, HTTP-02, HTTP-08, SEC-10, SEC-11, SEC-17, JRPC-17
func TestHandlerRefuses(t *testing.T) {
	hs := serve(t, &streamable.Options{MaxMessage: 200, Origins: []string{"https://friend.example"}, Auth: streamable.Named(func(r *http.Request) (string, error) {
		if r.Header.Get("User") == "nobody" {
			return "", errors.New("who are you?")
		}
		return r.Header.Get("User"), nil
	})})
	stream := open(t, hs.URL, "User", "ada")
	endpoint, _ := strings.CutPrefix(stream.event(t), "endpoint ")
	url := hs.URL + endpoint
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	for name, test := range map[string]struct {
		url, body string
		header    []string
		status    int
		want      string
	}{
		"good":                {url: url, body: ping, status: 202},
		"good origin":         {url: url, body: ping, header: []string{"Origin", "https://friend.example"}, status: 202},
		"own origin":          {url: url, body: ping, header: []string{"Origin", hs.URL}, status: 202},
		"DNS rebinding":       {url: url, body: ping, header: []string{"Host", "evil.example:80"}, status: 403, want: `the host "evil.example:80" is not known here; Options.Hosts lists the names of this server`},
		"foreign origin":      {url: url, body: ping, header: []string{"Origin", "https://evil.example"}, status: 403, want: `the origin "https://evil.example" may not use this server; Options.Origins lists those that may`},
		"foreign page":        {url: url, body: ping, header: []string{"Sec-Fetch-Site", "cross-site"}, status: 403, want: `the request comes from a page of another site: Sec-Fetch-Site is "cross-site"`},
		"a form":              {url: url, body: ping, header: []string{"Content-Type", "text/plain"}, status: 415, want: "the body must be JSON in UTF-8: Content-Type: application/json"},
		"no session":          {url: hs.URL, body: ping, status: 400, want: "the URL names no session; messages go where the event endpoint says"},
		"unknown session":     {url: hs.URL + "?sessionId=x", body: ping, status: 404, want: "there is no such session"},
		"another's session":   {url: url, body: ping, header: []string{"User", "bob"}, status: 404, want: "there is no such session"},
		"nobody's session":    {url: url, body: ping, header: []string{"User", ""}, status: 404, want: "there is no such session"},
		"not authenticated":   {url: url, body: ping, header: []string{"User", "nobody"}, status: 401, want: `{"jsonrpc":"2.0","error":{"code":-32600,"message":"who are you?"}}`},
		"too large":           {url: url, body: `"` + strings.Repeat("x", 200) + `"`, status: 413, want: "the body is larger than the 200 bytes allowed"},
		"no JSON":             {url: url, body: `nonsense`, status: 400, want: `{"jsonrpc":"2.0","error":{"code":-32700,"message":"parse error: want null, got an unknown word at offset 0"}}`},
		"no message":          {url: url, body: `{}`, status: 400, want: `{"jsonrpc":"2.0","error":{"code":-32600,"message":"invalid request: jsonrpc: missing, want \"2.0\""}}`},
		"deep JSON":           {url: url, body: `{"a":` + strings.Repeat("[", 150), status: 400, want: ""},
		"a line into the log": {url: hs.URL + "?sessionId=a%0a%0db", body: ping, status: 404, want: "there is no such session"},
	} {
		t.Run(name, func(t *testing.T) {
			status, text := post(t, test.url, test.body, append([]string{"User", "ada"}, test.header...)...)
			if status != test.status || text != test.want && test.want != "" {
				t.Errorf("got %d %s\nwant %d %s", status, text, test.status, test.want)
			}
		})
	}
	// The session got nothing but what was good.
	post(t, url, strings.Replace(ping, "1", "2", 1), "User", "ada")
	for range 4 {
		if got := stream.event(t); !strings.HasSuffix(got, `"result":{}}`) {
			t.Errorf("got %s", got)
		}
	}
	for _, header := range [][]string{{"Host", "evil.example"}, {"Origin", "null"}, {"Sec-Fetch-Site", "same-site"}} {
		if s := open(t, hs.URL, header...); s.StatusCode != 403 {
			t.Errorf("GET with %s: got %d, want 403", header, s.StatusCode)
		}
	}
	if s := open(t, hs.URL, "User", "nobody"); s.StatusCode != 401 || s.Header.Get("WWW-Authenticate") != "Bearer" {
		t.Errorf("GET of nobody: got %d", s.StatusCode)
	}
	r, _ := http.NewRequest("PUT", hs.URL, nil)
	if resp, err := http.DefaultClient.Do(r); err != nil || resp.StatusCode != 405 || resp.Header.Get("Allow") != "GET, POST" {
		t.Errorf("PUT: %v %v", resp, err)
	}
}

// A call runs as the principal of its session.
func TestHandlerPrincipal(t *testing.T) {
	hs := serve(t, &streamable.Options{Auth: streamable.Named(func(r *http.Request) (string, error) { return r.Header.Get("User"), nil })})
	s := open(t, hs.URL, "User", "ada")
	endpoint, _ := strings.CutPrefix(s.event(t), "endpoint ")
	post(t, hs.URL+endpoint, initialize, "User", "ada")
	s.event(t)
	post(t, hs.URL+endpoint, `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{}}}`, "User", "ada")
	if got := s.event(t); !strings.Contains(got, `"text":"ada{}"`) {
		t.Errorf("got %s", got)
	}
}

// Who uses a session may also be known from the context alone, as middleware leaves it. A session
// belongs to its user then, too: it does not exist for others.
//
// REQ SEC-10, SEC-11
func TestHandlerPrincipalOfContext(t *testing.T) {
	s := server.New(mcp.Implementation{Name: "s", Version: "1"}, &server.Options{Logger: silent})
	h := sse.NewHandler(s, &streamable.Options{Logger: silent})
	hs := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user := r.Header.Get("User"); user != "" {
			r = r.WithContext(transport.WithIdentity(r.Context(), token{name: user}))
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(hs.Close)
	stream := open(t, hs.URL, "User", "ada")
	endpoint, _ := strings.CutPrefix(stream.event(t), "endpoint ")
	for _, test := range []struct {
		user   string
		status int
	}{{"eve", 404}, {"", 404}, {"ada", 202}} {
		if status, text := post(t, hs.URL+endpoint, initialize, "User", test.user); status != test.status {
			t.Errorf("%q gets %d %s, want %d", test.user, status, text, test.status)
		}
	}
}

// Sessions are bounded in number, and end when nobody uses them or their stream is cut. Nothing is
// left of them.
func TestHandlerBounds(t *testing.T) {
	testenv.NoGoroutinesLeft(t)
	unused := open(t, serve(t, &streamable.Options{SessionIdle: 20 * time.Millisecond}).URL)
	if _, err := io.Copy(io.Discard, unused.Body); err != nil { // until the session ends
		t.Error(err)
	}
	hs := serve(t, &streamable.Options{MaxSessions: 12})
	var cut *stream
	for range 3 {
		cut = open(t, hs.URL)
		if cut.StatusCode != 200 {
			t.Errorf("got %d", cut.StatusCode)
		}
	}
	if s := open(t, hs.URL); s.StatusCode != 503 || s.Header.Get("Retry-After") != "1" {
		t.Errorf("got %d, want 503", s.StatusCode)
	}
	endpoint, _ := strings.CutPrefix(cut.event(t), "endpoint ")
	cut.Body.Close()
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		status, text := post(t, hs.URL+endpoint, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
		if status == 404 && text == "there is no such session" {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("a session goes on without its stream: %d %s", status, text)
		}
	}
}

// A client that does not read loses its session; one that sends faster than the server works is told.
func TestHandlerSlowClients(t *testing.T) {
	hs := serve(t, &streamable.Options{WriteTimeout: time.Second, MaxMessage: 2 << 20})
	conn, err := net.Dial("tcp", strings.TrimPrefix(hs.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	var head bytes.Buffer
	for !strings.Contains(head.String(), "sessionId=") || !strings.HasSuffix(head.String(), "\n\r\n") {
		b := make([]byte, 1)
		if _, err := conn.Read(b); err != nil {
			t.Fatal(err)
		}
		head.Write(b)
	}
	_, after, _ := strings.Cut(head.String(), "data: ")
	endpoint, _, _ := strings.Cut(after, "\n")
	url := hs.URL + endpoint
	post(t, url, initialize)
	big := `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"echo","arguments":{"x":"` + strings.Repeat("x", 1<<20) + `"}}}`
	for i, end := 2, time.Now().Add(time.Minute); ; i++ {
		if status, _ := post(t, url, fmt.Sprintf(big, i)); status == 404 {
			break
		} else if time.Now().After(end) {
			t.Fatal("the session of a client that does not read goes on")
		}
	}

	hs = serve(t, &streamable.Options{ReadTimeout: 50 * time.Millisecond})
	slow, err := net.Dial("tcp", strings.TrimPrefix(hs.URL, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	s := open(t, hs.URL)
	endpoint, _ = strings.CutPrefix(s.event(t), "endpoint ")
	fmt.Fprintf(slow, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{", endpoint)
	slow.SetReadDeadline(time.Now().Add(time.Minute))
	if line, err := bufio.NewReader(slow).ReadString('\n'); line != "HTTP/1.1 408 Request Timeout\r\n" {
		t.Errorf("a body that does not come: %q, %v", line, err)
	}
}

// Options.Hosts names the server.
//
// REQ SEC-17
func TestHosts(t *testing.T) {
	hs := serve(t, &streamable.Options{Hosts: []string{"mcp.example"}})
	for host, want := range map[string]int{"mcp.example": 200, "evil.example": 403} {
		if s := open(t, hs.URL, "Host", host); s.StatusCode != want {
			t.Errorf("%s: %d, want %d", host, s.StatusCode, want)
		}
	}
}

// The server can be shut down with sessions open.
func TestHandlerShutdown(t *testing.T) {
	srv := newServer(t)
	hs := httptest.NewServer(sse.NewHandler(srv, &streamable.Options{Logger: silent}))
	t.Cleanup(hs.Close)
	var ended sync.WaitGroup
	for range 5 {
		s := open(t, hs.URL)
		s.event(t)
		ended.Go(func() {
			if got := s.event(t); got != "end: <nil>" {
				t.Errorf("the stream ended with %s", got)
			}
		})
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := srv.Shutdown(ctx); err != nil {
		t.Error(err)
	}
	ended.Wait()
}

// A request whose body does not come is answered at once if it is refused, and ends.
func TestRefusedWithoutBody(t *testing.T) {
	hs := serve(t, &streamable.Options{ReadTimeout: 50 * time.Millisecond})
	for _, head := range []string{
		"POST /sse?sessionId=none HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json",
		"POST /sse HTTP/1.1\r\nHost: evil.example\r\nContent-Type: application/json",
		"PUT /sse HTTP/1.1\r\nHost: localhost",
	} {
		conn, err := net.Dial("tcp", strings.TrimPrefix(hs.URL, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conn.SetDeadline(time.Now().Add(time.Minute))
		fmt.Fprintf(conn, "%s\r\nContent-Length: 100\r\n\r\n", head)
		if answer, err := io.ReadAll(conn); err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 4") {
			t.Errorf("%q: %q, %v", head, answer, err)
		}
	}
}

// A client that does not read short responses has WriteTimeout for them, too.
func TestShortResponsesHaveADeadline(t *testing.T) {
	s := server.New(mcp.Implementation{Name: "s", Version: "1"}, &server.Options{Logger: silent})
	h := sse.NewHandler(s, &streamable.Options{WriteTimeout: time.Minute})
	for _, test := range []struct {
		request *http.Request
		status  int
	}{
		{httptest.NewRequest("PUT", "http://localhost/", nil), http.StatusMethodNotAllowed},
		{httptest.NewRequest("POST", "http://localhost/", nil), http.StatusBadRequest},
		{httptest.NewRequest("POST", "http://localhost/?sessionId=none", nil), http.StatusNotFound},
		{httptest.NewRequest("GET", "http://evil.example/", nil), http.StatusForbidden},
	} {
		w := &deadlineWriter{ResponseRecorder: httptest.NewRecorder()}
		h.ServeHTTP(w, test.request)
		if w.Code != test.status || w.written.IsZero() || !w.deadline.IsZero() {
			t.Errorf("%s %s: status %d, written with deadline %v, left with %v", test.request.Method, test.request.URL, w.Code, w.written, w.deadline)
		}
	}
}

// A deadlineWriter remembers the deadline at which something was written.
type deadlineWriter struct {
	*httptest.ResponseRecorder
	deadline, written time.Time
}

func (w *deadlineWriter) Write(b []byte) (int, error) {
	w.written = w.deadline
	return w.ResponseRecorder.Write(b)
}

func (w *deadlineWriter) SetReadDeadline(time.Time) error { return nil }

func (w *deadlineWriter) SetWriteDeadline(t time.Time) error {
	w.deadline = t
	return nil
}

// One client cannot have all sessions, and bodies that are compressed are refused.
func TestSessionsAreShared(t *testing.T) {
	hs := serve(t, &streamable.Options{MaxSessions: 8, Address: func(r *http.Request) string { return r.Header.Get("From") }})
	open := func(from string) *http.Response {
		req, _ := http.NewRequestWithContext(t.Context(), "GET", hs.URL, nil)
		req.Header.Set("From", from)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { resp.Body.Close() })
		return resp
	}
	limits.Shared(t, 2, func(who string) bool { return open(who).StatusCode == 200 })
	if got := open("mallory").StatusCode; got != 503 {
		t.Errorf("another one: %d", got)
	}
}

// Messages that arrive have room together, of which one client has a part.
func TestMessagesAreShared(t *testing.T) {
	hs := serve(t, &streamable.Options{MaxBytes: 1000, Address: func(r *http.Request) string { return r.Header.Get("From") }})
	const ping = `{"jsonrpc":"2.0","id":1,"method":"ping"}`
	var late []*io.PipeWriter
	done := make(chan int, 10)
	limits.Shared(t, 2, func(who string) bool {
		url := strings.TrimPrefix(open(t, hs.URL, "From", who).event(t), "endpoint ")
		r, w := io.Pipe()
		taken := make(chan bool)
		go func() {
			_, err := w.Write([]byte(" ")) // nobody reads what is refused
			taken <- err == nil
		}()
		req := httptest.NewRequest("POST", hs.URL+url, r)
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("From", who)
		req.ContentLength = 120
		go func() {
			defer r.Close()
			response := httptest.NewRecorder()
			hs.Config.Handler.ServeHTTP(response, req)
			done <- response.Code
		}()
		if !<-taken {
			if status := <-done; status != 503 {
				t.Errorf("beyond the part: %d, want 503", status)
			}
			return false
		}
		late = append(late, w)
		return true
	})
	for _, w := range late {
		io.WriteString(w, ping+strings.Repeat(" ", 119-len(ping)))
		w.Close()
		if status := <-done; status != 202 {
			t.Errorf("the rest: %d", status)
		}
	}
}

// Messages that are compressed are refused, and large ones are bounded together.
func TestBodiesAreBounded(t *testing.T) {
	hs := serve(t, &streamable.Options{MaxBytes: 4000})
	s := open(t, hs.URL)
	url := hs.URL + strings.TrimPrefix(s.event(t), "endpoint ")
	if status, text := post(t, url, `{"jsonrpc":"2.0","id":1,"method":"ping"}`, "Content-Encoding", "gzip"); status != 415 {
		t.Errorf("compressed: %d %s", status, text)
	}
	if status, text := post(t, url, `{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":"`+strings.Repeat("x", 1000)+`"}}`); status != 503 {
		t.Errorf("too large: %d %s", status, text)
	}
	for i, tries := 0, 0; i < 20; { // what was taken counts no more
		status, text := post(t, url, `{"jsonrpc":"2.0","method":"x/y","params":{"x":"`+strings.Repeat("x", 900)+`"}}`)
		if status == 202 {
			i++
		} else if tries++; tries > 1000 {
			t.Fatalf("in turn: %d %s", status, text)
		}
	}
}

// What a browser needs so that a page may use the server, and what the log says of one that may not.
//
// REQ SSE-05
func TestCORS(t *testing.T) {
	var log bytes.Buffer
	h := sse.NewHandler(newServer(t), &streamable.Options{Origins: []string{"http://localhost:6274"}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	for origin, want := range map[string]string{"http://localhost:6274": "http://localhost:6274 GET, POST content-type 204", "https://evil.example": "   403"} {
		r := httptest.NewRequest("OPTIONS", "http://localhost/sse", nil)
		r.Header.Set("Origin", origin)
		r.Header.Set("Access-Control-Request-Method", "POST")
		r.Header.Set("Access-Control-Request-Headers", "content-type, cookie")
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)
		got := fmt.Sprint(w.Header().Get("Access-Control-Allow-Origin"), " ", w.Header().Get("Access-Control-Allow-Methods"), " ",
			w.Header().Get("Access-Control-Allow-Headers"), " ", w.Code)
		if got != want {
			t.Errorf("%s: got %s, want %s", origin, got, want)
		}
	}
	if got := log.String(); strings.Count(got, "a request was refused") != 1 || !strings.Contains(got, "https://evil.example") {
		t.Errorf("the log says %s", got)
	}
}
