package server_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/methods"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestCustomRequest sends requests of a custom method to clients, within a call and apart from one.
func TestCustomRequest(t *testing.T) {
	for _, revision := range server.Revisions() {
		t.Run(revision.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := server.New(mcp.Implementation{Name: "s"}, &server.Options{AskTimeout: time.Second})
				for _, method := range []string{"x/echo", "x/fail", "x/sleep"} {
					err := s.AddTool(mcp.Tool{Name: method[2:]}, func(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
						result, err := c.Request(ctx, method, args)
						if revision >= mcp.V2026_07_28 {
							if !errors.Is(err, server.ErrCannotAsk) {
								t.Errorf("got %v, want ErrCannotAsk", err)
							}
							return server.TextResult("none"), nil
						}
						rpc, _ := errors.AsType[*jsonrpc.Error](err)
						switch {
						case method == "x/echo" && (err != nil || string(result) != `{"a":1}`):
							t.Errorf("got %s, %v", result, err)
						case method == "x/fail" && (rpc == nil || rpc.Code != 5):
							t.Errorf("got %v", err)
						case method == "x/sleep" && !errors.Is(err, context.DeadlineExceeded):
							t.Errorf("got %v, want an error about the time", err)
						}
						return server.TextResult("some"), nil
					})
					if err != nil {
						t.Fatal(err)
					}
				}
				c := mcptest.Connect(t, s, &mcptest.Options{Revision: revision, Client: client.Options{Methods: []client.Method{
					methods.Request("x/echo", func(_ context.Context, p *wire.Raw) (wire.Encodable, error) { return *p, nil }),
					methods.Request("x/fail", func(context.Context, *wire.Raw) (wire.Encodable, error) {
						return nil, &jsonrpc.Error{Code: 5, Message: "no"}
					}),
					methods.Request("x/sleep", func(ctx context.Context, _ *wire.Raw) (wire.Encodable, error) {
						<-ctx.Done()
						return nil, ctx.Err()
					}),
				}}})
				want := "some"
				if revision >= mcp.V2026_07_28 {
					want = "none"
				}
				for _, tool := range []string{"echo", "fail", "sleep"} {
					if got := c.CallText(tool, map[string]any{"a": 1}); got != want {
						t.Errorf("%s: got %q", tool, got)
					}
				}
				for session := range s.Sessions() {
					if result, err := session.Request(t.Context(), "x/echo", wire.Raw(`{"b":2}`)); err != nil || string(result) != `{"b":2}` {
						t.Errorf("apart from calls: got %s, %v", result, err)
					}
				}
			})
		})
	}
}
