package taskserver_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A brittle store fails when it is told to.
type brittle struct {
	taskserver.Memory
	put, get, list, del atomic.Bool
}

var errDisk = errors.New("disk full")

func broken(b *atomic.Bool) error {
	if b.Load() {
		return errDisk
	}
	return nil
}

func (b *brittle) Create(ctx context.Context, r *taskserver.Record) error {
	if err := broken(&b.put); err != nil {
		return err
	}
	return b.Memory.Create(ctx, r)
}

func (b *brittle) Update(ctx context.Context, r *taskserver.Record) error {
	if err := broken(&b.put); err != nil {
		return err
	}
	return b.Memory.Update(ctx, r)
}

func (b *brittle) Load(ctx context.Context, principal, id string) (*taskserver.Record, error) {
	if err := broken(&b.get); err != nil {
		return nil, err
	}
	return b.Memory.Load(ctx, principal, id)
}

func (b *brittle) Delete(ctx context.Context, principal, id string) error {
	if err := broken(&b.del); err != nil {
		return err
	}
	return b.Memory.Delete(ctx, principal, id)
}

func (b *brittle) List(ctx context.Context, principal, after string, n int) ([]*taskserver.Record, error) {
	if err := broken(&b.list); err != nil {
		return nil, err
	}
	return b.Memory.List(ctx, principal, after, n)
}

// storedTask returns a task in a store, nil if there is none.
func storedTask(t testing.TB, in taskserver.Store, principal, id string) *taskserver.Record {
	t.Helper()
	rec, err := in.Load(t.Context(), principal, id)
	if err != nil {
		t.Fatal(err)
	}
	return rec
}

// storedTasks returns how many tasks of a principal a store has.
func storedTasks(t testing.TB, in taskserver.Store, principal string) int {
	t.Helper()
	list, err := in.List(t.Context(), principal, "", 1000)
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// REQ XTASK-07, TASK-09, TASK-16: there is no task that is not in the store; and a store that fails later
// loses no result as long as the process lives.
func TestStoreFails(t *testing.T) {
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		store, ran := new(brittle), 0
		s := taskServer(t, nil, &taskserver.Options{MaxRunning: 1, MaxTasks: 2, TTL: time.Hour, Store: store})
		addWork(t, s, "w", optional, func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error) {
			ran++
			return slow(time.Minute, "done")(ctx, c)
		})
		c := newClient(t, s, rev, tasksCaps)
		c.Principal = "ada"
		augmented := `{"name":"w"}`
		if rev < mcp.Modern {
			augmented = `{"name":"w","task":{}}`
		}
		store.put.Store(true)
		for range 5 {
			contains(t, "error", c.Fails("tools/call", augmented, codeInternal).Message, "the task store: disk full")
		}
		if ran > 0 {
			t.Error("the handler ran")
		}
		store.put.Store(false)
		id := c.create("w", "").TaskID
		store.put.Store(true)
		store.get.Store(true)
		time.Sleep(time.Minute)
		synctest.Wait()
		c.Fails("tasks/get", `{"taskId":"`+id+`"}`, codeInternal)
		store.get.Store(false)
		equal(t, "status", c.get(id).Status, "working")
		store.put.Store(false)
		time.Sleep(time.Second)
		equal(t, "status", c.get(id).Status, "completed")
		if rev < mcp.Modern {
			contains(t, "result", c.Must("tasks/result", `{"taskId":"`+id+`"}`), `"done"`)
			contains(t, "list", c.Must("tasks/list", `{}`), `"status":"completed"`)
			store.list.Store(true)
			c.Fails("tasks/list", `{}`, codeInternal)
		}
		store.del.Store(true)
		time.Sleep(time.Hour)
		synctest.Wait()
		store.get.Store(false)
		c.Fails("tasks/get", `{"taskId":"`+id+`"}`, codeInvalidParams)
		equal(t, "left", left(s), "0 live, 0 to expire, 0 at work")
	})
}

// Shutdown ends tasks, those who wait for them get to know, and the store does.
func TestShutdownEndsTasks(t *testing.T) {
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		store := new(taskserver.Memory)
		s := newServer(nil, &taskserver.Options{Store: store})
		addWork(t, s, "w", optional, func(ctx context.Context, _ *server.Call) (*mcp.CallToolResult, error) {
			<-ctx.Done()
			time.Sleep(time.Minute)
			return nil, ctx.Err()
		})
		c := newClient(t, s, rev, tasksCaps)
		id := c.create("w", "").TaskID
		waited := make(chan error, 1)
		if rev < mcp.Modern {
			go func() {
				_, err := c.Call("tasks/result", `{"taskId":"`+id+`"}`)
				waited <- err
			}()
			synctest.Wait()
		}
		short, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := s.Shutdown(short); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("a short shutdown: %v", err)
		}
		add(t, s.Shutdown(t.Context()))
		rec := storedTask(t, store, "", id)
		if rec.Task.Status != mcp.TaskStatusFailed || rec.Task.StatusMessage != shuttingDown {
			t.Errorf("stored: %+v", rec.Task)
		}
		if rev < mcp.Modern {
			if err := <-waited; err == nil || !strings.Contains(err.Error(), shuttingDown) {
				t.Errorf("who waited got %v", err)
			}
		}
		c.Fails("tools/call", `{"name":"w"}`, codeInternal)
	})
}

// A request that was cancelled before it was answered leaves no task, as nobody would know of it.
func TestRequestCancelledBeforeItsTask(t *testing.T) {
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		store := new(taskserver.Memory)
		s := taskServer(t, nil, &taskserver.Options{Store: store})
		addWork(t, s, "w", optional, slow(time.Minute, ""))
		c := newClient(t, s, rev, tasksCaps)
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if result, err := c.CallContext(ctx, "tools/call", `{"name":"w","task":{}}`); err == nil {
			t.Errorf("result %s", result)
		}
		equal(t, "left", left(s), "0 live, 0 to expire, 0 at work")
		if storedTasks(t, store, "") > 0 {
			t.Error("there is a task in the store")
		}
	})
}

// A task outlives the request and the session, and has the values of its request's context.
func TestTaskOutlivesItsSession(t *testing.T) {
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		type key struct{}
		s := taskServer(t, nil, nil)
		addWork(t, s, "w", optional, func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error) {
			return slow(time.Minute, fmt.Sprint("for ", ctx.Value(key{})))(ctx, c)
		})
		c := newClient(t, s, rev, tasksCaps)
		ctx, cancel := context.WithCancel(context.WithValue(t.Context(), key{}, "ada"))
		params := `{"name":"w","task":{}}`
		raw, _ := c.CallContext(ctx, "tools/call", params)
		cancel()
		c.session.Close()
		id := wire.Raw(raw).StringAt("taskId")
		if rev < mcp.Modern {
			id = wire.Raw(raw).StringAt("task", "taskId")
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		other := newClient(t, s, rev, tasksCaps)
		equal(t, "status", other.get(id).Status, "completed")
		if rev < mcp.Modern {
			contains(t, "result", other.Must("tasks/result", `{"taskId":"`+id+`"}`), "for ada")
		} else {
			contains(t, "result", string(other.get(id).Result), "for ada")
		}
	})
}

// REQ TASK-08, TASK-15: a handler that asks and reports after its task was cancelled changes nothing.
func TestAsksAfterTheEnd(t *testing.T) {
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		s := taskServer(t, nil, &taskserver.Options{TTL: time.Hour})
		goOn, returned := make(chan bool), make(chan error, 1)
		addWork(t, s, "w", optional, func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error) {
			p := c.Progress()
			<-ctx.Done()
			<-goOn
			p.Report(1, 0, "still here")
			_, err := c.Elicit(context.Background(), form("Name?", "name"))
			p.Report(2, 0, "and again")
			returned <- err
			return server.TextResult("done"), nil
		})
		c := newClient(t, s, rev, tasksCaps)
		c.Principal = "ada"
		id := c.create("w", "").TaskID
		synctest.Wait()
		c.Must("tasks/cancel", `{"taskId":"`+id+`"}`)
		time.Sleep(time.Minute)
		equal(t, "status", c.get(id).Status, "cancelled")
		before := c.Must("tasks/get", `{"taskId":"`+id+`"}`)
		c.Seen()
		goOn <- true
		if err := <-returned; err != taskserver.ErrCancelled {
			t.Errorf("a task that was cancelled has the answer %v", err)
		}
		synctest.Wait()
		time.Sleep(time.Minute)
		equal(t, "afterwards", c.Must("tasks/get", `{"taskId":"`+id+`"}`), before)
		equal(t, "told", fmt.Sprint(c.Seen()), "[]")
	})
}

// A slowStore takes its time over tasks that have ended.
type slowStore struct{ taskserver.Memory }

func (s *slowStore) Update(ctx context.Context, r *taskserver.Record) error {
	if tasks.Done(r.Task.Status) {
		time.Sleep(time.Minute)
	}
	return s.Memory.Update(ctx, r)
}

// REQ TASK-19: a task whose end is being stored does not go for another one, as what is stored after it was
// deleted would stay for ever.
func TestTaskStaysUntilItsEndIsStored(t *testing.T) {
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		store := new(slowStore)
		s := taskServer(t, nil, &taskserver.Options{MaxTasks: 1, TTL: time.Hour, MaxTTL: time.Hour, Store: store})
		addWork(t, s, "w", optional, slow(0, "done"))
		c := newClient(t, s, rev, tasksCaps)
		first := c.create("w", "").TaskID
		synctest.Wait()
		equal(t, "while its end is stored", c.get(first).Status, "working")
		_, err := c.callTask("w", `{}`)
		if err == nil {
			t.Error("another task took its place")
		} else {
			contains(t, "the refusal", err.Error(), "1 tasks are kept, which is the limit: try again later")
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		equal(t, "afterwards", c.get(first).Status, "completed")
		second := c.create("w", "").TaskID
		if c.known(first) {
			t.Error("the first task did not go for the second")
		}
		time.Sleep(2 * time.Hour)
		for _, id := range []string{first, second} {
			if rec := storedTask(t, store, "", id); rec != nil {
				t.Errorf("task %s is still in the store, %s, long after its time", id, rec.Task.Status)
			}
		}
		if all, working := taskBytesLeft(s); all != 0 || working != 0 {
			t.Errorf("%d bytes are kept, %d of tasks at work", all, working)
		}
	})
}

// An eagerStore has somebody cancel a task as soon as it is there.
type eagerStore struct {
	taskserver.Memory
	cancel func(id string)
}

func (s *eagerStore) Create(ctx context.Context, r *taskserver.Record) error {
	err := s.Memory.Create(ctx, r)
	go s.cancel(r.Task.ID)
	synctest.Wait()
	return err
}

// REQ TASK-15: who lists tasks can cancel one before the call that makes it has been answered. Then
// there is no task.
func TestCancelledBeforeItIsAnswered(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		store := new(eagerStore)
		s := taskServer(t, nil, &taskserver.Options{TTL: time.Hour, Store: store})
		addWork(t, s, "w", optional, slow(time.Minute, "done"))
		c := newClient(t, s, mcp.V2025_11_25, tasksCaps)
		store.cancel = func(id string) { c.Must("tasks/cancel", `{"taskId":"`+id+`"}`) }
		if _, err := c.callTask("w", `{}`); err == nil {
			t.Error("a task that is over has been created")
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if n := storedTasks(t, store, ""); n > 0 {
			t.Errorf("there are %d tasks in the store", n)
		}
		equal(t, "left", left(s), "0 live, 0 to expire, 0 at work")
	})
}

// REQ TASK-08, TASK-15: a task that has begun to end as completed cannot be cancelled any more, and
// who tries is told how it ended.
func TestCancelTooLate(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		s := taskServer(t, nil, &taskserver.Options{TTL: time.Hour, Store: new(slowStore)})
		addWork(t, s, "w", optional, slow(time.Minute, "done"))
		c := newClient(t, s, mcp.V2025_11_25, tasksCaps)
		id := c.create("w", "").TaskID
		time.Sleep(time.Minute + time.Second)
		equal(t, "while its end is stored", c.get(id).Status, "working")
		equal(t, "error", c.Fails("tasks/cancel", `{"taskId":"`+id+`"}`, codeInvalidParams).Message, "task "+id+" is over: completed")
		equal(t, "afterwards", c.get(id).Status, "completed")
	})
}

// REQ TASK-08, TASK-15: whatever happens at the same time, a task ends once, and does not change
// afterwards.
func TestEndsAtTheSameTime(t *testing.T) {
	eras(t, func(t *testing.T, rev wire.Revision) {
		s := taskServer(t, nil, nil)
		start := make(chan struct{})
		addWork(t, s, "w", optional, func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error) {
			c.Progress().Report(1, 0, "begun")
			<-start
			return server.TextResult("done"), nil
		})
		var clients []*tester
		var ids []string
		for range 50 {
			c := newClient(t, s, rev, tasksCaps)
			clients, ids = append(clients, c), append(ids, c.create("w", "").TaskID)
		}
		var wg sync.WaitGroup
		for i, c := range clients {
			params := `{"taskId":"` + ids[i] + `"}`
			cancel, result := c.Request("tasks/cancel", params), c.Request("tasks/result", params)
			wg.Go(func() { <-start; c.session.ServeRequest(context.Background(), cancel) })
			wg.Go(func() { c.session.ServeRequest(context.Background(), result) })
		}
		close(start)
		wg.Wait()
		for i, c := range clients {
			first := c.get(ids[i])
			if first.Status != "completed" && first.Status != "cancelled" {
				t.Errorf("status %s", first.Status)
			}
			if (first.Status == "completed") != (first.Result != nil) && rev >= mcp.Modern {
				t.Errorf("status %s with result %s", first.Status, first.Result)
			}
			equal(t, "later", c.get(ids[i]).Status, first.Status)
		}
	})
}

// REQ TASK-19: ten thousand tasks cost a goroutine each while they work, none afterwards, and one
// timer; and no more than their records.
func TestTenThousandTasks(t *testing.T) {
	const n = 10_000
	s := taskServer(t, nil, &taskserver.Options{MaxRunning: n, MaxTasks: n})
	finish := make(chan struct{})
	addWork(t, s, "w", optional, func(context.Context, *server.Call) (*mcp.CallToolResult, error) {
		<-finish
		return server.TextResult("done"), nil
	})
	c := newClient(t, s, mcp.V2026_07_28, tasksCaps)
	before := runtime.NumGoroutine()
	ids := make([]string, n)
	for i := range ids {
		ids[i] = wire.Raw(c.Must("tools/call", `{"name":"w"}`)).StringAt("taskId")
	}
	if during := runtime.NumGoroutine(); during > before+n {
		t.Errorf("%d goroutines for %d tasks", during-before, n)
	}
	contains(t, "one more", c.Fails("tools/call", `{"name":"w"}`, codeInternal).Message, "10000 tasks are running")
	close(finish)
	// Goroutines of earlier tests may end, too, so their number alone does not tell that the work is done.
	const over = "0 live, 10000 to expire, 0 at work"
	for deadline := time.Now().Add(time.Minute); left(s) != over || runtime.NumGoroutine() > before; {
		if time.Now().After(deadline) {
			t.Fatalf("left: %s, want %s; %d goroutines, want %d", left(s), over, runtime.NumGoroutine(), before)
		}
		time.Sleep(time.Millisecond)
	}
	for _, id := range []string{ids[0], ids[n/2], ids[n-1]} {
		equal(t, "status", c.get(id).Status, "completed")
	}
}

// A tool whose calls can be tasks is never one whose calls are not, without a word.
func TestToolWithoutTasks(t *testing.T) {
	for _, support := range []mcp.ToolExecutionTaskSupport{optional, must} {
		def := mcp.Tool{Name: "w", Execution: &mcp.ToolExecution{TaskSupport: support}}
		want := fmt.Sprintf(`server: AddTool: tool "w": execution.taskSupport is %q, but no extension of the server runs tools so`, support)
		if err := newServer(nil, nil).AddTool(def, says("")); err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
		add(t, newServer(nil, new(taskserver.Options)).AddTool(def, says("")))
	}
	add(t, newServer(nil, nil).AddTool(mcp.Tool{Name: "w", Execution: &mcp.ToolExecution{TaskSupport: forbidden}}, says("")))
	s := taskServer(t, nil, nil)
	err := s.AddTool(mcp.Tool{Name: "w", Execution: &mcp.ToolExecution{TaskSupport: "maybe"}}, says(""))
	if err == nil || !strings.Contains(err.Error(), `task support "maybe": want forbidden, optional or required`) {
		t.Errorf("got %v", err)
	}
}

// An end is what Options.Watch is told of a task.
type end struct {
	err        error
	toolFailed bool
}

// Options.Watch sees every task from before its handler to its end, and hears once how it ended. The context of the handler
// is what it returns, and ends with the task.
func TestWatch(t *testing.T) {
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		type key struct{}
		store := new(brittle)
		var mu sync.Mutex
		ends := map[string][]end{}
		var last string
		var lasts context.Context
		s := taskServer(t, nil, &taskserver.Options{Store: store, TTL: time.Hour, MaxTTL: time.Hour, MaxTasks: 7, Watch: func(ctx context.Context, c *server.Call, id string) (context.Context, func(error, bool)) {
			last, lasts = id, ctx
			return context.WithValue(ctx, key{}, id), func(err error, toolFailed bool) {
				mu.Lock()
				defer mu.Unlock()
				ends[id] = append(ends[id], end{err, toolFailed})
			}
		}})
		unwatched := taskServer(t, nil, &taskserver.Options{Watch: func(ctx context.Context, _ *server.Call, _ string) (context.Context, func(error, bool)) {
			return ctx, nil
		}})
		boom := &jsonrpc.Error{Code: 42, Message: "boom"}
		var during []context.Context
		for name, f := range map[string]work{
			"done": slow(time.Second, ""),
			"tool": func(context.Context, *server.Call) (*mcp.CallToolResult, error) {
				return &mcp.CallToolResult{IsError: new(true), Content: []mcp.ContentBlock{}}, nil
			},
			"failed": func(context.Context, *server.Call) (*mcp.CallToolResult, error) { return nil, boom },
			"late": func(ctx context.Context, _ *server.Call) (*mcp.CallToolResult, error) {
				<-ctx.Done()
				time.Sleep(time.Minute)
				return &mcp.CallToolResult{IsError: new(true), Content: []mcp.ContentBlock{}}, nil
			},
		} {
			h := func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error) {
				if got := ctx.Value(key{}); got != taskserver.ID(c) {
					t.Errorf("the context is that of %v", got)
				}
				mu.Lock()
				during = append(during, ctx)
				mu.Unlock()
				return f(ctx, c)
			}
			addWork(t, s, name, optional, h)
		}
		addWork(t, unwatched, "done", optional, slow(0, ""))
		c := newClient(t, s, rev, tasksCaps)
		about := func(id string) []end {
			synctest.Wait()
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(ends[id])
		}
		told := func(what, id string, want error, toolFailed bool) {
			t.Helper()
			if got := about(id); len(got) != 1 || fmt.Sprint(got[0].err) != fmt.Sprint(want) || got[0].toolFailed != toolFailed {
				t.Errorf("%s: told %v, want %v and %v once", what, got, want, toolFailed)
			}
		}
		id := c.create("done", "").TaskID
		if len(about(id)) > 0 {
			t.Error("told before the end")
		}
		time.Sleep(time.Second)
		told("a result", id, nil, false)
		mu.Lock()
		first := during[0]
		mu.Unlock()
		if cause := context.Cause(first); cause != context.Canceled {
			t.Errorf("the context of a handler that has returned ended with %v", cause)
		}
		told("a tool that fails", c.create("tool", "").TaskID, nil, true)
		told("an error", c.create("failed", "").TaskID, boom, false)
		id = c.create("late", "").TaskID
		synctest.Wait()
		c.Must("tasks/cancel", `{"taskId":"`+id+`"}`)
		told("cancelled", id, context.Canceled, false)
		time.Sleep(time.Hour)
		told("cancelled long ago", id, context.Canceled, false)
		id = c.create("late", "").TaskID
		time.Sleep(time.Hour)
		told("expired", id, taskserver.ErrExpired, false)
		time.Sleep(time.Minute)
		told("expired, and has returned", id, taskserver.ErrExpired, false)

		store.put.Store(true)
		_, err := c.callTask("done", `{}`)
		told("not stored", last, err, false)
		store.put.Store(false)
		for range 7 {
			c.create("late", "")
		}
		_, err = c.callTask("done", `{}`)
		told("no room", last, err, false)
		if lasts.Err() == nil {
			t.Error("the context of a task for which there is no room has not ended")
		}
		before := last
		if err := s.Shutdown(t.Context()); err != nil {
			t.Error(err)
		}
		_, err = c.callTask("done", `{}`)
		if err == nil {
			t.Error("there is a task after the end of the server")
		}
		if last != before {
			told("the server has ended", last, err, false)
		}

		id = newClient(t, unwatched, rev, tasksCaps).create("done", "").TaskID
		synctest.Wait()
		equal(t, "unwatched", newClient(t, unwatched, rev, tasksCaps).get(id).Status, "completed")
	})
}

// A handler ends with its task, whatever becomes of the record: it expires although the store cannot delete it, or somebody
// deletes it although it does not expire.
func TestHandlerEndsWithoutTheStore(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		store := new(brittle)
		for _, test := range []struct {
			ttl  time.Duration
			end  func(id string)
			want error
		}{
			{time.Hour, func(string) {
				store.del.Store(true)
				time.Sleep(time.Hour)
			}, taskserver.ErrExpired},
			{time.Hour, func(id string) {
				store.del.Store(false)
				add(t, store.Delete(t.Context(), "", id))
			}, taskserver.ErrLost},
			{-1, func(id string) {
				store.del.Store(false)
				add(t, store.Delete(t.Context(), "", id))
			}, taskserver.ErrLost},
		} {
			var cause error
			s := taskServer(t, nil, &taskserver.Options{Store: store, TTL: test.ttl, MaxTTL: test.ttl})
			addWork(t, s, "w", optional, func(ctx context.Context, _ *server.Call) (*mcp.CallToolResult, error) {
				<-ctx.Done()
				cause = context.Cause(ctx)
				return nil, cause
			})
			c := newClient(t, s, mcp.V2026_07_28, tasksCaps)
			id := c.create("w", "").TaskID
			time.Sleep(time.Minute)
			equal(t, "status", c.get(id).Status, "working")
			test.end(id)
			synctest.Wait()
			if cause != test.want {
				t.Errorf("the context ended with %v, want %v", cause, test.want)
			}
		}
	})
}

// A contested store has a record that somebody else changes or deletes just before it is replaced.
type contested struct {
	brittle
	deletes bool
}

func (s *contested) Update(ctx context.Context, r *taskserver.Record) error {
	if s.deletes {
		return errors.Join(taskserver.ErrConflict, s.Delete(ctx, r.Principal, r.Task.ID))
	}
	s.get.Store(true) // and it cannot be read then
	return taskserver.ErrConflict
}

// A change that failed because somebody else was faster fails if the record cannot be read again.
func TestChangedElsewhereAndUnreadable(t *testing.T) {
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		store := new(contested)
		s := taskServer(t, nil, &taskserver.Options{Store: store})
		addWork(t, s, "w", optional, slow(time.Second, ""))
		c := newClient(t, s, rev, tasksCaps)
		id := c.create("w", "").TaskID
		contains(t, "cancel", c.Fails("tasks/cancel", `{"taskId":"`+id+`"}`, codeInternal).Message, "disk full")

		store = &contested{deletes: true}
		s = taskServer(t, nil, &taskserver.Options{Store: store})
		addWork(t, s, "w", optional, slow(time.Second, ""))
		c = newClient(t, s, rev, tasksCaps)
		id = c.create("w", "").TaskID
		contains(t, "cancel", c.Fails("tasks/cancel", `{"taskId":"`+id+`"}`, codeInvalidParams).Message, "unknown task")
	})
}

// What changes nothing is not written, and what cannot be written fails.
func TestUpdatesOfTheStore(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		counted, failing := new(watchful), new(brittle)
		var ids []string
		var clients []*tester
		for _, store := range []taskserver.Store{counted, failing} {
			s := taskServer(t, nil, &taskserver.Options{Store: store})
			addWork(t, s, "w", optional, inquiring(new(atomic.Int32)))
			c := newClient(t, s, mcp.V2026_07_28, tasksCaps)
			clients, ids = append(clients, c), append(ids, c.create("w", "").TaskID)
		}
		synctest.Wait()
		clients[0].Must("tasks/cancel", `{"taskId":"`+ids[0]+`"}`)
		before := counted.updates.Load()
		clients[0].Must("tasks/cancel", `{"taskId":"`+ids[0]+`"}`)
		if _, err := clients[0].update(ids[0], "who", named("Ada")); err != nil {
			t.Error(err)
		}
		if n := counted.updates.Load() - before; n != 0 {
			t.Errorf("a task that is over is written %d times", n)
		}
		failing.put.Store(true)
		if _, err := clients[1].update(ids[1], "who", named("Ada")); err == nil || err.Code != codeInternal {
			t.Errorf("a response that is not stored: %v", err)
		}
		failing.put.Store(false)
	})
}

// An end that cannot be stored yet is logged once.
func TestUnstoredEndIsLoggedOnce(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		var log strings.Builder
		store := new(brittle)
		s := taskServer(t, &server.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}, &taskserver.Options{Store: store})
		addWork(t, s, "w", optional, slow(time.Second, ""))
		id := newClient(t, s, mcp.V2026_07_28, tasksCaps).create("w", "").TaskID
		store.put.Store(true)
		time.Sleep(time.Minute)
		store.put.Store(false)
		time.Sleep(time.Second)
		equal(t, "status", string(storedTask(t, store, "", id).Task.Status), "completed")
		if n := strings.Count(log.String(), "a task cannot be stored yet"); n != 1 {
			t.Errorf("logged %d times: %s", n, log.String())
		}
	})
}

// When the server has ended, tasks are left to the store.
func TestShutdownDeletesNothing(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		store := new(taskserver.Memory)
		s := newServer(nil, &taskserver.Options{Store: store, TTL: time.Hour})
		addWork(t, s, "w", optional, slow(0, ""))
		id := newClient(t, s, mcp.V2026_07_28, tasksCaps).create("w", "").TaskID
		synctest.Wait()
		add(t, s.Shutdown(t.Context()))
		time.Sleep(2 * time.Hour)
		if storedTask(t, store, "", id) == nil {
			t.Error("it is deleted")
		}
	})
}

// A watchful store counts watches and writes, and takes its time over these.
type watchful struct {
	taskserver.Memory
	watches, updates, loads atomic.Int32
	takes                   time.Duration
	deaf                    bool                                     // it does not call who watches
	changed                 []func(r *taskserver.Record, lost error) // of all who watch, or have watched
}

// tell says to all who watch that a task has changed.
func (s *watchful) tell(r *taskserver.Record) {
	for _, f := range s.changed {
		f(r, nil)
	}
}

func (s *watchful) Load(ctx context.Context, principal, id string) (*taskserver.Record, error) {
	s.loads.Add(1)
	return s.Memory.Load(ctx, principal, id)
}

func (s *watchful) Watch(principal, id string, changed func(r *taskserver.Record, lost error)) (stop func()) {
	s.watches.Add(1)
	if s.deaf {
		changed = func(*taskserver.Record, error) {}
	}
	s.changed = append(s.changed, changed)
	end := s.Memory.Watch(principal, id, changed)
	return sync.OnceFunc(func() {
		s.watches.Add(-1)
		end()
	})
}

func (s *watchful) Update(ctx context.Context, r *taskserver.Record) error {
	s.updates.Add(1)
	time.Sleep(s.takes)
	return s.Memory.Update(ctx, r)
}

// Nothing watches a record when its task is over, or could not begin.
func TestNothingWatchesWhatIsOver(t *testing.T) {
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		store := new(watchful)
		s := taskServer(t, nil, &taskserver.Options{Store: store})
		addWork(t, s, "w", optional, slow(time.Second, ""))
		c := newClient(t, s, rev, tasksCaps)
		id := c.create("w", "").TaskID
		if rev < mcp.Modern {
			c.Must("tasks/result", `{"taskId":"`+id+`"}`)
			if n := s.tasks.Waiters(); n != 0 {
				t.Errorf("calls wait for %d tasks", n)
			}
		} else {
			for range 2 {
				go c.session.ServeRequest(t.Context(), c.Request("subscriptions/listen", `{"notifications":{"taskIds":["`+id+`"]}}`))
				synctest.Wait()
			}
			time.Sleep(time.Second)
			go c.session.ServeRequest(t.Context(), c.Request("subscriptions/listen", `{"notifications":{"taskIds":["`+id+`"]}}`))
		}
		synctest.Wait()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		c.CallContext(ctx, "tools/call", `{"name":"w","task":{}}`)
		if n := store.watches.Load(); n != 0 {
			t.Errorf("%d watches are left", n)
		}
	})
}

// Progress is written now and then, however often it is reported, but the last of it is.
func TestProgressIsWrittenNowAndThen(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		store := &watchful{takes: 100 * time.Millisecond}
		s := taskServer(t, nil, &taskserver.Options{Store: store})
		addWork(t, s, "w", optional, func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error) {
			p := c.Progress()
			for i := range 100 {
				p.Report(float64(i), 100, fmt.Sprint("step ", i))
				time.Sleep(10 * time.Millisecond)
			}
			time.Sleep(time.Second)
			p.Report(99.5, 100, "almost the last step")
			time.Sleep(50 * time.Millisecond) // while that is being written
			p.Report(100, 100, "the last step")
			return slow(time.Minute, "")(ctx, c)
		})
		c := newClient(t, s, mcp.V2026_07_28, tasksCaps)
		c.Token = `"p"`
		id := c.create("w", "").TaskID
		time.Sleep(500 * time.Millisecond)
		if got := c.get(id).StatusMessage; !strings.HasPrefix(got, "step ") {
			t.Errorf("meanwhile: %s", got)
		}
		time.Sleep(2 * time.Second)
		equal(t, "in the end", c.get(id).StatusMessage, "the last step")
		if n := store.updates.Load(); n < 5 || n > 8 {
			t.Errorf("%d updates, want one in 350 ms", n)
		}
	})
}

// A response gets to its handler with whatever the handler writes next, even if nobody says that it has arrived.
func TestResponseComesWithTheRecord(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		s := taskServer(t, nil, &taskserver.Options{Store: &watchful{deaf: true}})
		addWork(t, s, "w", optional, func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error) {
			p := c.Progress()
			go func() {
				time.Sleep(time.Minute)
				p.Report(1, 2, "still waiting")
			}()
			r, err := c.WithKey("who").Elicit(ctx, form("Name?", "name"))
			if err != nil {
				return nil, err
			}
			return server.TextResult(string(r.Content["name"])), nil
		})
		c := newClient(t, s, mcp.V2026_07_28, tasksCaps)
		c.Token = `"p"`
		id := c.create("w", "").TaskID
		synctest.Wait()
		if _, err := c.update(id, "who", named("Ada")); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Minute)
		contains(t, "result", string(c.get(id).Result), `\"Ada\"`)
		equal(t, "left", left(s), "0 live, 1 to expire, 0 at work")
	})
}

// What clients change while the end of a task is being stored does not keep it from ending.
func TestResponseWhileTheEndIsStored(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		s := taskServer(t, nil, &taskserver.Options{Store: new(slowStore)})
		addWork(t, s, "w", optional, func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error) {
			go c.WithKey("who").Elicit(ctx, form("Name?", "name"))
			return slow(time.Second, "done")(ctx, c)
		})
		c := newClient(t, s, mcp.V2026_07_28, tasksCaps)
		id := c.create("w", "").TaskID
		time.Sleep(2 * time.Second)
		equal(t, "before", c.get(id).Status, "input_required")
		if _, err := c.update(id, "who", named("Ada")); err != nil {
			t.Fatal(err)
		}
		equal(t, "with the response", c.get(id).Status, "working")
		time.Sleep(3 * time.Minute)
		equal(t, "afterwards", c.get(id).Status, "completed")
	})
}

// A laggard store takes its time to watch a task for the first time, and to create it.
type laggard struct {
	taskserver.Memory
	watched atomic.Bool
}

func (l *laggard) Watch(principal, id string, changed func(*taskserver.Record, error)) func() {
	if !l.watched.Swap(true) {
		time.Sleep(time.Second)
	}
	return l.Memory.Watch(principal, id, changed)
}

func (l *laggard) Create(ctx context.Context, r *taskserver.Record) error {
	time.Sleep(time.Second)
	return l.Memory.Create(ctx, r)
}

// A task that expires while it is being created fails its request, and nothing else.
func TestExpiresBeforeItIsWatched(t *testing.T) {
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		s := taskServer(t, nil, &taskserver.Options{Store: new(laggard), TTL: time.Millisecond})
		addWork(t, s, "w", optional, slow(time.Minute, ""))
		c := newClient(t, s, rev, tasksCaps)
		contains(t, "error", c.Fails("tools/call", `{"name":"w","task":{}}`, codeInternal).Message, "the task has expired")
		synctest.Wait()
		equal(t, "left", left(s), "0 live, 0 to expire, 0 at work")
	})
}

// A narrow store has no room for results.
type narrow struct{ taskserver.Memory }

func (n *narrow) Update(ctx context.Context, r *taskserver.Record) error {
	if len(r.Task.Result) > 0 {
		return taskserver.ErrTooLarge
	}
	return n.Memory.Update(ctx, r)
}

// Who watches a task whose result has no room learns that it has failed, as its client does.
func TestWatchOfLargeResults(t *testing.T) {
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		for _, o := range []taskserver.Options{{MaxBytes: 1 << 20}, {Store: new(narrow)}} {
			ends := make(chan error, 1)
			o.Watch = func(ctx context.Context, _ *server.Call, _ string) (context.Context, func(error, bool)) {
				return ctx, func(err error, _ bool) { ends <- err }
			}
			s := taskServer(t, nil, &o)
			addWork(t, s, "w", optional, slow(time.Second, strings.Repeat("x", 1<<20)))
			c := newClient(t, s, rev, tasksCaps)
			id := c.create("w", "").TaskID
			if err := <-ends; err == nil || !strings.Contains(err.Error(), "the result is too large") {
				t.Errorf("the watch got %v", err)
			}
			equal(t, "status", c.get(id).Status, "failed")
		}
	})
}

// A panicking store is a store until it is told to panic.
type panicking struct {
	taskserver.Memory
	now atomic.Bool
}

func (s *panicking) Update(ctx context.Context, r *taskserver.Record) error {
	if s.now.Load() {
		panic("the store")
	}
	return s.Memory.Update(ctx, r)
}

func (s *panicking) Delete(ctx context.Context, principal, id string) error {
	if s.now.Load() {
		panic("the store")
	}
	return s.Memory.Delete(ctx, principal, id)
}

func (s *panicking) Watch(principal, id string, changed func(*taskserver.Record, error)) func() {
	if s.now.Load() {
		panic("the store")
	}
	return s.Memory.Watch(principal, id, changed)
}

// What panics where no request waits, a store or what Options.Watch returned, does not end the process.
func TestPanicsOutsideOfRequests(t *testing.T) {
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		store := new(panicking)
		s := taskServer(t, nil, &taskserver.Options{Store: store, TTL: time.Hour, MaxTTL: time.Hour, Watch: func(ctx context.Context, _ *server.Call, _ string) (context.Context, func(error, bool)) {
			return ctx, func(error, bool) { panic("the end") }
		}})
		addWork(t, s, "slow", optional, slow(time.Second, ""))
		addWork(t, s, "late", optional, slow(24*time.Hour, ""))
		c := newClient(t, s, rev, tasksCaps)
		id := c.create("slow", "").TaskID
		store.now.Store(true)
		time.Sleep(2 * time.Second)
		if got := c.get(id); got.Status != "working" {
			t.Errorf("while the store panics: %+v", got)
		}
		if _, err := c.callTask("late", `{}`); err != nil {
			t.Errorf("a task whose changes nobody tells: %v", err)
		}
		store.now.Store(false)
		time.Sleep(time.Minute)
		if got := c.get(id); got.Status != "completed" {
			t.Errorf("after the store has recovered: %+v", got)
		}
		late := c.create("late", "").TaskID
		store.now.Store(true)
		time.Sleep(2 * time.Hour)
		store.now.Store(false)
		if c.known(late) {
			t.Error("it has expired, and is known")
		}
	})
}
