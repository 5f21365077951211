package taskserver

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The methods in this file exist only in the core of 2025-11-25.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks

// declareTasks adds tasks to what the server declares to a client. They can only be listed for a principal.
func declareTasks(c *server.Call, caps *mcp.ServerCapabilities) {
	// REQ TASK-01
	caps.Tasks = &mcp.ServerCapabilitiesTasks{
		Cancel: mcp.JSONObject{},
		Requests: &mcp.ServerCapabilitiesTasksRequests{
			Tools: &mcp.ServerCapabilitiesTasksRequestsTools{Call: mcp.JSONObject{}},
		},
	}
	// REQ TASK-01
	if c.Principal() != "" {
		caps.Tasks.List = mcp.JSONObject{}
	}
}

// params decodes the params of a call.
func params(c *server.Call, m *wire.Method, to wire.Decodable) error {
	return m.DecodeParams(wire.Server, c.Revision(), c.Params(), true, to)
}

// coreGet handles tasks/get.
func (r *taskRunner) coreGet(ctx context.Context, c *server.Call) (wire.Encodable, error) {
	p := new(mcp.GetTaskRequestParams)
	if err := params(c, &mcp.MethodGetTask, p); err != nil {
		return nil, err
	}
	rec, _, err := r.find(ctx, c, p.TaskID)
	if err != nil {
		return nil, err
	}
	t := rec.Task.Core()
	return &mcp.GetTaskResult{
		TaskID: t.TaskID, Status: t.Status, StatusMessage: t.StatusMessage,
		CreatedAt: t.CreatedAt, LastUpdatedAt: t.LastUpdatedAt, TTL: t.TTL, PollInterval: t.PollInterval, Extra: t.Extra,
	}, nil
}

// coreResult handles tasks/result. It returns when the task is over; meanwhile it sends the requests for
// input of the task's handler.
func (r *taskRunner) coreResult(ctx context.Context, c *server.Call) (wire.Encodable, error) {
	p := new(mcp.GetTaskPayloadRequestParams)
	if err := params(c, &mcp.MethodGetTaskPayload, p); err != nil {
		return nil, err
	}
	rec, err := r.result(ctx, c, p.TaskID)
	if err != nil {
		return nil, err
	}
	switch result := new(mcp.GetTaskPayloadResult); {
	// REQ TASK-10
	case rec.Task.Error != nil:
		return nil, rec.Task.Error
	case rec.Task.Result == nil:
		return nil, protocolError(mcp.CodeInternalError, "the task has no result: "+rec.Task.StatusMessage)
	default:
		if err := wire.Decode(rec.Task.Result, result); err != nil {
			return nil, err
		}
		if result.Meta == nil {
			result.Meta = new(mcp.ResultMetaObject)
		}
		// REQ TASK-10, TASK-12
		result.Meta.Extra.Set(mcp.KeyRelatedTask, relatedTask(rec.Task.ID))
		return result, nil
	}
}

// result waits until a task is over and returns its record.
func (r *taskRunner) result(ctx context.Context, c *server.Call, id string) (*taskRecord, error) {
	for {
		rec, t, err := r.find(ctx, c, id)
		switch {
		case err != nil:
			return nil, err
		case t == nil && tasks.Done(rec.Task.Status):
			return rec, nil
		case t == nil:
			if err := r.await(ctx, c, id); err != nil {
				return nil, err
			}
			continue
		}
		// REQ TASK-10
		task, err := t.wait(ctx, c)
		if errors.Is(err, errTaskTaken) {
			continue
		}
		if err != nil {
			return nil, err
		}
		rec.Task = *task
		return rec, nil
	}
}

// wait waits until the task is over, and sends its requests for input through c. If several calls wait, the newest
// one sends: it may come from a client that lost its connection and does not receive what an older call tries to
// send.
func (t *liveTask) wait(ctx context.Context, c *server.Call) (*tasks.Task, error) {
	w := new(waiter)
	if c.CanRequest() {
		t.join(w)
		defer t.leave(w)
	}
	for {
		task, changed, gone := t.now()
		switch {
		case gone != nil:
			return nil, gone
		// REQ TASK-10
		case tasks.Done(task.Status):
			return task, nil
		}
		if q, asking := t.next(ctx, w); q != nil {
			err := t.send(asking, c, q)
			overtaken := asking.Err() != nil && ctx.Err() == nil
			w.stop()
			if err != nil && !overtaken {
				return nil, err
			}
			continue
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// coreCancel handles tasks/cancel.
func (r *taskRunner) coreCancel(ctx context.Context, c *server.Call) (wire.Encodable, error) {
	p := new(mcp.CancelTaskRequestParams)
	if err := params(c, &mcp.MethodCancelTask, p); err != nil {
		return nil, err
	}
	rec, cancelled, err := r.cancel(ctx, c, p.TaskID)
	if err != nil {
		return nil, err
	}
	// REQ TASK-15
	if !cancelled {
		return nil, protocolError(mcp.CodeInvalidParams, "task "+p.TaskID+" is over: "+string(rec.Task.Status))
	}
	task := rec.Task.Core()
	return &mcp.CancelTaskResult{
		TaskID: task.TaskID, Status: task.Status, StatusMessage: task.StatusMessage,
		CreatedAt: task.CreatedAt, LastUpdatedAt: task.LastUpdatedAt, TTL: task.TTL, PollInterval: task.PollInterval,
	}, nil
}

// listedTasks is how many tasks tasks/list takes from the store at a time, with their results.
const listedTasks = 20

// coreList handles tasks/list for callers with a principal.
func (r *taskRunner) coreList(ctx context.Context, c *server.Call) (wire.Encodable, error) {
	principal := c.Principal()
	if principal == "" {
		return nil, wire.ErrUnknownMethod
	}
	p := new(mcp.PaginatedRequestParams)
	if err := params(c, &mcp.MethodListTasks, p); err != nil {
		return nil, err
	}
	after, size := "", r.server.Options().PageSize
	if p.Cursor != nil {
		var err error
		// REQ TASK-16
		if after, err = decodeCursor(*p.Cursor); err != nil {
			return nil, err
		}
	}
	result := &mcp.ListTasksResult{Tasks: []mcp.Task{}}
	for {
		records, err := r.store.list(ctx, principal, after, listedTasks)
		if err != nil {
			return nil, storeError(err)
		}
		for _, rec := range records {
			if len(result.Tasks) == size {
				last := result.Tasks[size-1].TaskID
				result.NextCursor = new(encodeCursor(last))
				return result, nil
			}
			// REQ TASK-17
			after = rec.Task.ID
			// REQ TASK-17, TASK-18
			if !r.owns(c, rec) || c.Require(rec.Scopes) != nil {
				continue
			}
			if !tasks.Done(rec.Task.Status) {
				if rec, _, err = r.current(ctx, rec.key); err != nil {
					return nil, storeError(err)
				}
			}
			if rec != nil {
				// REQ TASK-17
				result.Tasks = append(result.Tasks, rec.Task.Core())
			}
		}
		if len(records) < listedTasks {
			return result, nil
		}
	}
}

// A cursor is the id of the last task of the previous page, after a mark that tells cursors from other text. It need not
// protect anything: a client's list has only its own tasks.

const cursorMark = "task "

func encodeCursor(id string) mcp.Cursor {
	return mcp.Cursor(base64.RawURLEncoding.EncodeToString([]byte(cursorMark + id)))
}

func decodeCursor(c mcp.Cursor) (id string, err error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(string(c))
	id, ok := strings.CutPrefix(string(b), cursorMark)
	if err != nil || !ok {
		return "", protocolError(mcp.CodeInvalidParams, fmt.Sprintf("cursor: want one that %s has returned, got %q", mcp.MethodListTasks.Name, excerpt.Of(string(c))))
	}
	return id, nil
}
