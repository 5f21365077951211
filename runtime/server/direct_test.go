package server

import (
	"context"
	"errors"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func TestCaller(t *testing.T) {
	everyRevision(t, func(t *testing.T, rev wire.Revision) {
		var during context.Context
		s := newServer(&Options{Revisions: []wire.Revision{rev}})
		add(t, s.AddTool(mcp.Tool{Name: "who", InputSchema: wire.Raw(`{"type":"object"}`)},
			func(ctx context.Context, c *Call, args wire.Raw) (*mcp.CallToolResult, error) {
				during = ctx
				who := c.Principal()
				if info := c.Client(); info != nil {
					who += " by " + info.Name
				}
				return TextResult(who + string(args)), c.Notify(ctx, "x/y", nil)
			}))
		add(t, s.AddTool(mcp.Tool{Name: "ask"}, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			_, err := c.ListRoots(ctx)
			return nil, err
		}))
		noticed := ""
		add(t, s.AddNotification("x/notice", func(_ context.Context, c *Call) error {
			noticed = string(c.Params())
			return nil
		}))
		caller := s.Caller(&CallerOptions{Principal: "ann", Client: &mcp.Implementation{Name: "cron", Version: "1"},
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
		if rpc, ok := err.(*jsonrpc.Error); !ok || rpc.Code != codeInvalidParams {
			t.Errorf("unknown tool: %v", err)
		}
		if rev >= firstModern {
			r, err := calls.CallToolResponse(t.Context(), &mcp.CallToolRequestParams{Name: "ask"})
			if _, ok := r.(*mcp.InputRequiredResult); !ok || err != nil {
				t.Errorf("ask: %T, %v", r, err)
			}
		}
		if err := caller.Notify(t.Context(), &wire.Method{Name: "x/notice", Notification: true}, wire.Raw(`{"b":2}`)); err != nil || noticed != `{"b":2}` {
			t.Errorf("notice %s, %v", noticed, err)
		}
		add(t, s.Shutdown(t.Context()))
		if _, err := calls.ListTools(t.Context(), nil); !errors.As(err, new(*jsonrpc.Error)) {
			t.Errorf("after shutdown: %v", err)
		}
	})
}
