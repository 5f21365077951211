package streamable_test

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// namesSince returns the names of the revisions that servers speak, without those before one.
func namesSince(first wire.Revision) (names []string) {
	for _, rev := range server.Revisions() {
		if rev >= first {
			names = append(names, rev.String())
		}
	}
	return names
}

// A host is a handler behind an HTTP server on loopback.
type host struct {
	t       testing.TB
	h       *streamable.Handler
	http    *httptest.Server
	client  *http.Client // nil for that of http
	session string       // sent with every request, if there is one
	version string       // likewise
}

var silent = slog.New(slog.DiscardHandler)

// holdStreams is whether all that serve serves is behind held.
var holdStreams bool

// held returns a handler whose streams stay in package net/http, because it is in middleware that wraps its writer.
func held(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { h.ServeHTTP(wrapped{w}, r) })
}

func serve(t testing.TB, s *server.Server, opts *streamable.Options) *host {
	t.Helper()
	var own streamable.Options
	if opts != nil {
		own = *opts
	}
	h := streamable.NewHandler(s, &own)
	if holdStreams {
		return serveMux(t, h, held(h))
	}
	return serveMux(t, h, h)
}

// serveMux serves a handler that stands in another.
func serveMux(t testing.TB, h *streamable.Handler, mux http.Handler) *host {
	t.Helper()
	srv := httptest.NewServer(mux)
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		h.Shutdown(ctx)
		srv.CloseClientConnections()
		srv.Close()
	})
	return &host{t: t, h: h, http: srv}
}

// request makes a request. Headers are "Name: value" and come after those that every client sends;
// one without a value is taken out.
func (h *host) request(method, body string, headers ...string) *http.Request {
	h.t.Helper()
	req, err := http.NewRequest(method, h.http.URL+"/mcp", strings.NewReader(body))
	if err != nil {
		h.t.Fatal(err)
	}
	if method == "POST" {
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set("Accept", "application/json, text/event-stream")
	}
	if method == "GET" {
		req.Header.Set("Accept", "text/event-stream")
	}
	if h.session != "" {
		req.Header.Set("Mcp-Session-Id", h.session)
	}
	if h.version != "" {
		req.Header.Set("Mcp-Protocol-Version", h.version)
	}
	for _, line := range headers {
		name, value, _ := strings.Cut(line, ":")
		switch value = strings.TrimSpace(value); {
		case name == "Host":
			req.Host = value
		case value == "":
			req.Header.Del(name)
		default:
			req.Header.Add(name, value)
		}
	}
	return req
}

func (h *host) do(req *http.Request) *http.Response {
	h.t.Helper()
	client := h.client
	if client == nil {
		client = h.http.Client()
	}
	resp, err := client.Do(req)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(func() { resp.Body.Close() })
	return resp
}

// A got is a response that was read to its end.
type got struct {
	status int
	header http.Header
	body   string
}

func (h *host) send(req *http.Request) got {
	h.t.Helper()
	resp := h.do(req)
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		h.t.Fatal(err)
	}
	resp.Body.Close()
	return got{resp.StatusCode, resp.Header, string(body)}
}

func (h *host) post(body string, headers ...string) got {
	h.t.Helper()
	return h.send(h.request("POST", body, headers...))
}

// open opens a session of a revision and is ready.
func (h *host) open(rev string, headers ...string) {
	h.t.Helper()
	got := h.post(initialize(rev), headers...)
	h.session, h.version = got.header.Get("Mcp-Session-Id"), rev
	if got.status != 200 || h.session == "" {
		h.t.Fatalf("initialize: %d %s", got.status, got.body)
	}
	if got := h.post(`{"jsonrpc":"2.0","method":"notifications/initialized"}`, headers...); got.status != 202 || got.body != "" {
		h.t.Fatalf("initialized: %d %s", got.status, got.body)
	}
}

func initialize(rev string) string {
	return `{"jsonrpc":"2.0","id":"init","method":"initialize","params":{"protocolVersion":"` + rev +
		`","capabilities":{"elicitation":{},"sampling":{}},"clientInfo":{"name":"test","version":"1"}}}`
}

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`

// modern is a POST since 2026-07-28, with its headers. Params are without braces.
func (h *host) modern(id, method, name, params string, headers ...string) got {
	h.t.Helper()
	return h.send(h.modernRequest(id, method, name, params, headers...))
}

func (h *host) modernRequest(id, method, name, params string, headers ...string) *http.Request {
	h.t.Helper()
	if params != "" {
		params += ","
	}
	all := []string{"Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: " + method}
	if name != "" {
		all = append(all, "Mcp-Name: "+name)
	}
	body := `{"jsonrpc":"2.0","id":` + id + `,"method":"` + method + `","params":{` + params + modernMeta + `}}`
	return h.request("POST", body, append(all, headers...)...)
}

// want compares a response with what is expected: the status, and the body, of which "…" at the
// end stands for the rest.
func (g got) want(t testing.TB, status int, body string) {
	t.Helper()
	same := g.body == body
	if start, ok := strings.CutSuffix(body, "…"); ok {
		same = strings.HasPrefix(g.body, start)
	}
	if g.status != status || !same {
		t.Errorf("got  %d %s\nwant %d %s", g.status, g.body, status, body)
	}
}

// An eventReader reads a stream of events as lines.
type eventReader struct {
	t    testing.TB
	resp *http.Response
	r    *bufio.Reader
}

func (h *host) stream(req *http.Request) *eventReader {
	h.t.Helper()
	resp := h.do(req)
	if kind := resp.Header.Get("Content-Type"); resp.StatusCode != 200 || kind != "text/event-stream" {
		body, _ := io.ReadAll(resp.Body)
		h.t.Fatalf("no stream: %d %s %s", resp.StatusCode, kind, body)
	}
	return &eventReader{h.t, resp, bufio.NewReader(resp.Body)}
}

// next returns the lines of the next event, joined by spaces, without comments; "end" at the end.
func (r *eventReader) next() string {
	r.t.Helper()
	var lines []string
	for {
		line, err := r.r.ReadString('\n')
		line = strings.TrimSuffix(line, "\n")
		switch {
		case err == io.EOF:
			return "end"
		case err != nil:
			r.t.Fatal(err)
		case line == "" && len(lines) > 0:
			return strings.Join(lines, " ")
		case line != "" && line[0] != ':':
			lines = append(lines, line)
		}
	}
}

func (r *eventReader) want(event string) {
	r.t.Helper()
	if got := r.next(); got != event {
		r.t.Errorf("event %s\nwant  %s", got, event)
	}
}

func newServer(opts *server.Options) *server.Server {
	if opts == nil {
		opts = &server.Options{Anonymous: true}
	}
	return server.New(mcp.Implementation{Name: "test", Version: "1"}, opts)
}

func tool(t testing.TB, s *server.Server, name string, h server.ToolHandler) {
	t.Helper()
	def := mcp.Tool{Name: name, InputSchema: wire.Raw(`{"type":"object"}`)}
	if err := s.AddTool(def, h); err != nil {
		t.Fatal(err)
	}
}

// echo answers with its arguments.
func echo(_ context.Context, _ *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
	return server.TextResult(string(bytes.TrimSpace(args))), nil
}

// talk reports progress before it answers.
func talk(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
	c.Progress().Report(1, 0, "one")
	return server.TextResult("done"), nil
}

// ask asks the user for a name.
func ask(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
	r, err := c.Elicit(ctx, &mcp.ElicitRequestFormParams{Message: "Name?"})
	if err != nil {
		return nil, err
	}
	return server.TextResult(string(r.Action)), nil
}
