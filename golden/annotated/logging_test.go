package annotated

import (
	"context"
	"log/slog"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/methods"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
)

// TestInjectedLogger checks that what a function writes to the logger that it takes reaches the client, since NewServer
// declares logging for it.
func TestInjectedLogger(t *testing.T) {
	s, err := Sample(&server.Options{Logger: slog.New(slog.DiscardHandler), Setup: []server.Setup{taskserver.Enable(nil)}})
	if err != nil {
		t.Fatal(err)
	}
	logged := make(chan string, 1)
	c := mcptest.Connect(t, s, &mcptest.Options{Revision: mcp.V2025_11_25, Client: client.Options{
		Methods: []client.Method{methods.Notification(mcp.MethodLoggingMessageNotification.Name, func(_ context.Context, p *mcp.LoggingMessageNotificationParams) {
			logged <- string(p.Level) + " " + string(p.Data)
		})},
	}})
	c.CallText("injected", map[string]any{"s": "x"})
	if got, want := <-logged, `info {"msg":"injected","s":"x"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
