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

// taskChanges are the tasks that a target watches. A session watches those that it created, a listener
// those that it named, until they are over.
type taskChanges struct {
	subscribed map[string]struct{}
	changed    map[string]*tasks.Task // to be told; the latest of each
}

// take takes out what is to be told. The caller holds mu of the target.
func (n *taskChanges) take() []*tasks.Task {
	news := slices.SortedFunc(maps.Values(n.changed), func(a, b *tasks.Task) int { return a.UpdatedAt.Compare(b.UpdatedAt) })
	n.changed = nil
	return news
}

// subscribeTask makes the target be told how a task stands. It reports whether the target can.
func (t *subscriber) subscribeTask(room *share.Room, owner share.Owner, id string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, again := t.tasks.subscribed[id]; again || t.closed || len(t.tasks.subscribed) >= maxSubscriptions || !t.reserve(room, owner, len(id)+entryBytes) {
		return false
	}
	if t.tasks.subscribed == nil {
		t.tasks.subscribed = make(map[string]struct{})
	}
	t.tasks.subscribed[id] = struct{}{}
	return true
}

// unsubscribeTask is the reverse. The caller holds mu.
func (t *subscriber) unsubscribeTask(id string) {
	if _, ok := t.tasks.subscribed[id]; ok {
		delete(t.tasks.subscribed, id)
		t.unreserve(len(id) + entryBytes)
	}
}

// subscribedTasks returns the tasks that are watched.
func (t *subscriber) subscribedTasks() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Sorted(maps.Keys(t.tasks.subscribed))
}

// markTask notes how a task stands, if the target watches it. One that is over changes no more.
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

// forgetTask ends the watch of a task that there is no more.
func (t *subscriber) forgetTask(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.unsubscribeTask(id)
}

// sendTasks tells how tasks stand.
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

// taskChanged tells the targets that watch a task how it stands.
func (ch *changes) taskChanged(task *tasks.Task) {
	for _, t := range ch.all() {
		t.markTask(task)
	}
}

// taskGone tells the targets that a task has expired.
func (ch *changes) taskGone(id string) {
	for _, t := range ch.all() {
		t.forgetTask(id)
	}
}
