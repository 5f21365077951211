package server

import (
	"context"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Senders are told apart as where they share something, and tools only if there are.
func TestSender(t *testing.T) {
	everyRevision(t, func(t *testing.T, rev wire.Revision) {
		var sender any
		var tool string
		s := newServer(&Options{Middleware: []Middleware{func(next Handler) Handler {
			return func(ctx context.Context, c *Call) (wire.Encodable, error) {
				sender, tool = c.Sender(), c.Name()
				return next(ctx, c)
			}
		}}})
		add(t, s.AddTool(mcp.Tool{Name: "a"}, says("done")))
		call := func(c *client, method, params, want string) any {
			t.Helper()
			c.Call(method, params)
			if tool != want {
				t.Errorf("%s: the tool is %q, want %q", method, tool, want)
			}
			return sender
		}
		ada, alsoAda, bob := newClient(t, s, rev, `{}`), newClient(t, s, rev, `{}`), newClient(t, s, rev, `{}`)
		ada.Principal, alsoAda.Principal, bob.Address = "ada", "ada", "192.0.2.1:80"
		pipe, other := newClient(t, s, rev, `{}`), newClient(t, s, rev, `{}`)
		of := call(ada, "tools/call", `{"name":"a"}`, "a")
		if call(alsoAda, "tools/call", `{"name":"b"}`, "") != of || call(bob, "tools/list", `{"name":"a"}`, "") == of {
			t.Error("principals are not told apart")
		}
		of = call(pipe, "tools/call", `{"name":"a"}`, "a")
		if call(pipe, "tools/call", `{"name":"a"}`, "a") != of || call(other, "tools/call", `{"name":"a"}`, "a") == of {
			t.Error("connections are not told apart")
		}
	})
}
