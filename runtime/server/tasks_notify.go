package server

import (
	"context"
	"maps"
	"slices"

	"github.com/mcpgen/mcpgen/mcp"
	extension "github.com/mcpgen/mcpgen/mcp/tasks"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/tasks"
)

// taskChanges holds the tasks that a subscriber is notified of, until they are over: the tasks that a session
// created, or those that a subscriptions/listen request named.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks and
// https://github.com/modelcontextprotocol/ext-tasks.
type taskChanges struct {
	subscribed map[string]string      // keys of their records, by id
	changed    map[string]*tasks.Task // since the last notification; the latest of each
}

// take removes and returns the tasks that have changed. The caller holds mu of the subscriber.
func (n *taskChanges) take() []*tasks.Task {
	news := slices.SortedFunc(maps.Values(n.changed), func(a, b *tasks.Task) int { return a.UpdatedAt.Compare(b.UpdatedAt) })
	n.changed = nil
	return news
}

// subscribeTask subscribes to the task with that key, and reports whether it could.
func (t *subscriber) subscribeTask(room *share.Room, owner share.Owner, key string) bool {
	id := taskIDOf(key)
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, again := t.tasks.subscribed[id]; again || t.closed || len(t.tasks.subscribed) >= maxSubscriptions || !t.reserve(room, owner, len(id)+entryBytes) {
		return false
	}
	if t.tasks.subscribed == nil {
		t.tasks.subscribed = make(map[string]string)
	}
	t.tasks.subscribed[id] = key
	return true
}

// unsubscribeTask ends a subscription. The caller holds mu.
func (t *subscriber) unsubscribeTask(id string) {
	if _, ok := t.tasks.subscribed[id]; ok {
		delete(t.tasks.subscribed, id)
		t.unreserve(len(id) + entryBytes)
	}
}

// subscribedTasks returns the ids of the tasks that are subscribed to.
func (t *subscriber) subscribedTasks() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Sorted(maps.Keys(t.tasks.subscribed))
}

// markTask records the status of a task, if it is subscribed to. The status of a task that is over does not change
// any more.
func (t *subscriber) markTask(task *tasks.Task) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.tasks.subscribed[task.ID]; !ok || t.closed {
		return
	}
	if tasks.Done(task.Status) {
		t.unsubscribeTask(task.ID)
	}
	if t.tasks.changed == nil {
		t.tasks.changed = make(map[string]*tasks.Task)
	}
	t.tasks.changed[task.ID] = task
	t.schedule()
}

// forgetTask ends the subscription to a task that no longer exists.
func (t *subscriber) forgetTask(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.unsubscribeTask(id)
}

// sendTasks sends notifications of the status of tasks.
func (t *subscriber) sendTasks(ctx context.Context, news []*tasks.Task) {
	for _, task := range news {
		if t.rev < firstModern {
			c := task.Core()
			t.notify(ctx, mcp.MethodTaskStatusNotification.Name, &mcp.TaskStatusNotificationParams{
				TaskID: c.TaskID, Status: c.Status, StatusMessage: c.StatusMessage,
				CreatedAt: c.CreatedAt, LastUpdatedAt: c.LastUpdatedAt, TTL: c.TTL, PollInterval: c.PollInterval,
			})
			continue
		}
		// REQ META-15
		t.notify(ctx, extension.MethodTaskStatusNotification.Name, task.Changed(t.meta))
	}
}

// taskChanged records the status of a task for its subscribers.
func (s *Server) taskChanged(task *tasks.Task) {
	for _, t := range s.subscribers.all() {
		t.markTask(task)
	}
}

// followedTasks returns the keys of the tasks with subscribers, in order.
func (s *Server) followedTasks() []string {
	all := make(map[string]struct{})
	for _, t := range s.subscribers.all() {
		t.mu.Lock()
		for _, key := range t.tasks.subscribed {
			all[key] = struct{}{}
		}
		t.mu.Unlock()
	}
	return slices.Sorted(maps.Keys(all))
}

// taskGone ends the subscriptions to a task that has expired.
func (s *Server) taskGone(id string) {
	for _, t := range s.subscribers.all() {
		t.forgetTask(id)
	}
}
