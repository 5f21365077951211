package taskclient

import (
	"context"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A reported is the progress of a task that has been reported so far.
type reported struct {
	id      string
	done    float64
	message string
}

// report reports progress of a task, if there is any, to the function of [client.WithProgress]: the progress in the status
// or else each new status message, with a count.
func (p *reported) report(ctx context.Context, task *tasks.Task) {
	f := client.ProgressFunc(ctx)
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
	params := &mcp.ProgressNotificationParams{ProgressToken: wire.StringID(p.id), Progress: now.Done, Message: now.Message}
	if now.Total > 0 {
		params.Total = &now.Total
	}
	f(params)
}
