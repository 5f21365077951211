package limit_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/roomtest"
	"github.com/mcpgen/mcpgen/runtime/internal/servertest"
	"github.com/mcpgen/mcpgen/runtime/limit"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/server/ask"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Each client has its own rate of a tool, and the model reads when it may try again.
func TestRateOfTool(t *testing.T) {
	servertest.EveryRevision(t, func(t *testing.T, rev wire.Revision) {
		synctest.Test(t, func(t *testing.T) {
			s := roomtest.NewServer(nil)
			servertest.Check(t, s.AddTool(mcp.Tool{Name: "a"}, limit.Rate{N: 2, Per: time.Minute}.Tool(roomtest.Says("done"))))
			ada, bob := roomtest.NewClient(t, s, rev, `{}`), roomtest.NewClient(t, s, rev, `{}`)
			ada.Principal, bob.Principal = "ada", "bob"
			call := func(c *servertest.Client, want string) {
				t.Helper()
				servertest.Contains(t, c.Principal, c.Must("tools/call", `{"name":"a"}`), want)
			}
			call(ada, "done")
			call(ada, "done")
			time.Sleep(10 * time.Second)
			call(ada, `"text":"want at most 2 calls a minute by one client; try again in 20s"}],"isError":true`)
			call(bob, "done")
			time.Sleep(20 * time.Second)
			call(ada, "done")
			call(ada, "try again in 30s")
			time.Sleep(time.Hour)
			call(ada, "done")
			call(ada, "done")
			call(ada, "try again in 30s")
		})
	})
}

// A call that asks the user counts once, in every revision, and only one that is carried out leaves less for others.
func TestRateAsks(t *testing.T) {
	servertest.EveryRevision(t, func(t *testing.T, rev wire.Revision) {
		if rev < mcp.V2025_06_18 { // which have no elicitation
			return
		}
		synctest.Test(t, func(t *testing.T) {
			s := roomtest.NewServer(nil)
			servertest.Check(t, s.AddTool(mcp.Tool{Name: "a"}, limit.Rate{N: 1, Per: time.Hour}.Tool(func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
				for _, question := range []string{"Sure?", "Really?"} {
					if err := ask.Confirm(ctx, c, question); err != nil {
						return nil, err
					}
				}
				return server.TextResult("done"), nil
			})))
			c := roomtest.NewClient(t, s, rev, `{"elicitation":{}}`)
			yes := func(string, wire.Raw) string {
				time.Sleep(time.Second)
				return `{"action":"accept"}`
			}
			result, _ := c.Complete("tools/call", `{"name":"a"}`, yes)
			servertest.Contains(t, "first", result, `"done"`)
			result, _ = c.Complete("tools/call", `{"name":"a"}`, yes)
			servertest.Contains(t, "second", result, "want at most 1 calls an hour by one client")
			time.Sleep(time.Hour)
			result, _ = c.Complete("tools/call", `{"name":"a"}`, yes)
			servertest.Contains(t, "an hour later", result, `"done"`)
		})
	})
}
