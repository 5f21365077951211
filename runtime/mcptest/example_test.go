package mcptest_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// newGreeter returns a server with a tool that greets.
func newGreeter() *server.Server {
	s := server.New(mcp.Implementation{Name: "greeter", Version: "1.0.0"}, nil)
	s.AddTool(mcp.Tool{Name: "greet"}, func(_ context.Context, _ *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
		return server.TextResult("Hello, " + args.StringAt("name") + "!"), nil
	})
	return s
}

// A test of a tool, in every revision of the protocol.
func TestGreet(t *testing.T) {
	mcptest.EachRevision(t, func(t *testing.T, revision wire.Revision) {
		c := mcptest.Connect(t, newGreeter(), &mcptest.Options{Revision: revision})
		if got := c.CallText("greet", map[string]any{"name": "Ada"}); got != "Hello, Ada!" {
			t.Errorf("got %q, want %q", got, "Hello, Ada!")
		}
	})
}

// A test of a tool that asks its user. The client of the test answers.
func TestDeclined(t *testing.T) {
	s := server.New(mcp.Implementation{Name: "cleaner", Version: "1.0.0"}, nil)
	s.AddTool(mcp.Tool{Name: "clean"}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		answer, err := c.Elicit(ctx, &mcp.ElicitRequestFormParams{Message: "Delete 12 files?"})
		if err != nil {
			return nil, err
		}
		return server.TextResult(string(answer.Action)), nil
	})
	c := mcptest.Connect(t, s, &mcptest.Options{Client: client.Options{
		Elicit: elicit.Handler{Form: func(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
			return elicit.Decline(), nil
		}},
	}})
	if got := c.CallText("clean", nil); got != "decline" {
		t.Errorf("got %q, want decline", got)
	}
}

// A test of what depends on who calls.
func TestGreetsItsUser(t *testing.T) {
	s := server.New(mcp.Implementation{Name: "greeter", Version: "1.0.0"}, nil)
	s.AddTool(mcp.Tool{Name: "whoami"}, func(_ context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		return server.TextResult(c.Principal()), nil
	})
	c := mcptest.Connect(t, s, &mcptest.Options{Identity: mcptest.As("ada", "greetings:read")})
	if got := c.CallText("whoami", nil); got != "ada" {
		t.Errorf("got %q, want ada", got)
	}
}

// A test with a clock that is not real: half an hour takes no time.
func TestReminder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := server.New(mcp.Implementation{Name: "reminder", Version: "1.0.0"}, nil)
		s.AddTool(mcp.Tool{Name: "remind"}, func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
			time.Sleep(30 * time.Minute)
			return server.TextResult("It is time!"), nil
		})
		c := mcptest.Connect(t, s, &mcptest.Options{Client: client.Options{Limits: transport.Limits{Timeout: time.Hour}}})
		begin := time.Now()
		if got := c.CallText("remind", nil); got != "It is time!" {
			t.Errorf("got %q", got)
		}
		if took := time.Since(begin); took != 30*time.Minute {
			t.Errorf("it took %v, want 30m", took)
		}
	})
}
