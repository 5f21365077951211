package page

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskclient"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

const (
	maxTasks     = 100      // remembered tasks
	maxTaskBytes = 16 << 20 // of all their results
)

// begunTasks holds the tasks that pages have begun. They continue without a page.
type begunTasks struct {
	feed *feed

	mu   sync.Mutex
	last int
	all  []*begunTask // oldest first
}

// A begunTask is a call that runs as a task, or is about to.
type begunTask struct {
	Key      string `json:"key"` // chosen by the page, since servers may reuse an id
	ID       string `json:"id"`
	Tool     string `json:"tool"`
	Revision string `json:"revision"`
	Status   string `json:"status"`
	Message  string `json:"message,omitempty"`
	Begun    int64  `json:"begun"` // milliseconds since 1970
	News     int64  `json:"news"`  // when its status was last received
	Polls    int    `json:"polls"`
	Ended    bool   `json:"ended,omitempty"` // there is a result, or an error

	task   *taskclient.Task
	done   chan struct{} // closed when it has ended
	result *mcp.CallToolResult
	schema *verdict
	err    error
	bytes  int
	page   *waiter
}

// A waiter is the page that has begun a task, as long as it waits for the result. It has a lock of its own, since a page
// may be slow.
type waiter struct {
	mu  sync.Mutex
	say func(line) // nil if it does not wait any more
}

// tell sends a line to the page.
func (w *waiter) tell(l line) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.say != nil {
		w.say(l)
	}
}

func (w *waiter) progress(n *mcp.ProgressNotificationParams) { w.tell(line{Progress: n}) }

func (w *waiter) leave() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.say = nil
}

// begin makes room for a task.
func (b *begunTasks) begin(tool string, revision wire.Revision, say func(line)) (*begunTask, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.drop(maxTasks - 1)
	if len(b.all) >= maxTasks {
		return nil, fmt.Errorf("%d tasks are already running", maxTasks)
	}
	b.last++
	t := &begunTask{Key: strconv.Itoa(b.last), Tool: tool, Revision: revision.String(), Begun: time.Now().UnixMilli(), done: make(chan struct{}), page: &waiter{say: say}}
	b.all = append(b.all, t)
	return t, nil
}

// drop removes the oldest tasks that have ended while there are more than most, or while their results are too long. It
// is called with mu held.
func (b *begunTasks) drop(most int) {
	bytes := 0
	for _, t := range b.all {
		bytes += t.bytes
	}
	b.all = slices.DeleteFunc(b.all, func(t *begunTask) bool {
		if !t.Ended || len(b.all) <= most && bytes <= maxTaskBytes {
			return false
		}
		most++ // since the length has not changed
		bytes -= t.bytes
		return true
	})
}

// change changes what is shown about a task.
func (b *begunTasks) change(f func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	f()
	b.drop(maxTasks)
	shown := make([]begunTask, 0, len(b.all))
	for _, t := range b.all {
		if t.ID != "" {
			shown = append(shown, *t)
		}
	}
	b.feed.set("tasks", shown)
}

// remove removes a call that did not become a task.
func (b *begunTasks) remove(t *begunTask) {
	b.change(func() { b.all = slices.DeleteFunc(b.all, func(other *begunTask) bool { return other == t }) })
}

// at returns the task with a key.
func (b *begunTasks) at(key string) (*begunTask, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, t := range b.all {
		if t.Key == key {
			return t, nil
		}
	}
	return nil, errors.New("the task is not remembered any more")
}

// heard records the status of a task.
func (b *begunTasks) heard(id, status, message string, polls int) {
	b.change(func() {
		for _, t := range slices.Backward(b.all) {
			if t.ID == id {
				t.Status, t.Message, t.News = status, message, time.Now().UnixMilli()
				t.Polls += polls
				return
			}
		}
	})
}

// polled is the middleware that learns from the responses to tasks/get.
func (b *begunTasks) polled(next client.SendFunc) client.SendFunc {
	return func(ctx context.Context, c *client.Call) error {
		err := next(ctx, c)
		result, ok := c.Result.(wire.Encodable)
		if err != nil || !ok || c.Method.Name != mcp.MethodGetTask.Name {
			return err
		}
		if text, err := wire.Marshal(wire.Any, result); err == nil {
			raw := wire.Raw(text)
			b.heard(raw.StringAt("taskId"), raw.StringAt("status"), raw.StringAt("statusMessage"), 1)
		}
		return nil
	}
}

// notified records a status that the server sent without being asked.
func (b *begunTasks) notified(_ context.Context, t *tasks.Task) {
	b.heard(t.ID, string(t.Status), t.StatusMessage, 0)
}

// begin calls a tool as a task, if the server lets it become one, and waits for its end as long as the page does.
func (p *Page) begin(ctx context.Context, s *session, params *mcp.CallToolRequestParams, say func(line)) (*mcp.CallToolResult, *verdict, error) {
	t, err := p.tasks.begin(params.Name, s.Revision(), say)
	if err != nil {
		return nil, nil, err
	}
	defer t.page.leave()
	task, err := taskclient.Start(client.WithProgress(ctx, t.page.progress), s.Client, params)
	if err != nil || task.ID() == "" {
		p.tasks.remove(t)
		if err != nil {
			return nil, nil, err
		}
		result, err := task.Result(ctx)
		return result, p.sessions.verdict(ctx, s.output(params.Name), result), err
	}
	p.tasks.change(func() {
		t.ID, t.task, t.Status, t.News = task.ID(), task, string(mcp.TaskStatusWorking), time.Now().UnixMilli()
	})
	t.page.tell(line{Task: task.ID(), Key: t.Key})
	if !p.sessions.run(func() { p.finish(client.WithProgress(p.ctx, t.page.progress), s, t) }) {
		return nil, nil, errEnded
	}
	return p.wait(ctx, t)
}

// finish waits for the end of a task, and keeps its result for pages that ask later. It runs in a goroutine of its own, which ends
// with the page.
func (p *Page) finish(ctx context.Context, s *session, t *begunTask) {
	result, err := t.task.Result(ctx)
	var schema *verdict
	if err == nil {
		schema = p.sessions.verdict(ctx, s.output(t.Tool), result)
	}
	p.tasks.change(func() {
		t.result, t.schema, t.err, t.Ended = result, schema, err, true
		if text, err := wire.Marshal(wire.Any, result); err == nil && result != nil {
			t.bytes = len(text)
		}
		switch {
		case errors.Is(err, taskclient.ErrCancelled):
			t.Status = string(mcp.TaskStatusCancelled)
		case err != nil:
			t.Status, t.Message = string(mcp.TaskStatusFailed), err.Error()
		default:
			t.Status = string(mcp.TaskStatusCompleted)
		}
		t.News = time.Now().UnixMilli()
		close(t.done)
	})
}

// wait waits for the result of a task.
func (p *Page) wait(ctx context.Context, t *begunTask) (*mcp.CallToolResult, *verdict, error) {
	select {
	case <-t.done:
		return t.result, t.schema, t.err
	case <-ctx.Done():
		return nil, nil, ctx.Err()
	}
}

// task handles requests of pages about a task: for its status, its result, or its cancellation.
func (p *Page) task(w http.ResponseWriter, r *http.Request) {
	what := r.PathValue("what")
	p.do(w, r, func(ctx context.Context, _ *session, q *request, _ func(line)) (wire.Encodable, *verdict, error) {
		t, err := p.tasks.at(q.Key)
		if err != nil {
			return nil, nil, err
		}
		switch what {
		case "result":
			result, schema, err := p.wait(ctx, t)
			if err != nil {
				return nil, nil, err
			}
			return result, schema, nil
		case "poll":
			ctx, cancel := context.WithTimeout(ctx, listTime)
			defer cancel()
			_, err = t.task.Get(ctx)
		case "cancel":
			ctx, cancel := context.WithTimeout(ctx, listTime)
			defer cancel()
			err = t.task.Cancel(ctx)
		default:
			err = fmt.Errorf("want result, poll or cancel, got %q", what)
		}
		return &mcp.EmptyResult{}, nil, err
	})
}
