// Package taskclient lets the calls of a client become tasks, which a server runs in the background: as in the core of
// revision 2025-11-25, and since 2026-07-28 by the extension io.modelcontextprotocol/tasks. [Enable] is for the options of
// a client:
//
//	c, err := client.Connect(ctx, t, &client.Options{Extensions: []client.Extension{taskclient.Enable(nil)}})
//
// A call of a tool then waits for the result of its task, handles requests for input meanwhile, reports progress to the
// function of [client.WithProgress], and cancels the task when its context ends. At 2025-11-25 calls of tools that require
// it become tasks; since 2026-07-28 the server decides. [Start] does not wait: it returns the [Task].
//
// The progress of a task is that which a server of package taskserver adds to its status or, for other servers, each new
// status message, with a count. Its progress token is the id of the task. Since 2026-07-28 tasks send no log messages.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks, and for later revisions
// https://modelcontextprotocol.io/extensions/tasks/overview and SEP-2663.
package taskclient

import (
	"context"

	"github.com/mcpgen/mcpgen/mcp"
	extension "github.com/mcpgen/mcpgen/mcp/tasks"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Options configures the tasks of a client.
type Options struct {
	// OnTask receives the status of a task: at 2025-11-25 of one that was created over this connection, since
	// 2026-07-28 of one that is named by taskIds, an extra member of a subscription's filter. It is a callback as those
	// of [client.Options] are.
	OnTask func(ctx context.Context, task *tasks.Task)
}

// Enable returns what lets the calls of clients become tasks, for [client.Options].Extensions. Nil is the zero [Options].
//
// REQ XTASK-01
func Enable(opts *Options) client.Extension {
	o := option.Of(opts)
	return client.Extension{
		ID:          extension.Extension,
		Since:       mcp.V2026_07_28,
		ResultTypes: map[string][]string{mcp.MethodCallTool.Name: {string(extension.ResultTypeTask)}},
		Join: func(c *client.Client) (client.Middleware, transport.Middleware) {
			j := &joined{client: c, onTask: o.OnTask}
			return j.send, j.receive
		},
	}
}

// A joined is what a client has by [Enable].
type joined struct {
	client   *client.Client
	onTask   func(ctx context.Context, task *tasks.Task)
	supports supports
}

// modern reports whether the client is of a revision in which tasks are an extension.
func modern(c *client.Client) bool { return c.Revision().Since(mcp.Modern) }

// send is around what the client sends.
func (j *joined) send(next client.SendFunc) client.SendFunc {
	return func(ctx context.Context, call *client.Call) error {
		if call.Method.Name == mcp.MethodCallTool.Name {
			return j.callTool(ctx, call, next)
		}
		err := next(ctx, call)
		if r, ok := call.Result.(*mcp.ListToolsResult); ok && err == nil && !modern(j.client) {
			j.supports.learn(r.Tools)
		}
		return err
	}
}

// receive is around what the client receives.
func (j *joined) receive(next transport.MessageFunc) transport.MessageFunc {
	return func(ctx context.Context, m *transport.ServerMessage) (wire.Raw, error) {
		if !m.Notification {
			result, err := next(ctx, m)
			if err == nil && j.client.Revision() == mcp.V2025_11_25 && len(m.Params) > 0 {
				return related(m.Params, result)
			}
			return result, err
		}
		if m.Method == mcp.MethodToolListChangedNotification.Name {
			j.supports.forget()
		}
		if j.onTask != nil {
			if task, err := status(m); err != nil {
				return nil, err
			} else if task != nil {
				j.onTask(ctx, task)
			}
		}
		return next(ctx, m)
	}
}

// status returns what a notification says of a task, in the core or by the extension; nil if it is another one.
func status(m *transport.ServerMessage) (*tasks.Task, error) {
	switch m.Method {
	case mcp.MethodTaskStatusNotification.Name:
		p := new(mcp.GetTaskResult) // which has the same members
		err := wire.Decode(m.Params, p)
		return tasks.FromCoreState(p), err
	case extension.MethodTaskStatusNotification.Name:
		p := new(extension.GetTaskResult)
		err := wire.Decode(m.Params, p)
		return tasks.FromState(p), err
	}
	return nil, nil
}

// related returns a result that names the same task as the params of its request, if those name one.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks#associating-task-related-messages.
func related(params, result wire.Raw) (wire.Raw, error) {
	var request mcp.RequestParams
	if err := wire.Decode(params, &request); err != nil || request.Meta == nil {
		return result, err
	}
	task, ok := request.Meta.Extra.Get(mcp.KeyRelatedTask)
	if !ok {
		return result, nil
	}
	var named mcp.Result
	if err := wire.Decode(result, &named); err != nil {
		return nil, err
	}
	if named.Meta == nil {
		named.Meta = new(mcp.ResultMetaObject)
	}
	named.Meta.Extra.Set(mcp.KeyRelatedTask, task)
	return wire.Marshal(mcp.V2025_11_25, &named)
}
