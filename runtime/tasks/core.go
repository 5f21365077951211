package tasks

import "github.com/mcpgen/mcpgen/mcp"

// Revision 2025-11-25 has a type Task, and the members of a Task in other messages: the results of tasks/get and tasks/cancel
// (which can be converted to each other), and the params of notifications/tasks/status. None has the outcome of the task,
// which only tasks/result returns.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks.

// Core returns the task as a type of revision 2025-11-25.
func (t *Task) Core() mcp.Task {
	return mcp.Task{
		TaskID:        t.ID,
		Status:        t.Status,
		StatusMessage: t.StatusMessage,
		CreatedAt:     formatTime(t.CreatedAt),
		LastUpdatedAt: formatTime(t.UpdatedAt),
		TTL:           inMilliseconds(t.TTL),
		PollInterval:  inMilliseconds(t.PollInterval),
		Extra:         t.Extra,
	}
}

// FromCore returns the Task for one of revision 2025-11-25.
func FromCore(c *mcp.Task) *Task {
	return &Task{
		ID:            c.TaskID,
		Status:        c.Status,
		StatusMessage: c.StatusMessage,
		CreatedAt:     parseTime(c.CreatedAt),
		UpdatedAt:     parseTime(c.LastUpdatedAt),
		TTL:           milliseconds(c.TTL),
		PollInterval:  milliseconds(c.PollInterval),
		Extra:         c.Extra,
	}
}

// CoreState returns the task as the result of tasks/get of revision 2025-11-25.
func (t *Task) CoreState() *mcp.GetTaskResult {
	c := t.Core()
	return &mcp.GetTaskResult{
		TaskID: c.TaskID, Status: c.Status, StatusMessage: c.StatusMessage, CreatedAt: c.CreatedAt,
		LastUpdatedAt: c.LastUpdatedAt, TTL: c.TTL, PollInterval: c.PollInterval, Extra: c.Extra,
	}
}

// FromCoreState is the inverse of [Task.CoreState].
func FromCoreState(r *mcp.GetTaskResult) *Task {
	return FromCore(&mcp.Task{
		TaskID: r.TaskID, Status: r.Status, StatusMessage: r.StatusMessage, CreatedAt: r.CreatedAt,
		LastUpdatedAt: r.LastUpdatedAt, TTL: r.TTL, PollInterval: r.PollInterval, Extra: r.Extra,
	})
}
