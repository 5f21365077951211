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

// taskNews are the tasks that a target watches. A session watches those that it created, a listener
// those that it named, until they are over.
type taskNews struct {
	watched map[string]struct{}
	news    map[string]*tasks.Task // to be told; the latest of each
}

// take takes out what is to be told. The caller holds mu of the target.
func (n *taskNews) take() []*tasks.Task {
	news := slices.SortedFunc(maps.Values(n.news), func(a, b *tasks.Task) int { return a.UpdatedAt.Compare(b.UpdatedAt) })
	n.news = nil
	return news
}

// watch makes the target be told how a task stands. It reports whether the target can.
func (t *target) watch(room *share.Room, owner share.Owner, id string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, again := t.tasks.watched[id]; again || t.closed || len(t.tasks.watched) >= maxSubscriptions || !t.hold(room, owner, len(id)+entryBytes) {
		return false
	}
	if t.tasks.watched == nil {
		t.tasks.watched = make(map[string]struct{})
	}
	t.tasks.watched[id] = struct{}{}
	return true
}

// unwatch is the reverse. The caller holds mu.
func (t *target) unwatch(id string) {
	if _, ok := t.tasks.watched[id]; ok {
		delete(t.tasks.watched, id)
		t.unhold(len(id) + entryBytes)
	}
}

// watched returns the tasks that are watched.
func (t *target) watched() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Sorted(maps.Keys(t.tasks.watched))
}

// tell notes how a task stands, if the target watches it. One that is over changes no more.
func (t *target) tell(task *tasks.Task) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.tasks.watched[task.ID]; !ok || t.closed {
		return
	}
	if tasks.Done(task.Status) {
		t.unwatch(task.ID)
	}
	if t.tasks.news == nil {
		t.tasks.news = make(map[string]*tasks.Task)
	}
	t.tasks.news[task.ID] = task
	t.schedule()
}

// forget ends the watch of a task that there is no more.
func (t *target) forget(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.unwatch(id)
}

// sendTasks tells how tasks stand.
func (t *target) sendTasks(ctx context.Context, news []*tasks.Task) {
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
		t.tell(task)
	}
}

// taskGone tells the targets that a task has expired.
func (ch *changes) taskGone(id string) {
	for _, t := range ch.all() {
		t.forget(id)
	}
}
