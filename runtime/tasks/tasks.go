// Package tasks defines the tasks that servers and clients exchange.
//
// A task is a request that continues after its response: the response names the task, and the client requests
// its status until there is a result. Tasks are a part of revision 2025-11-25, and an extension since
// 2026-07-28: package [github.com/mcpgen/mcpgen/mcp/tasks], which has other names for the same things. A
// [Task] is a task of either. [Task.Core] and [FromCore] convert it to and from the types of 2025-11-25; the
// other methods and functions, to and from those of the extension.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks,
// https://modelcontextprotocol.io/extensions/tasks/overview and SEP-2663.
package tasks

import (
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Task is the state of a task at one time.
type Task struct {
	ID            string
	Status        mcp.TaskStatus
	StatusMessage string // for people and models; empty if there is none

	// The times are of the server's clock, in milliseconds. They are zero if what the server sent is not a
	// time.
	CreatedAt time.Time
	UpdatedAt time.Time // when the status last changed

	// TTL is how long the server keeps the task, from CreatedAt. 0 means that there is no limit.
	TTL time.Duration
	// PollInterval is how long a client should wait between requests for the status. 0 means that the
	// server does not say.
	PollInterval time.Duration

	// InputRequests are the server's requests for input, by keys that a task uses only once. At 2025-11-25
	// there are none: servers send requests instead.
	InputRequests mcp.InputRequests
	// Result is the result of a completed task, which the request would have had without a task.
	Result wire.Raw
	// Error is the error of a failed task, which the request would have had without a task. At 2025-11-25 a task
	// has also failed if its Result says that the tool did.
	Error *jsonrpc.Error

	// Extra holds unknown members.
	Extra wire.Extra
}

// Done reports whether a status is final.
func Done(s mcp.TaskStatus) bool {
	return s == mcp.TaskStatusCompleted || s == mcp.TaskStatusFailed || s == mcp.TaskStatusCancelled
}

// Expires returns the time after which the server may delete the task, zero for never.
func (t *Task) Expires() time.Time {
	if t.TTL == 0 {
		return time.Time{}
	}
	return t.CreatedAt.Add(t.TTL)
}
