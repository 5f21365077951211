package limit_test

import (
	"context"
	"errors"
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
			servertest.Check(t, s.AddTool(mcp.Tool{Name: "asks"}, limit.Timeout(time.Minute, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
				time.Sleep(30 * time.Second)
				for _, key := range []string{"a", "b"} {
					if _, err := c.WithKey(key).Elicit(ctx, servertest.Form("?", "x")); err != nil {
						return nil, err
					}
				}
				select {
				case <-time.After(29 * time.Second):
					return server.TextResult("asked"), nil
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			})))
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
			}
		})
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
