package streamable_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/testenv"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/server/uritemplate"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A token is an identity: its text is "name scope,scope minutes".
type token struct {
	name   string
	scopes []string
	ends   time.Time
}

func (t *token) Principal() string  { return t.name }
func (t *token) Expires() time.Time { return t.ends }
func (t *token) Missing(scopes []string) (missing []string) {
	for _, scope := range scopes {
		if !slices.Contains(t.scopes, scope) {
			missing = append(missing, scope)
		}
	}
	return missing
}

// An authorizer takes tokens as their text is. Minutes count from its start.
type authorizer struct {
	start    time.Time
	verified atomic.Int32
	refused  atomic.Int32
	silent   bool // Refuse writes nothing
	broken   bool // it panics
	revoked  atomic.Bool
}

func (a *authorizer) Authorize(r *http.Request) (transport.Identity, error) {
	a.verified.Add(1)
	fields := strings.Fields(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "))
	switch {
	case len(fields) == 0 || a.revoked.Load():
		return nil, errors.New("no token, secret")
	case fields[0] == "nobody":
		return nil, nil
	case fields[0] == "panic":
		panic("broken")
	case fields[0] == "unnamed":
		return &token{}, nil
	case fields[0] == "nil":
		return (*token)(nil), nil
	}
	t := &token{name: fields[0]}
	if len(fields) > 1 {
		t.scopes = strings.Split(fields[1], ",")
	}
	if len(fields) > 2 {
		minutes, err := time.ParseDuration(fields[2] + "m")
		if t.ends = a.start.Add(minutes); err != nil || !time.Now().Before(t.ends) {
			return nil, errors.New("the token has expired")
		}
	}
	return t, nil
}

func (a *authorizer) Refuse(w http.ResponseWriter, r *http.Request, err error, body []byte) {
	a.refused.Add(1)
	switch scope, ok := errors.AsType[*transport.ScopeError](err); {
	case a.broken:
		panic("broken")
	case a.silent:
		return
	case ok:
		w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="`+strings.Join(scope.Scopes, " ")+`"`)
		w.WriteHeader(http.StatusForbidden)
	default:
		w.Header().Set("WWW-Authenticate", `Bearer error="invalid_token"`)
		w.WriteHeader(http.StatusUnauthorized)
	}
	w.Write(body)
}

// scopedServer returns a server on which everything requires scopes.
func scopedServer(t testing.TB) *server.Server {
	t.Helper()
	s := newServer(&server.Options{Anonymous: true, OnSubscribe: func(context.Context, *server.Call, string) error { return nil }})
	read := func(context.Context, *server.Call, string) (*mcp.ReadResourceResult, error) {
		return server.TextResource("text/plain", "x"), nil
	}
	for _, err := range []error{
		s.Add(server.Item{Definition: &mcp.Tool{Name: "talk"}, Handler: server.ToolHandler(talk), Access: server.Access{Scopes: []string{"tools", "tools-talk"}}}),
		s.AddTool(mcp.Tool{Name: "open"}, echo),
		s.Add(server.Item{Definition: &mcp.Prompt{Name: "p", Arguments: []mcp.PromptArgument{{Name: "a"}}}, Handler: server.PromptHandler(func(context.Context, *server.Call, map[string]string) (*mcp.GetPromptResult, error) {
			return &mcp.GetPromptResult{}, nil
		}), Access: server.Access{Scopes: []string{"prompts", "prompts:p"}}}),
		s.CompletePrompt("p", "a", func(context.Context, *server.Call, string, map[string]string) ([]string, error) {
			return []string{"x"}, nil
		}),
		s.Add(server.Item{Definition: &mcp.Resource{URI: "a:1", Name: "a"}, Handler: server.ResourceHandler(read), Access: server.Access{Scopes: []string{"files", "files:1"}}}),
		uritemplate.AddItem(s, server.Item{Definition: &mcp.ResourceTemplate{URITemplate: "git:{owner}/{name}", Name: "git"}, Handler: server.TemplateHandler(func(ctx context.Context, c *server.Call, uri string, _ map[string]string) (*mcp.ReadResourceResult, error) {
			return read(ctx, c, uri)
		}), Access: server.Access{Scopes: []string{"repo", "repo:{owner}"}}}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return s
}

const allScopes = "tools,tools-talk,prompts,prompts:p,files,files:1,repo,repo:ada"

// A request whose sender lacks scopes is refused with all that its operation needs, before anything is sent, and
// then succeeds with a token that has them: the same request in the same session.
//
// REQ HTTP-05, AUTH-06, AUTH11-14, AUTH26-09, SEC-10
func TestScopeChallenge(t *testing.T) {
	operations := []struct{ method, name, params, scopes string }{
		{"tools/call", "talk", `"name":"talk"`, "tools tools-talk"},
		{"prompts/get", "p", `"name":"p"`, "prompts prompts:p"},
		{"resources/read", "a:1", `"uri":"a:1"`, "files files:1"},
		{"resources/read", "git:ada/x", `"uri":"git:ada/x"`, "repo repo:ada"},
		{"resources/subscribe", "", `"uri":"git:ada/y"`, "repo repo:ada"},
		{"completion/complete", "", `"ref":{"type":"ref/prompt","name":"p"},"argument":{"name":"a","value":""}`, "prompts prompts:p"},
		{"subscriptions/listen", "", `"notifications":{"resourceSubscriptions":["a:1","git:ada/x"]}`, "files files:1 repo repo:ada"},
	}
	for name, opts := range map[string]streamable.Options{"": {}, "polling": {Polling: true}, "stateless": {Stateless: true}, "JSON": {JSONOnly: true}} {
		for _, rev := range server.Revisions()[1:] {
			for _, accept := range []string{"application/json", "text/event-stream", "application/json, text/event-stream"} {
				t.Run(name+" "+rev.String()+" "+accept, func(t *testing.T) {
					auth := new(authorizer)
					opts := opts
					opts.Auth = auth
					h := serve(t, scopedServer(t), &opts)
					if rev < mcp.V2026_07_28 && !opts.Stateless {
						h.open(rev.String(), "Authorization: Bearer ada "+allScopes)
					}
					for i, op := range operations {
						exists := mcp.ServerMethod(op.method).Reaches(wire.Server, rev)
						if !exists || opts.Stateless && op.method == "resources/subscribe" || op.method == "subscriptions/listen" && accept == "application/json" {
							continue
						}
						ask := func(token string) *http.Request {
							headers := []string{"Accept:", "Accept: " + accept, "Authorization: Bearer " + token}
							if rev >= mcp.V2026_07_28 {
								return h.modernRequest(fmt.Sprint(i), op.method, op.name, op.params, headers...)
							}
							headers = append(headers, "Mcp-Protocol-Version:", "Mcp-Protocol-Version: "+rev.String())
							return h.request("POST", fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s}}`, i, op.method, op.params), headers...)
						}
						all := strings.Fields(op.scopes)
						for _, token := range []string{"nobody", "ada", "ada " + all[0], "ada " + strings.Join(all[1:], ",")} {
							if token == "nobody" && rev < mcp.V2026_07_28 && !opts.Stateless {
								continue // who has no session
							}
							got := h.send(ask(token))
							if want := `Bearer error="insufficient_scope", scope="` + op.scopes + `"`; got.status != 403 || strings.Join(got.header["Www-Authenticate"], "|") != want {
								t.Errorf("%s with %q: %d %s, want 403 %s", op.method, token, got.status, got.header["Www-Authenticate"], want)
							}
							if want := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"error":{"code":-32600,"message":"insufficient scope: the request requires %s; the sender lacks `, i, strings.Join(all, ", ")); !strings.HasPrefix(got.body, want) || strings.Count(got.body, `"jsonrpc"`) != 1 {
								t.Errorf("%s with %q: %s, want %s", op.method, token, got.body, want)
							}
						}
						resp := h.do(ask("ada " + strings.Join(all, ",")))
						r := &eventReader{t, resp, bufio.NewReader(resp.Body)}
						if resp.StatusCode != 200 || resp.Header.Get("Content-Type") == "text/event-stream" && !strings.Contains(r.next(), "data: ") {
							t.Errorf("%s with all scopes: %d", op.method, resp.StatusCode)
						}
						resp.Body.Close()
					}
					before := auth.verified.Load()
					h.send(h.request("POST", ping)).want(t, 401, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"the request is not authorized"}}`)
					if auth.verified.Load() != before+1 {
						t.Error("a request was not verified")
					}
				})
			}
		}
	}
}

// A batch is refused as a whole, with the scopes of all its requests, and none of it is handled; then it can be sent
// again.
//
// REQ HTTP-05, AUTH11-14, AUTH26-09
func TestScopesOfBatches(t *testing.T) {
	for _, stateless := range []bool{false, true} {
		s := scopedServer(t)
		var ran atomic.Int32
		tool(t, s, "count", func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
			ran.Add(1)
			return nil, nil
		})
		h := serve(t, s, &streamable.Options{Auth: new(authorizer), Stateless: stateless})
		if !stateless {
			h.open("2025-03-26", "Authorization: Bearer ada")
		}
		const batch = `[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"count"}},{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"a:1"}},` +
			`{"jsonrpc":"2.0","method":"notifications/initialized"},7,{"jsonrpc":"2.0","id":3,"method":"prompts/get","params":{"name":"p"}},{"jsonrpc":"2.0","id":4,"method":"resources/read","params":{"uri":"a:1"}}]`
		got := h.post(batch, "Authorization: Bearer ada prompts,prompts:p,files")
		got.want(t, 403, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"insufficient scope: the request requires files, files:1, prompts, prompts:p; the sender lacks files:1"}}`)
		if challenge := got.header.Get("WWW-Authenticate"); challenge != `Bearer error="insufficient_scope", scope="files files:1 prompts prompts:p"` {
			t.Error(challenge)
		}
		if n := ran.Load(); n != 0 {
			t.Errorf("%d requests of the batch were handled", n)
		}
		if got := h.post(batch, "Authorization: Bearer ada "+allScopes); got.status != 200 || ran.Load() != 1 || strings.Count(got.body, `"result"`) != 4 {
			t.Errorf("with all scopes: %d %s", got.status, got.body)
		}
	}
}

// What is of one principal does not exist for another, and a session, however it began, gives no request more than
// its own token does.
//
// REQ HTTP-05, SEC-10, SEC-11, SEC-12, SEC-13, STATE-14, SESS-07
func TestSessionOfAnotherIdentity(t *testing.T) {
	h := serve(t, scopedServer(t), &streamable.Options{Auth: new(authorizer)})
	full := "Authorization: Bearer ada " + allScopes
	h.open("2025-11-25", full)
	r := h.stream(h.request("POST", talkCall, full))
	primed := r.next()
	for r.next() != "end" {
	}
	for _, token := range []string{"eve " + allScopes, "nobody"} {
		for _, method := range []string{"POST", "GET", "DELETE"} {
			got := h.send(h.request(method, ping, "Authorization: Bearer "+token))
			if got.status != 404 || !strings.Contains(got.body, "the session does not exist") {
				t.Errorf("%s by %s: %d %s", method, token, got.status, got.body)
			}
		}
		if got := h.send(h.request("GET", "", "Authorization: Bearer "+token, "Last-Event-ID: "+eventID(primed))); got.status != 404 {
			t.Errorf("resumed by %s: %d %s", token, got.status, got.body)
		}
	}
	for _, method := range []string{"POST", "GET", "DELETE"} {
		h.send(h.request(method, ping)).want(t, 401, "…")
	}

	// The session was opened with more scopes than this request has, and so was the stream.
	h.post(strings.Replace(talkCall, `"id":1`, `"id":2`, 1), "Authorization: Bearer ada").want(t, 403, "…")
	for _, token := range []string{"ada", "ada tools", "ada files,tools-talk"} {
		got := h.send(h.request("GET", "", "Authorization: Bearer "+token, "Last-Event-ID: "+eventID(primed)))
		got.want(t, 403, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"insufficient scope: the request requires tools, tools-talk; the sender lacks …`)
		if challenge := got.header.Get("WWW-Authenticate"); challenge != `Bearer error="insufficient_scope", scope="tools tools-talk"` {
			t.Error(challenge)
		}
	}
	again := h.stream(h.request("GET", "", "Authorization: Bearer ada tools,tools-talk", "Last-Event-ID: "+eventID(primed)))
	if got := again.next(); !strings.Contains(got, `"progress":1`) {
		t.Error(got)
	}
	h.send(h.request("DELETE", "", "Authorization: Bearer ada")).want(t, 204, "")
}

// Handles that a server gives out are good for their principal alone, whoever knows them.
//
// REQ STATE-14, SEC-12, SEC-13, MRTR-11, TASK-18
func TestHandlesOfAnotherIdentity(t *testing.T) {
	s := newServer(&server.Options{Setup: []server.Setup{taskserver.Enable(nil)}})
	for name, h := range map[string]server.ToolHandler{"ask": ask, "later": echo} {
		support := map[string]mcp.ToolExecutionTaskSupport{"later": mcp.ToolExecutionTaskSupportOptional}[name]
		def := mcp.Tool{Name: name, InputSchema: wire.Raw(`{"type":"object"}`)}
		if support != "" {
			def.Execution = &mcp.ToolExecution{TaskSupport: support}
		}
		if err := s.Add(server.Item{Definition: &def, Handler: h, Access: server.Access{Scopes: []string{"x"}}}); err != nil {
			t.Fatal(err)
		}
	}
	h := serve(t, s, &streamable.Options{Auth: new(authorizer)})
	const ada, eve, less = "Authorization: Bearer ada x", "Authorization: Bearer eve x", "Authorization: Bearer ada y"
	asked := h.modern("1", "tools/call", "ask", `"name":"ask"`, ada)
	state := wire.Raw(asked.body).StringAt("result", "requestState")
	if state == "" {
		t.Fatal(asked.body)
	}
	retry := `"name":"ask","requestState":"` + state + `"`
	if got := h.modern("2", "tools/call", "ask", retry, eve); !strings.Contains(got.body, "requestState was not made for this request") {
		t.Errorf("state of another: %d %s", got.status, got.body)
	}
	h.modern("3", "tools/call", "ask", retry, less).want(t, 403, "…")
	if got := h.modern("4", "tools/call", "ask", retry, ada); !strings.Contains(got.body, `"input_required"`) {
		t.Errorf("state of one's own: %d %s", got.status, got.body)
	}

	h.open("2025-11-25", ada)
	created := h.post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"later","task":{}}}`, ada)
	id := wire.Raw(created.body).StringAt("result", "task", "taskId")
	if id == "" {
		t.Fatal(created.body)
	}
	for i, method := range []string{"tasks/get", "tasks/result", "tasks/cancel"} {
		text := fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{"taskId":%q}}`, i+2, method, id)
		h.post(text, less).want(t, 403, "…")
		h.post(text, eve).want(t, 404, "…")
	}
	h.post(`{"jsonrpc":"2.0","id":2,"method":"tasks/result","params":{"taskId":"`+id+`"}}`, ada).want(t, 200, "…")
	h.session, h.version = "", ""
	h.open("2025-11-25", eve)
	if got := h.post(`{"jsonrpc":"2.0","id":2,"method":"tasks/result","params":{"taskId":"`+id+`"}}`, eve); !strings.Contains(got.body, "unknown task") {
		t.Errorf("task of another: %d %s", got.status, got.body)
	}
}

// A stream whose scopes are too long for the ids of its events cannot be resumed.
func TestResumeWithLongScopes(t *testing.T) {
	s := newServer(nil)
	long := strings.Repeat("x", 600)
	if err := s.Add(server.Item{Definition: &mcp.Tool{Name: "talk"}, Handler: server.ToolHandler(talk), Access: server.Access{Scopes: []string{long}}}); err != nil {
		t.Fatal(err)
	}
	h := serve(t, s, &streamable.Options{Auth: new(authorizer)})
	full := "Authorization: Bearer ada " + long
	h.open("2025-11-25", full)
	primed := h.stream(h.request("POST", talkCall, full)).next()
	h.send(h.request("GET", "", full, "Last-Event-ID: "+eventID(primed))).want(t, 400, "…")
}

// air serves a handler in a bubble, where time is fake.
func air(t *testing.T, s *server.Server, opts *streamable.Options) *host {
	t.Helper()
	auth := &authorizer{start: time.Now()}
	opts.Auth = auth
	h := streamable.NewHandler(s, opts)
	t.Cleanup(func() { h.Shutdown(context.Background()) })
	return &host{t: t, h: h, http: &httptest.Server{URL: "http://127.0.0.1"}, client: &http.Client{Transport: testenv.Wireless{Handler: h}}}
}

// after reads the next event, which must come after that time.
func (r *eventReader) after(d time.Duration) string {
	r.t.Helper()
	began := time.Now()
	event := r.next()
	if took := time.Since(began); took != d {
		r.t.Errorf("event %s after %v, want %v", event, took, d)
	}
	return event
}

// Streams of a session end when the token does by which they were opened; the client comes back for the rest with a
// new one.
//
// REQ HTTP-05, SEC-10
func TestStreamsEndWithToken(t *testing.T) {
	for _, rev := range []string{"2025-03-26", "2025-06-18", "2025-11-25"} {
		for _, polling := range []bool{false, true} {
			synctest.Test(t, func(t *testing.T) {
				s := newServer(nil)
				tool(t, s, "slow", func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
					c.Progress().Report(1, 0, "one")
					time.Sleep(3 * time.Minute)
					c.Progress().Report(2, 0, "two")
					return server.TextResult("done"), ctx.Err()
				})
				tool(t, s, "quiet", func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
					time.Sleep(3 * time.Minute)
					return server.TextResult("quiet"), ctx.Err()
				})
				late := make(chan error, 1)
				tool(t, s, "late", func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
					time.Sleep(3 * time.Minute)
					late <- c.Notify(ctx, "notifications/late", nil)
					return server.TextResult("late"), nil
				})
				h := air(t, s, &streamable.Options{Polling: polling, KeepAlive: -1})
				h.open(rev, "Authorization: Bearer ada x 1")

				own := h.stream(h.request("GET", "", "Authorization: Bearer ada x 1"))
				first := ""
				if rev == "2025-11-25" {
					first = own.next()
				}
				if got := own.after(time.Minute); got != "retry: 1000" {
					t.Error(got)
				}
				own.want("end")
				h.send(h.request("GET", "", "Authorization: Bearer ada x 1")).want(t, 401, "…")
				if first != "" {
					h.stream(h.request("GET", "", "Authorization: Bearer ada x 2", "Last-Event-ID: "+eventID(first))).resp.Body.Close()
				}

				minutes := "2"
				call := func(id, name string) *http.Request {
					return h.request("POST", `{"jsonrpc":"2.0","id":`+id+`,"method":"tools/call","params":{"name":"`+name+`","_meta":{"progressToken":7}}}`, "Authorization: Bearer ada x "+minutes)
				}
				quiet := make(chan got, 1)
				go func() { quiet <- h.send(call("2", "quiet")) }()
				go h.send(call("4", "late"))
				r := h.stream(call("3", "slow"))
				one := r.next()
				if rev == "2025-11-25" {
					one = r.next()
				}
				if got := r.after(time.Minute); got != "retry: 1000" {
					t.Error(got)
				}
				r.want("end")
				r = h.stream(h.request("GET", "", "Authorization: Bearer ada x 3", "Last-Event-ID: "+eventID(one)))
				if got := r.after(time.Minute); got != "retry: 1000" {
					t.Error(got)
				}
				r.want("end")
				r = h.stream(h.request("GET", "", "Authorization: Bearer ada x 9", "Last-Event-ID: "+eventID(one)))
				if got := r.after(time.Minute); !strings.Contains(got, `"progress":2`) {
					t.Error(got)
				}
				if got := r.next(); !strings.Contains(got, `"text":"done"`) {
					t.Error(got)
				}
				r.want("end")
				if err := <-late; err != nil { // it is kept for the client, who comes back
					t.Error(err)
				}

				minutes = "5"
				r = h.stream(call("5", "slow"))
				if one = r.next(); rev == "2025-11-25" {
					one = r.next()
				}
				r = h.stream(h.request("GET", "", "Authorization: Bearer ada x 9", "Last-Event-ID: "+eventID(one))) // at once
				if got := r.after(3 * time.Minute); !strings.Contains(got, `"progress":2`) {
					t.Error(got)
				}
				if got := <-quiet; got.status != 200 || !strings.Contains(got.body, `"text":"quiet"`) || got.header.Get("Content-Type") != "application/json" {
					t.Errorf("a response that is no stream: %d %s", got.status, got.body)
				}
			})
		}
	}
}

// Without a session a stream that has begun ends with an error, and its handler's context with it; a response that has
// not begun is sent all the same. A subscription ends with its result.
//
// REQ HTTP-05
func TestModernStreamsEndWithToken(t *testing.T) {
	for _, stateless := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			s := newServer(nil)
			ended := make(chan time.Time, 1)
			late := make(chan error, 1)
			tool(t, s, "slow", func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
				c.Progress().Report(1, 0, "one")
				<-ctx.Done()
				ended <- time.Now()
				return server.TextResult("done"), nil
			})
			tool(t, s, "quiet", func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
				time.Sleep(3 * time.Minute)
				late <- c.Notify(ctx, "notifications/late", nil)
				return server.TextResult("quiet"), ctx.Err()
			})
			h := air(t, s, &streamable.Options{Stateless: stateless})
			call := func(id, name string) *http.Request {
				if stateless {
					return h.request("POST", `{"jsonrpc":"2.0","id":`+id+`,"method":"tools/call","params":{"name":"`+name+`","_meta":{"progressToken":7}}}`,
						"Authorization: Bearer ada x 1", "Mcp-Protocol-Version: 2025-11-25")
				}
				body := `{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"` + name + `",` + strings.Replace(modernMeta, "{", `{"progressToken":7,`, 1) + `}}`
				return h.request("POST", body, "Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: "+name, "Authorization: Bearer ada x 1")
			}
			quiet := make(chan got, 1)
			go func() { quiet <- h.send(call("2", "quiet")) }()
			began := time.Now()
			r := h.stream(call("1", "slow"))
			if got := r.next(); !strings.Contains(got, `"progress":1`) {
				t.Error(got)
			}
			r.want(`data: {"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"the authorization of the request has expired"}}`)
			r.want("end")
			if d := (<-ended).Sub(began); d != time.Minute {
				t.Errorf("the handler's context ended after %v, want 1m", d)
			}
			if got := <-quiet; got.status != 200 || !strings.Contains(got.body, `"text":"quiet"`) || got.header.Get("Content-Type") != "application/json" {
				t.Errorf("a response that is no stream: %d %s", got.status, got.body)
			}
			if err := <-late; err == nil || !strings.Contains(err.Error(), "has expired") {
				t.Errorf("a notification after the end of the token: %v", err)
			}
			if stateless {
				return
			}
			listen := h.stream(h.modernRequest("3", "subscriptions/listen", "", `"notifications":{}`, "Authorization: Bearer ada x 4"))
			listen.next()
			if got := listen.after(time.Minute); got != `data: {"jsonrpc":"2.0","id":3,"result":{"_meta":{"io.modelcontextprotocol/subscriptionId":3},"resultType":"complete"}}` {
				t.Error(got)
			}
			listen.want("end")
		})
	}
}

// A stream may end while the comment is about to be written that keeps it alive.
func TestStreamEndsWhenKeptAlive(t *testing.T) {
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			h := air(t, newServer(nil), &streamable.Options{KeepAlive: time.Minute})
			r := h.stream(h.modernRequest("1", "subscriptions/listen", "", `"notifications":{}`, "Authorization: Bearer ada x 1"))
			for r.next() != "end" {
			}
		})
	}
}

// Streams of all kinds end when the Authorizer no longer takes their token, even one that does not end by itself.
//
// REQ HTTP-05, SEC-10
func TestStreamsEndWithRevocation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newServer(nil)
		canceled := make(chan error, 1)
		tool(t, s, "slow", func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			c.Progress().Report(1, 0, "one")
			select {
			case <-ctx.Done():
				canceled <- context.Cause(ctx)
			case <-time.After(time.Hour):
			}
			return server.TextResult("done"), nil
		})
		opts := &streamable.Options{KeepAlive: -1, Retry: -1}
		h := air(t, s, opts)
		const ada = "Authorization: Bearer ada x"
		slow := `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"slow","_meta":{"progressToken":7}}}`
		modern := h.request("POST", `{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":"slow",`+strings.Replace(modernMeta, "{", `{"progressToken":7,`, 1)+`}}`,
			"Mcp-Protocol-Version: 2026-07-28", "Mcp-Method: tools/call", "Mcp-Name: slow", ada)
		listen := h.modernRequest("4", "subscriptions/listen", "", `"notifications":{}`, ada)
		h.open("2025-11-25", ada)
		streams := map[string]*eventReader{
			"a stream of the session":  h.stream(h.request("GET", "", ada)),
			"a call in the session":    h.stream(h.request("POST", slow, ada)),
			"a call without a session": h.stream(modern),
			"a subscription":           h.stream(listen),
		}
		began := time.Now()
		last := map[string]string{}
		var mu sync.Mutex
		var group sync.WaitGroup
		for name, r := range streams {
			group.Go(func() {
				for {
					event := r.next()
					if event == "end" {
						break
					}
					mu.Lock()
					last[name] = event
					mu.Unlock()
				}
				if took := time.Since(began); took != 3*time.Minute {
					t.Errorf("%s ended after %s", name, took)
				}
			})
		}
		time.Sleep(150 * time.Second)
		opts.Auth.(*authorizer).revoked.Store(true)
		group.Wait()
		if err := <-canceled; err == nil || !strings.Contains(err.Error(), "authorization") {
			t.Error(err)
		}
		for name, want := range map[string]string{"a call without a session": "has expired", "a subscription": `"resultType":"complete"`} {
			if !strings.Contains(last[name], want) {
				t.Errorf("%s ended with %s", name, last[name])
			}
		}
	})
}

// Whatever an Authorizer does, the request is refused.
//
// REQ AUTH-06, AUTH03-01
func TestAuthorizerFails(t *testing.T) {
	const failed = `{"jsonrpc":"2.0","error":{"code":-32603,"message":"the sender could not be verified"}}`
	for name, auth := range map[string]*authorizer{"": {}, "silent": {silent: true}, "broken": {broken: true}} {
		h := serve(t, scopedServer(t), &streamable.Options{Auth: auth, Logger: silent})
		for _, token := range []string{"panic", "unnamed", "nil"} {
			h.post(ping, "Authorization: Bearer "+token).want(t, 500, failed)
		}
		if auth.refused.Load() != 0 {
			t.Error("it refuses what it has not decided")
		}
		got := h.post(ping)
		got.want(t, 401, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"the request is not authorized"}}`)
		challenge := `Bearer error="invalid_token"`
		if name != "" {
			challenge = "Bearer"
		}
		if c := got.header.Get("WWW-Authenticate"); c != challenge {
			t.Errorf("%s: %s, want %s", name, c, challenge)
		}
		got = h.modern("1", "tools/call", "talk", `"name":"talk"`, "Authorization: Bearer ada tools")
		got.want(t, 403, "…")
		if c := got.header.Get("WWW-Authenticate"); c != `Bearer error="insufficient_scope", scope="tools tools-talk"` {
			t.Errorf("%s: %s", name, c)
		}
	}
}

// Without an Authorizer, senders are those that middleware has verified, by an identity or by name alone.
//
// REQ HTTP-05, AUTH11-14
func TestIdentityOfContext(t *testing.T) {
	s := scopedServer(t)
	inner := streamable.NewHandler(s, nil)
	h := serveMux(t, inner, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx := r.Context()
		switch r.Header.Get("User") {
		case "ada":
			ctx = transport.WithIdentity(ctx, &token{name: "ada", scopes: strings.Split(allScopes, ",")})
		case "eve":
			ctx = transport.WithIdentity(ctx, &token{name: "eve"})
		case "ada without scopes":
			ctx = transport.WithIdentity(ctx, &token{name: "ada"})
		}
		inner.ServeHTTP(w, r.WithContext(ctx))
	}))
	h.modern("1", "resources/read", "a:1", `"uri":"a:1"`, "User: ada").want(t, 200, "…")
	for _, user := range []string{"User: eve", "User:"} {
		got := h.modern("1", "resources/read", "a:1", `"uri":"a:1"`, user)
		got.want(t, 403, "…")
		if c := got.header.Get("WWW-Authenticate"); c != `Bearer error="insufficient_scope", scope="files files:1"` {
			t.Error(c)
		}
	}
	h.open("2025-11-25", "User: ada")
	r := h.stream(h.request("POST", talkCall, "User: ada"))
	primed := "Last-Event-ID: " + eventID(r.next())
	for r.next() != "end" {
	}
	h.send(h.request("GET", "", "User: ada without scopes", primed)).want(t, 403, `{"jsonrpc":"2.0","error":{"code":-32600,"message":"insufficient scope: the request requires tools, tools-talk; …`)
	h.send(h.request("GET", "", "User: ada", primed)).want(t, 200, "…")
	named := serve(t, s, principals())
	named.modern("1", "resources/read", "a:1", `"uri":"a:1"`, "Authorization: ada").want(t, 403, "…")
	named.modern("1", "tools/call", "open", `"name":"open"`, "Authorization: ada").want(t, 200, "…")
}
