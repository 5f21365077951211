package limit_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/roomtest"
	"github.com/mcpgen/mcpgen/runtime/internal/servertest"
	"github.com/mcpgen/mcpgen/runtime/limit"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The model reads that a tool took too long, in every revision. What a client takes to respond does not count.
func TestTimeout(t *testing.T) {
	servertest.EveryRevision(t, func(t *testing.T, rev wire.Revision) {
		synctest.Test(t, func(t *testing.T) {
			s := roomtest.NewServer(nil)
			wait := func(d time.Duration) server.ToolHandler {
				return limit.Timeout(time.Minute, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
					select {
					case <-time.After(d):
						return server.TextResult("done"), nil
					case <-ctx.Done():
						return nil, ctx.Err()
					}
				})
			}
			servertest.Check(t, s.AddTool(mcp.Tool{Name: "quick"}, wait(59*time.Second)))
			servertest.Check(t, s.AddTool(mcp.Tool{Name: "slow"}, wait(time.Hour)))
			servertest.Check(t, s.AddTool(mcp.Tool{Name: "fails"}, limit.Timeout(time.Minute, func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
				return nil, errors.New("no")
			})))
			servertest.Check(t, s.AddTool(mcp.Tool{Name: "late"}, limit.Timeout(time.Minute, func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
				time.Sleep(time.Hour)
				return server.TextResult("done all the same"), nil
			})))
			asks := func(before, after time.Duration) server.ToolHandler {
				return limit.Timeout(time.Minute, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
					time.Sleep(before)
					for _, key := range []string{"a", "b"} {
						if _, err := c.WithKey(key).Elicit(ctx, servertest.Form("?", "x")); err != nil {
							return nil, err
						}
					}
					select {
					case <-time.After(after):
						return server.TextResult("asked"), nil
					case <-ctx.Done():
						return nil, ctx.Err()
					}
				})
			}
			servertest.Check(t, s.AddTool(mcp.Tool{Name: "asks"}, asks(30*time.Second, 29*time.Second)))
			servertest.Check(t, s.AddTool(mcp.Tool{Name: "asks and is slow"}, asks(30*time.Second, 31*time.Second)))
			servertest.Check(t, s.AddTool(mcp.Tool{Name: "asks late"}, asks(time.Hour, 0)))
			c := roomtest.NewClient(t, s, rev, `{"elicitation":{}}`)
			servertest.Contains(t, "quick", c.Must("tools/call", `{"name":"quick"}`), `"done"`)
			servertest.Contains(t, "slow", c.Must("tools/call", `{"name":"slow"}`), `"text":"the tool took longer than 1m0s, and was stopped"}],"isError":true`)
			servertest.Contains(t, "fails", c.Must("tools/call", `{"name":"fails"}`), `"text":"no"`)
			servertest.Contains(t, "late", c.Must("tools/call", `{"name":"late"}`), `"done all the same"`)
			if rev >= mcp.V2025_06_18 {
				result, _ := c.Complete("tools/call", `{"name":"asks"}`, func(string, wire.Raw) string {
					time.Sleep(5 * time.Minute)
					return `{"action":"accept","content":{"x":"y"}}`
				})
				servertest.Contains(t, "asks", result, `"asked"`)
				result, _ = c.Complete("tools/call", `{"name":"asks and is slow"}`, func(string, wire.Raw) string { return `{"action":"accept","content":{"x":"y"}}` })
				servertest.Contains(t, "asks and is slow", result, "took longer than 1m0s")
			}
			if rev >= mcp.Modern {
				servertest.Contains(t, "asks late", c.Must("tools/call", `{"name":"asks late"}`), `"resultType":"input_required"`)
			}
		})
	})
}

// As long as a person has not responded to one of several questions, the time does not count.
func TestTimeoutAsksTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := roomtest.NewServer(nil)
		var inner context.Context
		servertest.Check(t, s.AddTool(mcp.Tool{Name: "asks"}, limit.Timeout(time.Minute, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			inner = ctx
			var group sync.WaitGroup
			for _, key := range []string{"a", "b"} {
				group.Go(func() { c.WithKey(key).Elicit(ctx, servertest.Form(key, "x")) })
			}
			group.Wait()
			return nil, ctx.Err()
		})))
		c := roomtest.NewClient(t, s, mcp.V2025_11_25, `{"elicitation":{}}`)
		c.Answer = func(_ string, params wire.Raw) (wire.Raw, error) {
			time.Sleep(map[string]time.Duration{"a": time.Hour, "b": 2 * time.Hour}[params.StringAt("message")])
			return wire.Raw(`{"action":"decline"}`), nil
		}
		if got := c.Must("tools/call", `{"name":"asks"}`); strings.Contains(got, "isError") {
			t.Error(got)
		}
		if inner.Err() == nil {
			t.Error("the context of the handler has not ended")
		}
	})
}

// A call whose client gave up is not a tool that took too long.
func TestTimeoutCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		h := limit.Timeout(time.Minute, func(ctx context.Context, _ *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		})
		time.AfterFunc(time.Second, cancel)
		if _, err := h(ctx, &server.Call{}, nil); err != context.Canceled {
			t.Errorf("error %v, want %v", err, context.Canceled)
		}
	})
}
