package client

import (
	"context"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/tasks"
)

// A taskProgress is what has been reported of the progress of a task.
type taskProgress struct {
	done    float64
	message string
}

// report reports the progress of a task to the function of [WithProgress], if there is some: what the server says of it,
// or else each message of its status, with a count.
func (p *taskProgress) report(ctx context.Context, task *tasks.Task) {
	f, _ := ctx.Value(progressKey{}).(func(*mcp.ProgressNotificationParams))
	if f == nil {
		return
	}
	now, ok := task.Progress()
	switch {
	case ok && now.Done <= p.done:
		return
	case !ok:
		if tasks.Done(task.Status) || task.StatusMessage == "" || task.StatusMessage == p.message {
			return
		}
		now = tasks.Progress{Done: p.done + 1, Message: task.StatusMessage}
	}
	p.done, p.message = now.Done, now.Message
	params := &mcp.ProgressNotificationParams{Progress: now.Done, Message: now.Message}
	if now.Total > 0 {
		params.Total = &now.Total
	}
	f(params)
}
