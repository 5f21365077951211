package observe_test

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/cluster/shared"
	"github.com/mcpgen/mcpgen/cluster/store"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/observe"
	"github.com/mcpgen/mcpgen/runtime/observe/observeserver"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskclient"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/transport/sse"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var quiet = slog.New(slog.DiscardHandler)

var task = &mcp.ToolExecution{TaskSupport: mcp.ToolExecutionTaskSupportOptional}

// newServer returns a server with tools that succeed, fail, panic, ask for input, wait, and run as tasks.
func newServer(t testing.TB, by observe.Observer) *server.Server {
	s := server.New(mcp.Implementation{Name: "observed", Version: "1"}, observeserver.Options(by, &server.Options{Logger: quiet, Setup: []server.Setup{taskserver.Enable(&taskserver.Options{Watch: observeserver.Task(by)})}}))
	text := func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		return server.TextResult("done"), nil
	}
	for _, err := range []error{
		s.AddTool(mcp.Tool{Name: "ok"}, text),
		s.AddTool(mcp.Tool{Name: "fails"}, func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
			return nil, errors.New("no")
		}),
		s.AddTool(mcp.Tool{Name: "panics"}, func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
			panic("out of order")
		}),
		s.AddTool(mcp.Tool{Name: "asks"}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			_, err := c.WithKey("name").Elicit(ctx, &mcp.ElicitRequestFormParams{Message: "Who?", RequestedSchema: mcp.ElicitRequestFormParamsRequestedSchema{
				Properties: wire.Members[mcp.PrimitiveSchemaDefinition]{{Name: "name", Value: &mcp.StringSchema{}}},
			}})
			return server.TextResult("thanks"), err
		}),
		s.AddTool(mcp.Tool{Name: "waits"}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			c.Progress().Report(1, 2, "half")
			<-ctx.Done()
			return nil, context.Cause(ctx)
		}),
		s.AddTool(mcp.Tool{Name: "later", Execution: task}, func(ctx context.Context, _ *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			if ctx.Value(seenKey{}) != "task" {
				return nil, errors.New("the handler does not have the context of the task's observer")
			}
			return server.TextResult("at last"), nil
		}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// A link connects a client to a server over some transport.
type link struct {
	name       string
	http       bool
	sessionIDs bool
	revision   wire.Revision
	connect    func(t *testing.T, s *server.Server, by observe.Observer) transport.Transport
}

func links() (all []link) {
	overHTTP := func(o *streamable.Options) func(*testing.T, *server.Server, observe.Observer) transport.Transport {
		return func(t *testing.T, s *server.Server, by observe.Observer) transport.Transport {
			o := *o
			o.Logger, o.Observer = quiet, by
			h := streamable.NewHandler(s, &o)
			srv := httptest.NewServer(h)
			t.Cleanup(srv.Close)
			t.Cleanup(func() { h.Shutdown(context.Background()) })
			return httpclient.New(srv.URL, &httpclient.Options{Logger: quiet})
		}
	}
	pipes := func(t *testing.T, s *server.Server, _ observe.Observer) transport.Transport {
		clientIn, serverOut := io.Pipe()
		serverIn, clientOut := io.Pipe()
		served := make(chan struct{})
		go func() {
			defer close(served)
			s.Serve(context.WithoutCancel(t.Context()), stdio.New(serverIn, serverOut, nil))
		}()
		t.Cleanup(func() { <-served })
		return stdio.New(clientIn, clientOut, nil)
	}
	events := func(t *testing.T, s *server.Server, by observe.Observer) transport.Transport {
		srv := httptest.NewServer(sse.NewHandler(s, &streamable.Options{Logger: quiet, Observer: by}))
		t.Cleanup(srv.Close)
		return httpclient.New(srv.URL, &httpclient.Options{Logger: quiet})
	}
	return []link{
		{"stdio, session", false, false, mcp.V2025_11_25, pipes},
		{"stdio, modern", false, false, mcp.V2026_07_28, pipes},
		{"HTTP, session", true, true, mcp.V2025_11_25, overHTTP(&streamable.Options{})},
		{"HTTP, stateless", true, false, mcp.V2025_11_25, overHTTP(&streamable.Options{Stateless: true})},
		{"HTTP, modern", true, false, mcp.V2026_07_28, overHTTP(&streamable.Options{})},
		{"HTTP+SSE", true, true, mcp.V2024_11_05, events},
	}
}

// dial connects a client with an observer to a server with another.
func (l *link) dial(t *testing.T, far, near *record) *client.Client {
	t.Helper()
	c, err := client.Connect(t.Context(), l.connect(t, newServer(t, far), far), &client.Options{
		Revisions: []wire.Revision{l.revision}, Observer: near, Logger: quiet, Extensions: []client.Extension{taskclient.Enable(nil)},
		Elicit: elicit.Handler{Form: func(ctx context.Context, _ *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
			if ctx.Value(seenKey{}) != "request" {
				t.Error("the handler of elicitation does not have the observer's context")
			}
			return elicit.Accept(map[string]string{"name": "Ada"})
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// TestCalls is what observers of both sides see of calls, over each transport.
func TestCalls(t *testing.T) {
	for _, l := range links() {
		t.Run(l.name, func(t *testing.T) {
			far, near := newRecord(), newRecord()
			near.trace = observe.Trace{Parent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", State: "a=1", Baggage: "k=v"}
			c := l.dial(t, far, near)
			for _, tool := range []string{"ok", "fails", "panics", "none"} {
				c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: tool, Arguments: wire.Raw(`{}`)})
			}
			var none wire.Raw
			c.Call(t.Context(), &wire.Method{Name: "made/up"}, nil, &none)

			for _, want := range []string{
				"request ok tools/call ok", "request tool_error tools/call fails", "request -32603 tools/call panics",
				"request -32602 tools/call", "request -32601 _OTHER",
			} {
				o := far.wait(t, want)
				if o.Client || o.HTTP != l.http || o.ID.IsZero() || o.Revision != l.revision || o.Trace != near.trace ||
					(o.Session != "") != l.sessionIDs || o.Begun.IsZero() || (o.Address != "") != l.http {
					t.Errorf("the server's observer receives %+v", o)
				}
				if (o.ResultSize > 0) != (o.Err == nil) || o.ParamsSize == 0 {
					t.Errorf("%s has %d bytes, and its result %d", want, o.ParamsSize, o.ResultSize)
				}
			}
			for _, want := range []string{
				"sent request ok tools/call ok", "sent request tool_error tools/call fails", "sent request -32603 tools/call panics",
				"sent request -32602 tools/call none", "sent request -32601 made/up",
			} {
				o := near.wait(t, want)
				if !o.Client || o.HTTP != l.http || o.ID.IsZero() || o.Revision != l.revision || (o.Session != "") != l.sessionIDs {
					t.Errorf("the client's observer receives %+v", o)
				}
			}
			if a, b := far.wait(t, "request ok tools/call ok"), near.wait(t, "sent request ok tools/call ok"); a.ID != b.ID || a.Session != b.Session {
				t.Errorf("the server sees request %s of session %q, and the client %s of %q", a.ID, a.Session, b.ID, b.Session)
			}
			c.Close()
			near.balanced(t)
		})
	}
}

// TestAsking is what observers see of a request for input: until 2025-11-25 it is a request of the server, after that
// a part of a result, which only the client handles as a request.
func TestAsking(t *testing.T) {
	for _, l := range links() {
		if l.name == "HTTP, stateless" || l.revision < mcp.V2025_06_18 {
			continue // there is nobody to ask
		}
		t.Run(l.name, func(t *testing.T) {
			far, near := newRecord(), newRecord()
			far.trace = observe.Trace{Parent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00"}
			c := l.dial(t, far, near)
			if r, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "asks"}); err != nil || r.GetIsError() {
				t.Fatal(r, err)
			}
			o := near.wait(t, "request ok elicitation/create")
			if o.Outgoing || !o.Client || o.HTTP != l.http {
				t.Errorf("the client's observer receives %+v", o)
			}
			if l.revision >= mcp.V2026_07_28 {
				return
			}
			if o.Trace != far.trace || o.ID.IsZero() {
				t.Errorf("the request has the trace context %+v", o.Trace)
			}
			if o := far.wait(t, "sent request ok elicitation/create"); o.Client || o.Revision != l.revision || (o.Session != "") != l.sessionIDs {
				t.Errorf("the server's observer receives %+v", o)
			}
		})
	}
}

// TestCancelled cancels a call at work.
func TestCancelled(t *testing.T) {
	for _, l := range links() {
		if l.name == "HTTP, stateless" {
			continue // what a client cancels is another HTTP request, which does not know this one
		}
		t.Run(l.name, func(t *testing.T) {
			far, near := newRecord(), newRecord()
			c := l.dial(t, far, near)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			done := make(chan error, 1)
			go func() {
				_, err := c.CallTool(client.WithProgress(ctx, func(*mcp.ProgressNotificationParams) {}), &mcp.CallToolRequestParams{Name: "waits"})
				done <- err
			}()
			far.wait(t, "sent notification ok notifications/progress")
			cancel()
			if err := <-done; !errors.Is(err, context.Canceled) {
				t.Fatal(err)
			}
			near.wait(t, "sent request cancelled tools/call waits")
			far.wait(t, "request cancelled tools/call waits")
		})
	}
}

// TestSessions is what observers see of sessions and streams.
func TestSessions(t *testing.T) {
	for _, l := range links() {
		t.Run(l.name, func(t *testing.T) {
			far, near := newRecord(), newRecord()
			c := l.dial(t, far, near)
			c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "ok"})
			if l.revision >= mcp.V2026_07_28 {
				sub, err := c.Subscribe(t.Context(), mcp.SubscriptionFilter{ToolsListChanged: new(true)})
				if err != nil {
					t.Fatal(err)
				}
				sub.Close()
				near.wait(t, "sent request ok subscriptions/listen")
				if far.wait(t, "request ok subscriptions/listen"); l.http {
					far.wait(t, "stream ok subscriptions/listen")
				}
				c.Close()
				if all := append(far.all(), near.all()...); slices.ContainsFunc(all, func(s string) bool { return strings.HasPrefix(s, "session") }) {
					t.Errorf("there are sessions since 2026-07-28: %q", all)
				}
				return
			}
			c.Close()
			if o := near.wait(t, "session ok"); !o.Client || o.Revision != l.revision || o.HTTP != l.http || (o.Session != "") != l.sessionIDs {
				t.Errorf("the client's observer receives %+v", o)
			}
			if l.name == "HTTP, stateless" {
				return
			}
			if o := far.wait(t, "session ok"); o.Client || o.Revision != l.revision || o.HTTP != l.http || (o.Session != "") != l.sessionIDs {
				t.Errorf("the server's observer receives %+v", o)
			}
			if l.http {
				far.wait(t, "stream ok")
			}
			far.balanced(t)
		})
	}
}

// TestTasks is what the observer of a server sees of tasks.
func TestTasks(t *testing.T) {
	for _, l := range links() {
		if l.revision < mcp.V2025_11_25 || l.name == "HTTP, stateless" {
			continue
		}
		t.Run(l.name, func(t *testing.T) {
			t.Parallel() // clients wait a second for the result
			far, near := newRecord(), newRecord()
			c := l.dial(t, far, near)
			task, err := taskclient.Start(t.Context(), c, &mcp.CallToolRequestParams{Name: "later"})
			if err != nil {
				t.Fatal(err)
			}
			r, err := task.Result(t.Context())
			if err != nil || mcptest.Text(r) != "at last" {
				t.Fatal(r, err)
			}
			o := far.wait(t, "task ok tools/call later")
			if o.Task == "" || o.Task != task.ID() || o.Revision != l.revision || o.HTTP != l.http {
				t.Errorf("the observer receives %+v", o)
			}
		})
	}
}

// TestTaskEnds ends tasks in other ways than by a result.
func TestTaskEnds(t *testing.T) {
	far := newRecord()
	s := newServer(t, far)
	add := func(name string, h server.ToolHandler) {
		if err := s.AddTool(mcp.Tool{Name: name, Execution: task}, h); err != nil {
			t.Fatal(err)
		}
	}
	add("task waits", func(ctx context.Context, _ *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	})
	add("task fails", func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		return nil, errors.New("no")
	})
	add("task panics", func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) { panic("no") })
	c := mcptest.Connect(t, s, &mcptest.Options{Client: client.Options{Extensions: []client.Extension{taskclient.Enable(nil)}}})
	task, err := taskclient.Start(t.Context(), c.Client, &mcp.CallToolRequestParams{Name: "task waits"})
	if err != nil {
		t.Fatal(err)
	}
	if err := task.Cancel(t.Context()); err != nil {
		t.Fatal(err)
	}
	far.wait(t, "task cancelled tools/call task waits")
	for tool, want := range map[string]string{
		"task fails": "task tool_error tools/call task fails", "task panics": "task -32603 tools/call task panics",
	} {
		if _, err := taskclient.Start(t.Context(), c.Client, &mcp.CallToolRequestParams{Name: tool}); err != nil {
			t.Fatal(err)
		}
		far.wait(t, want)
	}
}

// A fullStore has no room.
type fullStore struct{ store.Memory }

func (s *fullStore) Put(ctx context.Context, key string, value []byte, revision uint64, ttl time.Duration) (uint64, error) {
	if strings.HasPrefix(key, "task.") {
		return 0, errors.New("full")
	}
	return s.Memory.Put(ctx, key, value, revision, ttl)
}

// TestTaskNotStarted has a task fail before it begins.
func TestTaskNotStarted(t *testing.T) {
	far := newRecord()
	m, err := store.Join(t.Context(), new(fullStore), nil)
	if err != nil {
		t.Fatal(err)
	}
	s := server.New(mcp.Implementation{Name: "t", Version: "1"}, observeserver.Options(far, &server.Options{Logger: quiet, Setup: []server.Setup{taskserver.Enable(&taskserver.Options{Store: shared.NewTasks(m), Watch: observeserver.Task(far)})}}))
	t.Cleanup(func() {
		s.Shutdown(context.Background())
		m.Leave(context.Background())
	})
	s.AddTool(mcp.Tool{Name: "later", Execution: task}, func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		return nil, nil
	})
	c := mcptest.Connect(t, s, &mcptest.Options{Client: client.Options{Extensions: []client.Extension{taskclient.Enable(nil)}}})
	if _, err := taskclient.Start(t.Context(), c.Client, &mcp.CallToolRequestParams{Name: "later"}); err == nil {
		t.Fatal("the task has begun")
	}
	far.wait(t, "task -32603 tools/call later")
	far.wait(t, "request -32603 tools/call later")
}

// TestRefused is what the observer sees of requests that no handler sees.
func TestRefused(t *testing.T) {
	far := newRecord()
	s := newServer(t, far)
	if err := s.Add(server.Item{Definition: &mcp.Tool{Name: "scoped"}, Handler: server.ToolHandler(func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		return nil, nil
	}), Access: server.Access{Scopes: []string{"write"}}}); err != nil {
		t.Fatal(err)
	}
	meta := wire.Raw(`{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}`)
	id := mcptest.As("ada", "read")
	for _, r := range []*transport.Request{
		{ID: wire.IntID(1), Method: "tools/call", Params: wire.Raw(`{"name":"ok"}`)}, // names no revision
		{ID: wire.IntID(2), Method: "tools/call", Params: wire.Raw(`{"name":"scoped"}`), Meta: meta, Origin: transport.Origin{Identity: id}},
	} {
		if _, err := server.NewEndpoint(s).ServeRequest(t.Context(), r); err == nil {
			t.Error("the request was not refused")
		}
	}
	far.wait(t, "request -32602 tools/call ok")
	far.wait(t, "request -32600 tools/call scoped ada")
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	server.NewEndpoint(s).ServeRequest(t.Context(), &transport.Request{ID: wire.IntID(3), Method: "tools/list", Meta: meta})
	far.wait(t, "request -32603 tools/list")
}

// TestHeaders: the trace context is that of HTTP headers if the metadata has none.
func TestHeaders(t *testing.T) {
	far := newRecord()
	s := newServer(t, far)
	h := http.Header{"Traceparent": {"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"}, "Tracestate": {"a=1"}, "Baggage": {"k=v"}}
	server.NewEndpoint(s).ServeRequest(t.Context(), &transport.Request{ID: wire.IntID(1), Method: "tools/list", Origin: transport.Origin{Header: h}})
	want := observe.Trace{Parent: h.Get("Traceparent"), State: "a=1", Baggage: "k=v"}
	if o := far.wait(t, "request"); o.Trace != want {
		t.Errorf("got %+v", o.Trace)
	}
	server.NewEndpoint(s).ServeRequest(t.Context(), &transport.Request{
		ID: wire.IntID(2), Method: "ping", Meta: wire.Raw(`{"traceparent":"own","tracestate":7}`), Origin: transport.Origin{Header: h}})
	if o := far.wait(t, "request ok ping"); o.Trace != (observe.Trace{Parent: "own"}) {
		t.Errorf("got %+v", o.Trace)
	}
}

// TestSentHeaders: a client repeats the trace context in the headers of its HTTP requests.
func TestSentHeaders(t *testing.T) {
	for _, rev := range []wire.Revision{mcp.V2025_11_25, mcp.V2026_07_28} {
		near := newRecord()
		near.trace = observe.Trace{Parent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", State: "a=1", Baggage: "k=v"}
		h := streamable.NewHandler(newServer(t, nil), &streamable.Options{Logger: quiet})
		var posts, with int
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodPost {
				posts++
				if r.Header.Get("Traceparent") == near.trace.Parent && r.Header.Get("Tracestate") == "a=1" && r.Header.Get("Baggage") == "k=v" {
					with++
				}
			}
			h.ServeHTTP(w, r)
		}))
		defer srv.Close()
		c, err := client.Connect(t.Context(), httpclient.New(srv.URL, nil), &client.Options{Revisions: []wire.Revision{rev}, Observer: near, Logger: quiet})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "ok"}); err != nil {
			t.Error(err)
		}
		c.Close()
		h.Shutdown(t.Context())
		if posts < 2 || with != posts {
			t.Errorf("%s: %d of %d POSTs have the trace context", rev, with, posts)
		}
	}
}

// TestRenewed: a session that the server has ended is followed by another.
func TestRenewed(t *testing.T) {
	near := newRecord()
	s := newServer(t, nil)
	h := streamable.NewHandler(s, &streamable.Options{Logger: quiet})
	var current http.Handler = h
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { current.ServeHTTP(w, r) }))
	defer srv.Close()
	c, err := client.Connect(t.Context(), httpclient.New(srv.URL, nil), &client.Options{
		Revisions: []wire.Revision{mcp.V2025_11_25}, Observer: near, Logger: quiet})
	if err != nil {
		t.Fatal(err)
	}
	h.Shutdown(t.Context())
	again := streamable.NewHandler(s, &streamable.Options{Logger: quiet})
	current = again
	if _, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "ok"}); err != nil {
		t.Fatal(err)
	}
	if o := near.wait(t, "session"); !errors.Is(o.Err, transport.ErrSessionExpired) {
		t.Errorf("the first session ended with %v", o.Err)
	}
	c.Close()
	near.wait(t, "session ok")
	near.balanced(t)
	again.Shutdown(t.Context())
}

// TestObservers: several observers are around each other, in their order.
func TestObservers(t *testing.T) {
	var order []string
	named := func(name string) observe.Observer {
		return observerFunc(func(ctx context.Context, o *observe.Operation) (context.Context, func()) {
			order = append(order, name+" begins")
			return ctx, func() { order = append(order, name+" ends") }
		})
	}
	silent := observerFunc(func(ctx context.Context, _ *observe.Operation) (context.Context, func()) { return ctx, nil })
	s := newServer(t, observe.Observers{named("a"), silent, named("b")})
	server.NewEndpoint(s).ServeRequest(t.Context(), &transport.Request{ID: wire.IntID(1), Method: "ping"})
	if want := []string{"a begins", "b begins", "b ends", "a ends"}; !slices.Equal(order, want) {
		t.Errorf("got %q", order)
	}
}

type observerFunc func(context.Context, *observe.Operation) (context.Context, func())

func (f observerFunc) Observe(ctx context.Context, o *observe.Operation) (context.Context, func()) {
	return f(ctx, o)
}

// TestOutcome names the ways in which operations end.
func TestOutcome(t *testing.T) {
	deadline, cancel := context.WithDeadline(context.Background(), time.Time{})
	defer cancel()
	for _, c := range []struct {
		o    observe.Operation
		want string
	}{
		{observe.Operation{}, "ok"},
		{observe.Operation{ToolError: true}, "tool_error"},
		{observe.Operation{Err: &transport.ScopeError{}}, "-32600"},
		{observe.Operation{Err: deadline.Err()}, "timeout"},
		{observe.Operation{Err: context.Canceled}, "cancelled"},
		{observe.Operation{Err: io.EOF}, "_OTHER"},
	} {
		if got := c.o.Outcome(); got != c.want {
			t.Errorf("%v is %q, want %q", c.o.Err, got, c.want)
		}
	}
}
