package taskserver

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	extension "github.com/mcpgen/mcpgen/mcp/tasks"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks"
)

// Clients are notified of the status of a task until it is over: those whose session created it, or whose
// subscriptions/listen request named it. It does not matter which process runs the task.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks and
// https://github.com/modelcontextprotocol/ext-tasks.

// taskTopic returns the topic of a task.
func taskTopic(id string) string { return "task " + id }

// newsOf returns the notification of the status of a task.
func newsOf(rec *Record) server.Notification {
	n := server.Notification{Last: tasks.Done(rec.Task.Status)}
	if rec.Revision >= mcp.Modern {
		n.Method, n.Params = extension.MethodTaskStatusNotification.Name, rec.Task.Changed(nil)
		return n
	}
	c := rec.Task.Core()
	n.Method, n.Params = mcp.MethodTaskStatusNotification.Name, &mcp.TaskStatusNotificationParams{
		TaskID: c.TaskID, Status: c.Status, StatusMessage: c.StatusMessage,
		CreatedAt: c.CreatedAt, LastUpdatedAt: c.LastUpdatedAt, TTL: c.TTL, PollInterval: c.PollInterval,
	}
	return n
}

// known returns a text that changes when clients must be notified: not for progress. It is empty for a task that has only
// begun to work, as most tasks have when clients subscribe to them.
func known(t *tasks.Task) string {
	if t.Status == mcp.TaskStatusWorking {
		return ""
	}
	return string(t.Status) + " " + strings.Join(slices.Sorted(maps.Keys(t.InputRequests)), " ")
}

// A follower notifies clients of the changes of a task. It is guarded by mu of the runner.
type follower struct {
	stop    func() // ends the watch of the record
	version uint64 // of the record that it knows
	known   string // what clients know
}

// lookedAt is how many of the tasks that are followed are looked at once a second, since each costs as much as there are
// subscriptions. A task that nobody subscribes to any more is followed until it is over at the latest.
const lookedAt = 20

// follow makes changes of a task known to the clients that subscribe to it.
func (r *runner) follow(rec *Record) {
	key := rec.key()
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.looked) > time.Second {
		r.looked = time.Now()
		look := lookedAt
		for key := range r.followed { // in a random order
			if !r.server.Subscribed(taskTopic(key.id)) {
				r.unfollow(key)
			}
			if look--; look == 0 {
				break
			}
		}
	}
	if r.followed[key] != nil || tasks.Done(rec.Task.Status) || r.isEnding() {
		return
	}
	f := &follower{version: rec.Version, known: known(&rec.Task)}
	r.followed[key] = f
	f.stop = r.store.Watch(key.principal, key.id, func(rec *Record, lost error) {
		if lost == nil {
			r.notify(key, f, rec)
		}
	})
}

// unfollow ends what follow has begun. The caller holds mu.
func (r *runner) unfollow(key taskKey) {
	r.followed[key].stop()
	delete(r.followed, key)
}

// notify notifies clients of what a task has become; nil means that it is gone.
func (r *runner) notify(key taskKey, f *follower, rec *Record) {
	n := server.Notification{Last: true}
	r.mu.Lock()
	if r.followed[key] != f || rec != nil && rec.Version <= f.version {
		r.mu.Unlock()
		return
	}
	same := false
	if rec != nil {
		now := known(&rec.Task)
		same = now == f.known
		f.version, f.known, n = rec.Version, now, newsOf(rec)
	}
	if n.Last {
		r.unfollow(key)
	}
	r.mu.Unlock()
	if !same {
		r.server.Publish(taskTopic(key.id), n)
	}
}
