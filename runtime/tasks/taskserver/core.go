package taskserver

import (
	"context"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This file has the methods of the core of 2025-11-25, which later revisions do not have: tasks/get, tasks/result,
// tasks/list and tasks/cancel. They own nothing: each reads the record of the task from the store, or changes it there.
//
// tasks/result blocks until the task is over, and is the way to the client for the handler's requests for input. Of several
// such calls for one task, the newest alone sends them (see [runner.join]); a response goes into the record, from where it
// reaches the handler in whichever process that runs.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks

// declareTasks adds tasks to what the server declares to a client. They can only be listed for a principal.
//
// REQ TASK-01
func declareTasks(c *server.Call, caps *mcp.ServerCapabilities) {
	caps.Tasks = &mcp.ServerCapabilitiesTasks{
		Cancel: mcp.JSONObject{},
		Requests: &mcp.ServerCapabilitiesTasksRequests{
			Tools: &mcp.ServerCapabilitiesTasksRequestsTools{Call: mcp.JSONObject{}},
		},
	}
	if c.Principal() != "" {
		caps.Tasks.List = mcp.JSONObject{}
	}
}

// params decodes the params of a call.
func params(c *server.Call, m *wire.Method, to wire.Decodable) error {
	return m.DecodeParams(wire.Server, c.Revision(), c.Params(), true, to)
}

// coreGet handles tasks/get.
func (r *runner) coreGet(ctx context.Context, c *server.Call) (wire.Encodable, error) {
	p := new(mcp.GetTaskRequestParams)
	if err := params(c, &mcp.MethodGetTask, p); err != nil {
		return nil, err
	}
	rec, err := r.find(ctx, c, p.TaskID)
	if err != nil {
		return nil, err
	}
	return rec.Task.CoreState(), nil
}

// coreResult handles tasks/result. It returns when the task is over; meanwhile it sends the requests for
// input of the task's handler.
//
// REQ TASK-10, TASK-12
func (r *runner) coreResult(ctx context.Context, c *server.Call) (wire.Encodable, error) {
	p := new(mcp.GetTaskPayloadRequestParams)
	if err := params(c, &mcp.MethodGetTaskPayload, p); err != nil {
		return nil, err
	}
	rec, err := r.result(ctx, c, p.TaskID)
	if err != nil {
		return nil, err
	}
	switch result := new(mcp.GetTaskPayloadResult); {
	case rec.Task.Error != nil:
		return nil, rec.Task.Error
	case rec.Task.Result == nil:
		return nil, protocolError(mcp.CodeInternalError, "the task has no result: "+rec.Task.StatusMessage)
	default:
		if err := wire.Decode(rec.Task.Result, result); err != nil {
			return nil, protocolError(mcp.CodeInternalError, "the result of the task: "+err.Error())
		}
		if result.Meta == nil {
			result.Meta = new(mcp.ResultMetaObject)
		}
		result.Meta.Extra.Set(mcp.KeyRelatedTask, relatedTask(rec.Task.ID))
		return result, nil
	}
}

// result waits until a task is over, or expires, and returns it. Meanwhile it sends the requests for input of the handler
// through c, one at a time.
//
// REQ TASK-10, TASK-11
func (r *runner) result(ctx context.Context, c *server.Call, id string) (*Record, error) {
	key, w := taskKey{c.Principal(), id}, make(waiter, 1)
	defer r.store.Watch(key.principal, id, func(*Record, error) { w.wake() })()
	if c.CanRequest() {
		r.join(key, w)
		defer r.leave(key, w)
	}
	var now *asking
	defer func() { now.stop() }()
	for {
		rec, err := r.find(ctx, c, id)
		if err != nil || tasks.Done(rec.Task.Status) {
			return rec, err
		}
		newest := r.isNewest(key, w)
		if now != nil && (!newest || rec.Task.InputRequests[now.key] == nil) {
			now.stop()
			now = nil
		}
		if now == nil && newest {
			now = r.ask(ctx, c, rec)
		}
		var expired <-chan time.Time
		if at := rec.Task.Expires(); !at.IsZero() {
			expired = time.After(time.Until(at))
		}
		select {
		case <-w:
		case <-expired:
		case <-now.over():
			if now.err != nil && r.isNewest(key, w) {
				return nil, now.err
			}
			now = nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// coreCancel handles tasks/cancel: to cancel a task that is over is an error.
//
// REQ TASK-15
func (r *runner) coreCancel(ctx context.Context, c *server.Call) (wire.Encodable, error) {
	p := new(mcp.CancelTaskRequestParams)
	if err := params(c, &mcp.MethodCancelTask, p); err != nil {
		return nil, err
	}
	rec, cancelled, err := r.cancel(ctx, c, p.TaskID)
	if err != nil {
		return nil, err
	}
	if !cancelled {
		return nil, protocolError(mcp.CodeInvalidParams, "task "+p.TaskID+" is over: "+string(rec.Task.Status))
	}
	return new(mcp.CancelTaskResult(*rec.Task.CoreState())), nil
}

// listedTasks is how many tasks tasks/list takes from the store at a time, with their results.
const listedTasks = 20

// coreList handles tasks/list for callers with a principal.
//
// REQ TASK-16, TASK-17, TASK-18
func (r *runner) coreList(ctx context.Context, c *server.Call) (wire.Encodable, error) {
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
		if after, err = decodeCursor(*p.Cursor); err != nil {
			return nil, err
		}
	}
	result := &mcp.ListTasksResult{Tasks: []mcp.Task{}}
	for {
		records, err := r.store.List(ctx, principal, after, listedTasks)
		if err != nil {
			return nil, storeError(err)
		}
		for _, rec := range records {
			if len(result.Tasks) == size {
				last := result.Tasks[size-1].TaskID
				result.NextCursor = new(encodeCursor(last))
				return result, nil
			}
			after = rec.Task.ID
			if !r.owns(c, rec) || c.Require(rec.Scopes) != nil {
				continue
			}
			result.Tasks = append(result.Tasks, rec.Task.Core())
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
