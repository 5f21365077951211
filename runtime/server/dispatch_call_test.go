package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/servertest"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// within adds a tool that calls another one, whose name is its argument.
func within(t *testing.T, s *Server) {
	add(t, s.AddTool(mcp.Tool{Name: "outer", InputSchema: wire.Raw(`{"type":"object"}`)}, func(ctx context.Context, c *Call, args wire.Raw) (*mcp.CallToolResult, error) {
		raw, err := c.Dispatch(ctx, "tools/call", wire.Raw(fmt.Sprintf(`{"name":%q,"arguments":{}}`, args.StringAt("tool"))))
		if err != nil {
			return nil, fmt.Errorf("%T %w", err, errors.New(err.Error()))
		}
		return TextResult("got " + string(raw)), nil
	}))
}

const callOuter = `{"name":"outer","arguments":{"tool":"inner"}}`

// What a handler serves is a request of the same client, to which everything applies that applies to requests.
func TestCallServe(t *testing.T) {
	eras(t, func(t *testing.T, rev wire.Revision) {
		var seen, sent []string
		note := func(ctx context.Context, c *Call) string {
			return strings.Join([]string{c.Name(), c.Principal(), c.Address(), fmt.Sprint(c.ID()), fmt.Sprint(c.Meta().ProgressToken), fmt.Sprint(c.Session() != nil)}, " ")
		}
		s := newServer(&Options{
			Logging: true,
			Middleware: []Middleware{func(next Handler) Handler {
				return func(ctx context.Context, c *Call) (wire.Encodable, error) {
					if c.Method() == "tools/call" {
						seen = append(seen, "middleware "+note(ctx, c))
					}
					return next(ctx, c)
				}
			}},
			Watch: func(ctx context.Context, c *Call) (context.Context, func(wire.Raw, error)) {
				if c.Method() != "tools/call" {
					return ctx, nil
				}
				name := c.Name()
				seen = append(seen, "watch "+name)
				return ctx, func(wire.Raw, error) { seen = append(seen, "ended "+name) }
			},
			Send: []transport.Middleware{func(next transport.MessageFunc) transport.MessageFunc {
				return func(ctx context.Context, m *transport.ServerMessage) (wire.Raw, error) {
					if c, ok := m.Of.(*Call); ok {
						sent = append(sent, c.Name()+" "+m.Method)
					}
					return next(ctx, m)
				}
			}},
		})
		within(t, s)
		add(t, s.AddTool(mcp.Tool{Name: "inner"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			c.Progress().Report(1, 2, "")
			c.Logger().ErrorContext(ctx, "hello")
			return TextResult("done"), nil
		}))
		c := newClient(t, s, rev, `{}`)
		c.Identity, c.Address, c.Token, c.LogLevel = &holder{name: "ada"}, "192.0.2.1:80", `"token"`, "info"
		contains(t, "result", c.Must("tools/call", callOuter), `"text":"got {`)
		session := rev < mcp.Modern
		about := fmt.Sprint(" ada 192.0.2.1:80 ", c.NextID, ` "token" `, session)
		want := []string{"watch outer", "middleware outer" + about, "watch inner", "middleware inner" + about, "ended inner", "ended outer"}
		if !slices.Equal(seen, want) {
			t.Errorf("got  %q\nwant %q", seen, want)
		}
		if got := fmt.Sprint(sent); got != "[inner notifications/message]" {
			t.Errorf("sent %s, want the log message once and no progress", got)
		}
	})
}

// Scopes, filters and limits of clients hold for it. A caller does not become another by it.
func TestCallServeRefused(t *testing.T) {
	for _, test := range []struct {
		name, want string
		item       Item
		identity   transport.Identity
		header     transport.Header
	}{
		{name: "scopes", want: `*transport.ScopeError`, item: Item{Access: Access{Scopes: []string{"write"}}}, identity: &holder{name: "ada"}},
		{name: "nobody over HTTP", want: `*transport.ScopeError`, item: Item{Access: Access{Scopes: []string{"write"}}}, header: http.Header{}},
		{name: "filter", want: `unknown tool`, item: Item{Filters: []Filter{{Admit: func(context.Context, *Call, *Item) (bool, error) { return false, nil }}}}},
		{name: "needs", want: `elicitation`, item: Item{Access: Access{Needs: []string{"elicitation"}}}},
	} {
		eras(t, func(t *testing.T, rev wire.Revision) {
			s := newServer(&Options{Identity: func(context.Context) transport.Identity { return nil }})
			within(t, s)
			test.item.Definition, test.item.Handler = &mcp.Tool{Name: "inner"}, says("done")
			add(t, s.Add(test.item))
			c := newClient(t, s, rev, `{}`)
			c.Identity = test.identity
			r := c.Request("tools/call", callOuter)
			if test.header != nil {
				r.Header = http.Header{"Mcp-Method": {"tools/call"}, "Mcp-Name": {"outer"}, "Mcp-Protocol-Version": {rev.String()}}
			}
			raw, err := c.Server.ServeRequest(t.Context(), r)
			if got := fmt.Sprint(string(raw), err); !strings.Contains(got, test.want) {
				t.Errorf("%s: got %s, want %s", test.name, got, test.want)
			}
		})
	}
}

// Headers that repeat parts of the client's request are not compared with what a handler serves. The handler sees them.
func TestCallServeHeaders(t *testing.T) {
	s := newServer(nil)
	within(t, s)
	add(t, s.AddTool(mcp.Tool{Name: "inner", InputSchema: wire.Raw(`{"type":"object","properties":{"a":{"type":"string","x-mcp-header":"A"}}}`)},
		func(_ context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			return TextResult(c.Header().Values("X-Tenant")[0]), nil
		}))
	c := newClient(t, s, mcp.V2026_07_28, `{}`)
	r := c.Request("tools/call", callOuter)
	r.Header = http.Header{"Mcp-Method": {"tools/call"}, "Mcp-Name": {"outer"}, "Mcp-Protocol-Version": {"2026-07-28"}, "Mcp-Param-A": {"x"}, "X-Tenant": {"blue"}}
	raw, err := c.Server.ServeRequest(t.Context(), r)
	contains(t, "result", fmt.Sprint(string(raw), err), "blue")
}

// A tool that asks is a part of the call: time limits stop, and since 2026-07-28 its requests for input are the result.
func TestCallServeInput(t *testing.T) {
	eras(t, func(t *testing.T, rev wire.Revision) {
		s := newServer(nil)
		within(t, s)
		var waits []bool
		add(t, s.AddTool(mcp.Tool{Name: "waiting"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			c.OnWait(func(waiting bool) { waits = append(waits, waiting) })
			raw, err := c.Dispatch(ctx, "tools/call", wire.Raw(`{"name":"inner"}`))
			return TextResult(string(raw)), err
		}))
		add(t, s.AddTool(mcp.Tool{Name: "inner"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			r, err := c.Elicit(ctx, servertest.Form("Who?", "name"))
			if err != nil {
				return nil, err
			}
			return TextResult(string(r.Action)), nil
		}))
		c := newClient(t, s, rev, servertest.AllCaps)
		c.Answer = func(string, wire.Raw) (wire.Raw, error) { return wire.Raw(`{"action":"cancel"}`), nil }
		got := c.Must("tools/call", `{"name":"waiting"}`)
		if rev < mcp.Modern {
			contains(t, "result", got, "cancel")
		} else {
			contains(t, "result", got, `\"input_required\"`)
		}
		if fmt.Sprint(waits) != "[true false]" {
			t.Errorf("waits %v", waits)
		}
	})
}

// Shutdown refuses requests, but not those of the handlers that it waits for.
func TestCallServeShutdown(t *testing.T) {
	s := newServer(nil)
	add(t, s.AddTool(mcp.Tool{Name: "inner"}, says("done")))
	add(t, s.AddTool(mcp.Tool{Name: "outer"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		begun := make(chan struct{})
		s.OnShutdown(func() { close(begun) })
		ended := make(chan error, 1)
		go func() { ended <- s.Shutdown(context.WithoutCancel(ctx)) }()
		t.Cleanup(func() { add(t, <-ended) })
		<-begun
		raw, err := c.Dispatch(ctx, "tools/call", wire.Raw(`{"name":"inner"}`))
		return TextResult(string(raw)), err
	}))
	c := newClient(t, s, mcp.V2026_07_28, `{}`)
	contains(t, "result", c.Must("tools/call", `{"name":"outer"}`), "done")
	contains(t, "after", c.Fails("tools/call", `{"name":"inner"}`, codeInternal).Message, "shutting down")
}

// Tool returns what the caller sees in lists.
func TestToolOfCall(t *testing.T) {
	s := newServer(nil)
	add(t, s.Add(Item{Definition: &mcp.Tool{Name: "a"}, Handler: says(""), Access: Access{Scopes: []string{"write"}}}))
	add(t, s.Add(Item{Definition: &mcp.Tool{Name: "b"}, Handler: says(""), Access: Access{Needs: []string{"sampling"}}}))
	add(t, s.Add(Item{Definition: &mcp.Tool{Name: "c"}, Handler: says(""), Access: Access{Features: []string{"beta"}}}))
	add(t, s.Add(Item{Definition: &mcp.Tool{Name: "d"}, Handler: says(""), Filters: []Filter{{Admit: func(_ context.Context, c *Call, _ *Item) (bool, error) {
		return c.Principal() == "ada", nil
	}}}}))
	var got []string
	add(t, s.AddTool(mcp.Tool{Name: "look"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		for _, name := range []string{"a", "b", "c", "d", "e"} {
			if i := c.Tool(ctx, name); i != nil {
				got = append(got, i.Definition.(*mcp.Tool).Name+fmt.Sprint(i.Access.Scopes))
			}
		}
		return nil, nil
	}))
	for _, test := range []struct{ who, caps, want string }{
		{"bob", `{}`, "[a[write]]"},
		{"ada", `{"sampling":{}}`, "[a[write] b[] d[]]"},
	} {
		eras(t, func(t *testing.T, rev wire.Revision) {
			got = nil
			c := newClient(t, s, rev, test.caps)
			c.Principal = test.who
			c.Must("tools/call", `{"name":"look"}`)
			equal(t, test.who, fmt.Sprint(got), test.want)
		})
	}
}
