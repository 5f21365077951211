package ask

import (
	"context"
	"errors"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/roomtest"
	"github.com/mcpgen/mcpgen/runtime/internal/servertest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The user confirms in every revision that can ask; elsewhere, and without elicitation, nothing is done.
func TestConfirm(t *testing.T) {
	deleted := 0
	s := roomtest.NewServer(nil)
	servertest.Check(t, s.AddTool(mcp.Tool{Name: "delete"}, func(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
		if err := Confirm(ctx, c, "Delete "+Shown(args.StringAt("name"))+"?"); err != nil {
			if !errors.Is(err, ErrNotConfirmed) && !errors.Is(err, server.ErrInputRequired) {
				t.Errorf("error %v", err)
			}
			return nil, err
		}
		deleted++
		return server.TextResult("deleted"), nil
	}))
	servertest.EveryRevision(t, func(t *testing.T, rev wire.Revision) {
		const call = `{"name":"delete","arguments":{"name":"a\nb"}}`
		for action, want := range map[string]string{
			"accept":  `"deleted"`,
			"decline": `"not confirmed: the user declined"`,
			"cancel":  `"not confirmed: the user cancelled"`,
		} {
			deleted = 0
			c := roomtest.NewClient(t, s, rev, `{"elicitation":{}}`)
			result, _ := c.Complete("tools/call", call, func(method string, params wire.Raw) string {
				servertest.Equal(t, "method", method, "elicitation/create")
				servertest.Equal(t, "question", params.StringAt("message"), "Delete a b?")
				return `{"action":"` + action + `"}`
			})
			if rev < mcp.V2025_06_18 {
				action, want = "", "not confirmed: a person must confirm this, and this client cannot ask them"
			}
			servertest.Contains(t, "result", result, want)
			if (deleted == 1) != (action == "accept") || strings.Contains(result, `"isError":true`) != (action != "accept") {
				t.Errorf("%s: deleted %d times: %s", action, deleted, result)
			}
		}
		deleted = 0
		c := roomtest.NewClient(t, s, rev, `{}`)
		servertest.Contains(t, "unable", c.Must("tools/call", call), `"text":"not confirmed: a person must confirm this, and this client cannot ask them: it does not support elicitation"}],"isError":true`)
		if deleted != 0 {
			t.Error("deleted without a confirmation")
		}
	})
}

func TestShown(t *testing.T) {
	type text string
	var none *int
	hour := time.Hour
	for _, test := range []struct {
		value any
		want  string
	}{
		{"a b", "a b"}, {text("é"), "é"}, {3, "3"}, {new(3), "3"}, {none, "none"}, {nil, "none"}, {big.NewInt(7), "7"}, {(*big.Int)(nil), "none"}, {&hour, "1h0m0s"}, {new(new("x")), "x"},
		{"x?\n\nIs \u202e fine\x00", "x?  Is   fine "}, {strings.Repeat("x", 300), strings.Repeat("x", 200) + "…"}, {[]string{"a", "b"}, "[a b]"},
	} {
		if got := Shown(test.value); got != test.want {
			t.Errorf("%#v: %q, want %q", test.value, got, test.want)
		}
	}
}
