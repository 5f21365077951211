package taskserver

import (
	"bytes"
	"context"
	"fmt"

	"github.com/mcpgen/mcpgen/mcp"
	extension "github.com/mcpgen/mcpgen/mcp/tasks"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file has the methods of the extension io.modelcontextprotocol/tasks: tasks/get, tasks/update and tasks/cancel. The
// server calls them only for requests whose client declares the extension. Like those of the core, they own nothing but
// read and change records in the store. There is no method that waits: clients poll, or subscribe to a task by the member
// taskIds of subscriptions/listen, and get its notifications until it is over.
//
// See https://github.com/modelcontextprotocol/ext-tasks

// extensionGet handles tasks/get.
func (r *runner) extensionGet(ctx context.Context, c *server.Call) (wire.Encodable, error) {
	p := new(extension.GetTaskRequestParams)
	if err := wire.Decode(c.Params(), p); err != nil {
		return nil, err
	}
	rec, err := r.find(ctx, c, p.TaskID)
	if err != nil {
		return nil, err
	}
	return rec.Task.State(), nil
}

// extensionUpdate handles tasks/update: responses to requests for input.
//
// REQ XTASK-10
func (r *runner) extensionUpdate(ctx context.Context, c *server.Call) (wire.Encodable, error) {
	p := new(extension.UpdateTaskRequestParams)
	if err := wire.Decode(c.Params(), p); err != nil {
		return nil, err
	}
	rec, err := r.find(ctx, c, p.TaskID)
	if err != nil {
		return nil, err
	}
	responses := make(map[string]Response)
	for key, response := range p.InputResponses {
		if u, ok := response.(*mcp.UnknownInputResponse); ok {
			responses[key] = Response{Result: bytes.Clone(u.Raw)} // which does not keep the whole request
		}
	}
	err = r.respond(ctx, rec, responses, func(key string, asked mcp.InputRequest) error { return checkInput(key, asked, responses[key].Result) })
	if err != nil {
		return nil, err
	}
	return new(extension.UpdateTaskResult), nil
}

// extensionCancel handles tasks/cancel. A task that is over remains as it is.
//
// REQ XTASK-11
func (r *runner) extensionCancel(ctx context.Context, c *server.Call) (wire.Encodable, error) {
	p := new(extension.CancelTaskRequestParams)
	if err := wire.Decode(c.Params(), p); err != nil {
		return nil, err
	}
	if _, _, err := r.cancel(ctx, c, p.TaskID); err != nil {
		return nil, err
	}
	return new(extension.CancelTaskResult), nil
}

// maxTaskIDs is how many tasks a client can name in one subscription.
const maxTaskIDs = 10_000

// namedTasks returns the tasks that the params of subscriptions/listen name, nil if there are none.
func namedTasks(raw wire.Raw) []string {
	var p mcp.SubscriptionsListenRequestParams
	var named extension.TaskSubscriptionNotifications
	if wire.DecodeAlias(raw, &p) != nil || wire.DecodeExtra(p.Notifications.Extra, &named) != nil {
		return nil // the request will be refused for that
	}
	return named.TaskIDs
}

// listen subscribes to the tasks that the client of subscriptions/listen names and may have.
//
// REQ XTASK-14
func (r *runner) listen(ctx context.Context, c *server.Call, asked wire.Extra, to *server.Subscription) (wire.Extra, error) {
	var named extension.TaskSubscriptionNotifications
	err := wire.DecodeExtra(asked, &named)
	switch {
	case err != nil:
		return nil, protocolError(mcp.CodeInvalidParams, "notifications: "+err.Error())
	case named.TaskIDs == nil:
		return nil, nil
	case !takesTasks(c):
		return nil, needsExtension()
	case len(named.TaskIDs) > maxTaskIDs:
		return nil, protocolError(mcp.CodeInvalidParams, fmt.Sprintf("notifications.taskIds: %d tasks, want at most %d", len(named.TaskIDs), maxTaskIDs))
	}
	granted := []string{}
	for _, id := range named.TaskIDs {
		rec, err := r.find(ctx, c, id)
		if err != nil || !to.Add(taskTopic(id)) {
			continue
		}
		r.follow(rec)
		if rec, err = r.find(ctx, c, id); err == nil { // as it is now, so that no change is missed
			to.Send(taskTopic(id), newsOf(rec))
		}
		granted = append(granted, id)
	}
	return wire.ExtraOf(c.Revision(), &extension.TaskSubscriptionAcknowledgedNotifications{TaskIDs: granted})
}
