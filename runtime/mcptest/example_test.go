package mcptest_test

import (
	"context"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func newGreeter() (*server.Server, error) {
	s := server.New(mcp.Implementation{Name: "greeter", Version: "1.0.0"}, nil)
	err := s.AddTool(mcp.Tool{Name: "greet"}, func(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
		return server.TextResult("Hello!"), nil
	})
	return s, err
}

func ExampleConnect() {
	var t *testing.T // the argument of the test

	s, err := newGreeter()
	if err != nil {
		t.Fatal(err)
	}
	c := mcptest.Connect(t, s, nil)
	if got := c.CallText("greet", nil); got != "Hello!" {
		t.Errorf("greet: got %q", got)
	}
}

func ExampleEachRevision() {
	var t *testing.T // the argument of the test

	s, err := newGreeter()
	if err != nil {
		t.Fatal(err)
	}
	mcptest.EachRevision(t, func(t *testing.T, rev wire.Revision) {
		c := mcptest.Connect(t, s, &mcptest.Options{Revision: rev})
		if _, err := c.ListTools(t.Context(), nil); err != nil {
			t.Error(err)
		}
	})
}
