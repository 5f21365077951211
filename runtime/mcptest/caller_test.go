package mcptest_test

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestCaller(t *testing.T) {
	mcptest.EachRevision(t, func(t *testing.T, rev wire.Revision) {
		var during context.Context
		s := server.New(mcp.Implementation{Name: "s", Version: "1"}, &server.Options{Revisions: []wire.Revision{rev}, Logger: slog.New(slog.DiscardHandler)})
		must(t, s.AddTool(mcp.Tool{Name: "who", InputSchema: wire.Raw(`{"type":"object"}`)},
			func(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
				during = ctx
				who := c.Principal()
				if info := c.Client(); info != nil {
					who += " by " + info.Name
				}
				return server.TextResult(who + string(args)), c.Notify(ctx, "x/y", nil)
			}))
		must(t, s.AddTool(mcp.Tool{Name: "ask"}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			_, err := c.ListRoots(ctx)
			return nil, err
		}))
		noticed := ""
		must(t, s.AddNotification("x/notice", func(_ context.Context, c *server.Call) error {
			noticed = string(c.Params())
			return nil
		}))
		caller := mcptest.Caller(s, &mcptest.CallerOptions{Principal: "ann", Client: &mcp.Implementation{Name: "cron", Version: "1"},
			Capabilities: mcp.ClientCapabilities{Roots: &mcp.ClientCapabilitiesRoots{}}})
		calls := mcp.ServerCalls{Caller: caller}

		list, err := calls.ListTools(t.Context(), &mcp.PaginatedRequestParams{})
		if err != nil || len(list.Tools) != 2 {
			t.Fatalf("tools: %v, %v", list, err)
		}
		if r, err := calls.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "who", Arguments: wire.Raw(`{"a":1}`)}); err != nil || !r.GetIsError() {
			t.Errorf("a notification was sent: %v, %v", r, err)
		}
		if during.Err() == nil {
			t.Error("the context of the handler has not ended with the call")
		}
		_, err = calls.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "none"})
		if rpc, ok := err.(*jsonrpc.Error); !ok || rpc.Code != -32602 {
			t.Errorf("unknown tool: %v", err)
		}
		if rev >= mcp.V2026_07_28 {
			r, err := calls.CallToolResponse(t.Context(), &mcp.CallToolRequestParams{Name: "ask"})
			if _, ok := r.(*mcp.InputRequiredResult); !ok || err != nil {
				t.Errorf("ask: %T, %v", r, err)
			}
		}
		if err := caller.Notify(t.Context(), &wire.Method{Name: "x/notice", Notification: true}, wire.Raw(`{"b":2}`)); err != nil || noticed != `{"b":2}` {
			t.Errorf("notice %s, %v", noticed, err)
		}
		must(t, s.Shutdown(t.Context()))
		if _, err := calls.ListTools(t.Context(), nil); !errors.As(err, new(*jsonrpc.Error)) {
			t.Errorf("after shutdown: %v", err)
		}
	})
}

// The identity of a caller has to have the scopes that an item requires; without one nobody checks.
func TestCallerScopes(t *testing.T) {
	s := server.New(mcp.Implementation{Name: "s", Version: "1"}, nil)
	must(t, s.Add(server.Item{Definition: &mcp.Tool{Name: "write"}, Handler: server.ToolHandler(func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		return server.TextResult("written"), nil
	}), Access: server.Access{Scopes: []string{"files"}}}))
	for name, opts := range map[string]*mcptest.CallerOptions{
		"nobody": nil, "with the scope": {Identity: mcptest.As("ada", "files")}, "without": {Identity: mcptest.As("ada")},
	} {
		calls := mcp.ServerCalls{Caller: mcptest.Caller(s, opts)}
		_, err := calls.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "write"})
		rpc, refused := err.(*jsonrpc.Error)
		if refused != (name == "without") || refused && !strings.HasSuffix(rpc.Message, "the sender lacks files") || err != nil && !refused {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// What cannot be sent is an error before the server sees it, and what a handler of notifications returns is one, too.
func TestCallerFails(t *testing.T) {
	s := server.New(mcp.Implementation{Name: "s", Version: "1"}, &server.Options{Logger: slog.New(slog.DiscardHandler)})
	seen := 0
	no := errors.New("no")
	must(t, s.AddNotification("x/notice", func(context.Context, *server.Call) error {
		seen++
		return no
	}))
	must(t, s.AddTool(mcp.Tool{Name: "tool"}, func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		seen++
		return server.TextResult(""), nil
	}))
	caller := mcptest.Caller(s, nil)
	notice := &wire.Method{Name: "x/notice", Notification: true}
	for _, params := range []wire.Raw{wire.Raw(`{`), wire.Raw(`7`), wire.Raw(`{"_meta":7}`)} {
		if err := caller.Call(t.Context(), &mcp.MethodCallTool, params, new(mcp.CallToolResult)); err == nil {
			t.Errorf("%s: no error of the call", params)
		}
		if err := caller.Notify(t.Context(), notice, params); err == nil {
			t.Errorf("%s: no error of the notification", params)
		}
	}
	if seen > 0 {
		t.Errorf("the server has seen %d of them", seen)
	}
	if err := caller.Notify(t.Context(), notice, nil); !errors.Is(err, no) {
		t.Errorf("got %v, want %v", err, no)
	}
	if err := caller.Call(t.Context(), &mcp.MethodCallTool, wire.Raw(`{"name":"tool"}`), new(mcp.ListToolsResult)); err == nil {
		t.Error("a result of another type is no error")
	}
}
