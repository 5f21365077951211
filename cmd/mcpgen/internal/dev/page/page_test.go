package page

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/cmd/mcpgen/internal/dev"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/server"
	asking "github.com/mcpgen/mcpgen/runtime/server/ask"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A site is a page in front of a shop, over HTTP.
type site struct {
	*testing.T
	page  *Page
	shop  *server.Server
	url   string
	begun chan struct{} // receives a value when the tool wait begins
	ended chan struct{} // and when its context ends
	left  chan string   // receives the URIs of resources that nobody subscribes to any more

	refused atomic.Value // the method that the shop refuses
}

func open(t *testing.T, revisions ...wire.Revision) *site {
	t.Helper()
	s := &site{T: t, begun: make(chan struct{}, 1), ended: make(chan struct{}, 1), left: make(chan string, 10)}
	s.shop = server.New(mcp.Implementation{Name: "shop", Version: "1.0.0"}, &server.Options{
		Revisions: revisions, Logger: quiet, Setup: []server.Setup{taskserver.Enable(&taskserver.Options{PollInterval: 10 * time.Millisecond})}, OnSubscribe: func(context.Context, *server.Call, string) error { return nil },
		OnUnsubscribe: func(uri string) { s.left <- uri },
		Middleware: []server.Middleware{func(next server.Handler) server.Handler {
			return func(ctx context.Context, c *server.Call) (wire.Encodable, error) {
				if c.Method() == s.refused.Load() {
					return nil, fmt.Errorf("no %s", c.Method())
				}
				return next(ctx, c)
			}
		}},
	})
	s.offer()
	s.page = begin(t, s.shop)
	web := httptest.NewServer(s.page)
	s.url = web.URL
	t.Cleanup(func() {
		s.page.Close()
		web.Close()
	})
	return s
}

var quiet = slog.New(slog.DiscardHandler)

// strict returns a logger to which no page may complain that it cannot send something.
func strict(t *testing.T) *slog.Logger {
	return slog.New(slog.NewTextHandler(complaints{t}, &slog.HandlerOptions{Level: slog.LevelDebug}))
}

type complaints struct{ t *testing.T }

func (c complaints) Write(record []byte) (int, error) {
	if bytes.Contains(record, []byte("cannot send a")) {
		c.t.Errorf("logged: %s", record)
	}
	return len(record), nil
}

// begin returns a page in front of a server.
func begin(t *testing.T, of *server.Server) *Page {
	t.Helper()
	p := New()
	endpoint, err := dev.NewEndpoint(slog.New(p.Handler(quiet.Handler())))
	if err != nil {
		t.Fatal(err)
	}
	near, far := inmem.Pair(0)
	served := make(chan error, 1)
	go func() { served <- of.Serve(context.Background(), far) }()
	child, err := new(dev.Connection).Connect(t.Context(), endpoint, p.Tap(near))
	if err != nil {
		t.Fatal(err)
	}
	endpoint.Replace(t.Context(), child)
	p.Begin(Options{Server: endpoint.Server(), About: endpoint.About, Endpoint: "http://127.0.0.1:8091/mcp", Logger: strict(t), Roots: []mcp.Root{{URI: "file:///shop"}}})
	t.Cleanup(func() {
		p.Close()
		child.Close()
		far.Close()
		<-served
	})
	return p
}

func (s *site) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// offer adds what the shop has.
func (s *site) offer() {
	s.must(s.shop.AddTool(mcp.Tool{Name: "order", Description: "Orders tea.", OutputSchema: wire.Raw(`{"type":"object","properties":{"cups":{"type":"integer"}}}`)},
		func(_ context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
			c.Progress().Report(1, 2, "half")
			return &mcp.CallToolResult{StructuredContent: args, Content: []mcp.ContentBlock{&mcp.TextContent{Text: "ordered"}}}, nil
		}))
	s.must(s.shop.AddTool(mcp.Tool{Name: "ask"}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		guest, err := asking.Form[struct {
			Name string `json:"name"`
			Size int    `json:"size"`
		}](ctx, c, "Who comes?")
		if err != nil {
			return nil, err
		}
		return server.TextResult(fmt.Sprintf("%s and %d more", guest.Name, guest.Size-1)), nil
	}))
	s.must(s.shop.AddTool(mcp.Tool{Name: "model"}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		r, err := c.CreateMessage(ctx, &mcp.CreateMessageRequestParams{MaxTokens: 5, Messages: []mcp.SamplingMessage{{Role: mcp.RoleUser, Content: []mcp.SamplingMessageContentBlock{&mcp.TextContent{Text: "Which?"}}}}})
		if err != nil {
			return nil, err
		}
		return server.TextResult(r.Model + ": " + r.Content[0].(*mcp.TextContent).Text), nil
	}))
	s.must(s.shop.AddTool(mcp.Tool{Name: "wait"}, func(ctx context.Context, _ *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		s.begun <- struct{}{}
		<-ctx.Done()
		s.ended <- struct{}{}
		return nil, ctx.Err()
	}))
	task := mcp.ToolExecution{TaskSupport: mcp.ToolExecutionTaskSupportOptional}
	s.must(s.shop.AddTool(mcp.Tool{Name: "brew", Execution: &task, OutputSchema: wire.Raw(`{"type":"object","required":["cups"]}`)},
		func(_ context.Context, _ *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
			if args.StringAt("of") == "coffee" {
				return nil, errors.New("no coffee")
			}
			return &mcp.CallToolResult{StructuredContent: args, Content: []mcp.ContentBlock{&mcp.TextContent{Text: "brewed"}}}, nil
		}))
	s.must(s.shop.AddPrompt(mcp.Prompt{Name: "toast", Arguments: []mcp.PromptArgument{{Name: "to"}}}, func(_ context.Context, _ *server.Call, args map[string]string) (*mcp.GetPromptResult, error) {
		return &mcp.GetPromptResult{Description: "to " + args["to"]}, nil
	}))
	s.must(s.shop.CompletePrompt("toast", "to", func(_ context.Context, _ *server.Call, value string, settled map[string]string) ([]string, error) {
		return []string{value + "da" + settled["from"]}, nil
	}))
	s.must(s.shop.AddResource(mcp.Resource{Name: "stock", URI: "shop://stock"}, func(context.Context, *server.Call, string) (*mcp.ReadResourceResult, error) {
		return server.TextResource("text/plain", "3 teapots"), nil
	}))
	s.must(s.shop.AddTemplate(mcp.ResourceTemplate{Name: "tea", URITemplate: "shop://teas/{name}"}, func(uri string) (map[string]string, bool) {
		name, ok := strings.CutPrefix(uri, "shop://teas/")
		return map[string]string{"name": name}, ok
	}, func(_ context.Context, _ *server.Call, _ string, vars map[string]string) (*mcp.ReadResourceResult, error) {
		return server.TextResource("text/plain", "tea "+vars["name"]), nil
	}))
	s.must(s.shop.CompleteTemplate("shop://teas/{name}", "name", func(_ context.Context, _ *server.Call, value string, _ map[string]string) ([]string, error) {
		return []string{value + "sam"}, nil
	}))
}

// request sends a request as the page does. body is empty for GET.
func (s *site) request(ctx context.Context, path, body string, change func(*http.Request)) *http.Response {
	s.Helper()
	method := http.MethodGet
	if body != "" {
		method = http.MethodPost
	}
	r, err := http.NewRequestWithContext(ctx, method, s.url+path, strings.NewReader(body))
	s.must(err)
	r.Header.Set(tokenHeader, s.page.token)
	r.Header.Set("Content-Type", "application/json")
	if change != nil {
		change(r)
	}
	response, err := http.DefaultClient.Do(r)
	s.must(err)
	s.Cleanup(func() { response.Body.Close() })
	return response
}

// lines returns the lines of the response to a request.
func (s *site) lines(path, body string) []string {
	s.Helper()
	text, err := io.ReadAll(s.request(s.Context(), path, body, nil).Body)
	s.must(err)
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

// last returns the last of them, as one line without what differs from call to call.
func (s *site) last(path, body string) string {
	s.Helper()
	all := s.lines(path, body)
	return all[len(all)-1]
}

// event waits for an event of the feed that satisfies a condition.
func (s *site) event(after uint64, kind string, fits func(value string) bool) string {
	s.Helper()
	ctx, cancel := context.WithTimeout(s.Context(), time.Minute)
	defer cancel()
	lines := bufio.NewScanner(s.request(ctx, fmt.Sprintf("/api/events?after=%d", after), "", nil).Body)
	lines.Buffer(nil, maxItemText*8)
	for lines.Scan() {
		var e struct {
			Kind  string
			Value json.RawMessage
		}
		if line := lines.Bytes(); len(line) == 0 || json.Unmarshal(line, &e) != nil {
			continue // it keeps the connection alive
		}
		if e.Kind == kind && fits(string(e.Value)) {
			return string(e.Value)
		}
	}
	s.Fatalf("no event %s that fits: %v", kind, lines.Err())
	return ""
}

func TestGuard(t *testing.T) {
	s := open(t)
	for name, test := range map[string]struct {
		path   string
		change func(*http.Request)
		status int
		want   string
	}{
		"the page":            {"/?token=" + s.page.token, nil, 200, "<nav"},
		"no token":            {"/", nil, 403, "mcpgen dev</code> prints"},
		"a wrong token":       {"/?token=" + s.page.token[1:] + "x", nil, 403, "prints"},
		"a script":            {"/page/app.js", nil, 200, "import"},
		"no such file":        {"/page/other.js", nil, 404, ""},
		"a folder":            {"/page/", nil, 404, ""},
		"no header":           {"/api/definitions", func(r *http.Request) { r.Header.Del(tokenHeader) }, 403, "token"},
		"a wrong header":      {"/api/definitions", func(r *http.Request) { r.Header.Set(tokenHeader, "x") }, 403, "token"},
		"a foreign origin":    {"/api/definitions", func(r *http.Request) { r.Header.Set("Origin", "https://example.com") }, 403, "origin"},
		"no origin at all":    {"/api/definitions", func(r *http.Request) { r.Header.Set("Origin", "null") }, 403, "origin"},
		"another port":        {"/api/definitions", func(r *http.Request) { r.Header.Set("Origin", "http://127.0.0.1:1") }, 403, "origin"},
		"its own origin":      {"/api/definitions", func(r *http.Request) { r.Header.Set("Origin", s.url) }, 200, "order"},
		"a foreign host":      {"/?token=" + s.page.token, func(r *http.Request) { r.Host = "example.com:8091" }, 403, "localhost"},
		"a name like ours":    {"/?token=" + s.page.token, func(r *http.Request) { r.Host = "localhost.example.com" }, 403, "localhost"},
		"localhost":           {"/?token=" + s.page.token, func(r *http.Request) { r.Host = "localhost:8091" }, 200, "<nav"},
		"version 6":           {"/?token=" + s.page.token, func(r *http.Request) { r.Host = "[::1]:8091" }, 200, "<nav"},
		"a POST without JSON": {"/api/call", func(r *http.Request) { r.Method = "POST"; r.Header.Set("Content-Type", "text/plain") }, 415, "json"},
	} {
		t.Run(name, func(t *testing.T) {
			r := s.request(t.Context(), test.path, "", test.change)
			text, err := io.ReadAll(r.Body)
			if err != nil || r.StatusCode != test.status || !strings.Contains(string(text), test.want) {
				t.Errorf("got %s, %v: %s", r.Status, err, text)
			}
			if r.StatusCode == http.StatusNotFound {
				return
			}
			if got := r.Header.Get("Content-Security-Policy"); !strings.Contains(got, "default-src 'none'; script-src 'self'") {
				t.Errorf("the policy is %q", got)
			}
		})
	}
	for range 2 * maxRequests { // one after the other
		w := httptest.NewRecorder()
		r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, "http://localhost/api/definitions?revision=none", nil)
		r.Header.Set(tokenHeader, s.page.token)
		if s.page.ServeHTTP(w, r); w.Code != http.StatusOK {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
	}
}

// TestBodies sends invalid bodies.
func TestBodies(t *testing.T) {
	s := open(t)
	for body, want := range map[string]string{
		`{"name":`:            "unexpected EOF",
		`{"tool":"order"}`:    "unknown field",
		`{"arguments":[1]}`:   "cannot unmarshal",
		`{"revision":"1999"}`: "1999",
		`{"name":"` + strings.Repeat("x", maxBody) + `"}`: "too large",
	} {
		if got := s.last("/api/call", body); !strings.Contains(got, want) {
			t.Errorf("%.30s: got %s, want %s", body, got, want)
		}
	}
	for _, path := range []string{"call", "prompt", "read", "complete", "subscribe", "answer", "app", "task/poll"} {
		for kind, want := range map[string]struct {
			status int
			text   string
		}{
			"application/json":                {400, "cannot read the body: EOF\n"},
			"application/json; charset=utf-8": {400, "cannot read the body: EOF\n"},
			"application/json; charset":       {415, "want a body of application/json\n"},
			"text/plain":                      {415, "want a body of application/json\n"},
			"":                                {415, "want a body of application/json\n"},
		} {
			r := s.request(t.Context(), "/api/"+path, " ", func(r *http.Request) { r.Header.Set("Content-Type", kind) })
			if text, err := io.ReadAll(r.Body); err != nil || r.StatusCode != want.status || string(text) != want.text {
				t.Errorf("%s with %q: got %d %s, %v", path, kind, r.StatusCode, text, err)
			}
		}
	}
}

func TestDefinitions(t *testing.T) {
	s := open(t)
	for n := range 4 { // so that tools have any number of bytes beyond those of whole tokens
		s.must(s.shop.AddTool(mcp.Tool{Name: fmt.Sprint(n), Description: strings.Repeat(".", n)}, func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) { return nil, nil }))
	}
	all := client.Revisions()
	newest := all[len(all)-1].String()
	for _, revision := range []string{"", "2024-11-05", "2025-11-25"} {
		var d definitions
		s.must(json.Unmarshal([]byte(s.last("/api/definitions?revision="+revision, "")), &d))
		if revision == "" {
			revision = newest
		}
		if d.Revision != revision || d.Build != newest || d.Info.Name != "shop" || len(d.Revisions) != len(all) {
			t.Errorf("%s: got %s, %s, %v, %v", revision, d.Revision, d.Build, d.Info, d.Revisions)
		}
		if d.Endpoint != "http://127.0.0.1:8091/mcp" {
			t.Errorf("%s: the endpoint is %s", revision, d.Endpoint)
		}
		if len(d.Tools) != 9 || len(d.Prompts) != 1 || len(d.Resources) != 1 || len(d.Templates) != 1 {
			t.Errorf("%s: got %d tools, %d prompts, %d resources, %d templates", revision, len(d.Tools), len(d.Prompts), len(d.Resources), len(d.Templates))
		}
		for i, tool := range d.Tools {
			if want := (cost{tool.StringAt("name"), len(tool), (len(tool) + 3) / 4}); d.Costs[i] != want {
				t.Errorf("%s: the costs are %v, want %v", revision, d.Costs[i], want)
			}
		}
	}
	if got := s.last("/api/definitions?revision=1999", ""); !strings.HasPrefix(got, `{"error":{"message":"`) || !strings.Contains(got, "1999") {
		t.Errorf("of a revision that does not exist: %s", got)
	}
}

func TestCall(t *testing.T) {
	s := open(t)
	s.lines("/api/definitions?revision=2025-11-25", "") // which has the output schemas
	got := s.lines("/api/call", `{"revision":"2025-11-25","name":"order","arguments":{"cups":12345678901234567890}}`)
	if len(got) != 2 || !strings.Contains(got[0], `"progress":{`) || !strings.Contains(got[0], `"half"`) {
		t.Errorf("got %q", got)
	}
	for _, want := range []string{`"structuredContent":{"cups":12345678901234567890}`, `"schema":{}`, `"revision":"2025-11-25"`} {
		if !strings.Contains(got[len(got)-1], want) {
			t.Errorf("no %s in %s", want, got[len(got)-1])
		}
	}
	if got := s.last("/api/call", `{"revision":"2025-11-25","name":"order","arguments":{"cups":"two"}}`); !strings.Contains(got, `"schema":{"problem":"`) || !strings.Contains(got, `"cups":"two"`) {
		t.Errorf("a result that does not validate: %s", got)
	}
	if got := s.last("/api/call", `{"name":"steal"}`); !strings.Contains(got, `"error":{"code":-32602,"message":"`) {
		t.Errorf("a tool that does not exist: %s", got)
	}
	if got := s.last("/api/prompt", `{"name":"toast","arguments":{"to":"Ada"}}`); !strings.Contains(got, `to Ada`) {
		t.Errorf("a prompt: %s", got)
	}
	if got := s.last("/api/prompt", `{"name":"toast","arguments":{"to":5}}`); !strings.Contains(got, `want a string, got 5`) {
		t.Errorf("a prompt with a number: %s", got)
	}
	if got := s.last("/api/read", `{"uri":"shop://stock"}`); !strings.Contains(got, `3 teapots`) {
		t.Errorf("a resource: %s", got)
	}
	if got := s.last("/api/read", `{"uri":"shop://teas/{name}","arguments":{"name":"earl grey"}}`); !strings.Contains(got, `tea earl%20grey`) {
		t.Errorf("a template: %s", got)
	}
	if got := s.last("/api/complete", `{"name":"toast","argument":"to","value":"A"}`); !strings.Contains(got, `["Ada"]`) {
		t.Errorf("a completion: %s", got)
	}
	for _, test := range []struct{ path, body, want string }{
		{"prompt", `{"name":"none"}`, `"error":{"code":-32602,"message":"`},
		{"read", `{"uri":"shop://none"}`, `"error":{"code":-3`},
		{"read", `{"uri":"shop://teas/{name}","arguments":{"name":5}}`, `"error":{"message":"the argument name: want a string, got 5"}`},
		{"complete", `{"name":"toast","argument":"to","value":"A","arguments":{"from":"lbert"}}`, `["Adalbert"]`},
		{"complete", `{"uri":"shop://teas/{name}","argument":"name","value":"as"}`, `["assam"]`},
		{"complete", `{"name":"none","argument":"to"}`, `"error":{"code":-32602,"message":"`},
		{"complete", `{"uri":"shop://none/{x}","argument":"x"}`, `"error":{"code":-32602,"message":"`},
		{"complete", `{"name":"toast","argument":"to","arguments":{"a":1}}`, `"error":{"message":"the argument a: want a string, got 1"}`},
	} {
		if got := s.last("/api/"+test.path, test.body); !strings.Contains(got, test.want) {
			t.Errorf("%s %s: got %s, want %s", test.path, test.body, got, test.want)
		}
	}
	if r := s.request(t.Context(), "/api/answer", `{"ask":1}`, nil); r.StatusCode != http.StatusBadRequest {
		t.Errorf("an answer that cannot be read: %s", r.Status)
	}
}

// TestEarly opens the page before there is a server. The page learns what the server can do once there is one.
func TestEarly(t *testing.T) {
	p := New()
	endpoint, err := dev.NewEndpoint(slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	serves := false
	about := func() (*client.ServerInfo, wire.Revision, bool) {
		return new(client.ServerInfo), mcp.V2026_07_28, serves
	}
	p.Begin(Options{Server: endpoint.Server(), About: about, Logger: slog.New(slog.DiscardHandler)})
	defer p.Close()
	endpoint.Fail(errors.New("the server does not build"))
	first, err := p.sessions.of(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	serves = true
	second, err := p.sessions.of(t.Context(), "")
	if err != nil || second == first {
		t.Errorf("the same session, %v", err)
	}
	if third, err := p.sessions.of(t.Context(), ""); err != nil || third != second {
		t.Errorf("another session, %v", err)
	}
	p.Close()
	select {
	case <-first.Done():
		<-second.Done()
	default:
		t.Error("a session outlives its page")
	}
	if _, err := p.sessions.of(t.Context(), ""); !errors.Is(err, errEnded) {
		t.Errorf("after the end: %v", err)
	}
}

// TestCancel closes the page during a call.
func TestCancel(t *testing.T) {
	s := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() {
		r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/api/call", strings.NewReader(`{"name":"wait"}`))
		if err == nil {
			r.Header.Set(tokenHeader, s.page.token)
			r.Header.Set("Content-Type", "application/json")
			_, err = http.DefaultClient.Do(r)
		}
		gone <- err
	}()
	<-s.begun
	cancel()
	if err := <-gone; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	<-s.ended
}

// TestAnswer answers a form, wrongly at first, and in place of a model.
func TestAnswer(t *testing.T) {
	s := open(t)
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		result := make(chan string, 1)
		ask := func(tool string) string {
			go func() { result <- s.last("/api/call", fmt.Sprintf(`{"revision":%q,"name":%q}`, revision, tool)) }()
			var open []ask
			s.must(json.Unmarshal([]byte(s.event(0, "asks", func(v string) bool { return v != "[]" })), &open))
			return open[0].ID
		}
		id := ask("ask")
		if got := s.last("/api/answer", `{"ask":"`+id+`","action":"accept","content":{"name":"Ada","size":"two"}}`); !strings.Contains(got, `"fields":{"size":"`) {
			t.Errorf("%s: a wrong form: %s", revision, got)
		}
		refused := s.request(t.Context(), "/api/answer", `{"ask":"`+id+`","action":"accept","content":{}}`, nil)
		if kind := refused.Header.Get("Content-Type"); refused.StatusCode != http.StatusUnprocessableEntity || kind != "application/json" {
			t.Errorf("%s: a wrong form: %s of type %s", revision, refused.Status, kind)
		}
		refused.Body.Close()
		if got := s.last("/api/answer", `{"ask":"`+id+`","action":"maybe"}`); !strings.Contains(got, `want the action`) {
			t.Errorf("%s: a wrong action: %s", revision, got)
		}
		if got := s.last("/api/answer", `{"ask":"`+id+`","action":"accept","content":{"name":"Ada","size":2}}`); got != "{}" {
			t.Errorf("%s: a form: %s", revision, got)
		}
		if got := <-result; !strings.Contains(got, "Ada and 1 more") {
			t.Errorf("%s: got %s", revision, got)
		}
		if got := s.last("/api/answer", `{"ask":"`+id+`","action":"accept"}`); !strings.Contains(got, "does not wait") {
			t.Errorf("%s: an answer too much: %s", revision, got)
		}
		s.last("/api/answer", `{"ask":"`+ask("model")+`","action":"accept","text":"assam","model":"tester"}`)
		if got := <-result; !strings.Contains(got, "tester: assam") {
			t.Errorf("%s: got %s", revision, got)
		}
		s.last("/api/answer", `{"ask":"`+ask("model")+`","action":"decline"}`)
		if got := <-result; !strings.Contains(got, "rejected") {
			t.Errorf("%s: got %s", revision, got)
		}
	}
}

// TestSubscribe is notified of a change.
func TestSubscribe(t *testing.T) {
	s := open(t)
	for _, revision := range []string{"2025-11-25", "2026-07-28"} {
		if got := s.last("/api/subscribe", fmt.Sprintf(`{"revision":%q,"uri":"shop://stock","on":true}`, revision)); strings.Contains(got, "error") {
			t.Fatalf("%s: %s", revision, got)
		}
		_, seen, _ := s.page.feed.since(0)
		s.shop.ResourceUpdated("shop://stock")
		s.event(seen, "updated", func(v string) bool { return strings.Contains(v, "shop://stock") })
		ends := []bool{true, false} // each ends the subscription before
		if revision == "2026-07-28" {
			ends = ends[1:] // since it may go on under the next one
		}
		for _, on := range ends {
			if got := s.last("/api/subscribe", fmt.Sprintf(`{"revision":%q,"uri":"shop://stock","on":%t}`, revision, on)); strings.Contains(got, "error") {
				t.Fatalf("%s: %s", revision, got)
			}
			if got := <-s.left; got != "shop://stock" {
				t.Errorf("%s: nobody subscribes to %s any more", revision, got)
			}
		}
		one, err := s.page.sessions.of(t.Context(), revision)
		s.must(err)
		one.mu.Lock()
		if n := len(one.subscriptions); n != 0 {
			t.Errorf("%s: %d subscriptions are left", revision, n)
		}
		one.mu.Unlock()
		if got := s.last("/api/subscribe", fmt.Sprintf(`{"revision":%q,"uri":"shop://none","on":true}`, revision)); !strings.Contains(got, `"error":{`) {
			t.Errorf("%s: a resource that does not exist: %s", revision, got)
		}
	}
}

// TestWire finds the messages of a call on both sides of the endpoint.
func TestWire(t *testing.T) {
	s := open(t, mcp.V2026_07_28)
	s.last("/api/call", `{"revision":"2025-03-26","name":"order","arguments":{"cups":7}}`)
	for _, want := range []wireItem{
		{Between: "page", Sent: true, Revision: "2025-03-26", Method: "tools/call", Kind: "request"},
		{Between: "page", Revision: "2025-03-26", Method: "tools/call", Kind: "result"},
		{Between: "server", Sent: true, Revision: "2026-07-28", Method: "tools/call", Kind: "request"},
		{Between: "server", Revision: "2026-07-28", Method: "tools/call", Kind: "result"},
		{Between: "server", Revision: "2026-07-28", Method: "notifications/progress", Kind: "notification"},
	} {
		s.event(0, "wire", func(v string) bool {
			var got wireItem
			s.must(json.Unmarshal([]byte(v), &got))
			return got.Between == want.Between && got.Sent == want.Sent && got.Revision == want.Revision && got.Method == want.Method && got.Kind == want.Kind
		})
	}
}

// TestOwn tells messages that the page sends by itself from those that somebody wanted.
func TestOwn(t *testing.T) {
	s := open(t)
	got := func(after uint64) (all []string, last uint64) {
		t.Helper()
		lines, last, _ := s.page.feed.since(after)
		for _, text := range lines {
			var e struct {
				Kind  string
				Value json.RawMessage
			}
			var m wireItem
			s.must(json.Unmarshal(text, &e))
			if e.Kind != "wire" {
				continue
			}
			s.must(json.Unmarshal(e.Value, &m))
			if m.Between == "page" && !m.Own {
				t.Errorf("a message between the page and the endpoint is nobody's own: %s", e.Value)
			}
			if m.Between == "server" && !m.Own && strings.Contains(m.Method, "/") {
				all = append(all, m.Method+" "+m.Kind)
			}
		}
		return all, last
	}
	s.last("/api/definitions", "")
	all, after := got(0)
	if slices.ContainsFunc(all, func(m string) bool { return strings.Contains(m, "/list ") }) || len(all) == 0 {
		t.Errorf("of what the page asked by itself there is %q", all)
	}
	s.last("/api/call", `{"name":"order"}`)
	if all, after = got(after); !slices.Equal(all, []string{"tools/call request", "notifications/progress notification", "tools/call result"}) {
		t.Errorf("of a call there is %q", all)
	}
	near, far := inmem.Pair(0)
	go s.page.opts.Server.Serve(s.page.ctx, far)
	c, err := client.Connect(t.Context(), near, &client.Options{Logger: quiet})
	s.must(err)
	defer c.Close()
	_, err = c.ListTools(t.Context(), nil)
	s.must(err)
	if all, after = got(after); !slices.Equal(all, []string{"tools/list request", "tools/list result"}) {
		t.Errorf("of another client's list there is %q", all)
	}
	unnamed, end := inmem.Pair(0)
	go s.page.opts.Server.Serve(s.page.ctx, end)
	s.must(unnamed.Send(t.Context(), transport.Message{Data: []byte(`{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}}`)}))
	_, err = unnamed.Receive(t.Context())
	s.must(err)
	if all, _ = got(after); !slices.Equal(all, []string{"tools/list request", "tools/list result"}) {
		t.Errorf("of the list of a client without a name there is %q", all)
	}
}

// TestFeed checks that a feed keeps no more than it may.
func TestFeed(t *testing.T) {
	f := newFeed()
	f.set("state", "first")
	for i := range maxItems + 10 {
		f.add("log", i)
	}
	f.set("state", "second")
	lines, last, more := f.since(0)
	if len(lines) != maxItems+1 || last != maxItems+12 {
		t.Errorf("%d lines up to %d", len(lines), last)
	}
	if first := string(lines[0]); first != `{"seq":12,"kind":"log","value":10}`+"\n" {
		t.Errorf("the first is %s", first)
	}
	if got := string(lines[maxItems]); !strings.Contains(got, "second") {
		t.Errorf("the last is %s", got)
	}
	f.add("log", "new")
	<-more
	if lines, _, _ := f.since(last); len(lines) != 1 {
		t.Errorf("%q", lines)
	}
	if lines, _, _ := f.since(last + 1); len(lines) != 0 {
		t.Errorf("after the last there is %q", lines)
	}
	long := strings.Repeat("x", maxItemText+1)
	for range 40 {
		short, cut := excerpt(long)
		if !cut {
			t.Fatal("the text is not cut")
		}
		f.add("wire", short)
	}
	if got := f.lists["wire"].bytes; got > maxBytes {
		t.Errorf("%d bytes are kept, want at most %d", got, maxBytes)
	}
}

// TestLog checks that pages show what servers write, and what is logged.
func TestLog(t *testing.T) {
	p := New()
	out := p.Stderr()
	fmt.Fprint(out, "first\nsec")
	fmt.Fprint(out, "ond\n")
	var printed bytes.Buffer
	logger := slog.New(p.Handler(slog.NewTextHandler(&printed, &slog.HandlerOptions{Level: slog.LevelWarn})))
	logger.Info(serverLogs, "level", "notice", "data", `"3 cups"`)
	logger.Warn("slow", "time", 5)
	lines, _, _ := p.feed.since(1)
	var got []string
	for _, line := range lines {
		var e struct{ Value logItem }
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s %s: %s", e.Value.Source, e.Value.Level, e.Value.Text))
	}
	if want := []string{"stderr : first", "stderr : second", `server notice: "3 cups"`, "mcpgen warn: slow time=5"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if text := printed.String(); strings.Contains(text, "cups") || !strings.Contains(text, "slow") {
		t.Errorf("printed: %s", text)
	}
}

func TestMistakes(t *testing.T) {
	got := mistakesIn("# example.com/shop\norder.go:6:35: undefined: cup\nC:\\shop\\a.go:5: odd\nit failed\n")
	want := []mistake{{Text: "# example.com/shop"}, {"order.go", 6, 35, "undefined: cup"}, {`C:\shop\a.go`, 5, 0, "odd"}, {Text: "it failed"}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// TestDeclared has what the page says about itself.
func TestDeclared(t *testing.T) {
	s := open(t, mcp.V2026_07_28)
	s.must(s.shop.AddTool(mcp.Tool{Name: "look"}, func(_ context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{StructuredContent: slices.Clone(c.Params())}, nil
	}))
	got := s.last("/api/call", `{"name":"look"}`)
	for _, want := range []string{`"name":"mcpgen-dev-page","version":"1"`, `"roots":{`, `"sampling":{"context":{},"tools":{}}`, `"elicitation":{"form":{},"url":{}}`, `"io.modelcontextprotocol/tasks":{`, `"io.modelcontextprotocol/ui":{`} {
		if !strings.Contains(got, want) {
			t.Errorf("the page declares %s, want %s", got, want)
		}
	}
}
