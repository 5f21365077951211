package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// What a program has for what clients of sessions say is called once for each time.
//
// REQ LIFE-07
func TestSessionHooks(t *testing.T) {
	var calls []string
	s := newServer(&Options{
		OnInitialized: func(_ context.Context, ss *Session) { calls = append(calls, "ready "+ss.Revision().String()) },
	})
	add(t, s.AddNotification("notifications/roots/list_changed", func(_ context.Context, c *Call) error {
		if ss := c.Session(); ss != nil {
			calls = append(calls, "roots "+ss.Client().Name)
		}
		return nil
	}))
	c := strangerTo(t, s, mcp.V2025_11_25, `{}`)
	early := c.Request("notifications/initialized", `{}`)
	early.ID, early.Revision = wire.ID{}, mcp.V2025_11_25
	if err := c.session.ServeNotification(t.Context(), early); err != nil { // before initialize it means nothing
		t.Error(err)
	}
	c.Must("initialize", `{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"c","version":"2"}}`)
	before := c.session.StateVersion()
	c.Notify("notifications/initialized", `{}`)
	c.Notify("notifications/initialized", `{}`)
	if n := c.session.StateVersion() - before; n != 1 {
		t.Errorf("the state has changed %d times, want once", n)
	}
	c.Notify("notifications/roots/list_changed", `{}`)
	equal(t, "calls", strings.Join(calls, ", "), "ready 2025-11-25, roots c")

	for _, method := range []string{"notifications/initialized", "notifications/roots/list_changed"} {
		r := c.Request(method, `{}`)
		r.ID, r.Revision = wire.ID{}, mcp.V2025_11_25
		if err := NewEndpoint(s).ServeNotification(t.Context(), r); err != nil { // without a session
			t.Errorf("%s: %v", method, err)
		}
	}
	count(t, "calls", len(calls), 2)
	none := newClient(t, newServer(nil), mcp.V2025_11_25, `{}`) // without these functions
	none.Notify("notifications/roots/list_changed", `{}`)
}

// A notification follows the revision that it names, that of its session, that of its transport, or the newest.
//
// REQ VER-02
func TestRevisionOfNotifications(t *testing.T) {
	var got wire.Revision
	server := func(revs ...wire.Revision) *Server {
		s := newServer(&Options{Revisions: revs})
		add(t, s.AddNotification("x/n", func(_ context.Context, c *Call) error { got = c.Revision(); return nil }))
		return s
	}
	all := server()
	old := server(mcp.V2024_11_05, mcp.V2025_03_26)
	const modern = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`
	const named = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2025-03-26"}}`
	for _, test := range []struct {
		s         *Server
		session   bool
		transport wire.Revision
		params    string
		want      wire.Revision
	}{
		{all, true, 0, `{}`, mcp.V2024_11_05},
		{all, true, mcp.V2025_06_18, `{}`, mcp.V2024_11_05},
		{all, true, 0, modern, mcp.V2026_07_28},
		{all, true, 0, named, mcp.V2024_11_05},
		{all, false, 0, modern, mcp.V2026_07_28},
		{all, false, mcp.V2025_06_18, `{}`, mcp.V2025_06_18},
		{all, false, 0, `{}`, slices.Max(Revisions())},
		{old, true, 0, modern, mcp.V2024_11_05},
		{old, false, 0, modern, mcp.V2025_03_26},
		{old, false, mcp.V2025_06_18, `{}`, mcp.V2025_03_26},
		{old, false, mcp.V2024_11_05, `{}`, mcp.V2024_11_05},
	} {
		got = 0
		c := newClient(t, test.s, mcp.V2024_11_05, `{}`)
		r := c.Request("x/n", test.params)
		r.ID, r.Revision = wire.ID{}, test.transport
		var h transport.Handler = c.session
		if !test.session {
			h = NewEndpoint(test.s)
		}
		if err := h.ServeNotification(t.Context(), r); err != nil || got != test.want {
			t.Errorf("session %t, transport %s, %s: got %s, %v, want %s", test.session, test.transport, test.params, got, err, test.want)
		}
	}
	r := newClient(t, all, mcp.V2025_11_25, `{}`).Request("x/n", `{}`)
	r.ID, r.Meta = wire.ID{}, wire.Raw(`[]`)
	if err := NewEndpoint(all).ServeNotification(t.Context(), r); err == nil || !strings.Contains(err.Error(), "params._meta: ") {
		t.Errorf("metadata that is no object: %v", err)
	}
}

// A request without a session follows the revision that its transport names, if there are sessions of it.
func TestRevisionWithoutSession(t *testing.T) {
	s := newServer(&Options{Revisions: []wire.Revision{mcp.V2025_03_26, mcp.V2025_06_18}})
	add(t, s.AddMethod("x/m", func(_ context.Context, c *Call) (wire.Encodable, error) {
		return wire.Raw(fmt.Sprintf(`{"revision":%q}`, c.Revision())), nil
	}))
	c := newClient(t, s, mcp.V2025_03_26, `{}`)
	for _, test := range []struct {
		method string
		named  wire.Revision
		want   string // empty for an error
	}{
		{"x/m", mcp.V2025_03_26, `"2025-03-26"`},
		{"x/m", mcp.V2025_06_18, `"2025-06-18"`},
		{"x/m", 0, ``},
		{"x/m", mcp.V2025_11_25, ``},
		{"x/m", mcp.V2026_07_28, ``},
		{"ping", 0, `{}`},
		{"ping", mcp.V2025_11_25, `{}`},
	} {
		r := c.Request(test.method, `{}`)
		r.Revision = test.named
		raw, err := NewEndpoint(s).ServeRequest(t.Context(), r)
		if (err == nil) != (test.want != "") || !strings.Contains(string(raw), test.want) {
			t.Errorf("%s by %s: got %s, %v, want %s", test.method, test.named, raw, err, test.want)
		}
	}
}

// Whoever watches a notification learns its end, also that of one that panics.
func TestWatchNotifications(t *testing.T) {
	var ended []string
	key := new(int)
	s := newServer(&Options{
		Identity: func(context.Context) transport.Identity { return expiring{time.Time{}} },
		Watch: func(ctx context.Context, c *Call) (context.Context, func(wire.Raw, error)) {
			return context.WithValue(ctx, key, "watched"), func(result wire.Raw, err error) {
				ended = append(ended, fmt.Sprint(c.Method(), " ", result, " ", err))
			}
		},
	})
	add(t, s.AddNotification("x/ok", func(ctx context.Context, c *Call) error {
		if ctx.Value(key) != "watched" || c.Principal() != "ada" {
			t.Errorf("the handler has %v, %q", ctx.Value(key), c.Principal())
		}
		return nil
	}))
	add(t, s.AddNotification("x/fails", func(context.Context, *Call) error { return errors.New("it failed") }))
	add(t, s.AddNotification("x/panics", func(context.Context, *Call) error { panic("secret") }))
	c := newClient(t, s, mcp.V2025_11_25, `{}`)
	ended = nil
	for _, method := range []string{"x/ok", "x/fails", "x/panics", "x/unknown"} {
		r := c.Request(method, `{}`)
		r.ID = wire.ID{}
		err := c.session.ServeNotification(t.Context(), r)
		if (err == nil) != (method == "x/ok") {
			t.Errorf("%s: %v", method, err)
		}
	}
	equal(t, "ended", strings.Join(ended, "\n"), strings.Join([]string{
		"x/ok  <nil>", "x/fails  it failed", "x/panics  internal error (-32603)",
		`x/unknown  notification "x/unknown" is unknown in 2025-11-25`}, "\n"))
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := c.Request("x/ok", `{}`)
	r.ID = wire.ID{}
	if err := c.session.ServeNotification(t.Context(), r); err != errClosed {
		t.Errorf("after Shutdown: %v", err)
	}
}

// Headers that differ from the request are refused: the server must handle what intermediaries have seen.
//
// REQ HDR-01, HDR-06, HDR-07, XHDR-10
func TestHeaders(t *testing.T) {
	s := newServer(nil)
	add(t, s.AddTool(mcp.Tool{Name: "t", InputSchema: wire.Raw(`{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"}}}`)}, says("ok")))
	add(t, s.AddTool(mcp.Tool{Name: "plain"}, says("ok")))
	const withRegion = `{"name":"t","arguments":{"region":"eu"}}`
	good := http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"t"}, "Mcp-Param-Region": {"eu"}}
	for _, test := range []struct {
		key    string
		values []string
		want   string
	}{
		{"", nil, ""},
		{"Mcp-Protocol-Version", nil, `the header Mcp-Protocol-Version is missing, want "2026-07-28"`},
		{"Mcp-Protocol-Version", []string{"2025-11-25"}, `the header Mcp-Protocol-Version must be "2026-07-28" as in params._meta, got "2025-11-25"`},
		{"Mcp-Protocol-Version", []string{"2026-07-28", "2026-07-28"}, `Mcp-Protocol-Version is given 2 times`},
		{"Mcp-Method", []string{"tools/list"}, `Mcp-Method`},
		{"Mcp-Method", nil, `Mcp-Method`},
		{"Mcp-Name", []string{"plain"}, `Mcp-Name`},
		{"Mcp-Param-Region", []string{"us"}, `Mcp-Param-Region`},
		{"Mcp-Param-Region", nil, `Mcp-Param-Region`},
	} {
		c := newClient(t, s, mcp.V2026_07_28, `{}`)
		r := c.Request("tools/call", withRegion)
		h := good.Clone()
		if h[test.key] = test.values; test.values == nil {
			delete(h, test.key)
		}
		r.Header = h
		result, err := c.Server.ServeRequest(t.Context(), r)
		var rpc *jsonrpc.Error
		switch {
		case test.want == "" && err == nil:
		case errors.As(err, &rpc) && rpc.Code == mcp.CodeHeaderMismatch && strings.Contains(rpc.Message, test.want):
		default:
			t.Errorf("%s %q: got %s, %v, want %s", test.key, test.values, result, err, test.want)
		}
	}
	// Earlier revisions have no such headers, and what no header repeats needs none.
	c := newClient(t, s, mcp.V2025_11_25, `{}`)
	r := c.Request("tools/call", withRegion)
	r.Header = http.Header{}
	if _, err := c.Server.ServeRequest(t.Context(), r); err != nil {
		t.Errorf("2025-11-25: %v", err)
	}
	c = newClient(t, s, mcp.V2026_07_28, `{}`)
	r = c.Request("tools/call", `{"name":"plain"}`)
	r.Header = http.Header{"Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Method": {"tools/call"}, "Mcp-Name": {"plain"}}
	if _, err := c.Server.ServeRequest(t.Context(), r); err != nil {
		t.Errorf("a tool without such arguments: %v", err)
	}
}

// IsModern recognizes metadata that only the era without sessions has.
func TestIsModern(t *testing.T) {
	for meta, want := range map[string]bool{
		``: false, `{}`: false, `7`: false, `[]`: false, `{"progressToken":1}`: false,
		`{"io.modelcontextprotocol/protocolVersion":"2025-11-25"}`:     true,
		`{"io.modelcontextprotocol/clientCapabilities":{}}`:            true,
		`{"io.modelcontextprotocol/protocolVersion":""}`:               false,
		`{"io.modelcontextprotocol/protocolVersion":"2026-07-28"`:      false,
		`{"other":{},"io.modelcontextprotocol/clientCapabilities":{}}`: true,
	} {
		if got := IsModern(wire.Raw(meta)); got != want {
			t.Errorf("%s: got %t", meta, got)
		}
	}
}

// A handler's own metadata stays, and the server's name is added where it has none.
//
// REQ STATE-09
func TestResultMeta(t *testing.T) {
	other := &mcp.Implementation{Name: "other", Version: "2"}
	extra := wire.Extra{{Name: "example.com/a", Value: wire.Raw(`1`)}}
	for _, anonymous := range []bool{false, true} {
		s := newServer(&Options{Anonymous: anonymous})
		name := map[bool]string{false: `"name":"test"`}[anonymous]
		for _, test := range []struct {
			meta *mcp.ResultMetaObject
			want []string
		}{
			{nil, []string{name}},
			{&mcp.ResultMetaObject{Extra: extra}, []string{name, `"example.com/a":1`}},
			{&mcp.ResultMetaObject{ServerInfo: other}, []string{`"name":"other"`}},
		} {
			add(t, s.AddTool(mcp.Tool{Name: "t"}, func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{Meta: test.meta}, nil
			}))
			got := newClient(t, s, mcp.V2026_07_28, `{}`).Must("tools/call", `{"name":"t"}`)
			for _, want := range test.want {
				contains(t, "result", got, want)
			}
			if strings.Contains(got, `"name":"test"`) != (test.want[0] == `"name":"test"`) {
				t.Errorf("anonymous %t: %s", anonymous, got)
			}
			if test.meta != nil && test.meta.ServerInfo != nil && test.meta.ServerInfo != other {
				t.Error("the handler's metadata has changed")
			}
			s.RemoveTools("t")
		}
	}
}

// An error that says when to try again keeps its time on the way.
func TestRefusedByHandler(t *testing.T) {
	eras(t, func(t *testing.T, rev wire.Revision) {
		s := newServer(&Options{Middleware: []Middleware{func(Handler) Handler {
			return func(context.Context, *Call) (wire.Encodable, error) {
				return nil, fmt.Errorf("middleware: %w", &transport.RefusedError{Err: &jsonrpc.Error{Code: -32050, Message: "busy"}, RetryAfter: time.Minute})
			}
		}}})
		c := newClient(t, newServer(nil), rev, `{}`)
		c.moveTo(s)
		r := c.Request("ping", `{}`)
		r.Revision = rev
		_, err := NewEndpoint(s).ServeRequest(t.Context(), r)
		refused, ok := errors.AsType[*transport.RefusedError](err)
		if !ok || refused.RetryAfter != time.Minute || refused.Err.Message != "busy" {
			t.Fatalf("got %#v", err)
		}
		want := int64(-32050)
		if rev >= mcp.Modern {
			want = codeInternal // the code is the protocol's
		}
		if refused.Err.Code != want {
			t.Errorf("got the code %d, want %d", refused.Err.Code, want)
		}
	})
}
