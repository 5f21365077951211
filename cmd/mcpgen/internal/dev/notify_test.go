package dev

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/methods"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const methodSteam = "notifications/shop/steam"

// TestNotifications passes notifications of a custom method, in both directions.
func TestNotifications(t *testing.T) {
	both := []wire.Revision{mcp.V2025_11_25, mcp.V2026_07_28}
	for _, child := range both {
		for _, revision := range both {
			t.Run(fmt.Sprintf("%s to %s", revision, child), func(t *testing.T) {
				e := newEndpoint(t)
				s := newShop(t, "Orders", child)
				must(t, s.AddTool(mcp.Tool{Name: "steam"}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
					return server.TextResult("done"), c.Notify(ctx, methodSteam, wire.Raw(`{"bar":3}`))
				}))
				toServer := make(chan string, 1)
				must(t, s.AddNotification(methodSteam, func(_ context.Context, c *server.Call) error {
					toServer <- c.Params().StringAt("by")
					return nil
				}))
				begin(t, e, s)
				toClient := make(chan wire.Raw, 2)
				c := connect(t, e, steamy(revision, toClient))
				if got := c.CallText("steam", nil); got != "done" {
					t.Error(got)
				}
				if got := <-toClient; string(got) != "3" {
					t.Errorf("the client got %s", got)
				}
				must(t, c.Notify(t.Context(), &wire.Method{Name: methodSteam}, wire.Raw(`{"by":"Ann"}`)))
				if got := <-toServer; got != "Ann" {
					t.Errorf("the server got %q", got)
				}
				c.CallText("order", nil)
				if len(toClient) > 0 {
					t.Errorf("the client got it twice: %s", <-toClient)
				}
			})
		}
	}
}

// TestNotificationsToAll has a child send a notification outside of a call.
func TestNotificationsToAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEndpoint(t)
		old, next := newShop(t, "Orders", mcp.V2025_11_25), newShop(t, "Sells", mcp.V2025_11_25)
		begin(t, e, old)
		all := []chan wire.Raw{make(chan wire.Raw, 10), make(chan wire.Raw, 10)}
		connect(t, e, steamy(mcp.V2025_11_25, all[0]))
		connect(t, e, steamy(mcp.V2025_06_18, all[1]))
		steam := func(from *shop, want ...string) {
			t.Helper()
			for session := range from.Sessions() {
				must(t, session.Notify(t.Context(), methodSteam, wire.Raw(`{"bar":4}`)))
			}
			synctest.Wait()
			for i, got := range all {
				if len(got) != len(want) {
					t.Errorf("client %d got %d notifications, want %q", i, len(got), want)
				}
				for range min(len(got), len(want)) {
					if bar := <-got; string(bar) != want[0] {
						t.Errorf("client %d got %s", i, bar)
					}
				}
			}
		}
		steam(old, "4")
		begin(t, e, next)
		steam(old) // which is not the server any more
		steam(next, "4")
	})
}

// steamy returns the options of a client that receives notifications.
func steamy(revision wire.Revision, got chan<- wire.Raw) *mcptest.Options {
	return &mcptest.Options{Revision: revision, Client: client.Options{Methods: []client.Method{
		methods.Notification(methodSteam, func(_ context.Context, p *mcp.NotificationParams) {
			bar, _ := p.Extra.Get("bar")
			got <- bar
		}),
	}}}
}
