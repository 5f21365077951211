package taskserver_test

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// REQ XTASK-16: the tasks that a session or a listener watches count until they are over.
func TestWatchedTasksCount(t *testing.T) {
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		one := len(taskserver.Topic(taskserver.NewID())) + 128
		room := one + one/2
		if rev >= mcp.Modern {
			room += 6 << 10 // for the listener itself
		}
		s := taskServer(t, &server.Options{MaxKept: room}, nil)
		addWork(t, s, "w", optional, slow(time.Second, ""))
		c := newClient(t, s, rev, tasksCaps)
		watch := func(ctx context.Context) (watched []bool) {
			first, second := c.create("w", "").TaskID, c.create("w", "").TaskID
			if rev >= mcp.Modern {
				go c.session.ServeRequest(ctx, c.Request("subscriptions/listen", `{"notifications":{"taskIds":["`+first+`","`+second+`"]}}`))
			}
			synctest.Wait()
			return []bool{s.Subscribed(taskserver.Topic(first)), s.Subscribed(taskserver.Topic(second))}
		}
		for range 2 {
			ctx, cancel := context.WithCancel(t.Context())
			equal(t, "watched", fmt.Sprint(watch(ctx)), "[true false]")
			time.Sleep(2 * time.Second)
			cancel()
			synctest.Wait()
		}
	})
}

// A limitedStore refuses to list what is no number of tasks.
type limitedStore struct{ taskserver.Memory }

func (s *limitedStore) List(ctx context.Context, principal, after string, most int) ([]*taskserver.Record, error) {
	if most <= 0 {
		return nil, fmt.Errorf("at most %d tasks", most)
	}
	return s.Memory.List(ctx, principal, after, most)
}

// REQ TASK-07
func TestNegativeOptions(t *testing.T) {
	s := newServer(&server.Options{PageSize: -1}, &taskserver.Options{TTL: -1, MaxTTL: -1, PollInterval: -1, MaxRunning: -1, MaxTasks: -1, MaxBytes: -1, Store: new(limitedStore)})
	add(t, s.AddTool(mcp.Tool{Name: "work", Execution: &mcp.ToolExecution{TaskSupport: mcp.ToolExecutionTaskSupportRequired}}, says("done")))
	c := newClient(t, s, mcp.V2026_07_28, `{"extensions":{"io.modelcontextprotocol/tasks":{}}}`)
	created := wire.Raw(c.Must("tools/call", `{"name":"work"}`))
	contains(t, "task", string(created), `"ttlMs":null`)
	if interval := created.StringAt("pollIntervalMs"); interval != "" {
		t.Errorf("poll interval %s", interval)
	}
	contains(t, "task", c.Must("tasks/get", fmt.Sprintf(`{"taskId":%q}`, created.StringAt("taskId"))), `"ttlMs":null`)

	old := newClient(t, s, mcp.V2025_11_25, `{}`)
	old.Principal = "ann"
	old.Must("tools/call", `{"name":"work","task":{}}`)
	contains(t, "list", old.Must("tasks/list", `{}`), `"ttl":null`)

	owner := share.Of("ann", "", nil)
	for i := range 20_000 {
		if gone, err := s.tasks.Enter(fmt.Sprint(i), owner, 1<<20); err != nil || gone > 0 {
			t.Fatalf("task %d: %v, %v", i, gone, err)
		}
	}
	for said, want := range map[int64]time.Duration{0: 0, 5: 5 * time.Millisecond, 1 << 60: 0} {
		if got := s.tasks.TTL(said); got != want {
			t.Errorf("a client that says %d gets %s, want %s", said, got, want)
		}
	}
}
