package taskserver

import (
	"github.com/mcpgen/mcpgen/mcp"
	extension "github.com/mcpgen/mcpgen/mcp/tasks"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Clients are notified of the status of a task until it is over: those whose session created it, or whose
// subscriptions/listen request named it.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks and
// https://github.com/modelcontextprotocol/ext-tasks.

// taskTopic returns the topic of a task.
func taskTopic(id string) string { return "task " + id }

// taskNews returns the notification of the status of a task, in a revision.
func taskNews(task *tasks.Task, rev wire.Revision) server.Notification {
	n := server.Notification{Last: tasks.Done(task.Status)}
	if rev >= mcp.V2026_07_28 {
		n.Method, n.Params = extension.MethodTaskStatusNotification.Name, task.Changed(nil)
		return n
	}
	c := task.Core()
	n.Method, n.Params = mcp.MethodTaskStatusNotification.Name, &mcp.TaskStatusNotificationParams{
		TaskID: c.TaskID, Status: c.Status, StatusMessage: c.StatusMessage,
		CreatedAt: c.CreatedAt, LastUpdatedAt: c.LastUpdatedAt, TTL: c.TTL, PollInterval: c.PollInterval,
	}
	return n
}

// gone ends the subscriptions to a task that has expired.
func (r *taskRunner) gone(id string) {
	r.server.Publish(taskTopic(id), server.Notification{Last: true})
}

// changed notifies clients of the status of a task.
func (r *taskRunner) changed(task *tasks.Task, rev wire.Revision) {
	r.server.Publish(taskTopic(task.ID), taskNews(task, rev))
}
