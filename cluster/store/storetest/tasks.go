package storetest

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Tasks tests that a store of tasks does what [taskserver.Store] says. Open returns a new store as two processes have it,
// which are the same if there is only one, and closes it with t.Cleanup.
func Tasks(t *testing.T, open func(t *testing.T) (a, b taskserver.Store)) {
	for _, test := range []struct {
		name string
		run  func(tasksTester)
	}{
		{"create and load", testTaskCreate},
		{"update", testTaskUpdate},
		{"delete", testTaskDelete},
		{"list", testTaskList},
		{"watch", testTaskWatch},
		{"a watch that calls the store", testTaskWatchCalls},
		{"what there is not", testNoTask},
		{"one of many updates", testTaskRace},
	} {
		t.Run(test.name, func(t *testing.T) {
			a, b := open(t)
			test.run(tasksTester{t, a, b})
		})
	}
}

// A tasksTester calls a store of tasks, by way of two processes.
type tasksTester struct {
	*testing.T
	a, b taskserver.Store
}

// taskOf returns a record that no store has.
func taskOf(principal, id string) *taskserver.Record {
	now := time.Now().Truncate(time.Millisecond)
	return &taskserver.Record{Principal: principal, Scopes: []string{"read"}, Revision: mcp.V2026_07_28, Task: tasks.Task{
		ID: id, Status: mcp.TaskStatusWorking, CreatedAt: now, UpdatedAt: now, TTL: time.Hour,
	}}
}

// create creates a task in the first process.
func (t tasksTester) create(principal, id string) *taskserver.Record {
	t.Helper()
	r := taskOf(principal, id)
	if err := t.a.Create(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	return r
}

// load loads a task, which there must be.
func (t tasksTester) load(in taskserver.Store, principal, id string) *taskserver.Record {
	t.Helper()
	r, err := in.Load(t.Context(), principal, id)
	if err != nil || r == nil {
		t.Fatalf("Load %q of %q: %v, %v", id, principal, r, err)
	}
	return r
}

// lacks checks that there is no task.
func (t tasksTester) lacks(in taskserver.Store, principal, id string) {
	t.Helper()
	if r, err := in.Load(t.Context(), principal, id); err != nil || r != nil {
		t.Fatalf("Load %q of %q: %v, %v, want none", id, principal, r, err)
	}
}

// become updates a task in one process.
func (t tasksTester) become(in taskserver.Store, of *taskserver.Record, status mcp.TaskStatus, want error) *taskserver.Record {
	t.Helper()
	next := *of
	next.Task.Status = status
	err := in.Update(t.Context(), &next)
	if !errors.Is(err, want) || err == nil && next.Version <= of.Version {
		t.Fatalf("Update from version %d: %d, %v, want %v", of.Version, next.Version, err, want)
	}
	return &next
}

func (t tasksTester) both(f func(in taskserver.Store)) { t.Helper(); f(t.a); f(t.b) }

func testTaskCreate(t tasksTester) {
	r := t.create("ada", "1-A")
	t.both(func(in taskserver.Store) {
		got := t.load(in, "ada", "1-A")
		if got.Task.ID != "1-A" || got.Task.Status != mcp.TaskStatusWorking || !got.Task.CreatedAt.Equal(r.Task.CreatedAt) || got.Task.TTL != time.Hour ||
			got.Principal != "ada" || fmt.Sprint(got.Scopes) != "[read]" || got.Revision != r.Revision || got.Version != r.Version || r.Version == 0 {
			t.Errorf("got %+v, want %+v", got, r)
		}
		t.lacks(in, "eve", "1-A")
		t.lacks(in, "", "1-A")
	})
	if err := t.a.Create(t.Context(), taskOf("ada", "1-A")); err == nil {
		t.Error("a second task with that id was created")
	}
	t.create("", "1-A")
	t.load(t.b, "", "1-A")
}

func testTaskUpdate(t tasksTester) {
	r := t.create("ada", "1-A")
	asks := *t.load(t.b, "ada", "1-A")
	asks.Task.Status = mcp.TaskStatusInputRequired
	asks.Task.InputRequests = mcp.InputRequests{"k": &mcp.ElicitRequest{Params: &mcp.ElicitRequestFormParams{Message: "Name?"}}}
	asks.Responses = map[string]taskserver.Response{"j": {Result: wire.Raw(`{"roots":[]}`)}}
	if err := t.b.Update(t.Context(), &asks); err != nil {
		t.Fatal(err)
	}
	t.both(func(in taskserver.Store) {
		got := t.load(in, "ada", "1-A")
		q, ok := got.Task.InputRequests["k"].(*mcp.ElicitRequest)
		if !ok || q.Params.(*mcp.ElicitRequestFormParams).Message != "Name?" || string(got.Responses["j"].Result) != `{"roots":[]}` || got.Version != asks.Version {
			t.Errorf("got %+v, want %+v", got, asks)
		}
	})
	t.become(t.a, r, mcp.TaskStatusCancelled, taskserver.ErrConflict)
	over := t.become(t.a, t.load(t.a, "ada", "1-A"), mcp.TaskStatusCompleted, nil)
	t.become(t.b, &asks, mcp.TaskStatusCancelled, taskserver.ErrConflict)
	t.both(func(in taskserver.Store) {
		if got := t.load(in, "ada", "1-A"); got.Task.Status != mcp.TaskStatusCompleted || got.Version != over.Version {
			t.Errorf("got %+v", got)
		}
	})
}

func testTaskDelete(t tasksTester) {
	r := t.create("ada", "1-A")
	kept := t.create("ada", "2-B")
	t.both(func(in taskserver.Store) {
		if err := in.Delete(t.Context(), "ada", "1-A"); err != nil { // also if there is none
			t.Fatal(err)
		}
	})
	t.both(func(in taskserver.Store) { t.lacks(in, "ada", "1-A"); t.load(in, "ada", kept.Task.ID) })
	t.become(t.a, r, mcp.TaskStatusCompleted, taskserver.ErrConflict)
	t.lacks(t.b, "ada", "1-A")
}

func testTaskList(t tasksTester) {
	for _, id := range []string{"3-C", "1-A", "2-B"} {
		t.create("ada", id)
		t.create("", id+"X")
	}
	t.both(func(in taskserver.Store) {
		for _, test := range []struct {
			principal, after string
			n                int
			want             string
		}{
			{"ada", "", 10, "[1-A 2-B 3-C]"}, {"ada", "", 2, "[1-A 2-B]"}, {"ada", "1-A", 1, "[2-B]"}, {"ada", "1-B", 5, "[2-B 3-C]"},
			{"ada", "3-C", 5, "[]"}, {"", "", 10, "[1-AX 2-BX 3-CX]"}, {"eve", "", 10, "[]"},
		} {
			list, err := in.List(t.Context(), test.principal, test.after, test.n)
			if err != nil {
				t.Fatal(err)
			}
			ids := []string{}
			for _, r := range list {
				ids = append(ids, r.Task.ID)
				if r.Version == 0 || r.Principal != test.principal {
					t.Errorf("listed %+v", r)
				}
			}
			if got := fmt.Sprint(ids); got != test.want {
				t.Errorf("List of %q after %q: %s, want %s", test.principal, test.after, got, test.want)
			}
		}
	})
}

func testTaskWatch(t tasksTester) {
	r := t.create("ada", "1-A")
	t.create("ada", "2-B")
	type news struct {
		status mcp.TaskStatus
		lost   error
	}
	watch := func(in taskserver.Store) (seen chan news, stop func()) {
		seen = make(chan news, 10)
		return seen, in.Watch("ada", "1-A", func(r *taskserver.Record, lost error) {
			if r == nil {
				seen <- news{"", lost}
			} else {
				seen <- news{r.Task.Status, lost}
			}
		})
	}
	wait := func(seen chan news, want mcp.TaskStatus) {
		t.Helper()
		for timeout := time.After(10 * time.Second); ; {
			select {
			case n := <-seen: // what is seen may be what was seen before
				if n.lost != nil {
					t.Fatalf("the task is lost: %v", n.lost)
				}
				if n.status == want {
					return
				}
			case <-timeout:
				t.Fatalf("nobody was told that the task is %q", want)
			}
		}
	}
	near, stopNear := watch(t.a)
	far, stopFar := watch(t.b)
	again, stopAgain := watch(t.a)
	next := t.become(t.a, r, mcp.TaskStatusInputRequired, nil)
	select {
	case n := <-near:
		if n != (news{mcp.TaskStatusInputRequired, nil}) {
			t.Errorf("told %v", n)
		}
	default:
		t.Error("who changes a task is told later")
	}
	wait(again, mcp.TaskStatusInputRequired)
	wait(far, mcp.TaskStatusInputRequired)
	stopAgain()
	stopAgain()
	t.become(t.b, next, mcp.TaskStatusCancelled, nil)
	wait(near, mcp.TaskStatusCancelled)
	wait(far, mcp.TaskStatusCancelled)
	if err := t.a.Delete(t.Context(), "ada", "1-A"); err != nil {
		t.Fatal(err)
	}
	wait(near, "")
	wait(far, "")
	stopNear()
	stopFar()
	if len(again) > 0 {
		t.Errorf("told %v after the end", <-again)
	}
}

// testTaskWatchCalls calls the store, and stops the watch, in a function that the store calls.
func testTaskWatchCalls(t tasksTester) {
	t.create("ada", "2-B")
	var stop func()
	var once sync.Once
	stop = t.a.Watch("ada", "1-A", func(*taskserver.Record, error) {
		once.Do(func() {
			_, err := t.a.Load(t.Context(), "ada", "1-A")
			if err = errors.Join(err, t.a.Delete(t.Context(), "ada", "2-B")); err != nil {
				t.Error(err)
			}
			stop()
		})
	})
	done := make(chan error, 1)
	go func() {
		r := taskOf("ada", "1-A")
		err := t.a.Create(t.Context(), r)
		next := *r
		next.Task.Status = mcp.TaskStatusCompleted
		done <- errors.Join(err, t.a.Update(t.Context(), &next))
	}()
	select {
	case err := <-done:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("the store waits for a function that it called, which waits for the store")
	}
	t.lacks(t.a, "ada", "2-B")
}

// testNoTask asks for tasks by what cannot be an id.
func testNoTask(t tasksTester) {
	t.create("ada", "1-A")
	for _, id := range []string{"", ".", "1-A.", "a.b", "*", ">", "1-A ", "\x00", fmt.Sprintf("%0300d", 1)} {
		t.lacks(t.a, "ada", id)
		if err := t.a.Delete(t.Context(), "ada", id); err != nil {
			t.Errorf("Delete %q: %v", id, err)
		}
		t.a.Watch("ada", id, func(*taskserver.Record, error) {})()
	}
	t.load(t.a, "ada", "1-A")
}

// testTaskRace ends a task from all sides.
func testTaskRace(t tasksTester) {
	r := t.create("ada", "1-A")
	var wg sync.WaitGroup
	var mu sync.Mutex
	won := 0
	for i := range 20 {
		wg.Go(func() {
			in := []taskserver.Store{t.a, t.b}[i%2]
			next := *r
			next.Task.Status, next.Task.StatusMessage = mcp.TaskStatusFailed, fmt.Sprint(i)
			switch err := in.Update(t.Context(), &next); {
			case err == nil:
				mu.Lock()
				defer mu.Unlock()
				won++
			case !errors.Is(err, taskserver.ErrConflict):
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if won != 1 {
		t.Errorf("%d updates have succeeded, want 1", won)
	}
}
