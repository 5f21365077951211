package features_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/examples/everything/features"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/methods"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// heard is what the server told the client without being asked.
type heard struct {
	mu    sync.Mutex
	lines []string
}

func (h *heard) add(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lines = append(h.lines, fmt.Sprintf(format, args...))
}

// since returns what was heard since it was last called, after some time.
func (h *heard) since() string {
	time.Sleep(time.Second)
	h.mu.Lock()
	defer h.mu.Unlock()
	all := strings.Join(h.lines, "; ")
	h.lines = nil
	return all
}

// TestNotifications tries what goes one way, in both directions: on the fake clock of a bubble,
// because it takes its time.
func TestNotifications(t *testing.T) {
	mcptest.EachRevision(t, func(t *testing.T, revision wire.Revision) {
		synctest.Test(t, func(t *testing.T) { tryNotifications(t, revision) })
	})
}

func tryNotifications(t *testing.T, revision wire.Revision) {
	const watched = "test://watched-resource"
	s, err := features.NewServer(mcp.Implementation{Name: "everything", Version: "1.0.0"}, server.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var h heard
	c := mcptest.Connect(t, s, &mcptest.Options{Revision: revision, Client: client.Options{
		Roots: []mcp.Root{},
		OnChange: func(_ context.Context, change client.Change) {
			switch {
			case change.Tools:
				h.add("tools")
			case change.Prompts:
				h.add("prompts")
			case change.Resources:
				h.add("resources")
			default:
				h.add("%s", change.URI)
			}
		},
		Methods: []client.Method{methods.Notification(mcp.MethodLoggingMessageNotification.Name, func(_ context.Context, p *mcp.LoggingMessageNotificationParams) {
			h.add("%s %s", p.Level, p.Data)
		})},
	}})
	expect := func(what, want string) {
		t.Helper()
		if got := h.since(); got != want {
			t.Errorf("after %s, the client heard %q, want %q", what, got, want)
		}
	}

	// Changes, to those who subscribed.
	c.CallText("test_trigger_resource_update", nil)
	expect("an update before the subscription", "")
	sub, err := c.Subscribe(t.Context(), mcp.SubscriptionFilter{
		ToolsListChanged:      new(true),
		ResourceSubscriptions: []string{watched},
	})
	if err != nil {
		t.Fatal(err)
	}
	c.CallText("test_trigger_resource_update", nil)
	expect("an update", watched)
	c.CallText("test_trigger_tool_change", nil)
	expect("a change of the tools", "tools")
	c.CallText("test_trigger_prompt_change", nil)
	if revision < mcp.V2026_07_28 {
		expect("a change of the prompts", "prompts")
	} else {
		expect("a change that the subscription leaves out", "")
	}
	if err := sub.Close(); err != nil {
		t.Error(err)
	}
	c.CallText("test_trigger_resource_update", nil)
	expect("an update after the subscription", "")

	// Log messages.
	if err := c.SetLevel(t.Context(), mcp.LoggingLevelDebug); err != nil {
		t.Fatal(err)
	}
	c.CallText("test_tool_with_logging", nil)
	expect("a call with logging", `info "Tool execution started"; info "Tool processing data"; info "Tool execution completed"`)

	// Progress, all of it.
	ctx := client.WithProgress(t.Context(), func(p *mcp.ProgressNotificationParams) { h.add("%v/%v", p.Progress, p.GetTotal()) })
	if _, err := c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "test_tool_with_progress"}); err != nil {
		t.Error(err)
	}
	expect("a call with progress", "0/100; 50/100; 100/100")

	// What the client does.
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err = c.CallTool(ctx, &mcp.CallToolRequestParams{Name: "test_wait", Arguments: wire.Raw(`{"ms":60000}`)})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a call that waits too long ended with %v", err)
	}
	notice := &wire.Method{Name: "notifications/example/notice", Notification: true}
	if err := c.Notify(t.Context(), notice, wire.Raw(`{"text":"hello"}`)); err != nil {
		t.Error(err)
	}
	changes := 0
	if revision < mcp.V2026_07_28 {
		changes = 1
	}
	if err := c.SetRoots(t.Context(), []mcp.Root{{URI: "file:///a"}}); err != nil {
		t.Error(err)
	}
	time.Sleep(time.Second)
	want := fmt.Sprintf(`{"cancelled":1,"notices":["hello"],"rootsListChanged":%d}`, changes)
	if got := c.CallText("test_observed", nil); got != want {
		t.Errorf("the server saw %s, want %s", got, want)
	}
}
