package tasks

import "github.com/mcpgen/mcpgen/mcp"

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
