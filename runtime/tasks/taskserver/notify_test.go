package taskserver_test

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// REQ TASK-14, TASK-12: sessions are told how their tasks stand, without the metadata of tasks.
func TestTaskStatusNotifications(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		var runs atomic.Int32
		s := taskServer(t, nil, nil)
		addWork(t, s, "w", optional, inquiring(&runs))
		addWork(t, s, "quick", optional, slow(0, ""))
		c, other := newClient(t, s, mcp.V2025_11_25, tasksCaps), newClient(t, s, mcp.V2025_11_25, tasksCaps)
		id := c.create("w", "").TaskID
		time.Sleep(time.Second)
		got := c.Seen()
		if len(got) != 1 || !strings.HasPrefix(got[0], `notifications/tasks/status {"taskId":"`+id+`","status":"input_required","createdAt":"`) {
			t.Fatalf("told %q", got)
		}
		_, shows, _ := strings.Cut(got[0], " ")
		equal(t, "told", shows, c.Must("tasks/get", `{"taskId":"`+id+`"}`))
		c.Must("tasks/cancel", `{"taskId":"`+id+`"}`)
		time.Sleep(time.Second)
		if got = c.Seen(); len(got) != 1 || !strings.Contains(got[0], `"status":"cancelled"`) {
			t.Errorf("told %q", got)
		}
		if told := other.Seen(); told != nil {
			t.Errorf("another session is told %q", told)
		}
		if s.Subscribed(taskserver.Topic(id)) {
			t.Error("the task is watched after its end")
		}
	})
}

// REQ XTASK-13, META-15, SUB-02, SUB-03: listeners are told about the tasks that they named.
func TestListenToTasks(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		var runs atomic.Int32
		s := taskServer(t, nil, nil)
		addWork(t, s, "w", optional, inquiring(&runs))
		addWork(t, s, "quick", optional, slow(0, ""))
		c := newClient(t, s, mcp.V2026_07_28, tasksCaps)
		id, unnamed, done := c.create("w", "").TaskID, c.create("w", "").TaskID, c.create("quick", "").TaskID
		synctest.Wait()
		mallory := newClient(t, s, mcp.V2026_07_28, tasksCaps)
		mallory.Principal = "mallory"

		listen := func(c *tester, params string) (stop context.CancelFunc) {
			ctx, cancel := context.WithCancel(t.Context())
			r := c.Request("subscriptions/listen", params)
			go c.session.ServeRequest(ctx, r)
			synctest.Wait()
			return cancel
		}
		filter := fmt.Sprintf(`{"notifications":{"taskIds":[%q,"x",%q,%q]}}`, id, done, id)
		defer listen(c, filter)()
		defer listen(mallory, filter)()
		meta := `"_meta":{"io.modelcontextprotocol/subscriptionId":` + fmt.Sprint(c.NextID) + `}`
		time.Sleep(time.Second)
		got := c.Seen()
		if len(got) != 3 {
			t.Fatalf("told %q", got)
		}
		equal(t, "acknowledged", got[0], fmt.Sprintf(`notifications/subscriptions/acknowledged {%s,"notifications":{"taskIds":[%q,%q]}}`, meta, id, done))
		for _, want := range []string{id, done} {
			at := 1
			if !strings.Contains(got[1], want) {
				at = 2
			}
			shows := c.Must("tasks/get", `{"taskId":"`+want+`"}`)
			shows = strings.TrimPrefix(shows, `{"resultType":"complete","_meta":{"io.modelcontextprotocol/serverInfo":{"name":"test","version":"1"}},`)
			equal(t, "told", got[at], `notifications/tasks {`+meta+`,`+shows)
		}
		c.Must("tasks/cancel", `{"taskId":"`+id+`"}`)
		c.Must("tasks/cancel", `{"taskId":"`+unnamed+`"}`)
		time.Sleep(time.Second)
		if got = c.Seen(); len(got) != 1 || !strings.Contains(got[0], `"taskId":"`+id+`","status":"cancelled"`) {
			t.Errorf("told %q", got)
		}
		got = mallory.Seen()
		if len(got) != 1 || !strings.Contains(got[0], `"notifications":{"taskIds":[]}`) {
			t.Errorf("mallory is told %q", got)
		}
		c.Fails("subscriptions/listen", `{"notifications":{"taskIds":"x"}}`, codeInvalidParams)
	})
}

// Tasks are followed as long as somebody subscribes to them.
func TestUnsubscribedTasksAreNotFollowed(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		s := taskServer(t, nil, nil)
		addWork(t, s, "w", optional, slow(time.Hour, ""))
		c := newClient(t, s, mcp.V2026_07_28, tasksCaps)
		listen := func(id string) context.CancelFunc {
			ctx, cancel := context.WithCancel(t.Context())
			go c.session.ServeRequest(ctx, c.Request("subscriptions/listen", `{"notifications":{"taskIds":["`+id+`"]}}`))
			synctest.Wait()
			return cancel
		}
		first, second, third := c.create("w", "").TaskID, c.create("w", "").TaskID, c.create("w", "").TaskID
		listen(first)
		listen(second)()
		time.Sleep(2 * time.Second)
		listen(third)
		if n := s.tasks.Followed(); n != 2 {
			t.Errorf("%d tasks are followed, want 2", n)
		}
		time.Sleep(time.Second)
		c.Seen()
		c.Must("tasks/cancel", `{"taskId":"`+first+`"}`)
		time.Sleep(time.Second)
		if got := c.Seen(); len(got) != 1 || !strings.Contains(got[0], first) {
			t.Errorf("told %q", got)
		}
	})
}

// Who does not know of tasks may subscribe to other things.
func TestListenWithoutTasks(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		s := taskServer(t, nil, nil)
		addWork(t, s, "w", optional, slow(0, ""))
		c := newClient(t, s, mcp.V2026_07_28, `{}`)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go c.session.ServeRequest(ctx, c.Request("subscriptions/listen", `{"notifications":{"toolsListChanged":true}}`))
		time.Sleep(time.Second)
		if got := c.Seen(); len(got) != 1 || !strings.Contains(got[0], `"notifications":{"toolsListChanged":true}`) {
			t.Errorf("told %q", got)
		}
	})
}

// A subscription that names too many tasks is refused before any is looked for.
func TestListenToTooManyTasks(t *testing.T) {
	bubbles(t, func(t *testing.T) {
		store := new(watchful)
		s := taskServer(t, nil, &taskserver.Options{Store: store})
		c := newClient(t, s, mcp.V2026_07_28, tasksCaps)
		filter := func(n int) string {
			return `{"notifications":{"taskIds":[` + strings.TrimPrefix(strings.Repeat(`,"x"`, n), ",") + `]}}`
		}
		contains(t, "the refusal", c.Fails("subscriptions/listen", filter(10_001), codeInvalidParams).Message, "notifications.taskIds: 10001 tasks, want at most 10000")
		if n := store.loads.Load(); n > 0 {
			t.Errorf("%d tasks were looked for", n)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go c.session.ServeRequest(ctx, c.Request("subscriptions/listen", filter(10_000)))
		synctest.Wait()
		if n := store.loads.Load(); n == 0 {
			t.Error("10,000 tasks are too many")
		}
	})
}

// Clients hear neither of a change that is older than what they know, nor twice of one; and of a task that is gone, that
// nothing follows.
func TestNewsOfTasksAreNew(t *testing.T) {
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		store := new(watchful)
		s := taskServer(t, nil, &taskserver.Options{Store: store, TTL: time.Hour})
		addWork(t, s, "w", optional, func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error) {
			_, err := c.WithKey("who").Elicit(ctx, form("Name?", "name"))
			time.Sleep(time.Minute)
			return nil, err
		})
		c := newClient(t, s, rev, tasksCaps)
		id := c.create("w", "").TaskID
		synctest.Wait()
		if rev >= mcp.Modern {
			go c.session.ServeRequest(t.Context(), c.Request("subscriptions/listen", `{"notifications":{"taskIds":["`+id+`"]}}`))
		}
		time.Sleep(time.Second)
		c.Seen()
		now := storedTask(t, store, "", id)
		older := *now
		older.Task.Status, older.Task.InputRequests = mcp.TaskStatusWorking, nil
		older.Version--
		for _, rec := range []*taskserver.Record{&older, now} {
			store.tell(rec)
			time.Sleep(time.Second)
			if got := c.Seen(); len(got) > 0 {
				t.Errorf("told %q", got)
			}
		}
		if rev >= mcp.Modern {
			if _, err := c.update(id, "who", named("Ada")); err != nil {
				t.Error(err)
			}
			time.Sleep(time.Second)
			if got := c.Seen(); len(got) != 1 || !strings.Contains(got[0], `"status":"working"`) {
				t.Errorf("told %q", got)
			}
		}
		if !s.Subscribed(taskserver.Topic(id)) {
			t.Error("nobody subscribes to it")
		}
		time.Sleep(time.Hour)
		if s.Subscribed(taskserver.Topic(id)) {
			t.Error("somebody subscribes to a task that has expired")
		}
	})
}

// REQ PROG-09, PROG-06, TASK-12, META-16: progress and log messages go on after the answer, name the
// task, and end with it. In the extension there are none, but progress is the status message.
func TestTaskProgress(t *testing.T) {
	bothEras(t, func(t *testing.T, rev wire.Revision) {
		s := taskServer(t, &server.Options{Logging: true}, nil)
		addWork(t, s, "w", optional, func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error) {
			time.Sleep(time.Second)
			c.Progress().Report(1, 2, "half of it")
			c.Logger().Warn("careful")
			time.Sleep(time.Second)
			defer func() {
				c.Progress().Report(2, 2, "too late")
				c.Logger().Log(context.Background(), slog.LevelDebug, "not wanted")
			}()
			return slow(time.Hour, "")(ctx, c)
		})
		c := newClient(t, s, rev, tasksCaps)
		c.Token, c.LogLevel = `"p"`, "info"
		id := c.create("w", "").TaskID
		time.Sleep(1500 * time.Millisecond)
		task := c.get(id)
		equal(t, "message", task.StatusMessage, "half of it")
		equal(t, "status", task.Status, "working")
		want := ""
		if rev < mcp.Modern {
			related := `"_meta":{"io.modelcontextprotocol/related-task":{"taskId":"` + id + `"}}`
			want = `notifications/progress {` + related + `,"progressToken":"p","progress":1,"total":2,"message":"half of it"}` + "\n" +
				`notifications/message {` + related + `,"level":"warning","data":"careful"}`
		}
		equal(t, "told", strings.Join(c.Seen(), "\n"), want)
		c.Must("tasks/cancel", `{"taskId":"`+id+`"}`)
		time.Sleep(2 * time.Second)
		for _, told := range c.Seen() {
			if !strings.HasPrefix(told, "notifications/tasks/status") {
				t.Errorf("told after the end: %s", told)
			}
		}
		equal(t, "message", c.get(id).StatusMessage, "the task was cancelled")
	})
}
