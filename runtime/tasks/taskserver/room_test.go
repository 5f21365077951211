package taskserver_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/limits"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// callTask calls a tool as a task and returns the id, or what is wrong.
func (c *tester) callTask(tool, arguments string) (string, error) {
	params := `{"name":"` + tool + `","arguments":` + arguments
	if c.Rev < mcp.Modern {
		params += `,"task":{"ttl":86400000}`
	}
	result, rpc := c.Call("tools/call", params+`}`)
	if rpc != nil {
		return "", rpc
	}
	if c.Rev < mcp.Modern {
		return wire.Raw(result).StringAt("task", "taskId"), nil
	}
	return wire.Raw(result).StringAt("taskId"), nil
}

// known reports whether the server knows a task.
func (c *tester) known(id string) bool {
	_, rpc := c.Call("tasks/get", `{"taskId":"`+id+`"}`)
	return rpc == nil
}

// taskBytesLeft returns what a server keeps of tasks, as it counts.
func taskBytesLeft(s *Server) (all, working int) { return s.tasks.Bytes() }

// clientsOf returns clients that are told apart by principals, and by addresses.
func clientsOf(t *testing.T, f func(t *testing.T, rev wire.Revision, as func(s *Server, who string) *tester)) {
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		f(t, rev, func(s *Server, who string) *tester {
			c := newClient(t, s, rev, tasksCaps)
			c.Principal = who
			return c
		})
	})
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		hosts := map[string]string{"mallory": "192.0.2.1:1", "alice": "[2001:db8::1]:1"}
		f(t, rev, func(s *Server, who string) *tester {
			c := newClient(t, s, rev, tasksCaps)
			c.Address = hosts[who]
			return c
		})
	})
}

// REQ TASK-19: a client whose tasks wait with large arguments gets no more than its part of the room,
// and others get theirs.
func TestTaskRequestsAreBounded(t *testing.T) {
	clientsOf(t, func(t *testing.T, rev wire.Revision, as func(s *Server, who string) *tester) {
		s := taskServer(t, nil, &taskserver.Options{MaxBytes: 1 << 20})
		addWork(t, s, "ask", optional, func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error) {
			_, err := c.Elicit(ctx, &mcp.ElicitRequestFormParams{Message: "?"})
			return nil, err
		})
		arguments := `{"a":"` + strings.Repeat("x", 40<<10) + `"}`
		var ids []string
		limits.Shared(t, 6, func(who string) bool { // a quarter of 1 MiB
			id, err := as(s, who).callTask("ask", arguments)
			if err != nil {
				contains(t, "the refusal", err.Error(), "the running tasks and this one would keep")
			} else if who == "mallory" {
				ids = append(ids, id)
			}
			return err == nil
		})
		mallory := as(s, "mallory")
		for _, id := range ids {
			mallory.Must("tasks/cancel", `{"taskId":"`+id+`"}`)
		}
		synctest.Wait()
		if all, working := taskBytesLeft(s); working > 100<<10 || all > 110<<10 {
			t.Errorf("%d bytes are kept, %d of tasks at work", all, working)
		}
		if _, err := mallory.callTask("ask", arguments); err != nil {
			t.Errorf("when there is room again: %v", err)
		}
	})
}

// REQ TASK-19: results take the place of the oldest ones of the same client.
func TestTaskResultsAreBounded(t *testing.T) {
	clientsOf(t, func(t *testing.T, rev wire.Revision, as func(s *Server, who string) *tester) {
		s := taskServer(t, nil, &taskserver.Options{MaxBytes: 1 << 20})
		addWork(t, s, "w", optional, func(context.Context, *server.Call) (*mcp.CallToolResult, error) {
			return server.TextResult(strings.Repeat("x", 40<<10)), nil
		})
		addWork(t, s, "huge", optional, func(context.Context, *server.Call) (*mcp.CallToolResult, error) {
			return server.TextResult(strings.Repeat("x", 1<<20)), nil
		})
		mallory, alice := as(s, "mallory"), as(s, "alice")
		hers, err := alice.callTask("w", `{}`)
		if err != nil {
			t.Fatal(err)
		}
		var ids []string
		for range 50 {
			id, err := mallory.callTask("w", `{}`)
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			ids = append(ids, id)
		}
		kept := 0
		for _, id := range ids {
			if mallory.known(id) {
				kept++
			}
		}
		if kept != 6 || !mallory.known(ids[49]) || mallory.known(ids[0]) || !alice.known(hers) {
			t.Errorf("%d results are kept, want 6, the newest; alice has hers: %v", kept, alice.known(hers))
		}
		if all, _ := taskBytesLeft(s); all > 300<<10 {
			t.Errorf("%d bytes are kept", all)
		}
		id, err := mallory.callTask("huge", `{}`)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		task := mallory.get(id)
		equal(t, "a result that has no room", task.Status, "failed")
		contains(t, "why", task.StatusMessage, "the result is too large")
		if all, _ := taskBytesLeft(s); all > 300<<10 {
			t.Errorf("with what is not kept %d bytes are", all)
		}
		if !mallory.known(ids[49]) {
			t.Error("what could not be kept took the place of what was")
		}
		time.Sleep(25 * time.Hour)
		synctest.Wait()
		if all, working := taskBytesLeft(s); all != 0 || working != 0 {
			t.Errorf("%d bytes are kept, %d of tasks at work, after all have expired", all, working)
		}
		equal(t, "left", left(s)+fmt.Sprint(s.tasks.Owners()), "0 live, 0 to expire, 0 at work0")
	})
}

// REQ TASK-19: nobody can take all of the tasks that a server has room for.
func TestTasksAreShared(t *testing.T) {
	clientsOf(t, func(t *testing.T, rev wire.Revision, as func(s *Server, who string) *tester) {
		opts := &taskserver.Options{MaxTasks: 40, MaxRunning: 8}
		testTasksOfOne(t, as, opts)
		s := taskServer(t, nil, opts)
		addWork(t, s, "long", optional, slow(time.Hour, ""))
		limits.Shared(t, 2, func(who string) bool {
			_, err := as(s, who).callTask("long", `{}`)
			return err == nil
		})
	})
}

// testTasksOfOne tests that one client may keep 10 tasks and run 2, whatever the other does.
func testTasksOfOne(t *testing.T, as func(s *Server, who string) *tester, opts *taskserver.Options) {
	s := taskServer(t, nil, opts)
	addWork(t, s, "w", optional, slow(0, ""))
	addWork(t, s, "long", optional, slow(time.Hour, ""))
	mallory, alice := as(s, "mallory"), as(s, "alice")
	hers, err := alice.callTask("w", `{}`)
	if err != nil {
		t.Fatal(err)
	}
	for range 200 {
		if _, err := mallory.callTask("w", `{}`); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
	}
	equal(t, "left", left(s), "0 live, 11 to expire, 0 at work")
	if !alice.known(hers) {
		t.Error("another client's task is gone")
	}
	for range 2 {
		if _, err := mallory.callTask("long", `{}`); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := alice.callTask("long", `{}`); err != nil {
		t.Error(err)
	}
	if _, err := mallory.callTask("long", `{}`); err == nil {
		t.Error("a third is at work")
	} else {
		contains(t, "the refusal", err.Error(), "2 tasks are running, which is the limit: try again later")
	}
	if _, err := alice.callTask("long", `{}`); err != nil {
		t.Error(err)
	}
}

// The limits hold for all clients together, however small the part of each: of those that run, nobody gives way.
func TestTasksOfAllAreBounded(t *testing.T) {
	enter := func(opts *taskserver.Options, request int, want string) {
		t.Helper()
		s := newServer(nil, opts)
		var err error
		for i := range 9 { // of 5 clients
			if err != nil {
				t.Errorf("task %d: %v", i-1, err)
			}
			_, err = s.tasks.Enter(fmt.Sprint(i), share.Of(fmt.Sprint(i/2), "", nil), request)
		}
		if err == nil {
			t.Fatal("the last one has room")
		}
		contains(t, "the refusal", err.Error(), want)
	}
	enter(&taskserver.Options{MaxRunning: 8}, 100, "8 tasks are running, which is the limit")
	enter(&taskserver.Options{MaxTasks: 8}, 100, "8 tasks are kept, which is the limit")
	enter(&taskserver.Options{MaxBytes: 8 * 2000}, 2000-1024, "the running tasks and this one would keep 2000 bytes, want at most 4000")
}

// A handler that goes on when its task is gone counts until it returns.
func TestHandlersCountWithoutTasks(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		s := taskServer(t, nil, &taskserver.Options{MaxRunning: 8, TTL: time.Second})
		addWork(t, s, "w", optional, func(context.Context, *server.Call) (*mcp.CallToolResult, error) {
			time.Sleep(time.Minute)
			return nil, nil
		})
		c := newClient(t, s, mcp.V2026_07_28, tasksCaps)
		c.Principal = "mallory"
		for range 2 {
			c.create("w", "")
		}
		time.Sleep(time.Second)
		synctest.Wait()
		equal(t, "left", left(s), "0 live, 0 to expire, 2 at work")
		contains(t, "the refusal", c.Fails("tools/call", `{"name":"w"}`, codeInternal).Message, "2 tasks are running, which is the limit")
		time.Sleep(time.Minute)
		if n := s.tasks.Owners(); n != 0 {
			t.Errorf("%d owners are left", n)
		}
		c.create("w", "")
	})
}

// What the defaults are for a client who may have all.
func TestDefaultLimits(t *testing.T) {
	for _, test := range []struct {
		opts    taskserver.Options
		tasks   int
		request int
		want    string
	}{
		{taskserver.Options{}, 1000, 0, "1000 tasks are running"},
		{taskserver.Options{MaxRunning: -1}, 10_000, 0, "10000 tasks are kept"},
		{taskserver.Options{}, 64, 1<<20 - 1<<10, "would keep 68157440 bytes, want at most 67108864"},
	} {
		s := newServer(nil, &test.opts)
		for i := range test.tasks {
			if _, err := s.tasks.Enter(fmt.Sprint(i), share.Of("", "", "a connection"), test.request); err != nil {
				t.Fatalf("task %d: %v", i, err)
			}
		}
		_, err := s.tasks.Enter("another", share.Of("", "", "a connection"), test.request)
		if err == nil {
			t.Fatal("there is no limit")
		}
		contains(t, "the refusal", err.Error(), test.want)
	}
	s := newServer(nil, new(taskserver.Options))
	for said, want := range map[int64]time.Duration{0: time.Hour, 1 << 60: 24 * time.Hour} {
		if got := s.tasks.TTL(said); got != want {
			t.Errorf("a client that says %d gets %s, want %s", said, got, want)
		}
	}
}

// A result that another process has written needs room, too: the oldest ones are deleted for it.
func TestResultFromElsewhereHasRoom(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		store := new(taskserver.Memory)
		s := taskServer(t, nil, &taskserver.Options{MaxBytes: 10 << 10, Store: store})
		addWork(t, s, "quick", optional, func(context.Context, *server.Call) (*mcp.CallToolResult, error) {
			return server.TextResult(strings.Repeat("x", 3<<10)), nil
		})
		addWork(t, s, "w", optional, slow(time.Hour, ""))
		c := newClient(t, s, mcp.V2026_07_28, tasksCaps)
		old := c.create("quick", "").TaskID
		synctest.Wait()
		id := c.create("w", "").TaskID
		rec := *storedTask(t, store, "", id)
		rec.Task.Status, rec.Task.Result = mcp.TaskStatusCompleted, wire.Raw(`{"content":["`+strings.Repeat("x", 6<<10)+`"]}`)
		add(t, store.Update(t.Context(), &rec))
		if storedTask(t, store, "", old) != nil || c.get(id).Status != "completed" {
			t.Error("both are kept")
		}
	})
}

// When many clients together fill a server with tasks, the one that has most gives way.
func TestGreediestGivesWay(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		s := taskServer(t, nil, &taskserver.Options{MaxTasks: 24})
		addWork(t, s, "w", optional, slow(0, ""))
		as := func(who string, n int) (c *tester, ids []string) {
			c = newClient(t, s, mcp.V2026_07_28, tasksCaps)
			c.Principal = who
			for range n {
				id, err := c.callTask("w", `{}`)
				if err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				ids = append(ids, id)
			}
			return c, ids
		}
		ada, first := as("ada", 4)
		bob, second := as("bob", 6)
		as("cid", 5)
		as("dan", 5)
		as("fay", 4)
		as("eve", 1)
		if !ada.known(first[0]) || bob.known(second[0]) || !bob.known(second[1]) {
			t.Error("it was not the oldest task of the one who had most that went")
		}
	})
	bubbles(t, func(t *testing.T) { // what runs does not give way
		s := taskServer(t, nil, &taskserver.Options{MaxTasks: 16})
		addWork(t, s, "w", optional, slow(0, ""))
		addWork(t, s, "long", optional, slow(time.Hour, ""))
		as := func(who, tool string, n int) (id string) {
			c := newClient(t, s, mcp.V2026_07_28, tasksCaps)
			c.Principal = who
			for range n {
				var err error
				if id, err = c.callTask(tool, `{}`); err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
			}
			return id
		}
		for _, who := range []string{"ada", "bob", "cid"} {
			as(who, "long", 4)
		}
		as("dan", "long", 3)
		first := as("eve", "w", 1)
		second := as("fay", "w", 1)
		c := newClient(t, s, mcp.V2026_07_28, tasksCaps)
		if c.Principal = "eve"; c.known(first) {
			t.Error("there is room for 17 tasks")
		}
		if c.Principal = "fay"; !c.known(second) {
			t.Error("the last one is gone")
		}
	})
	bubbles(t, func(t *testing.T) { // whose results are largest
		s := taskServer(t, nil, &taskserver.Options{MaxBytes: 100 << 10})
		as := func(who string, n int) (*tester, string) {
			c := newClient(t, s, mcp.V2026_07_28, tasksCaps)
			c.Principal = who
			addWork(t, s, who, optional, func(context.Context, *server.Call) (*mcp.CallToolResult, error) {
				return server.TextResult(strings.Repeat("x", n<<10)), nil
			})
			id, err := c.callTask(who, `{}`)
			if err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			return c, id
		}
		kept := map[string]bool{}
		check := map[string]func() bool{}
		for i, size := range []int{18, 22, 20, 16, 14, 4} { // with 1 each for the tasks
			who := fmt.Sprint("client", i)
			c, id := as(who, size)
			check[who] = func() bool { return c.known(id) }
		}
		for who, known := range check {
			kept[who] = known()
		}
		if want := fmt.Sprint(map[string]bool{"client0": true, "client1": false, "client2": true, "client3": true, "client4": true, "client5": true}); fmt.Sprint(kept) != want {
			t.Errorf("kept are %v, want %s", kept, want)
		}
	})
	bubbles(t, func(t *testing.T) {
		s := taskServer(t, nil, &taskserver.Options{MaxTasks: 40})
		addWork(t, s, "w", optional, slow(0, ""))
		first := map[string]string{}
		limits.Shared(t, 10, func(who string) bool {
			c := newClient(t, s, mcp.V2026_07_28, tasksCaps)
			c.Principal = who
			id, err := c.callTask("w", `{}`)
			synctest.Wait()
			if first[who] == "" {
				first[who] = id
			}
			return err == nil && c.known(first[who])
		})
	})
}

// A task keeps nothing of its request when it is over.
func TestFinishedTaskKeepsNoRequest(t *testing.T) {
	s := taskServer(t, nil, nil)
	addWork(t, s, "w", optional, slow(0, ""))
	c := newClient(t, s, mcp.V2026_07_28, tasksCaps)
	const n, size = 20, 256 << 10
	before := heapInUse()
	for i := range n {
		if _, err := c.callTask("w", fmt.Sprintf(`{"a":%q}`, strings.Repeat(fmt.Sprint(i%10), size))); err != nil {
			t.Fatal(err)
		}
	}
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if _, working := taskBytesLeft(s); working == 0 {
			break
		} else if time.Now().After(deadline) {
			t.Fatalf("tasks at work keep %d bytes", working)
		}
	}
	if grown := heapInUse() - before; grown > n*size/10 {
		t.Errorf("%d tasks keep %d bytes", n, grown)
	}
	runtime.KeepAlive(c)
}

// heapInUse returns how many bytes are in use on the heap.
func heapInUse() int {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int(m.HeapAlloc)
}
