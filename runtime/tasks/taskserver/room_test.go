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
	if _, err := mallory.callTask("long", `{}`); err == nil {
		t.Error("a third is at work")
	} else {
		contains(t, "the refusal", err.Error(), "2 tasks are running, which is the limit: try again later")
	}
	if _, err := alice.callTask("long", `{}`); err != nil {
		t.Error(err)
	}
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
