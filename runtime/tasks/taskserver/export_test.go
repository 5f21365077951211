package taskserver

import (
	"fmt"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks"
)

// A Runner runs the tasks of a server.
type Runner = runner

// EnableRunner is Enable, and sets what runs the tasks.
func EnableRunner(opts *Options, to **Runner) server.Setup {
	return func(s *server.Server) (err error) {
		*to, err = enable(s, *opts)
		return err
	}
}

// Left returns what the server knows of tasks.
func (r *runner) Left() string {
	r.room.mu.Lock()
	defer r.room.mu.Unlock()
	live, expiring := 0, 0
	for _, k := range r.room.all {
		if k.live != nil {
			live++
		}
		if k.expiry != nil {
			expiring++
		}
	}
	return fmt.Sprintf("%d live, %d to expire, %d at work", live, expiring, r.room.running)
}

// Bytes returns what is kept of tasks, as it is counted.
func (r *runner) Bytes() (all, working int) {
	r.room.mu.Lock()
	defer r.room.mu.Unlock()
	return r.room.bytes, r.room.working
}

// Owners returns how many clients have tasks.
func (r *runner) Owners() int {
	r.room.mu.Lock()
	defer r.room.mu.Unlock()
	return len(r.room.owners)
}

// Followed returns how many tasks clients follow.
func (r *runner) Followed() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.followed)
}

// Waiters returns how many tasks calls wait for.
func (r *runner) Waiters() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.waiters)
}

// Principals returns how many principals have tasks.
func (m *Memory) Principals() int { return len(m.all) }

// Enter takes room for a task.
func (r *runner) Enter(id string, owner share.Owner, request int) (gone int, err error) {
	removed, err := r.room.enter(&liveTask{runner: r, key: taskKey{"", id}, requestBytes: request}, owner)
	return len(removed), err
}

// TTL returns how long a task is kept for a client that says so.
func (r *runner) TTL(said int64) time.Duration { return r.opts.ttl(&mcp.TaskMetadata{TTL: &said}) }

// NewID returns an id, Topic the topic of a task, and Expired whether it has expired.
func NewID() string              { return newTaskID(time.Now()) }
func Topic(id string) string     { return taskTopic(id) }
func Expired(t *tasks.Task) bool { return expired(t) }
