package server

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The methods in this file are those of the extension. Only clients that declare it get here.

// params decodes the parameters of a request of the extension and finds its task.
func (r *taskRunner) params(ctx context.Context, c *Call) (*tasks.Params, *tasks.Record, *liveTask, error) {
	p := new(tasks.Params)
	if err := wire.Decode(c.req.Params, p); err != nil {
		return nil, nil, nil, err
	}
	rec, t, err := r.find(ctx, c, p.TaskID)
	return p, rec, t, err
}

// extensionGet answers tasks/get.
func (r *taskRunner) extensionGet(ctx context.Context, c *Call) (wire.Encodable, error) {
	_, rec, _, err := r.params(ctx, c)
	if err != nil {
		return nil, err
	}
	return &rec.Task, nil
}

// extensionUpdate answers tasks/update: answers to questions of the task.
func (r *taskRunner) extensionUpdate(ctx context.Context, c *Call) (wire.Encodable, error) {
	p, _, t, err := r.params(ctx, c)
	switch {
	case err != nil:
		return nil, err
	case p.InputResponses == nil:
		return nil, jsonrpcError(codeInvalidParams, "params lack inputResponses", nil)
	}
	for _, key := range slices.Sorted(maps.Keys(p.InputResponses)) {
		response, ok := p.InputResponses[key].(*mcp.UnknownInputResponse)
		// REQ XTASK-10
		if !ok || t == nil {
			continue
		}
		if err := t.answer(key, response.Raw); err != nil {
			return nil, err
		}
	}
	return new(mcp.EmptyResult), nil
}

// extensionCancel answers tasks/cancel. A task that is over stays as it is.
func (r *taskRunner) extensionCancel(ctx context.Context, c *Call) (wire.Encodable, error) {
	_, _, t, err := r.params(ctx, c)
	if err != nil {
		return nil, err
	}
	if t != nil {
		// REQ XTASK-11
		t.end(taskEnd{status: mcp.TaskStatusCancelled, cause: ErrTaskCancelled})
	}
	return new(mcp.EmptyResult), nil
}

// grantTasks lets a target have the tasks that the client of subscriptions/listen names, and returns
// what to tell the client of that.
func (s *Server) grantTasks(ctx context.Context, c *Call, t *target, want *mcp.SubscriptionFilter) (wire.Extra, error) {
	r := s.tasks.Load()
	raw, named := want.Extra.Get(tasks.FilterKey)
	switch {
	case r == nil || !named:
		return nil, nil
	// REQ XTASK-14
	case !c.takesTasks():
		return nil, needsTasks()
	}
	d := wire.NewDecoder(raw)
	ids := wire.Slice(&d, wire.GetString[string])
	if err := d.Finish(); err != nil {
		return nil, jsonrpcError(codeInvalidParams, "notifications."+tasks.FilterKey+": "+err.Error(), nil)
	}
	if len(ids) > maxSubscriptions {
		return nil, jsonrpcError(codeInvalidParams, fmt.Sprintf("notifications.%s: %d tasks, want at most %d", tasks.FilterKey, len(ids), maxSubscriptions), nil)
	}
	granted, owner := taskIDs{}, c.owner(ctx)
	for _, id := range ids {
		if _, _, err := r.find(ctx, c, id); err == nil && t.watch(&s.kept, owner, id) {
			granted = append(granted, id)
		}
	}
	answer, err := wire.Marshal(c.rev, granted)
	if err != nil {
		return nil, err
	}
	return wire.Extra{{Name: tasks.FilterKey, Value: answer}}, nil
}

// taskIDs encode as an array.
type taskIDs []string

func (ids taskIDs) EncodeWire(e *wire.Encoder) { wire.PutSlice(e, ids, wire.PutString) }

// tellTasks tells a target how the tasks stand that it watches.
func (s *Server) tellTasks(ctx context.Context, c *Call, t *target) {
	for _, id := range t.watched() {
		if rec, _, err := s.tasks.Load().find(ctx, c, id); err == nil {
			t.tell(&rec.Task)
		}
	}
}
