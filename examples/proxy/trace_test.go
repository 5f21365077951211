package main

import (
	"context"
	"log/slog"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/observe"
	"github.com/mcpgen/mcpgen/runtime/observe/observeserver"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

type observer func(o *observe.Operation)

func (f observer) Observe(ctx context.Context, o *observe.Operation) (context.Context, func()) {
	f(o)
	return ctx, nil
}

// TestOneTrace: what a client sends by the proxy belongs to the client's trace on the server, too.
func TestOneTrace(t *testing.T) {
	sent := observe.Trace{
		Parent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", State: "vendor=x", Baggage: "tenant=7",
	}
	mcptest.EachRevision(t, func(t *testing.T, rev wire.Revision) {
		var got observe.Trace
		s := server.New(mcp.Implementation{Name: "server", Version: "1"}, observeserver.Options(observer(func(o *observe.Operation) {
			if o.Method == mcp.MethodCallTool.Name {
				got = o.Trace
			}
		}), nil))
		err := s.AddTool(mcp.Tool{Name: "a"}, func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
			return server.TextResult("done"), nil
		})
		if err != nil {
			t.Fatal(err)
		}
		near, front := inmem.Pair(10)
		back, far := inmem.Pair(10)
		ended := make(chan error, 2)
		go func() { ended <- s.Serve(t.Context(), far) }()
		go func() { ended <- pass(t.Context(), front, back, slog.New(slog.DiscardHandler)) }()
		c, err := client.Connect(t.Context(), near, &client.Options{
			Revisions: []wire.Revision{rev},
			Observer: observer(func(o *observe.Operation) {
				if o.Outgoing {
					o.Trace = sent
				}
			}),
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "a"}); err != nil {
			t.Fatal(err)
		}
		c.Close()
		for range 2 {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
		if got != sent {
			t.Errorf("the server has the trace %+v, want %+v", got, sent)
		}
	})
}
