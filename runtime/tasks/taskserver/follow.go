package taskserver

import (
	"context"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/tasks"
)

// maxFollowed is how many tasks of other processes are looked at in a second, in turn.
const maxFollowed = 100

// A following notifies clients of this process of changes to tasks that other processes run.
type following struct {
	runner *taskRunner
	last   time.Time
	after  string            // the key that was looked at last
	seen   map[string]string // what clients know of each task, by its key
}

// look looks for changes, and notifies clients.
func (f *following) look(ctx context.Context) error {
	f.last = time.Now()
	r := f.runner
	keys := r.followed()
	maps.DeleteFunc(f.seen, func(key, _ string) bool {
		_, found := slices.BinarySearch(keys, key)
		return !found
	})
	keys = slices.DeleteFunc(keys, func(key string) bool { return r.at(key) != nil }) // these notify clients themselves
	if len(keys) == 0 {
		return nil
	}
	if f.seen == nil {
		f.seen = make(map[string]string)
	}
	next, found := slices.BinarySearch(keys, f.after)
	if found {
		next++
	}
	for i := range min(len(keys), maxFollowed) {
		key := keys[(next+i)%len(keys)]
		f.after = key
		rec, _, err := r.current(ctx, key)
		switch {
		case err != nil:
			return err
		case rec == nil:
			r.gone(taskIDOf(key))
			continue
		}
		if now := known(&rec.Task); f.seen[key] != now {
			f.seen[key] = now
			r.changed(&rec.Task, rec.Revision)
		}
	}
	return nil
}

// known returns a text that changes when clients must be notified. It is empty for a task that has only begun to
// work, as most tasks have when clients subscribe to them.
func known(t *tasks.Task) string {
	if t.Status == mcp.TaskStatusWorking {
		return ""
	}
	return string(t.Status) + " " + strings.Join(slices.Sorted(maps.Keys(t.InputRequests)), " ")
}

// follow notes that a client follows a task, which another process may run.
func (r *taskRunner) follow(key string) {
	if r.store.member == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.following[key] = true
}

// followed returns the keys of the tasks that clients follow, in order.
func (r *taskRunner) followed() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	maps.DeleteFunc(r.following, func(key string, _ bool) bool { return !r.server.Subscribed(taskTopic(taskIDOf(key))) })
	return slices.Sorted(maps.Keys(r.following))
}
