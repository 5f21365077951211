package dev

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/mcptest"
	"github.com/mcpgen/mcpgen/runtime/server"
	asking "github.com/mcpgen/mcpgen/runtime/server/ask"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskclient"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// newKitchen returns a server whose tools run as tasks.
func newKitchen(t *testing.T, revision wire.Revision) *shop {
	t.Helper()
	s := &shop{waiting: make(chan string, 1)}
	s.Server = server.New(mcp.Implementation{Name: "kitchen"}, &server.Options{
		Revisions: []wire.Revision{revision}, Logger: slog.New(slog.DiscardHandler), Setup: []server.Setup{taskserver.Enable(nil)},
	})
	task := mcp.ToolExecution{TaskSupport: mcp.ToolExecutionTaskSupportRequired}
	must(t, s.AddTool(mcp.Tool{Name: "brew", Execution: &task}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		if err := asking.Confirm(ctx, c, "Sure?"); err != nil {
			return nil, err
		}
		return server.TextResult("brewed"), nil
	}))
	must(t, s.AddTool(mcp.Tool{Name: "wait", Execution: &task}, func(ctx context.Context, _ *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
		<-ctx.Done()
		s.waiting <- "cancelled"
		return nil, ctx.Err()
	}))
	return s
}

// TestTasks runs tasks of both eras. What they ask reaches the client that waits for the result.
func TestTasks(t *testing.T) {
	for _, revision := range []wire.Revision{mcp.V2025_11_25, mcp.V2026_07_28} {
		t.Run(revision.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				e := newEndpoint(t)
				s := newKitchen(t, revision)
				begin(t, e, s)
				news := make(chan mcp.TaskStatus, 10)
				c := connect(t, e, &mcptest.Options{Revision: revision, Client: client.Options{
					Extensions: []client.Extension{taskclient.Enable(&taskclient.Options{
						OnTask: func(_ context.Context, task *tasks.Task) { news <- task.Status },
					})},
					Elicit: elicit.Handler{Form: func(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
						return elicit.Accept(struct{}{})
					}},
				}})
				var all []*taskclient.Task
				for range 2 { // at once
					task, err := taskclient.Start(t.Context(), c.Client, &mcp.CallToolRequestParams{Name: "brew"})
					must(t, err)
					if task.ID() == "" {
						t.Fatal("the call is no task")
					}
					all = append(all, task)
				}
				for _, task := range all {
					r, err := task.Result(t.Context())
					must(t, err)
					if got := mcptest.Text(r); got != "brewed" {
						t.Errorf("got %q", got)
					}
				}
				task, err := taskclient.Start(t.Context(), c.Client, &mcp.CallToolRequestParams{Name: "wait"})
				must(t, err)
				if got, err := task.Get(t.Context()); err != nil || got.Status != mcp.TaskStatusWorking {
					t.Errorf("got %v, %v", got, err)
				}
				must(t, task.Cancel(t.Context()))
				if got := <-s.waiting; got != "cancelled" {
					t.Errorf("the tool is %s", got)
				}
				if _, err := task.Result(t.Context()); !errors.Is(err, taskclient.ErrCancelled) {
					t.Errorf("got %v", err)
				}
				time.Sleep(time.Second)
				synctest.Wait()
				if n := len(news); (n > 0) != (revision == mcp.V2025_11_25) { // later ones are for subscribers
					t.Errorf("the client received %d changes of status", n)
				}
			})
		})
	}
}

// TestTasksOfAnotherEra has a client whose tasks are not those of the child: it sees none.
func TestTasksOfAnotherEra(t *testing.T) {
	for revision, child := range map[wire.Revision]wire.Revision{mcp.V2025_11_25: mcp.V2026_07_28, mcp.V2026_07_28: mcp.V2025_11_25} {
		e := newEndpoint(t)
		s := newKitchen(t, child)
		must(t, s.AddTool(mcp.Tool{Name: "look"}, func(_ context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			text, err := wire.Marshal(wire.Any, c.Capabilities())
			return server.TextResult(string(text) + string(c.Meta().LogLevel)), err
		}))
		begin(t, e, s)
		c := connect(t, e, &mcptest.Options{Revision: revision, Client: client.Options{Extensions: []client.Extension{taskclient.Enable(nil)}}})
		if got := c.CallText("look", nil); child.Since(mcp.Modern) && (strings.Contains(got, "tasks") || !strings.HasSuffix(got, "}")) {
			t.Errorf("%v: the child is told of tasks that it does not have, or of a level for its log, which it does not have: %s", revision, got)
		}
		about := c.Server().Capabilities
		if about.Tasks != nil || len(about.Extensions) > 0 {
			t.Errorf("%v: the server declares %v and %v", revision, about.Tasks, about.Extensions)
		}
		if _, err := c.CallTool(t.Context(), &mcp.CallToolRequestParams{Name: "brew"}); err == nil || !strings.Contains(err.Error(), "task") {
			t.Errorf("%v: got %v, want an error about tasks", revision, err)
		}
	}
}

// TestTasksOfSeveral has the tasks of two clients ask at the same time: each asks the client that waits for its result.
func TestTasksOfSeveral(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := newEndpoint(t)
		s := newKitchen(t, mcp.V2025_11_25)
		task := mcp.ToolExecution{TaskSupport: mcp.ToolExecutionTaskSupportRequired}
		must(t, s.AddTool(mcp.Tool{Name: "steep", Execution: &task}, func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			for _, question := range []string{"Sure?", "Really?"} {
				if err := asking.Confirm(ctx, c, question); err != nil {
					return nil, err
				}
			}
			return server.TextResult("steeped"), nil
		}))
		begin(t, e, s)
		asked := make([]int, 2)
		var all []*taskclient.Task
		for i := range asked {
			c := connect(t, e, &mcptest.Options{Revision: mcp.V2025_11_25, Client: client.Options{
				Extensions: []client.Extension{taskclient.Enable(nil)},
				Elicit: elicit.Handler{Form: func(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
					asked[i]++
					time.Sleep(time.Duration(i+1) * time.Minute) // so that the first is asked again while the second answers
					return elicit.Accept(struct{}{})
				}},
			}})
			task, err := taskclient.Start(t.Context(), c.Client, &mcp.CallToolRequestParams{Name: "steep"})
			must(t, err)
			all = append(all, task)
		}
		results := make(chan string, len(all))
		for _, task := range all {
			go func() {
				r, err := task.Result(t.Context())
				if err != nil {
					results <- err.Error()
					return
				}
				results <- mcptest.Text(r)
			}()
		}
		for range all {
			if got := <-results; got != "steeped" {
				t.Errorf("got %q", got)
			}
		}
		if asked[0] != 2 || asked[1] != 2 {
			t.Errorf("the clients were asked %v times", asked)
		}
	})
}

// TestChangesOnce takes what a child says of a task for a change if anything has changed, and the task is subscribed to.
func TestChangesOnce(t *testing.T) {
	now := time.Now()
	w := &watcher{ids: []string{"1"}, last: map[string]*tasks.Task{}}
	for _, test := range []struct {
		task    tasks.Task
		changes bool
	}{
		{tasks.Task{ID: "2", Status: "working"}, false},
		{tasks.Task{ID: "1", Status: "working", UpdatedAt: now}, true},
		{tasks.Task{ID: "1", Status: "working", UpdatedAt: now.UTC()}, false},
		{tasks.Task{ID: "1", Status: "working", UpdatedAt: now.Add(1)}, true},
		{tasks.Task{ID: "1", Status: "working", UpdatedAt: now.Add(1), StatusMessage: "warm"}, true},
		{tasks.Task{ID: "1", Status: "completed", UpdatedAt: now.Add(1), StatusMessage: "warm"}, true},
		{tasks.Task{ID: "1", Status: "completed", UpdatedAt: now.Add(1), StatusMessage: "warm"}, false},
	} {
		must(t, w.changed(t.Context(), &test.task))
		if w.last[test.task.ID] == &test.task != test.changes {
			t.Errorf("%+v: a change: %t", test.task, !test.changes)
		}
	}
}

// TestAcknowledgeFails has a client that is gone when its subscription is acknowledged, or when a change is sent.
func TestAcknowledgeFails(t *testing.T) {
	e := newEndpoint(t)
	call := keptCall(t)
	gone := errors.New("gone")
	acknowledged := mcp.MethodSubscriptionsAcknowledgedNotification.Name
	for _, test := range []struct {
		method string
		params string
		fails  int // which message cannot be sent
		sent   int
	}{
		{acknowledged, `{"notifications":{}}`, 1, 1}, {acknowledged, `{"notifications":{}}`, 2, 2}, {acknowledged, `{"notifications":{}}`, 3, 2},
		{acknowledged, `{"notifications":7}`, 0, 0}, {methodSteam, `{"notifications":7}`, 2, 1},
	} {
		sent := 0
		acknowledge := e.acknowledge(func(context.Context, *transport.ServerMessage) (wire.Raw, error) {
			if sent++; sent == test.fails {
				return nil, gone
			}
			return nil, nil
		})
		w := &watcher{call: call, ids: []string{"1"}, last: map[string]*tasks.Task{"1": {ID: "1", Status: mcp.TaskStatusWorking}}}
		_, err := acknowledge(context.WithValue(t.Context(), watcherKey{}, w), &transport.ServerMessage{
			Method: test.method, Notification: true, Params: wire.Raw(test.params),
		})
		if (err == nil) != (test.fails > test.sent) || sent != test.sent {
			t.Errorf("%s, message %d fails: %v after %d", test.params, test.fails, err, sent)
		}
		if err != nil || test.method != acknowledged {
			continue
		}
		if err := w.changed(t.Context(), &tasks.Task{ID: "1", Status: mcp.TaskStatusCompleted}); err != gone {
			t.Errorf("a change that cannot be sent: %v", err)
		}
	}
}
