package taskclient

import (
	"context"
	"errors"

	"github.com/mcpgen/mcpgen/mcp"
	extension "github.com/mcpgen/mcpgen/mcp/tasks"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Start calls a tool as a task, and does not wait for its result. At 2025-11-25 the call becomes a task if the server and
// the tool support tasks; params.Task may say how long to keep the result. Since 2026-07-28 the server decides. If the
// call does not become a task, as without [Enable], Start returns a Task without an id that has the result.
func Start(ctx context.Context, c *client.Client, params *mcp.CallToolRequestParams) (*Task, error) {
	t := &Task{client: c, call: params}
	err := c.Call(context.WithValue(ctx, startKey{}, t), &mcp.MethodCallTool, params, &t.result)
	if err != nil {
		return nil, err
	}
	return t, nil
}

// A startKey is the key of the context of [Start]: its value is the *Task to fill in.
type startKey struct{}

// callTool calls a tool, and waits for the result if the call becomes a task, unless [Start] has made the call.
func (j *joined) callTool(ctx context.Context, call *client.Call, next client.SendFunc) error {
	params, err := toolParams(call.Params)
	if err != nil {
		return err
	}
	start, _ := ctx.Value(startKey{}).(*Task)
	if start != nil {
		ctx = context.WithValue(ctx, startKey{}, (*Task)(nil)) // what handlers call meanwhile is not started
	}
	r := &response{into: call.Result, extension: modern(j.client)}
	sent := *call
	sent.Params, sent.Result = params, r
	if !r.extension {
		as, err := j.asTask(ctx, params, start != nil)
		if err != nil {
			return err
		}
		sent.Params, r.core = as, as.Task != nil
	}
	if err := next(ctx, &sent); err != nil || r.task == nil {
		return err
	}
	t := start
	if t == nil {
		t = &Task{client: j.client}
	}
	t.id, t.firstPause = r.task.ID, pollInterval(r.task)
	if start != nil {
		return nil
	}
	raw, err := t.wait(ctx)
	if err != nil {
		t.abandon(ctx, err)
		return err
	}
	if err := wire.Decode(raw, call.Result); err != nil {
		return &jsonrpc.CallError{Method: mcp.MethodCallTool.Name, Err: err}
	}
	return j.client.CheckOutput(ctx, params, call.Result)
}

// abandon cancels a task that nothing waits for any more, unless it has ended. It does not wait for that; the request
// ends with its timeout or with the client.
func (t *Task) abandon(ctx context.Context, err error) {
	if rpc := (*jsonrpc.Error)(nil); errors.Is(err, ErrCancelled) || errors.As(err, &rpc) {
		return
	}
	go t.Cancel(context.WithoutCancel(ctx))
}

// A response decodes the result of a call: that of the tool, or a new task.
type response struct {
	into      wire.Decodable
	extension bool        // tasks are those of the extension
	core      bool        // the call has asked for a task
	task      *tasks.Task // nil if the call has not become one
}

// DecodeWire decodes a result.
//
// REQ XTASK-05
func (r *response) DecodeWire(d *wire.Decoder) {
	if kind, _ := d.PeekString("resultType"); r.extension && kind == string(extension.ResultTypeTask) {
		created := new(extension.CreateTaskResult)
		created.DecodeWire(d)
		r.task = tasks.FromCreated(created)
		return
	}
	if r.core && d.PeekKey("task") {
		created := new(mcp.CreateTaskResult)
		created.DecodeWire(d)
		r.task = tasks.FromCore(&created.Task)
		return
	}
	r.into.DecodeWire(d)
}

// Unwrap returns the result of the tool, nil if there is a task instead.
func (r *response) Unwrap() wire.Decodable {
	if r.task != nil {
		return nil
	}
	return r.into
}

// asTask returns the params of a call at 2025-11-25, which ask for a task if the call is to become one: if wanted is true,
// every call that may be one, otherwise only calls that must.
//
// REQ TASK-03
func (j *joined) asTask(ctx context.Context, call *mcp.CallToolRequestParams, wanted bool) (*mcp.CallToolRequestParams, error) {
	as := *call
	if !runsTools(&j.client.Server().Capabilities) {
		as.Task = nil
		return &as, nil
	}
	support, err := j.support(ctx, call.Name)
	if err != nil {
		return nil, err
	}
	switch {
	case support == mcp.ToolExecutionTaskSupportRequired, support == mcp.ToolExecutionTaskSupportOptional && wanted:
		if as.Task == nil {
			as.Task = new(mcp.TaskMetadata)
		}
	default:
		as.Task = nil
	}
	return &as, nil
}

// runsTools reports whether a server of 2025-11-25 can run calls of tools as tasks.
func runsTools(c *mcp.ServerCapabilities) bool {
	return c.Tasks != nil && c.Tasks.Requests != nil && c.Tasks.Requests.Tools != nil && c.Tasks.Requests.Tools.Call != nil
}

// toolParams returns the params of a call as their type.
func toolParams(params wire.Encodable) (*mcp.CallToolRequestParams, error) {
	p, ok := params.(*mcp.CallToolRequestParams)
	if params == nil || ok && p == nil {
		return nil, errors.New("client: a call of a tool needs params")
	}
	if ok {
		return p, nil
	}
	text, err := wire.Marshal(wire.Any, params)
	if err != nil {
		return nil, err
	}
	p = new(mcp.CallToolRequestParams)
	return p, wire.DecodeAlias(text, p)
}
