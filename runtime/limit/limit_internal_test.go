package limit

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/roomtest"
	"github.com/mcpgen/mcpgen/runtime/internal/servertest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Nothing is kept of a client that has nothing inside.
func TestGatesAreForgotten(t *testing.T) {
	g := Concurrency{Max: 1}.gates("calls")
	s := roomtest.NewServer(nil)
	servertest.Check(t, s.AddTool(mcp.Tool{Name: "a"}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		p, err := g.enter(ctx, c)
		if err != nil {
			return nil, err
		}
		if _, err := g.enter(ctx, c); err == nil || len(g.all) != 1 {
			t.Errorf("a second call: %v, %d gates", err, len(g.all))
		}
		p.leave()
		return server.TextResult("done"), nil
	}))
	roomtest.NewClient(t, s, mcp.V2025_11_25, `{}`).Must("tools/call", `{"name":"a"}`)
	if len(g.all) != 0 {
		t.Errorf("%d gates are kept", len(g.all))
	}
}

func TestTexts(t *testing.T) {
	for d, want := range map[time.Duration]string{
		time.Second: "a second", time.Minute: "a minute", time.Hour: "an hour", 24 * time.Hour: "a day", 25 * time.Hour: "in 25h0m0s",
	} {
		servertest.Equal(t, "period", period(d), want)
	}
	if why := errors.New("why"); forModel(why) != why {
		t.Errorf("got %v", forModel(why))
	}
}
