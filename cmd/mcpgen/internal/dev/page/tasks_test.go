package page

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// TestTask runs a call as a task.
func TestTask(t *testing.T) {
	s := open(t)
	s.lines("/api/definitions", "") // which has the output schema
	for body, want := range map[string]string{
		`{"name":"brew","task":true,"arguments":{"cups":1}}`:      `"schema":{}`,
		`{"name":"brew","task":true}`:                             `"schema":{"problem":"`,
		`{"name":"brew","task":true,"arguments":{"of":"coffee"}}`: "no coffee",
		`{"name":"order","task":true,"arguments":{"cups":1}}`:     `"schema":{}`, // which cannot be a task
		`{"name":"steal","task":true}`:                            `"error":{"code":-32602`,
	} {
		got := s.lines("/api/call", body)
		s.page.tasks.mu.Lock()
		for _, one := range s.page.tasks.all {
			if !one.Ended {
				t.Errorf("%s: a call that has ended is remembered as a task", body)
			}
			if text, err := wire.Marshal(wire.Any, one.result); err != nil || one.bytes != len(text) {
				t.Errorf("%s: a result of %d bytes counts as %d, %v", body, len(text), one.bytes, err)
			}
		}
		s.page.tasks.mu.Unlock()
		if last := got[len(got)-1]; strings.HasPrefix(got[0], `{"task":"`) != strings.Contains(body, "brew") || !strings.Contains(last, want) || strings.Contains(last, "brewed") != (strings.Contains(body, "brew") && want != "no coffee") {
			t.Errorf("%s: got %q, want %s", body, got, want)
		}
	}
	for range maxTasks {
		if _, err := s.page.tasks.begin("brew", mcp.V2026_07_28, nil); err != nil {
			t.Fatal(err)
		}
	}
	if got := s.last("/api/call", `{"name":"brew","task":true}`); !strings.Contains(got, `"error":{"message":"100 tasks are already running"}`) {
		t.Errorf("one too many: %s", got)
	}
}

// TestTasks begins tasks of both eras, leaves, comes back for the result of one, and cancels another.
func TestTasks(t *testing.T) {
	for _, revision := range []wire.Revision{mcp.V2025_11_25, mcp.V2026_07_28} {
		t.Run(revision.String(), func(t *testing.T) {
			s := open(t, revision)
			finish := make(chan struct{})
			task := mcp.ToolExecution{TaskSupport: mcp.ToolExecutionTaskSupportOptional}
			s.must(s.shop.AddTool(mcp.Tool{Name: "steep", Execution: &task}, func(ctx context.Context, _ *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
				select {
				case <-finish:
					return server.TextResult("steeped"), nil
				case <-ctx.Done():
					return nil, ctx.Err()
				}
			}))
			begin := func() string { // and leave
				ctx, leave := context.WithCancel(t.Context())
				defer leave()
				first, err := bufio.NewReader(s.request(ctx, "/api/call", `{"name":"steep","task":true}`, nil).Body).ReadBytes('\n')
				s.must(err)
				var l line
				s.must(json.Unmarshal(first, &l))
				if l.Task == "" || l.Key == "" {
					t.Fatalf("the call is no task: %s", first)
				}
				return l.Key
			}
			shown := func(key string, fits func(begunTask) bool) {
				t.Helper()
				s.event(0, "tasks", func(v string) bool {
					var all []begunTask
					s.must(json.Unmarshal([]byte(v), &all))
					for _, one := range all {
						if one.Key == key && one.Tool == "steep" && one.Revision == revision.String() && one.Begun > 0 && one.News >= one.Begun && fits(one) {
							return true
						}
					}
					return false
				})
			}
			do := func(what, key string) string { return s.last("/api/task/"+what, fmt.Sprintf(`{"key":%q}`, key)) }
			kept, dropped := begin(), begin()
			if got := do("poll", kept); strings.Contains(got, "error") {
				t.Errorf("poll: %s", got)
			}
			shown(kept, func(b begunTask) bool { return b.Polls > 0 && b.Status == "working" && !b.Ended })
			if got := do("cancel", dropped); strings.Contains(got, "error") {
				t.Errorf("cancel: %s", got)
			}
			shown(dropped, func(b begunTask) bool { return b.Status == "cancelled" && b.Ended })
			if got := do("result", dropped); !strings.Contains(got, "cancelled") {
				t.Errorf("the result of a cancelled task: %s", got)
			}
			close(finish)
			for range 2 { // it can be seen again
				if got := do("result", kept); !strings.Contains(got, "steeped") {
					t.Errorf("the result: %s", got)
				}
			}
			polls := 0
			shown(kept, func(b begunTask) bool { polls = b.Polls; return b.Status == "completed" && b.Ended })
			if got := do("poll", kept); strings.Contains(got, "error") {
				t.Errorf("poll: %s", got)
			}
			shown(kept, func(b begunTask) bool { return b.Polls == polls+1 })
			for what, want := range map[string]string{"stop": "want result, poll or cancel", "result": "not remembered"} {
				key := map[string]string{"stop": kept, "result": "x"}[what]
				if got := do(what, key); !strings.Contains(got, want) {
					t.Errorf("%s: %s", what, got)
				}
			}
		})
	}
}

// TestTaskRoom checks that a bounded number of tasks is remembered, and that those that have ended are dropped first.
func TestTaskRoom(t *testing.T) {
	b := &begunTasks{feed: newFeed()}
	var all []*begunTask
	for range maxTasks {
		one, err := b.begin("brew", mcp.V2025_11_25, nil)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, one)
	}
	if _, err := b.begin("brew", mcp.V2025_11_25, nil); err == nil || !strings.Contains(err.Error(), "100 tasks") {
		t.Errorf("one too many: got %v", err)
	}
	b.change(func() { all[5].Ended, all[7].Ended = true, true })
	if _, err := b.begin("brew", mcp.V2025_11_25, nil); err != nil {
		t.Error(err)
	}
	if _, err := b.at(all[5].Key); err == nil {
		t.Error("the oldest that has ended is still there")
	}
	if _, err := b.at(all[7].Key); err != nil {
		t.Error(err)
	}
	b.change(func() { all[7].bytes = maxTaskBytes + 1 })
	if _, err := b.at(all[7].Key); err == nil || len(b.all) != maxTasks-1 {
		t.Errorf("a result that is too long is kept; there are %d", len(b.all))
	}
}

// TestSlowPage has a page that does not read what it is told of its task; others are told of theirs.
func TestSlowPage(t *testing.T) {
	b := begunTasks{feed: newFeed()}
	reads, told := make(chan struct{}), make(chan struct{})
	slow, err := b.begin("slow", mcp.V2026_07_28, func(line) {
		close(told)
		<-reads
	})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		slow.page.tell(line{Task: "1"})
		close(ended)
	}()
	<-told
	if _, err := b.begin("other", mcp.V2026_07_28, func(line) {}); err != nil {
		t.Error(err)
	}
	b.change(func() {})
	close(reads)
	<-ended
	slow.page.leave()
	slow.page.tell(line{Task: "1"}) // which would close told again
}

// TestForgottenTasks forgets the oldest of the tasks that have ended, when there are too many or they have too much to say.
func TestForgottenTasks(t *testing.T) {
	for _, test := range []struct {
		bytes []int // of results; -1 while the task runs
		most  int
		want  string // the numbers of those that are kept
	}{
		{[]int{maxTaskBytes}, 9, "[0]"},
		{[]int{maxTaskBytes - 1, 1}, 9, "[0 1]"},
		{[]int{maxTaskBytes, 1}, 9, "[1]"},
		{[]int{1, maxTaskBytes + 1, 1}, 9, "[2]"},
		{[]int{-1, maxTaskBytes, 1}, 9, "[0 2]"},
		{[]int{0, 0, 0, 0}, 2, "[2 3]"},
		{[]int{0, -1, -1, 0}, 2, "[1 2]"},
		{[]int{-1, -1, -1}, 2, "[0 1 2]"},
	} {
		b := &begunTasks{}
		for i, n := range test.bytes {
			b.all = append(b.all, &begunTask{Key: fmt.Sprint(i), Ended: n >= 0, bytes: max(n, 0)})
		}
		b.drop(test.most)
		keys := []string{}
		for _, one := range b.all {
			keys = append(keys, one.Key)
		}
		if got := fmt.Sprint(keys); got != test.want {
			t.Errorf("%v: kept are %s, want %s", test.bytes, got, test.want)
		}
	}
}

// TestPolled learns from responses to tasks/get, unless there are none.
func TestPolled(t *testing.T) {
	b := &begunTasks{feed: newFeed(), all: []*begunTask{{ID: "1"}, {ID: ""}}}
	failed := errors.New("failed")
	for _, test := range []struct {
		method string
		result wire.Raw
		err    error
		want   string // the status of the task
	}{
		{mcp.MethodGetTask.Name, wire.Raw(`{"taskId":"1","status":"working","statusMessage":"warm"}`), nil, "working warm 1"},
		{mcp.MethodGetTask.Name, wire.Raw(`{"taskId":"1","status":"failed"}`), failed, "working warm 1"},
		{mcp.MethodGetTask.Name, wire.Raw(`{"taskId":"2","status":"failed"}`), nil, "working warm 1"},
		{mcp.MethodPing.Name, wire.Raw(`{"taskId":"1","status":"failed"}`), nil, "working warm 1"},
		{mcp.MethodGetTask.Name, nil, nil, "working warm 1"},
		{mcp.MethodGetTask.Name, wire.Raw(`{"taskId":"1","status":"completed"}`), nil, "completed  2"},
		{"", nil, nil, "cancelled cold 2"}, // of which the server notifies
	} {
		if test.method == "" {
			b.notified(t.Context(), &tasks.Task{ID: "1", Status: mcp.TaskStatusCancelled, StatusMessage: "cold"})
		}
		send := b.polled(func(context.Context, *client.Call) error { return test.err })
		call := &client.Call{Method: &wire.Method{Name: test.method}}
		if test.result != nil {
			call.Result = &test.result
		}
		err := send(t.Context(), call)
		one := b.all[0]
		if got := fmt.Sprintf("%s %s %d", one.Status, one.Message, one.Polls); err != test.err || got != test.want || b.all[1].Polls > 0 {
			t.Errorf("%s %s: got %s, %v, want %s", test.method, test.result, got, err, test.want)
		}
	}
}

// TestLeft leaves the page during a task: nothing more is written to it.
func TestLeft(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := server.New(mcp.Implementation{Name: "shop"}, &server.Options{Logger: quiet, Setup: []server.Setup{taskserver.Enable(nil)}})
		task := mcp.ToolExecution{TaskSupport: mcp.ToolExecutionTaskSupportOptional}
		if err := s.AddTool(mcp.Tool{Name: "steep", Execution: &task}, func(_ context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			for n := range 5 {
				time.Sleep(time.Minute)
				c.Progress().Report(float64(n+1), 5, "steeps")
			}
			return server.TextResult("steeped"), nil
		}); err != nil {
			t.Fatal(err)
		}
		p := begin(t, s)
		ctx, leave := context.WithTimeout(t.Context(), 150*time.Second)
		defer leave()
		r := httptest.NewRequestWithContext(ctx, http.MethodPost, "http://127.0.0.1:8091/api/call", strings.NewReader(`{"name":"steep","task":true}`))
		r.Header.Set(tokenHeader, p.token)
		r.Header.Set("Content-Type", "application/json")
		w := httptest.NewRecorder()
		p.ServeHTTP(w, r)
		got := w.Body.String()
		if strings.Count(got, `"progress":{`) != 2 {
			t.Errorf("got %s", got)
		}
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if got != w.Body.String() {
			t.Errorf("after it is left the page receives %s", w.Body)
		}
	})
}
