// Package tasks has what servers and clients say about tasks, and what servers keep of them.
//
// A task is a request that goes on after it was answered: the answer names the task, and the client
// asks how it stands until it has a result. Revision 2025-11-25 has tasks in its core; from
// 2026-07-28 on they are the extension of package [github.com/mcpgen/mcpgen/mcp/tasks], with other names
// for the same things. [Task] is a task in either of them: [Task.Detailed] and [FromDetailed] translate
// to and from what the extension has, [Task.Core] and [FromCore] to and from the core of 2025-11-25.
//
// [Store] keeps the tasks of a server.
package tasks

import (
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Task is how a task stands.
type Task struct {
	ID            string
	Status        mcp.TaskStatus
	StatusMessage string // for people and models; empty if there is none

	// The times are of the server's clock, with milliseconds. They are zero if a server sent
	// something else than a time.
	CreatedAt time.Time
	UpdatedAt time.Time // when the status changed last

	// TTL is how long the server keeps the task, counted from CreatedAt. 0 means that it sets no
	// limit.
	TTL time.Duration
	// PollInterval is how long a client should wait before it asks again. 0 means that the server
	// does not say.
	PollInterval time.Duration

	// InputRequests are what the server wants to know from the client before it goes on, by keys
	// that are used once in the life of a task. The core of 2025-11-25 has none: it sends requests.
	InputRequests mcp.InputRequests
	// Result is the result of a completed task: what the request would have returned otherwise.
	Result wire.Raw
	// Error is the error of a failed task, likewise. In the core of 2025-11-25 a task has also
	// failed if its Result says that the tool did.
	Error *jsonrpc.Error

	// Extra holds what is unknown.
	Extra wire.Extra
}

// Done reports whether a status is final.
func Done(s mcp.TaskStatus) bool {
	return s == mcp.TaskStatusCompleted || s == mcp.TaskStatusFailed || s == mcp.TaskStatusCancelled
}

// Expires returns when the server may forget the task, zero for never.
func (t *Task) Expires() time.Time {
	if t.TTL == 0 {
		return time.Time{}
	}
	return t.CreatedAt.Add(t.TTL)
}
