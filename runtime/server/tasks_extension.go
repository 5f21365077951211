package server

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/mcpgen/mcpgen/mcp"
	extension "github.com/mcpgen/mcpgen/mcp/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The methods in this file are those of the extension. They are only called for clients that declare it.
//
// See https://github.com/modelcontextprotocol/ext-tasks

// extensionGet handles tasks/get.
func (r *taskRunner) extensionGet(ctx context.Context, c *Call) (wire.Encodable, error) {
	p := new(extension.GetTaskRequestParams)
	if err := wire.Decode(c.req.Params, p); err != nil {
		return nil, err
	}
	rec, _, err := r.find(ctx, c, p.TaskID)
	if err != nil {
		return nil, err
	}
	return rec.Task.State(), nil
}

// extensionUpdate handles tasks/update: responses to requests for input.
func (r *taskRunner) extensionUpdate(ctx context.Context, c *Call) (wire.Encodable, error) {
	p := new(extension.UpdateTaskRequestParams)
	if err := wire.Decode(c.req.Params, p); err != nil {
		return nil, err
	}
	rec, t, err := r.find(ctx, c, p.TaskID)
	if err != nil {
		return nil, err
	}
	for _, key := range slices.Sorted(maps.Keys(p.InputResponses)) {
		response, ok := p.InputResponses[key].(*mcp.UnknownInputResponse)
		// REQ XTASK-10
		if !ok {
			continue
		}
		if t != nil {
			err = t.respond(key, response.Raw)
		} else {
			err = r.respond(ctx, rec, key, response.Raw)
		}
		if err != nil {
			return nil, err
		}
	}
	return new(extension.UpdateTaskResult), nil
}

// extensionCancel handles tasks/cancel. A task that is over remains as it is.
func (r *taskRunner) extensionCancel(ctx context.Context, c *Call) (wire.Encodable, error) {
	p := new(extension.CancelTaskRequestParams)
	if err := wire.Decode(c.req.Params, p); err != nil {
		return nil, err
	}
	// REQ XTASK-11
	if _, _, err := r.cancel(ctx, c, p.TaskID); err != nil {
		return nil, err
	}
	return new(extension.CancelTaskResult), nil
}

// grantTasks subscribes t to the tasks that the client of subscriptions/listen names and may have, and
// returns what the acknowledgement says of them.
func (s *Server) grantTasks(ctx context.Context, c *Call, t *subscriber, want *mcp.SubscriptionFilter) (wire.Extra, error) {
	r := s.tasks
	if r == nil || want.Extra == nil {
		return nil, nil
	}
	var named extension.TaskSubscriptionNotifications
	err := wire.DecodeExtra(want.Extra, &named)
	switch {
	case err != nil:
		return nil, jsonrpcError(codeInvalidParams, "notifications: "+err.Error(), nil)
	case named.TaskIDs == nil:
		return nil, nil
	// REQ XTASK-14
	case !c.takesTasks():
		return nil, needsExtension(extension.Extension)
	case len(named.TaskIDs) > maxSubscriptions:
		return nil, jsonrpcError(codeInvalidParams, fmt.Sprintf("notifications.taskIds: %d tasks, want at most %d", len(named.TaskIDs), maxSubscriptions), nil)
	}
	granted, owner := []string{}, c.owner()
	for _, id := range named.TaskIDs {
		if _, _, err := r.find(ctx, c, id); err == nil && t.subscribeTask(&s.kept, owner, taskKey(c.Principal(), id)) {
			granted = append(granted, id)
		}
	}
	return wire.ExtraOf(c.rev, &extension.TaskSubscriptionAcknowledgedNotifications{TaskIDs: granted})
}

// markTasks records the current status of the tasks that t subscribes to.
func (s *Server) markTasks(ctx context.Context, c *Call, t *subscriber) {
	for _, id := range t.subscribedTasks() {
		if rec, _, err := s.tasks.find(ctx, c, id); err == nil {
			t.markTask(&rec.Task)
		}
	}
}
