package mcptest_test

import (
	"testing"

	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

func ExampleConnect() {
	var t *testing.T // the argument of the test

	c := mcptest.Connect(t, newGreeter(), nil)
	if got := c.CallText("greet", map[string]any{"name": "Ada"}); got != "Hello, Ada!" {
		t.Errorf("greet: got %q", got)
	}
}

func ExampleEachRevision() {
	var t *testing.T // the argument of the test

	mcptest.EachRevision(t, func(t *testing.T, revision wire.Revision) {
		c := mcptest.Connect(t, newGreeter(), &mcptest.Options{Revision: revision})
		if _, err := c.ListTools(t.Context(), nil); err != nil {
			t.Error(err)
		}
	})
}
