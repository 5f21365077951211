package client

import (
	"context"
	"errors"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// callTool calls a tool and waits for its result, whether or not the call becomes a task. If ctx ends, the
// task is cancelled.
func (c *Client) callTool(ctx context.Context, params wire.Encodable, result wire.Decodable) error {
	t, err := c.startTool(ctx, params, false, result)
	if err != nil {
		return err
	}
	if t != nil {
		raw, err := t.wait(ctx)
		if err != nil {
			t.abandon(ctx, err)
			return err
		}
		if err := wire.Decode(raw, result); err != nil {
			return &jsonrpc.CallError{Method: mcp.MethodCallTool.Name, Err: err}
		}
	}
	return c.received(ctx, params, result)
}

// abandon cancels a task that nothing waits for any more, unless it has ended.
func (t *Task) abandon(ctx context.Context, err error) {
	if rpc := (*jsonrpc.Error)(nil); errors.Is(err, ErrTaskCancelled) || errors.As(err, &rpc) {
		return
	}
	t.client.life.Go(func(context.Context) {
		if err := t.Cancel(context.WithoutCancel(ctx)); err != nil && !t.client.life.Over() {
			t.client.logger().Debug("client: a task could not be cancelled", "task", t.id, "error", err)
		}
	})
}

// startTool calls a tool. If the call does not become a task, the task is nil and the result is decoded into
// result. At 2025-11-25, if wanted is true, every call that may be a task becomes one; otherwise only calls that
// must.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks and
// https://github.com/modelcontextprotocol/ext-tasks.
func (c *Client) startTool(ctx context.Context, params wire.Encodable, wanted bool, result wire.Decodable) (*Task, error) {
	m := &mcp.MethodCallTool
	if err := c.check(m); err != nil {
		return nil, err
	}
	call, err := toolParams(params)
	if err != nil {
		return nil, err
	}
	if c.modern() {
		a := &response{into: result, mayBeTask: c.opts.Tasks}
		if err := c.request(ctx, m, call, a); err != nil || a.task == nil {
			return nil, err
		}
		return &Task{client: c, id: a.task.ID, call: call, fresh: pollInterval(a.task)}, nil
	}
	as, err := c.asTask(ctx, call, wanted)
	if err != nil {
		return nil, err
	}
	var raw wire.Raw
	err = c.inSession(ctx, m.Name, func() error { return c.send(ctx, m.Name, as, &raw, c.callOptions(ctx, m)) })
	if err != nil {
		return nil, err
	}
	if as.Task != nil && isTask(raw) {
		created := new(mcp.CreateTaskResult)
		if err := wire.Decode(raw, created); err != nil {
			return nil, &jsonrpc.CallError{Method: m.Name, Err: err}
		}
		t := tasks.FromCore(&created.Task)
		return &Task{client: c, id: t.ID, call: call, fresh: pollInterval(t)}, nil
	}
	if err := wire.Decode(raw, result); err != nil {
		return nil, &jsonrpc.CallError{Method: m.Name, Err: err}
	}
	return nil, nil
}

// runsTools reports whether a server of 2025-11-25 can run calls of tools as tasks.
func runsTools(c *mcp.ServerCapabilities) bool {
	return c.Tasks != nil && c.Tasks.Requests != nil && c.Tasks.Requests.Tools != nil && c.Tasks.Requests.Tools.Call != nil
}

// asTask returns the params of a call at 2025-11-25, which ask for a task if the call is to become one.
func (c *Client) asTask(ctx context.Context, call *mcp.CallToolRequestParams, wanted bool) (*mcp.CallToolRequestParams, error) {
	as := *call
	// REQ TASK-03
	if !runsTools(&c.server.Capabilities) {
		as.Task = nil
		return &as, nil
	}
	support, err := c.support(ctx, call.Name)
	if err != nil {
		return nil, err
	}
	switch {
	// REQ TASK-03
	case support == mcp.ToolExecutionTaskSupportRequired, support == mcp.ToolExecutionTaskSupportOptional && wanted:
		if as.Task == nil {
			as.Task = new(mcp.TaskMetadata)
		}
	default:
		as.Task = nil
	}
	return &as, nil
}

// toolParams returns the params of a call as their type.
func toolParams(params wire.Encodable) (*mcp.CallToolRequestParams, error) {
	switch p := params.(type) {
	case nil:
		return nil, errors.New("client: a call of a tool needs params")
	case *mcp.CallToolRequestParams:
		if p == nil {
			return nil, errors.New("client: a call of a tool needs params")
		}
		return p, nil
	}
	p := new(mcp.CallToolRequestParams)
	return p, recode(params, p)
}

// isTask reports whether a result at 2025-11-25 is a new task.
func isTask(raw wire.Raw) bool {
	d := wire.NewDecoder(raw)
	return d.Kind() == wire.KindObject && d.PeekKey("task")
}

// learnSupport remembers how tools support tasks.
func (c *Client) learnSupport(tools []mcp.Tool) {
	for i := range tools {
		c.supports.put(tools[i].Name, tools[i].Execution.GetTaskSupport(), 0)
	}
}

// support returns how a tool supports tasks. If that is not known, support lists the tools.
func (c *Client) support(ctx context.Context, tool string) (mcp.ToolExecutionTaskSupport, error) {
	if support, known := c.supports.get(tool); known || c.listed.Load() {
		return support, nil
	}
	for t, err := range c.Tools(ctx) {
		if err != nil {
			return "", err
		}
		if t.Name == tool {
			return t.Execution.GetTaskSupport(), nil
		}
	}
	c.listed.Store(true)
	return "", nil
}
