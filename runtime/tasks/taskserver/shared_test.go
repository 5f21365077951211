package taskserver_test

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/cluster/shared"
	"github.com/mcpgen/mcpgen/cluster/store"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A sharer is a server that shares a store of tasks with others.
type sharer struct {
	*Server
	member *store.Member
	store  *severed
}

// A severed store cannot be reached while it is cut off.
type severed struct {
	store.Store
	cut  atomic.Bool
	deaf atomic.Bool                    // writes succeed, but report an error
	puts func(key string, value []byte) // may be nil
}

var errCut = errors.New("the network is down")

func (s *severed) Put(ctx context.Context, key string, value []byte, revision uint64, ttl time.Duration) (uint64, error) {
	if s.cut.Load() {
		return 0, errCut
	}
	n, err := s.Store.Put(ctx, key, value, revision, ttl)
	if err == nil && s.puts != nil {
		s.puts(key, value)
	}
	if err == nil && s.deaf.Load() && strings.HasPrefix(key, "task.") {
		return 0, errCut
	}
	return n, err
}

func (s *severed) Get(ctx context.Context, key string) (store.Record, error) {
	if s.cut.Load() {
		return store.Record{}, errCut
	}
	return s.Store.Get(ctx, key)
}

func (s *severed) Delete(ctx context.Context, key string, revision uint64) error {
	if s.cut.Load() {
		return errCut
	}
	return s.Store.Delete(ctx, key, revision)
}

func (s *severed) List(ctx context.Context, under, after string, n int) ([]store.Record, error) {
	if s.cut.Load() {
		return nil, errCut
	}
	return s.Store.List(ctx, under, after, n)
}

const sharedTTL = 10 * time.Second

// shareTasks returns a server with tasks in a store that others have, too.
func shareTasks(t *testing.T, in store.Store, to taskserver.Options) *sharer {
	t.Helper()
	s := &sharer{store: &severed{Store: in}}
	var err error
	if s.member, err = store.Join(t.Context(), s.store, &store.MemberOptions{TTL: sharedTTL, Logger: quiet}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.member.Leave(context.Background()) })
	to.Store = shared.NewTasks(s.member)
	s.Server = taskServer(t, nil, &to)
	return s
}

// die cuts a server off, so that to the others it is dead.
func (s *sharer) die() { s.store.cut.Store(true) }

// client returns a client of a server, of a principal that all such clients have.
func (s *sharer) client(t *testing.T, rev wire.Revision) *tester {
	c := newClient(t, s.Server, rev, tasksCaps)
	c.Principal = "ada"
	return c
}

// become waits until a task has a status.
func (c *tester) become(id, status string) shown {
	c.T.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
		task := c.get(id)
		if task.Status == status {
			return task
		}
		if time.Now().After(end) {
			c.T.Fatalf("the task is %s (%s), want %s", task.Status, task.StatusMessage, status)
		}
	}
}

// REQ TASK-10, TASK-15, TASK-16, TASK-17, TASK-18, XTASK-07, XTASK-08, XTASK-11, XTASK-15: a task that begins at one
// process is polled at another, and cancelled at a third, by its owner alone.
func TestTasksElsewhere(t *testing.T) {
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		var memory store.Memory
		causes := make(chan error, 1)
		var all []*sharer
		var clients []*tester
		for range 3 {
			s := shareTasks(t, &memory, taskserver.Options{TTL: time.Hour})
			addWork(t, s.Server, "w", optional, func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error) {
				c.Progress().Report(1, 2, "half of it")
				return slow(time.Minute, "done <&>")(ctx, c)
			})
			addWork(t, s.Server, "endless", optional, func(ctx context.Context, _ *server.Call) (*mcp.CallToolResult, error) {
				<-ctx.Done()
				causes <- context.Cause(ctx)
				return server.TextResult("too late"), nil
			})
			all, clients = append(all, s), append(clients, s.client(t, rev))
		}
		a, b, c := clients[0], clients[1], clients[2]
		id := a.create("w", "").TaskID
		for _, at := range clients {
			equal(t, "status", at.get(id).Status, "working")
		}
		time.Sleep(time.Second)
		equal(t, "progress", b.get(id).StatusMessage, "half of it")
		for _, bad := range []string{"", "x", "a.b", id + "x", "*", strings.Repeat("x", 300)} {
			b.Fails("tasks/get", fmt.Sprintf(`{"taskId":%q}`, bad), codeInvalidParams)
		}
		b.Principal = "bob"
		b.Fails("tasks/get", `{"taskId":"`+id+`"}`, codeInvalidParams)
		b.Fails("tasks/cancel", `{"taskId":"`+id+`"}`, codeInvalidParams)
		b.Principal = "ada"
		if rev < mcp.Modern {
			result := c.Must("tasks/result", `{"taskId":"`+id+`"}`)
			contains(t, "result", result, `"done <&>"`)
			equal(t, "again", a.Must("tasks/result", `{"taskId":"`+id+`"}`), result)
			contains(t, "list", b.Must("tasks/list", `{}`), `"taskId":"`+id+`","status":"completed"`)
		} else {
			time.Sleep(time.Minute)
			contains(t, "result", string(c.get(id).Result), `"done <&>"`)
		}
		second := a.create("endless", "").TaskID
		c.Must("tasks/cancel", `{"taskId":"`+second+`"}`)
		for _, at := range clients[1:] {
			equal(t, "status", at.get(second).Status, "cancelled")
		}
		if cause := <-causes; cause != taskserver.ErrCancelled {
			t.Errorf("the handler's context ended with %v", cause)
		}
		synctest.Wait()
		equal(t, "status", a.become(second, "cancelled").StatusMessage, taskserver.ErrCancelled.Error())
		if rev < mcp.Modern {
			c.Fails("tasks/cancel", `{"taskId":"`+second+`"}`, codeInvalidParams)
			b.Fails("tasks/result", `{"taskId":"`+second+`"}`, codeInternal)
		} else {
			c.Must("tasks/cancel", `{"taskId":"`+second+`"}`)
		}
		time.Sleep(2 * time.Hour)
		b.Fails("tasks/get", `{"taskId":"`+id+`"}`, codeInvalidParams)
		equal(t, "left", left(all[0].Server), "0 live, 0 to expire, 0 at work")
		for _, under := range []string{"task", "work", "mail"} {
			if list, _ := memory.List(t.Context(), under, "", 10); len(list) > 0 {
				t.Errorf("%d records are left under %s", len(list), under)
			}
		}
	})
}

// REQ TASK-08, TASK-10, TASK-11, TASK-12, XTASK-10: what a task asks at one process is answered at another.
func TestTaskAsksElsewhere(t *testing.T) {
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		var memory store.Memory
		var clients []*tester
		for range 2 {
			s := shareTasks(t, &memory, taskserver.Options{})
			addWork(t, s.Server, "ask", optional, func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error) {
				var said []string
				for _, q := range []string{"First?", "Second?"} {
					r, err := c.Elicit(ctx, form(q, "name"))
					if err != nil {
						return nil, err
					}
					said = append(said, strings.Trim(string(r.Content["name"]), `"`))
				}
				return server.TextResult(strings.Join(said, " ")), nil
			})
			clients = append(clients, s.client(t, rev))
		}
		a, b := clients[0], clients[1]
		n := 0
		b.Answer = func(string, wire.Raw) (wire.Raw, error) {
			n++
			return wire.Raw(fmt.Sprintf(`{"action":"accept","content":{"name":"n%d"}}`, n)), nil
		}
		id := a.create("ask", "").TaskID
		if rev < mcp.Modern {
			contains(t, "result", b.Must("tasks/result", `{"taskId":"`+id+`"}`), `"n1 n2"`)
			b.Mu.Lock()
			defer b.Mu.Unlock()
			if len(b.Asked) != 2 || !strings.Contains(b.Asked[0], "First?") || !strings.Contains(b.Asked[1], `related-task":{"taskId":"`+id) {
				t.Errorf("asked %q", b.Asked)
			}
			return
		}
		for i := range 2 {
			task := b.become(id, "input_required")
			for key, q := range task.InputRequests {
				equal(t, "method", q.Method, "elicitation/create")
				answer := func(response string) string {
					return fmt.Sprintf(`{"taskId":%q,"inputResponses":{%q:%s,"other":{"action":"cancel"}}}`, id, key, response)
				}
				contains(t, "refused", b.Fails("tasks/update", answer(`{"action":"maybe"}`), codeInvalidParams).Message, "want accept, decline or cancel")
				b.Must("tasks/update", answer(fmt.Sprintf(`{"action":"accept","content":{"name":"n%d"}}`, i+1)))
				b.Must("tasks/update", answer(`{"action":"accept","content":{"name":"too late"}}`))
			}
			time.Sleep(time.Second)
		}
		contains(t, "result", string(b.become(id, "completed").Result), `"n1 n2"`)
	})
}

// REQ XTASK-13: clients are notified of tasks that other processes run, too, until these are over.
func TestTaskNotificationsElsewhere(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		var memory store.Memory
		a, b := shareTasks(t, &memory, taskserver.Options{}), shareTasks(t, &memory, taskserver.Options{})
		addWork(t, a.Server, "ask", optional, func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error) {
			time.Sleep(5 * time.Second)
			_, err := c.Elicit(ctx, form("Name?", "name"))
			return server.TextResult("done"), err
		})
		at, c := a.client(t, mcp.V2026_07_28), b.client(t, mcp.V2026_07_28)
		var ids []string
		for range 2 * 100 {
			ids = append(ids, `"`+at.create("ask", "").TaskID+`"`)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go c.session.ServeRequest(ctx, c.Request("subscriptions/listen", `{"notifications":{"taskIds":[`+strings.Join(ids, ",")+`]}}`))
		told := func(status string) {
			t.Helper()
			n := 0
			for _, m := range c.Seen() {
				if strings.HasPrefix(m, "notifications/tasks ") {
					contains(t, "told", m, `"status":"`+status+`"`)
					n++
				}
			}
			if n != len(ids) {
				t.Errorf("%d notifications of tasks that are %s, want %d", n, status, len(ids))
			}
		}
		time.Sleep(4 * time.Second)
		told("working")
		time.Sleep(4 * time.Second)
		told("input_required")
		for _, id := range ids {
			at.Must("tasks/cancel", `{"taskId":`+id+`}`)
		}
		time.Sleep(4 * time.Second)
		told("cancelled")
		time.Sleep(4 * time.Second)
		if got := c.Seen(); len(got) > 0 || b.tasks.Followed() > 0 {
			t.Errorf("%d tasks that are over are followed, and %q is told", b.tasks.Followed(), got)
		}
	})
}

// A client that follows many tasks of other processes keeps no other client waiting.
func TestTasksElsewhereAreShared(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		var memory store.Memory
		a, b := shareTasks(t, &memory, taskserver.Options{MaxRunning: 12_000}), shareTasks(t, &memory, taskserver.Options{})
		addWork(t, a.Server, "w", optional, slow(time.Hour, ""))
		listen := func(who string, n int) (*tester, string) {
			at, c := a.client(t, mcp.V2026_07_28), b.client(t, mcp.V2026_07_28)
			at.Principal, c.Principal = who, who
			var ids []string
			for range n {
				ids = append(ids, `"`+at.create("w", "").TaskID+`"`)
			}
			go c.session.ServeRequest(t.Context(), c.Request("subscriptions/listen", `{"notifications":{"taskIds":[`+strings.Join(ids, ",")+`]}}`))
			time.Sleep(5 * time.Second)
			at.Must("tasks/cancel", `{"taskId":`+ids[n-1]+`}`)
			return c, ids[n-1]
		}
		listen("mallory", 2000)
		c, id := listen("ada", 1)
		time.Sleep(600 * time.Millisecond)
		if got := strings.Join(c.Seen(), " "); !strings.Contains(got, id+`,"status":"cancelled"`) {
			t.Errorf("told %s", got)
		}
	})
}

// If a client that waits for a result elsewhere goes away, another one is asked, which may refuse.
func TestTaskAskElsewhereFails(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		var memory store.Memory
		var all []*tester
		for range 3 {
			s := shareTasks(t, &memory, taskserver.Options{})
			addWork(t, s.Server, "ask", optional, func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error) {
				_, err := c.Elicit(ctx, form("Name?", "name"))
				return nil, err
			})
			all = append(all, s.client(t, mcp.V2025_11_25))
		}
		params := `{"taskId":"` + all[0].create("ask", "").TaskID + `"}`
		gone, leave := context.WithCancel(t.Context())
		left := make(chan error, 1)
		go func() { // whose client does not respond
			_, err := all[1].CallContext(gone, "tasks/result", params)
			left <- err
		}()
		time.Sleep(time.Second)
		leave()
		if err := <-left; err == nil {
			t.Error("a client that has gone away has a result")
		}
		all[2].Answer = func(string, wire.Raw) (wire.Raw, error) { return nil, &jsonrpc.Error{Code: -1, Message: "not today"} }
		contains(t, "result", all[2].Must("tasks/result", params), "not today")
		all[1].Mu.Lock()
		defer all[1].Mu.Unlock()
		if len(all[1].Asked) != 1 {
			t.Errorf("the first one was asked %q", all[1].Asked)
		}
	})
}

// REQ TASK-08, XTASK-08, STATE-05: a process that dies leaves tasks that have failed, exactly once. When it was only paused, it
// ends what it was doing, and changes nothing.
func TestProcessOfTasksDies(t *testing.T) {
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		var memory store.Memory
		var mu sync.Mutex
		failures := make(map[string]int)
		cause := make(chan error, 10)
		returns, back := context.WithCancel(t.Context())
		defer back()
		var all []*sharer
		for range 4 {
			s := shareTasks(t, &memory, taskserver.Options{TTL: time.Hour})
			s.store.puts = func(key string, value []byte) {
				if strings.HasPrefix(key, "task.") && strings.Contains(string(value), `"failed"`) {
					mu.Lock()
					failures[key]++
					mu.Unlock()
				}
			}
			addWork(t, s.Server, "w", optional, func(ctx context.Context, _ *server.Call) (*mcp.CallToolResult, error) {
				<-ctx.Done()
				cause <- context.Cause(ctx)
				<-returns.Done()
				return server.TextResult("too late"), nil
			})
			all = append(all, s)
		}
		a := all[0].client(t, rev)
		ids := []string{a.create("w", "").TaskID, a.create("w", "").TaskID, a.create("w", "").TaskID}
		waited := make(chan error, 1)
		b := all[1].client(t, rev)
		if rev < mcp.Modern {
			w := all[1].client(t, rev)
			go func() {
				_, err := w.Call("tasks/result", `{"taskId":"`+ids[0]+`"}`)
				waited <- err
			}()
		}
		all[0].die()
		time.Sleep(sharedTTL / 2)
		equal(t, "before its lease ends", b.get(ids[0]).Status, "working")
		for range ids {
			if err := <-cause; err != taskserver.ErrLost {
				t.Errorf("the handler's context ended with %v", err)
			}
		}
		time.Sleep(3 * sharedTTL) // until the others have noticed
		if rev < mcp.Modern {
			if err := <-waited; err == nil || !strings.Contains(err.Error(), "the server that ran the task has ended") {
				t.Errorf("who waited got %v", err)
			}
		}
		mu.Lock()
		for _, id := range ids {
			if n := failures[taskKeyOf("ada", id)]; n != 1 {
				t.Errorf("task %s has failed %d times in the store, want 1, before anybody asks", id, n)
			}
		}
		mu.Unlock()
		all[0].store.cut.Store(false)
		back()
		time.Sleep(sharedTTL)
		for _, id := range ids {
			for _, s := range all {
				task := s.client(t, rev).get(id)
				equal(t, "status", task.Status, "failed")
				equal(t, "message", task.StatusMessage, "the server that ran the task has ended")
			}
		}
		equal(t, "left", left(all[0].Server), "0 live, 0 to expire, 0 at work")
		if list, _ := memory.List(t.Context(), "work", "", 10); len(list) > 0 {
			t.Errorf("%d records of work are left", len(list))
		}
		if again := a.create("w", "").TaskID; b.get(again).Status != "working" {
			t.Error("the process does not take tasks again")
		}
	})
}

// A record and a message that no process has written concern nobody else's task.
func TestTaskRecordsThatNobodyWrote(t *testing.T) {
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		var memory store.Memory
		a, b := shareTasks(t, &memory, taskserver.Options{TTL: time.Hour}), shareTasks(t, &memory, taskserver.Options{TTL: time.Hour})
		for _, s := range []*sharer{a, b} {
			addWork(t, s.Server, "w", optional, func(ctx context.Context, _ *server.Call) (*mcp.CallToolResult, error) {
				<-ctx.Done()
				return nil, ctx.Err()
			})
		}
		c, d := a.client(t, rev), b.client(t, rev)
		ids := []string{c.create("w", "").TaskID, c.create("w", "").TaskID, c.create("w", "").TaskID}
		slices.Sort(ids)
		other := d.create("w", "").TaskID
		if _, err := memory.Put(t.Context(), "mail."+b.member.Lease().ID()+".0.0", []byte("garbage"), 0, time.Hour); err != nil {
			t.Fatal(err)
		}
		c.become(other, "working")
		if _, err := c.Call("tasks/cancel", `{"taskId":"`+other+`"}`); err != nil {
			t.Fatal(err)
		}
		d.become(other, "cancelled")
		time.Sleep(2 * sharedTTL) // until the messages have been read
		if mail, err := memory.List(t.Context(), "mail", "", 10); err != nil || len(mail) > 0 {
			t.Errorf("%d messages are left, %v", len(mail), err)
		}
		a.die()
		key := taskKeyOf("ada", ids[0])
		r, err := memory.Get(t.Context(), key)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := memory.Put(t.Context(), key, []byte("garbage"), r.Revision, time.Hour); err != nil {
			t.Fatal(err)
		}
		time.Sleep(3 * sharedTTL)
		for _, id := range ids[1:] {
			r, err := memory.Get(t.Context(), taskKeyOf("ada", id))
			if err != nil || !strings.Contains(string(r.Value), `"failed"`) {
				t.Errorf("task %s is %s, %v, want it to have failed before anybody asks", id, r.Value, err)
			}
		}
	})
}

// REQ TASK-08: a process that was paused, and does not know yet, cannot overwrite what another one has written.
func TestPausedProcessOfTasks(t *testing.T) {
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		var memory store.Memory
		a, b := shareTasks(t, &memory, taskserver.Options{}), shareTasks(t, &memory, taskserver.Options{})
		release := make(chan struct{})
		for _, s := range []*sharer{a, b} {
			addWork(t, s.Server, "w", optional, func(context.Context, *server.Call) (*mcp.CallToolResult, error) {
				<-release
				return server.TextResult("too late"), nil
			})
		}
		id := a.client(t, rev).create("w", "").TaskID
		// As if a were paused: its lease is gone, and it has not noticed.
		if err := memory.Delete(t.Context(), "lease."+a.member.Lease().ID(), 0); err != nil {
			t.Fatal(err)
		}
		equal(t, "at b", b.client(t, rev).get(id).Status, "failed")
		close(release)
		synctest.Wait()
		for _, s := range []*sharer{a, b} {
			equal(t, "afterwards", s.client(t, rev).get(id).Status, "failed")
		}
		time.Sleep(2 * sharedTTL)
		equal(t, "later", a.client(t, rev).get(id).Status, "failed")
	})
}

// A result waits for a store that cannot be reached, as long as the lease is valid.
func TestTaskResultWaitsForTheStore(t *testing.T) {
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		var memory store.Memory
		a, b := shareTasks(t, &memory, taskserver.Options{}), shareTasks(t, &memory, taskserver.Options{})
		addWork(t, a.Server, "w", optional, slow(time.Second, "done"))
		id := a.client(t, rev).create("w", "").TaskID
		a.store.cut.Store(true)
		time.Sleep(3 * time.Second)
		equal(t, "at b", b.client(t, rev).get(id).Status, "working")
		a.client(t, rev).Fails("tasks/get", `{"taskId":"`+id+`"}`, codeInternal)
		a.client(t, rev).Fails("tasks/cancel", `{"taskId":"`+id+`"}`, codeInternal)
		a.store.cut.Store(false)
		time.Sleep(time.Second)
		for _, s := range []*sharer{a, b} {
			equal(t, "later", s.client(t, rev).get(id).Status, "completed")
		}
		equal(t, "left", left(a.Server), "0 live, 1 to expire, 0 at work")
	})
}

// A delayed store takes its time over the records of tasks, before and after it writes them.
type delayed struct {
	store.Store
	delay time.Duration
}

func (s *delayed) Put(ctx context.Context, key string, value []byte, revision uint64, ttl time.Duration) (uint64, error) {
	if strings.HasPrefix(key, "task.") {
		time.Sleep(s.delay)
		defer time.Sleep(s.delay)
	}
	return s.Store.Put(ctx, key, value, revision, ttl)
}

// REQ XTASK-08, XTASK-10: clients see what a task asks, and are notified of it, when all processes know it: a response
// that reached another process earlier would be ignored.
func TestTaskAsksWhenItIsStored(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		var memory store.Memory
		a, b := shareTasks(t, &delayed{&memory, time.Second}, taskserver.Options{}), shareTasks(t, &memory, taskserver.Options{})
		addWork(t, a.Server, "ask", optional, func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error) {
			time.Sleep(10 * time.Second)
			r, err := c.WithKey("who").Elicit(ctx, form("Name?", "name"))
			if err != nil {
				return nil, err
			}
			return server.TextResult(string(r.Content["name"])), nil
		})
		at, elsewhere := a.client(t, mcp.V2026_07_28), b.client(t, mcp.V2026_07_28)
		for _, notified := range []bool{false, true} {
			id := at.create("ask", "").TaskID
			if notified {
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				go at.session.ServeRequest(ctx, at.Request("subscriptions/listen", `{"notifications":{"taskIds":["`+id+`"]}}`))
				for !slices.ContainsFunc(at.Seen(), func(m string) bool { return strings.Contains(m, `"input_required"`) }) {
					time.Sleep(100 * time.Millisecond)
				}
			} else {
				at.become(id, "input_required")
			}
			if _, err := elsewhere.update(id, "who", named("Ada")); err != nil {
				t.Fatal(err)
			}
			contains(t, "result", string(elsewhere.become(id, "completed").Result), "Ada")
		}
	})
}

// A call that fails because nobody knows whether its task is stored leaves no task that runs later.
//
// REQ XTASK-07
func TestTaskThatMayBeStored(t *testing.T) {
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		var memory store.Memory
		var ran atomic.Int32
		var all []*sharer
		for range 2 {
			s := shareTasks(t, &memory, taskserver.Options{})
			addWork(t, s.Server, "w", optional, func(context.Context, *server.Call) (*mcp.CallToolResult, error) {
				ran.Add(1)
				return nil, nil
			})
			all = append(all, s)
		}
		a := all[0].client(t, rev)
		all[0].store.deaf.Store(true)
		if id, err := a.callTask("w", `{}`); err == nil {
			t.Errorf("task %s was created", id)
		}
		synctest.Wait()
		all[0].store.deaf.Store(false)
		if rev < mcp.Modern {
			for _, s := range all {
				s.client(t, rev).Must("tasks/list", `{}`)
			}
		}
		all[0].die()
		time.Sleep(4 * sharedTTL)
		if n := ran.Load(); n > 0 {
			t.Errorf("the task runs %d times", n)
		}
		if list, err := memory.List(t.Context(), "task", "", 10); err != nil || len(list) > 0 {
			t.Errorf("%d tasks are in the store, %v", len(list), err)
		}
	})
}

// A process that shuts down fails its tasks, and the others know.
func TestProcessOfTasksShutsDown(t *testing.T) {
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		var memory store.Memory
		a, b := shareTasks(t, &memory, taskserver.Options{}), shareTasks(t, &memory, taskserver.Options{})
		addWork(t, a.Server, "w", optional, slow(time.Minute, "done"))
		id := a.client(t, rev).create("w", "").TaskID
		add(t, a.Shutdown(t.Context()))
		add(t, a.member.Leave(t.Context()))
		equal(t, "message", b.client(t, rev).get(id).StatusMessage, shuttingDown)
	})
}

// REQ TASK-10, XTASK-08: results outlive the process; a task that was at work has failed.
func TestTasksAfterARestart(t *testing.T) {
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		var memory store.Memory
		before := shareTasks(t, &memory, taskserver.Options{})
		addWork(t, before.Server, "quick", optional, slow(0, "done"))
		addWork(t, before.Server, "long", optional, slow(time.Hour/2, "never"))
		c := before.client(t, rev)
		quick, long := c.create("quick", "").TaskID, c.create("long", "").TaskID
		synctest.Wait()
		add(t, before.member.Leave(t.Context()))

		c = shareTasks(t, &memory, taskserver.Options{}).client(t, rev)
		equal(t, "quick", c.get(quick).Status, "completed")
		if rev < mcp.Modern {
			list := c.Must("tasks/list", `{}`)
			contains(t, "list", list, `"status":"completed"`)
			contains(t, "list", list, `"status":"failed"`)
			contains(t, "result", c.Must("tasks/result", `{"taskId":"`+quick+`"}`), `"done"`)
		}
		task := c.get(long)
		equal(t, "long", task.Status, "failed")
		equal(t, "long", task.StatusMessage, "the server that ran the task has ended")
		time.Sleep(2 * time.Hour)
		c.Fails("tasks/get", `{"taskId":"`+quick+`"}`, codeInvalidParams)
	})
}

// A tightStore takes no large values.
type tightStore struct{ store.Store }

func (s *tightStore) Put(ctx context.Context, key string, value []byte, revision uint64, ttl time.Duration) (uint64, error) {
	if len(value) > 4<<10 {
		return 0, fmt.Errorf("put %s: %w", key, store.ErrTooLarge)
	}
	return s.Store.Put(ctx, key, value, revision, ttl)
}

// A result that the store does not take is a failure.
func TestTaskResultTooLargeForTheStore(t *testing.T) {
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		s := shareTasks(t, &tightStore{new(store.Memory)}, taskserver.Options{})
		addWork(t, s.Server, "w", optional, slow(0, strings.Repeat("x", 10<<10)))
		c := s.client(t, rev)
		equal(t, "message", c.become(c.create("w", "").TaskID, "failed").StatusMessage, "the result is too large for the store")
		equal(t, "left", left(s.Server), "0 live, 1 to expire, 0 at work")
	})
}

// Wherever tasks are created, ended and requested at the same time, each ends once, and all see the same end.
func TestSharedTasksAtTheSameTime(t *testing.T) {
	eras(t, func(t *testing.T, rev wire.Revision) {
		var memory store.Memory
		start := make(chan struct{})
		var all []*sharer
		for range 3 {
			s := shareTasks(t, &memory, taskserver.Options{})
			addWork(t, s.Server, "w", optional, func(context.Context, *server.Call) (*mcp.CallToolResult, error) {
				<-start
				return server.TextResult("done"), nil
			})
			all = append(all, s)
		}
		var ids []string
		for i := range 30 {
			ids = append(ids, all[i%3].client(t, rev).create("w", "").TaskID)
		}
		var wg sync.WaitGroup
		for i, id := range ids {
			params := `{"taskId":"` + id + `"}`
			for _, s := range []*sharer{all[(i+1)%3], all[(i+2)%3], all[i%3]} {
				c := s.client(t, rev)
				for _, r := range []*transport.Request{c.Request("tasks/cancel", params), c.Request("tasks/get", params)} {
					wg.Go(func() { <-start; c.session.ServeRequest(context.Background(), r) })
				}
			}
		}
		close(start)
		wg.Wait()
		for _, id := range ids {
			var seen []string
			for _, s := range all {
				task := s.client(t, rev).over(id)
				seen = append(seen, task.Status+" "+task.LastUpdatedAt)
			}
			if len(slices.Compact(seen)) != 1 || !tasks.Done(mcp.TaskStatus(strings.Fields(seen[0])[0])) {
				t.Errorf("task %s is %q", id, seen)
			}
		}
	})
}

// over waits until a task is over.
func (c *tester) over(id string) shown {
	c.T.Helper()
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		if task := c.get(id); tasks.Done(mcp.TaskStatus(task.Status)) || time.Now().After(end) {
			return task
		}
	}
}

// taskKeyOf returns the key of the record of a task.
func taskKeyOf(principal, id string) string {
	sum := sha256.Sum256([]byte(principal))
	return "task." + base64.RawURLEncoding.EncodeToString(sum[:16]) + "." + id
}
