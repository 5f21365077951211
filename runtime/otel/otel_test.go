package otel_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/observe/observeserver"
	"github.com/mcpgen/mcpgen/runtime/otel"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskclient"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/httpclient"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/baggage"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/metric"
	sdkmetric "go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
)

var quiet = slog.New(slog.DiscardHandler)

// A sdk is OpenTelemetry, all in memory.
type sdk struct {
	t        testing.TB
	spans    *tracetest.InMemoryExporter
	provider *sdktrace.TracerProvider
	reader   *sdkmetric.ManualReader
	meter    metric.Meter // for benchmarks
	observer *otel.Observer
}

func newSDK(t testing.TB, o otel.Options) *sdk {
	s := &sdk{t: t, spans: tracetest.NewInMemoryExporter(), reader: sdkmetric.NewManualReader()}
	s.provider = sdktrace.NewTracerProvider(sdktrace.WithSyncer(s.spans))
	o.TracerProvider, o.MeterProvider = s.provider, sdkmetric.NewMeterProvider(sdkmetric.WithReader(s.reader))
	var err error
	if s.observer, err = otel.New(&o); err != nil {
		t.Fatal(err)
	}
	return s
}

// named returns the spans of a name and a kind that have ended, the first of them first.
func (s *sdk) named(kind trace.SpanKind, name string) (found []tracetest.SpanStub) {
	for _, span := range s.spans.GetSpans() {
		if span.Name == name && span.SpanKind == kind {
			found = append(found, span)
		}
	}
	return found
}

// one returns the only span of a name and a kind.
func (s *sdk) one(kind trace.SpanKind, name string) tracetest.SpanStub {
	s.t.Helper()
	found := s.named(kind, name)
	if len(found) != 1 {
		var all []string
		for _, span := range s.spans.GetSpans() {
			all = append(all, fmt.Sprint(span.SpanKind, " ", span.Name))
		}
		s.t.Fatalf("there are %d spans %q of kind %s, want 1; there are %q", len(found), name, kind, all)
	}
	return found[0]
}

// histograms returns the data points of a histogram.
func (s *sdk) histogram(name string) []metricdata.HistogramDataPoint[float64] {
	s.t.Helper()
	var data metricdata.ResourceMetrics
	if err := s.reader.Collect(context.Background(), &data); err != nil {
		s.t.Fatal(err)
	}
	for _, scope := range data.ScopeMetrics {
		for _, m := range scope.Metrics {
			if m.Name == name {
				if m.Unit != "s" {
					s.t.Errorf("%s is in %q", name, m.Unit)
				}
				return m.Data.(metricdata.Histogram[float64]).DataPoints
			}
		}
	}
	return nil
}

// attributes lists attributes as text, but for those that differ from one run to the next.
func attributes(list []attribute.KeyValue) string {
	var all []string
	for _, kv := range list {
		switch kv.Key {
		case "client.port", "mcp.session.id", "jsonrpc.request.id", "mcpgen.task.id":
			all = append(all, string(kv.Key))
		default:
			all = append(all, fmt.Sprint(kv.Key, "=", kv.Value.AsString()))
		}
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

// A handler is that of a tool.
type handler = server.ToolHandler

func newServer(t testing.TB, s *sdk, tools map[string]handler) *server.Server {
	var tasks taskserver.Options
	o := &server.Options{Logger: quiet, Setup: []server.Setup{taskserver.Enable(&tasks)}}
	if s != nil {
		tasks.Watch = observeserver.Task(s.observer)
		o = observeserver.Options(s.observer, o)
	}
	srv := server.New(mcp.Implementation{Name: "observed", Version: "1"}, o)
	for name, h := range tools {
		if err := srv.AddTool(mcp.Tool{Name: name}, h); err != nil {
			t.Fatal(err)
		}
	}
	return srv
}

func says(text string) handler {
	return func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		return server.TextResult(text), nil
	}
}

// overHTTP connects a client to a server over HTTP.
func overHTTP(t testing.TB, s *server.Server, o *streamable.Options, with func(http.Handler) http.Handler) transport.Transport {
	o.Logger = quiet
	h := streamable.NewHandler(s, o)
	var outer http.Handler = h
	if with != nil {
		outer = with(h)
	}
	srv := httptest.NewServer(outer)
	t.Cleanup(srv.Close)
	t.Cleanup(func() { h.Shutdown(context.Background()) })
	return httpclient.New(srv.URL, &httpclient.Options{Logger: quiet})
}

// overPipes connects a client to a server as standard input and output do.
func overPipes(t testing.TB, s *server.Server) transport.Transport {
	clientIn, serverOut := io.Pipe()
	serverIn, clientOut := io.Pipe()
	served := make(chan struct{})
	go func() {
		defer close(served)
		s.Serve(context.Background(), stdio.New(serverIn, serverOut, nil))
	}()
	t.Cleanup(func() { <-served })
	return stdio.New(clientIn, clientOut, nil)
}

func connect(t testing.TB, tr transport.Transport, o *client.Options) *client.Client {
	o.Logger = quiet
	c, err := client.Connect(context.Background(), tr, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// TestOneTrace: a call goes from a client over HTTP to a proxy, which is a server and a client itself, and from there
// over pipes to a server. All of it is one trace.
func TestOneTrace(t *testing.T) {
	for _, c := range []struct {
		name string
		rev  wire.Revision
		opts streamable.Options
	}{
		{"session", mcp.V2025_11_25, streamable.Options{}},
		{"stateless", mcp.V2025_11_25, streamable.Options{Stateless: true}},
		{"modern", mcp.V2026_07_28, streamable.Options{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newSDK(t, otel.Options{})
			opts := client.Options{Observer: s.observer, Revisions: []wire.Revision{c.rev}}
			var got string // baggage
			behind := newServer(t, s, map[string]handler{"add": func(ctx context.Context, _ *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
				got = baggage.FromContext(ctx).String()
				_, inner := s.provider.Tracer("test").Start(ctx, "inner")
				inner.End()
				return server.TextResult("3"), nil
			}})
			backend := connect(t, overPipes(t, behind), new(opts))
			proxy := newServer(t, s, map[string]handler{"sum": func(ctx context.Context, _ *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
				return backend.CallTool(ctx, &mcp.CallToolRequestParams{Name: "add", Arguments: args})
			}})
			front := connect(t, overHTTP(t, proxy, &c.opts, nil), new(opts))
			s.spans.Reset()

			ctx, user := s.provider.Tracer("test").Start(t.Context(), "user")
			member, _ := baggage.NewMember("tenant", "7")
			bag, _ := baggage.New(member)
			if r, err := front.CallTool(baggage.ContextWithBaggage(ctx, bag), &mcp.CallToolRequestParams{Name: "sum"}); err != nil || mcptest.Text(r) != "3" {
				t.Fatal(r, err)
			}
			user.End()
			if got != "tenant=7" {
				t.Errorf("the baggage is %q", got)
			}

			session := ""
			if c.name == "session" {
				session = " mcp.session.id"
			}
			rev := "mcp.protocol.version=" + c.rev.String()
			parent := s.one(trace.SpanKindInternal, "user")
			for _, want := range []struct {
				kind             trace.SpanKind
				name, attributes string
			}{
				{trace.SpanKindClient, "tools/call sum", "gen_ai.operation.name=execute_tool gen_ai.tool.name=sum jsonrpc.request.id mcp.method.name=tools/call " + rev + session + " network.protocol.name=http network.transport=tcp"},
				{trace.SpanKindServer, "tools/call sum", "client.address=127.0.0.1 client.port gen_ai.operation.name=execute_tool gen_ai.tool.name=sum jsonrpc.request.id mcp.method.name=tools/call " + rev + session + " network.protocol.name=http network.transport=tcp"},
				{trace.SpanKindClient, "tools/call add", "gen_ai.operation.name=execute_tool gen_ai.tool.name=add jsonrpc.request.id mcp.method.name=tools/call " + rev + " network.transport=pipe"},
				{trace.SpanKindServer, "tools/call add", "gen_ai.operation.name=execute_tool gen_ai.tool.name=add jsonrpc.request.id mcp.method.name=tools/call " + rev + " network.transport=pipe"},
				{trace.SpanKindInternal, "inner", ""},
			} {
				span := s.one(want.kind, want.name)
				if span.Parent.SpanID() != parent.SpanContext.SpanID() || span.SpanContext.TraceID() != parent.SpanContext.TraceID() {
					t.Errorf("the parent of %s %s is not %s", span.SpanKind, span.Name, parent.Name)
				}
				if got := attributes(span.Attributes); got != want.attributes {
					t.Errorf("%s %s has\n%s, want\n%s", span.SpanKind, span.Name, got, want.attributes)
				}
				if span.Status.Code != codes.Unset {
					t.Errorf("%s has the status %v", span.Name, span.Status)
				}
				parent = span
			}
			for name, spans := range map[string][]string{
				"mcp.client.operation.duration": {"tools/call sum", "tools/call add"},
				"mcp.server.operation.duration": {"tools/call sum", "tools/call add"},
			} {
				points := s.histogram(name)
				for _, span := range spans {
					checkPoint(t, s, name, points, span)
				}
			}
		})
	}
}

// checkPoint checks the data point of the calls of a tool, and that its exemplar leads to the span.
func checkPoint(t *testing.T, s *sdk, name string, points []metricdata.HistogramDataPoint[float64], call string) {
	t.Helper()
	_, tool, _ := strings.Cut(call, " ")
	kind := trace.SpanKindServer
	if strings.Contains(name, "client") {
		kind = trace.SpanKindClient
	}
	for _, p := range points {
		if v, _ := p.Attributes.Value("gen_ai.tool.name"); v.AsString() != tool {
			continue
		}
		list := attributes(p.Attributes.ToSlice())
		if p.Count != 1 || p.Sum <= 0 || !strings.Contains(list, "mcp.method.name=tools/call") || strings.Contains(list, "session") ||
			!strings.Contains(list, "network.transport=") || !slices.Equal(p.Bounds[:3], []float64{0.01, 0.02, 0.05}) {
			t.Errorf("%s of %s is %+v with %s", name, tool, p, list)
		}
		span := s.one(kind, call).SpanContext.SpanID()
		if len(p.Exemplars) != 1 || string(p.Exemplars[0].SpanID) != string(span[:]) {
			t.Errorf("%s of %s has the exemplars %+v", name, tool, p.Exemplars)
		}
		return
	}
	t.Errorf("%s has nothing about %s", name, tool)
}

// TestErrors is what spans say of calls that fail.
func TestErrors(t *testing.T) {
	s := newSDK(t, otel.Options{})
	started := make(chan struct{})
	srv := newServer(t, s, map[string]handler{
		"fails": func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
			return nil, errors.New("no")
		},
		"panics": func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) { panic("secret") },
		"refuses": func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
			return nil, &jsonrpc.Error{Code: -32042, Message: "not today"}
		},
		"waits": func(ctx context.Context, _ *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			close(started)
			<-ctx.Done()
			return nil, ctx.Err()
		},
	})
	// The server is observed when the connection has ended: what is cancelled may end after the call.
	t.Run("calls", func(t *testing.T) {
		c := mcptest.Connect(t, srv, &mcptest.Options{Revision: mcp.V2025_11_25})
		for _, tool := range []string{"fails", "panics", "refuses", "made up"} {
			c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: tool})
		}
		c.Call(t.Context(), &wire.Method{Name: "made/up"}, nil, new(wire.Raw))
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-started; cancel() }()
		c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "waits"})
	})
	for _, want := range []struct{ name, errorType, status, description string }{
		{"tools/call fails", "tool_error", "", ""},
		{"tools/call panics", "-32603", "-32603", "internal error"},
		{"tools/call refuses", "-32042", "-32042", "not today"},
		{"tools/call", "-32602", "-32602", `unknown tool "made up"`},
		{"_OTHER", "-32601", "-32601", `method "made/up" not found`},
		{"tools/call waits", "cancelled", "", "cancelled by the other side"},
	} {
		span := s.one(trace.SpanKindServer, want.name)
		values := map[attribute.Key]string{}
		for _, kv := range span.Attributes {
			values[kv.Key] = kv.Value.AsString()
		}
		if values["error.type"] != want.errorType || values["rpc.response.status_code"] != want.status {
			t.Errorf("%s has %s", want.name, attributes(span.Attributes))
		}
		if span.Status.Code != codes.Error || !strings.HasPrefix(span.Status.Description, want.description) {
			t.Errorf("%s has the status %+v", want.name, span.Status)
		}
	}
	sessions := s.histogram("mcp.server.session.duration")
	if len(sessions) != 1 || sessions[0].Count != 1 || attributes(sessions[0].Attributes.ToSlice()) != "mcp.protocol.version=2025-11-25 network.transport=pipe" {
		t.Errorf("sessions are %+v", sessions)
	}
}

// TestBothWays: a request for input belongs to the call in which the server sends it, and the client handles it in the
// same trace.
func TestBothWays(t *testing.T) {
	s := newSDK(t, otel.Options{})
	srv := newServer(t, s, map[string]handler{"asks": func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		_, err := c.ListRoots(ctx)
		return server.TextResult("thanks"), err
	}})
	c := mcptest.Connect(t, srv, &mcptest.Options{Revision: mcp.V2025_11_25, Client: client.Options{Observer: s.observer, Roots: []mcp.Root{}}})
	c.CallText("asks", nil)
	call := s.one(trace.SpanKindServer, "tools/call asks")
	sent := s.one(trace.SpanKindClient, "roots/list")
	handled := s.one(trace.SpanKindServer, "roots/list")
	if sent.Parent.SpanID() != call.SpanContext.SpanID() || handled.Parent.SpanID() != sent.SpanContext.SpanID() {
		t.Error("the request is not in the trace of the call")
	}
	if got := len(s.histogram("mcp.client.operation.duration")); got < 2 {
		t.Errorf("there are %d data points of what is sent", got)
	}
}

// TestTask: a task has a trace of its own, with a link to the request that created it.
func TestTask(t *testing.T) {
	for _, rev := range []wire.Revision{mcp.V2025_11_25, mcp.V2026_07_28} {
		s := newSDK(t, otel.Options{})
		srv := newServer(t, s, nil)
		srv.AddTool(mcp.Tool{Name: "later", Execution: &mcp.ToolExecution{TaskSupport: mcp.ToolExecutionTaskSupportOptional}},
			func(ctx context.Context, _ *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
				_, span := s.provider.Tracer("test").Start(ctx, "inner")
				span.End()
				return server.TextResult("at last"), nil
			})
		c := mcptest.Connect(t, srv, &mcptest.Options{Revision: rev, Client: client.Options{Extensions: []client.Extension{taskclient.Enable(nil)}}})
		task, err := taskclient.Start(t.Context(), c.Client, &mcp.CallToolRequestParams{Name: "later"})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := task.Result(t.Context()); err != nil {
			t.Fatal(err)
		}
		call, span, inner := s.one(trace.SpanKindServer, "tools/call later"), s.one(trace.SpanKindInternal, "task later"), s.one(trace.SpanKindInternal, "inner")
		if span.Parent.IsValid() || span.SpanContext.TraceID() == call.SpanContext.TraceID() ||
			len(span.Links) != 1 || span.Links[0].SpanContext.SpanID() != call.SpanContext.SpanID() {
			t.Errorf("the task is %+v", span)
		}
		if inner.Parent.SpanID() != span.SpanContext.SpanID() {
			t.Error("what the handler does is not a part of the task")
		}
		if got := attributes(span.Attributes); !strings.Contains(got, "gen_ai.tool.name=later") || !strings.Contains(got, "mcpgen.task.id") {
			t.Errorf("the task has %s", got)
		}
	}
}

// TestAround: the span of a request that came with a trace context has a link to the span of its HTTP request.
func TestAround(t *testing.T) {
	s := newSDK(t, otel.Options{})
	srv := newServer(t, s, map[string]handler{"ok": says("done")})
	var mu sync.Mutex
	var all []trace.SpanID // of the HTTP requests
	traced := func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			ctx, span := s.provider.Tracer("test").Start(r.Context(), "HTTP")
			defer span.End()
			mu.Lock()
			all = append(all, span.SpanContext().SpanID())
			mu.Unlock()
			next.ServeHTTP(w, r.WithContext(ctx))
		})
	}
	for _, observed := range []bool{true, false} {
		s.spans.Reset()
		o := &client.Options{Revisions: []wire.Revision{mcp.V2026_07_28}}
		if observed {
			o.Observer = s.observer
		}
		c := connect(t, overHTTP(t, srv, &streamable.Options{}, traced), o)
		if _, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "ok"}); err != nil {
			t.Fatal(err)
		}
		c.Close()
		span := s.one(trace.SpanKindServer, "tools/call ok")
		around := func(id trace.SpanID) bool {
			mu.Lock()
			defer mu.Unlock()
			return slices.Contains(all, id)
		}
		switch {
		case observed && (len(span.Links) != 1 || !around(span.Links[0].SpanContext.SpanID())):
			t.Errorf("the links are %+v", span.Links)
		case !observed && (len(span.Links) != 0 || !around(span.Parent.SpanID())):
			t.Errorf("without a trace context of the client, the parent is %s and the links are %+v", span.Parent.SpanID(), span.Links)
		}
	}
}

// TestStream: a subscription is a request and, over HTTP, a stream.
func TestStream(t *testing.T) {
	s := newSDK(t, otel.Options{})
	srv := newServer(t, s, map[string]handler{"ok": says("done")})
	tr := overHTTP(t, srv, &streamable.Options{}, nil)
	c := connect(t, tr, &client.Options{Revisions: []wire.Revision{mcp.V2026_07_28}})
	sub, err := c.Subscribe(t.Context(), mcp.SubscriptionFilter{ToolsListChanged: new(true)})
	if err != nil {
		t.Fatal(err)
	}
	sub.Close()
	c.Close()
	if err := srv.Shutdown(t.Context()); err != nil { // waits for the request, whose stream ends after it
		t.Fatal(err)
	}
	if span := s.one(trace.SpanKindServer, "subscriptions/listen"); span.Status.Code != codes.Unset {
		t.Errorf("the subscription has the status %+v", span.Status)
	}
}

// TestResourceNames: the URI of a resource is an attribute, and a part of the span's name if that is wanted.
func TestResourceNames(t *testing.T) {
	for _, names := range []bool{false, true} {
		s := newSDK(t, otel.Options{ResourceNames: names})
		srv := newServer(t, s, nil)
		srv.AddResource(mcp.Resource{URI: "notes://1", Name: "1"}, func(context.Context, *server.Call, string) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{}, nil
		})
		c := mcptest.Connect(t, srv, nil)
		if _, err := c.ReadResource(t.Context(), &mcp.ReadResourceRequestParams{URI: "notes://1"}); err != nil {
			t.Fatal(err)
		}
		name := "resources/read"
		if names {
			name += " notes://1"
		}
		if span := s.one(trace.SpanKindServer, name); !strings.Contains(attributes(span.Attributes), "mcp.resource.uri=notes://1") {
			t.Errorf("the span has %s", attributes(span.Attributes))
		}
	}
}

// TestMadeUp: metrics and caches do not grow with what clients make up.
func TestMadeUp(t *testing.T) {
	s := newSDK(t, otel.Options{})
	srv := newServer(t, s, nil)
	for i := range 100 {
		for _, r := range []*transport.Request{
			{ID: wire.IntID(1), Method: fmt.Sprint("made/up", i)},
			{ID: wire.IntID(1), Method: "tools/call", Params: wire.Raw(fmt.Sprintf(`{"name":"t%d"}`, i))},
			{Method: fmt.Sprint("notifications/made/up", i)},
		} {
			r.Revision = mcp.V2025_11_25
			if r.ID.IsZero() {
				server.NewEndpoint(srv).ServeNotification(t.Context(), r)
			} else {
				server.NewEndpoint(srv).ServeRequest(t.Context(), r)
			}
		}
	}
	if points := s.histogram("mcp.server.operation.duration"); len(points) != 3 {
		t.Errorf("there are %d time series, want 3", len(points))
	}
}

// codes returns how often each error type and status code of a method was recorded.
func (s *sdk) codes(histogram, method string) map[string]int {
	s.t.Helper()
	codes := map[string]int{}
	for _, p := range s.histogram(histogram) {
		if of, _ := p.Attributes.Value("mcp.method.name"); of.AsString() != method {
			continue
		}
		kind, _ := p.Attributes.Value("error.type")
		status, _ := p.Attributes.Value("rpc.response.status_code")
		codes[kind.AsString()+" "+status.AsString()] += int(p.Count)
	}
	return codes
}

// TestMadeUpCodes: metrics do not grow with the error codes that clients make up in responses. Spans have them.
func TestMadeUpCodes(t *testing.T) {
	s := newSDK(t, otel.Options{})
	srv := newServer(t, s, map[string]handler{"asks": func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		c.Elicit(ctx, &mcp.ElicitRequestFormParams{Message: "Why?"})
		return server.TextResult("thanks"), nil
	}})
	code := int64(1000)
	c := mcptest.Connect(t, srv, &mcptest.Options{Revision: mcp.V2025_11_25, Client: client.Options{
		Elicit: elicit.Handler{Form: func(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
			if code++; code%2 == 0 {
				return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "no"}
			}
			return nil, &jsonrpc.Error{Code: code, Message: "no"}
		}},
	}})
	for range 20 {
		c.CallText("asks", nil)
	}
	if got, want := s.codes("mcp.client.operation.duration", "elicitation/create"), (map[string]int{"_OTHER ": 10, "-32602 -32602": 10}); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	var seen bool
	for _, span := range s.named(trace.SpanKindClient, "elicitation/create") {
		seen = seen || strings.Contains(attributes(span.Attributes), "error.type=1001")
	}
	if !seen {
		t.Error("no span has the code 1001")
	}
}

// TestForwardedCodes: nor do they grow with those of another server to which a tool forwards its calls.
func TestForwardedCodes(t *testing.T) {
	s := newSDK(t, otel.Options{})
	code := int64(1000)
	foreign := newServer(t, nil, map[string]handler{"forwarded": func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		if code++; code%2 == 0 {
			return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "no"}
		}
		return nil, &jsonrpc.Error{Code: code, Message: "no"}
	}})
	to := mcptest.Connect(t, foreign, nil)
	srv := newServer(t, s, map[string]handler{"forwarded": func(ctx context.Context, _ *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		return to.CallTool(ctx, &mcp.CallToolRequestParams{Name: "forwarded"})
	}})
	// The server is observed when the connection has ended.
	t.Run("calls", func(t *testing.T) {
		c := mcptest.Connect(t, srv, &mcptest.Options{Revision: mcp.V2025_11_25})
		for range 20 {
			c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "forwarded"})
		}
	})
	if got, want := s.codes("mcp.server.operation.duration", "tools/call"), (map[string]int{"_OTHER ": 10, "-32602 -32602": 10}); !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if !slices.ContainsFunc(s.named(trace.SpanKindServer, "tools/call forwarded"), func(span tracetest.SpanStub) bool {
		return strings.Contains(attributes(span.Attributes), "error.type=1001")
	}) {
		t.Error("no span has the code 1001")
	}
}
