package client

import (
	"context"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// What an extension asks its client while Connect is still at work has an answer that is not wrong: nothing is known of the
// server, and nothing is sent to it.
//
// REQ LIFE-11
func TestBeforeConnectReturns(t *testing.T) {
	t.Parallel()
	custom := &wire.Method{Name: "acme/custom"}
	both(t, script{"acme/custom": always(`{}`)}, func(t *testing.T, server script, opts Options) {
		early := 0
		look := func(ctx context.Context, c *Client) {
			early++
			if rev := c.Revision(); rev != 0 && rev != opts.Revisions[0] {
				t.Errorf("the revision is %v", rev)
			}
			if c.HasExtension("acme/x") || c.Server().Info != nil {
				t.Errorf("the server is known: %+v", c.Server())
			}
			for name, err := range map[string]error{
				"Call":      c.Call(ctx, custom, nil, new(wire.Raw)),
				"Notify":    c.Notify(ctx, custom, nil),
				"SetLevel":  c.SetLevel(ctx, mcp.LoggingLevelInfo),
				"SetRoots":  c.SetRoots(ctx, nil),
				"Subscribe": second(c.Subscribe(ctx, mcp.SubscriptionFilter{})),
			} {
				if err != errEarly {
					t.Errorf("%s: got the error %v, want %v", name, err, errEarly)
				}
			}
			for _, err := range c.Tools(ctx) {
				if err != errEarly {
					t.Errorf("Tools: got the error %v, want %v", err, errEarly)
				}
			}
		}
		opts.Roots = []mcp.Root{{URI: "file:///a"}}
		opts.Extensions = []Extension{{ID: "acme/x", Join: func(c *Client) (Middleware, transport.Middleware) {
			return func(next SendFunc) SendFunc {
				return func(ctx context.Context, call *Call) error {
					if m := call.Method.Name; m == "initialize" || m == "server/discover" || m == "notifications/initialized" {
						look(ctx, c)
					}
					return next(ctx, call)
				}
			}, nil
		}}}
		c, f := dial(t, server, &opts)
		if early == 0 {
			t.Error("nothing was looked at")
		}
		if n := f.count("acme/custom"); n > 0 {
			t.Errorf("%d messages were sent before Connect had returned", n)
		}
		if err := c.Call(t.Context(), custom, nil, new(wire.Raw)); err != nil {
			t.Error(err)
		}
	})
}

func second[T any](_ T, err error) error { return err }
