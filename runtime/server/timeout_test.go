package server

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The model reads that a tool took too long, in every revision. What a client takes to respond does not count.
func TestTimeout(t *testing.T) {
	everyRevision(t, func(t *testing.T, rev wire.Revision) {
		synctest.Test(t, func(t *testing.T) {
			s := newServer(nil)
			wait := func(d time.Duration) ToolHandler {
				return Timeout(time.Minute, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
					select {
					case <-time.After(d):
						return TextResult("done"), nil
					case <-ctx.Done():
						return nil, ctx.Err()
					}
				})
			}
			add(t, s.AddTool(mcp.Tool{Name: "quick"}, wait(59*time.Second)))
			add(t, s.AddTool(mcp.Tool{Name: "slow"}, wait(time.Hour)))
			add(t, s.AddTool(mcp.Tool{Name: "fails"}, Timeout(time.Minute, func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) {
				return nil, errors.New("no")
			})))
			add(t, s.AddTool(mcp.Tool{Name: "late"}, Timeout(time.Minute, func(context.Context, *Call, wire.Raw) (*mcp.CallToolResult, error) {
				time.Sleep(time.Hour)
				return TextResult("done all the same"), nil
			})))
			add(t, s.AddTool(mcp.Tool{Name: "asks"}, Timeout(time.Minute, func(ctx context.Context, c *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
				time.Sleep(30 * time.Second)
				for _, key := range []string{"a", "b"} {
					if _, err := c.WithKey(key).Elicit(ctx, form("?", "x")); err != nil {
						return nil, err
					}
				}
				select {
				case <-time.After(29 * time.Second):
					return TextResult("asked"), nil
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			})))
			c := newClient(t, s, rev, `{"elicitation":{}}`)
			contains(t, "quick", c.Must("tools/call", `{"name":"quick"}`), `"done"`)
			contains(t, "slow", c.Must("tools/call", `{"name":"slow"}`), `"text":"the tool took longer than 1m0s, and was stopped"}],"isError":true`)
			contains(t, "fails", c.Must("tools/call", `{"name":"fails"}`), `"text":"no"`)
			contains(t, "late", c.Must("tools/call", `{"name":"late"}`), `"done all the same"`)
			if rev >= mcp.V2025_06_18 {
				result, _ := c.Complete("tools/call", `{"name":"asks"}`, func(string, wire.Raw) string {
					time.Sleep(5 * time.Minute)
					return `{"action":"accept","content":{"x":"y"}}`
				})
				contains(t, "asks", result, `"asked"`)
			}
			c.session.Close()
		})
	})
}

// A call whose client gave up is not a tool that took too long.
func TestTimeoutCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		h := Timeout(time.Minute, func(ctx context.Context, _ *Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			<-ctx.Done()
			return nil, context.Cause(ctx)
		})
		time.AfterFunc(time.Second, cancel)
		if _, err := h(ctx, &Call{}, nil); err != context.Canceled {
			t.Errorf("error %v, want %v", err, context.Canceled)
		}
	})
}
