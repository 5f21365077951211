package nats_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/client/elicit"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskclient"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// tasksInBothEras runs a test with three instances in each era. The clients that dial returns have sessions at different
// instances through 2025-11-25; since 2026-07-28 each request arrives at a different instance.
func tasksInBothEras(t *testing.T, run func(f *fleet, dial func() *client.Client)) {
	for _, rev := range []wire.Revision{mcp.V2025_11_25, mcp.V2026_07_28} {
		t.Run(rev.String(), func(t *testing.T) {
			f := newFleet(t, startNATS(t), 3)
			var taken []int
			run(f, func() *client.Client {
				for {
					c, session := f.dial(rev, client.Options{
						Elicit: elicit.Handler{Form: func(context.Context, *mcp.ElicitRequestFormParams) (*mcp.ElicitResult, error) {
							return &mcp.ElicitResult{Action: mcp.ElicitResultActionDecline}, nil
						}},
						Extensions: []client.Extension{taskclient.Enable(nil)},
					})
					if rev == mcp.V2026_07_28 {
						return c
					}
					if _, err := call(t.Context(), c, "where", "{}"); err != nil {
						t.Fatal(err)
					}
					at := f.holder(session()).number
					if !slices.Contains(taken, at) {
						taken = append(taken, at)
						return c
					}
				}
			})
		})
	}
}

func start(t *testing.T, c *client.Client, name, args string) *taskclient.Task {
	t.Helper()
	task, err := taskclient.Start(t.Context(), c, &mcp.CallToolRequestParams{Name: name, Arguments: wire.Raw(args)})
	if err != nil {
		t.Fatal(err)
	}
	return task
}

// REQ TASK-10, TASK-11, TASK-15, XTASK-07, XTASK-08, XTASK-10, XTASK-11: a task begins at one instance, is polled and
// responded to at others, and cancelled at a third.
func TestTasksAtAnyInstance(t *testing.T) {
	tasksInBothEras(t, func(f *fleet, dial func() *client.Client) {
		a, b, c := dial(), dial(), dial()
		ctx := f.Context()
		done := start(f.T, a, "job", "{}")
		for _, at := range []*client.Client{b, c, a} {
			if r, err := taskclient.Of(at, done.ID()).Result(ctx); err != nil || r.Content[0].(*mcp.TextContent).Text != "done" {
				t.Errorf("%v, %v", r, err)
			}
		}
		asks := start(f.T, a, "job", `{"for":"input"}`)
		if r, err := taskclient.Of(b, asks.ID()).Result(ctx); err != nil || r.Content[0].(*mcp.TextContent).Text != "decline" {
			t.Errorf("%v, %v", r, err)
		}
		ever := start(f.T, a, "job", `{"for":"ever"}`)
		for range 3 {
			if s, err := taskclient.Of(b, ever.ID()).Get(ctx); err != nil || s.Status != mcp.TaskStatusWorking {
				t.Errorf("%v, %v", s, err)
			}
		}
		if err := taskclient.Of(c, ever.ID()).Cancel(ctx); err != nil {
			t.Error(err)
		}
		for _, at := range []*client.Client{a, b, c} {
			if s, err := taskclient.Of(at, ever.ID()).Get(ctx); err != nil || s.Status != mcp.TaskStatusCancelled {
				t.Errorf("%v, %v", s, err)
			}
		}
		f.until("the handler is cancelled", func() bool { return f.count("cancelled") == 1 })
		f.until("nothing is at work", func() bool {
			work, err := f.all[0].cluster.Store().List(ctx, "work", "", 1)
			mail, err2 := f.all[0].cluster.Store().List(ctx, "mail", "", 1)
			return errors.Join(err, err2) == nil && len(work) == 0 && len(mail) == 0
		})
	})
}

// The instance that runs tasks dies: they fail, and run nowhere else.
func TestInstanceOfTasksDies(t *testing.T) {
	tasksInBothEras(t, func(f *fleet, dial func() *client.Client) {
		c := dial()
		ctx := f.Context()
		fails := []*taskclient.Task{start(f.T, c, "begin", `{}`)}
		at := <-f.ran
		for range 6 { // since 2026-07-28 tasks begin anywhere
			fails = append(fails, start(f.T, c, "job", `{"for":"ever"}`))
		}
		f.until("all are handled", func() bool { return f.count("wait") == len(fails) })
		at.kill()
		failed := 0
		f.until("the tasks that ran there have failed", func() bool {
			failed = 0
			for _, task := range fails {
				s, err := task.Get(ctx)
				if err != nil {
					return false
				}
				if s.Status == mcp.TaskStatusFailed {
					failed++
					if s.StatusMessage != "the server that ran the task has ended" {
						t.Fatalf("the message is %q", s.StatusMessage)
					}
				}
			}
			return failed > 0
		})
		for _, task := range fails {
			if s, err := task.Get(ctx); err == nil && s.Status == mcp.TaskStatusFailed {
				_, err := task.Result(ctx)
				if rpc, ok := errors.AsType[*jsonrpc.Error](err); !ok || !strings.Contains(rpc.Message, "the server that ran the task has ended") {
					t.Errorf("the result is %v", err)
				}
			} else if err := task.Cancel(ctx); err != nil {
				t.Error(err)
			}
		}
		if n := f.count("wait"); n != len(fails) {
			t.Errorf("the tasks were handled %d times, want %d", n, len(fails))
		}
	})
}
