package dev

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/methods"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/inmem"
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

// TestNotificationsOfOneCall has a child send notifications while one call runs: one that only the child knows is taken to be
// about that call, one of the protocol names what it is about, and so is for all clients whose revision has it.
func TestNotificationsOfOneCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEndpoint(t)
		s := newShop(t, "Orders", mcp.V2025_11_25)
		begin(t, e, s)
		session := slices.Collect(s.Sessions())[0]
		others := map[*rawClient][]string{
			dial(t, e, 10, mcp.V2025_11_25, "{}"): {mcp.MethodTaskStatusNotification.Name, mcp.MethodElicitationCompleteNotification.Name},
			dial(t, e, 10, mcp.V2025_06_18, "{}"): nil,
		}
		steam := make(chan wire.Raw, 10)
		c := connect(t, e, steamy(mcp.V2025_11_25, steam))
		result := make(chan string, 1)
		go func() { result <- c.CallText("wait", nil) }()
		<-s.waiting
		for method, params := range map[string]string{
			methodSteam: `{"bar":3}`, mcp.MethodTaskStatusNotification.Name: `{"taskId":"1"}`,
			mcp.MethodElicitationCompleteNotification.Name: `{"elicitationId":"1"}`, mcp.MethodToolListChangedNotification.Name: `{}`,
		} {
			must(t, session.Notify(t.Context(), method, wire.Raw(params)))
		}
		time.Sleep(time.Second) // of the bubble
		synctest.Wait()
		if len(steam) != 1 {
			t.Errorf("the client of the call hears %d times", len(steam))
		}
		for other, want := range others {
			want = append(want, mcp.MethodToolListChangedNotification.Name)
			got := other.hears()
			slices.Sort(got)
			slices.Sort(want)
			if !slices.Equal(got, want) {
				t.Errorf("another client hears %q, want %q", got, want)
			}
		}
		close(s.finish)
		<-result
	})
}

// TestNotificationsOverHTTP has a child notify while the calls of two clients run: over HTTP it is known whose call it is about.
func TestNotificationsOverHTTP(t *testing.T) {
	e := newEndpoint(t)
	s := newShop(t, "Orders", mcp.V2025_11_25)
	must(t, s.AddTool(mcp.Tool{Name: "steam"}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		return server.TextResult("done"), c.Notify(ctx, methodSteam, wire.Raw(`{"bar":3}`))
	}))
	child, err := new(Connection).Connect(t.Context(), e, overHTTP(t, s))
	must(t, err)
	t.Cleanup(child.Close)
	e.Replace(t.Context(), child)
	mine, others := make(chan wire.Raw, 10), make(chan wire.Raw, 10)
	c, other := connect(t, e, steamy(mcp.V2025_11_25, mine)), connect(t, e, steamy(mcp.V2025_11_25, others))
	result := make(chan string, 1)
	go func() { result <- other.CallText("wait", nil) }()
	<-s.waiting
	if got := c.CallText("steam", nil); got != "done" {
		t.Error(got)
	}
	<-mine
	if _, err := other.ListTools(t.Context(), nil); err != nil || len(others) > 0 { // what was sent before has arrived
		t.Errorf("the other client hears %d notifications, %v", len(others), err)
	}
	close(s.finish)
	<-result
}

// TestInvalidNotification has a child send what is no message: it is not passed on.
func TestInvalidNotification(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEndpoint(t)
		child, _ := begin(t, e, newShop(t, "Orders", mcp.V2025_11_25))
		c := dial(t, e, 10, mcp.V2025_11_25, "{}")
		near, far := inmem.Pair(0)
		for _, params := range []string{`[1]`, `{"_meta":1}`, `{"bar":3}`} {
			must(t, far.Send(t.Context(), transport.Message{Data: []byte(`{"jsonrpc":"2.0","method":"` + methodSteam + `","params":` + params + `}`)}))
			_, err := (&passing{near, child, e}).Receive(t.Context())
			must(t, err)
		}
		if got := c.hears(); !slices.Equal(got, []string{methodSteam}) {
			t.Errorf("the client hears %q", got)
		}
	})
}

// steamy returns the options of a client that receives notifications.
func steamy(revision wire.Revision, got chan<- wire.Raw) *mcptest.Options {
	return &mcptest.Options{Revision: revision, Client: client.Options{Methods: []client.Method{
		methods.Notification(methodSteam, func(_ context.Context, p *mcp.NotificationParams) {
			bar, _ := p.Extra.Get("bar")
			got <- bar
		}),
		methods.Request(methodSteam, func(context.Context, *wire.Raw) (wire.Encodable, error) {
			got <- wire.Raw(`"a request"`)
			return nil, nil
		}),
	}}}
}
