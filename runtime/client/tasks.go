package client

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	extension "github.com/mcpgen/mcpgen/mcp/tasks"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// ErrTaskCancelled is the error of [Task.Result] for a task that was cancelled.
var ErrTaskCancelled = errors.New("the task was cancelled")

// A Task is a call of a tool that the server runs in the background. Its methods may be called by several
// goroutines at once.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks, and for later
// revisions https://modelcontextprotocol.io/extensions/tasks/overview and SEP-2663.
type Task struct {
	client *Client
	id     string
	call   *mcp.CallToolRequestParams // nil if it is not known

	mu     sync.Mutex
	taken  map[string]bool // keys of requests for input that were handled, or are being handled
	rounds int
	fresh  time.Duration // how long to wait before the first request for the status
	result wire.Raw      // of a call that did not become a task
}

// Task returns the task with the given id, which may have been created over another connection. It sends nothing.
func (c *Client) Task(id string) *Task { return &Task{client: c, id: id} }

// StartTool calls a tool as a task, and does not wait for its result. At 2025-11-25 the call becomes a task
// if the server and the tool support tasks; params.Task may say how long to keep the result. Since
// 2026-07-28 the server decides, and [Options.Tasks] must be set. If the call does not become a task,
// StartTool returns a Task without an id that has the result.
func (c *Client) StartTool(ctx context.Context, params *mcp.CallToolRequestParams) (*Task, error) {
	var result wire.Raw
	var t *Task
	err := c.through(ctx, &mcp.MethodCallTool, params, &result, func(ctx context.Context, params wire.Encodable) (err error) {
		t, err = c.startTool(ctx, params, true, &result)
		return err
	})
	if err != nil || t != nil {
		return t, err
	}
	return &Task{client: c, call: params, result: result}, nil
}

// ID returns the id of the task, for [Client.Task]. It is empty if the call did not become a task.
func (t *Task) ID() string { return t.id }

// Get requests the status of the task.
func (t *Task) Get(ctx context.Context) (*tasks.Task, error) {
	c := t.client
	if t.id == "" {
		return &tasks.Task{Status: mcp.TaskStatusCompleted, Result: t.result}, nil
	}
	if !c.modern() {
		r, err := c.calls.GetTask(ctx, &mcp.GetTaskRequestParams{TaskID: t.id})
		if err != nil {
			return nil, err
		}
		return tasks.FromCore(&mcp.Task{
			TaskID: r.TaskID, Status: r.Status, StatusMessage: r.StatusMessage, CreatedAt: r.CreatedAt,
			LastUpdatedAt: r.LastUpdatedAt, TTL: r.TTL, PollInterval: r.PollInterval, Extra: r.Extra,
		}), nil
	}
	m, r := &extension.MethodGetTask, new(extension.GetTaskResult)
	if err := c.callTasks(ctx, m, &extension.GetTaskRequestParams{TaskID: t.id}, r); err != nil {
		return nil, err
	}
	task := tasks.FromState(r)
	switch {
	case task.Status == mcp.TaskStatusCompleted && task.Result == nil:
		return nil, &ResultError{m.Name, "a completed task must have a result"}
	case task.Status == mcp.TaskStatusFailed && task.Error == nil:
		return nil, &ResultError{m.Name, "a failed task must have an error"}
	case task.Status == mcp.TaskStatusInputRequired && task.InputRequests == nil:
		return nil, &ResultError{m.Name, "a task that requires input must have inputRequests"}
	}
	return task, nil
}

// Respond sends input responses to the task, by the keys of its input requests, since 2026-07-28. [Task.Result]
// does so with the responses of the handlers of [Options], unless [Options.ManualInput] is set.
func (t *Task) Respond(ctx context.Context, responses mcp.InputResponses) error {
	params := &extension.UpdateTaskRequestParams{TaskID: t.id, InputResponses: responses}
	return t.client.callTasks(ctx, &extension.MethodUpdateTask, params, new(extension.UpdateTaskResult))
}

// Cancel asks the server to cancel the task. At 2025-11-25 it is an error if the task has ended. Since 2026-07-28
// that is not an error, and a server may complete the task nevertheless.
func (t *Task) Cancel(ctx context.Context) error {
	c := t.client
	if t.id == "" {
		return nil
	}
	// REQ CANC-10, XTASK-11
	if !c.modern() {
		_, err := c.calls.CancelTask(ctx, &mcp.CancelTaskRequestParams{TaskID: t.id})
		return err
	}
	params := &extension.CancelTaskRequestParams{TaskID: t.id}
	return c.callTasks(ctx, &extension.MethodCancelTask, params, new(extension.CancelTaskResult))
}

// Result waits for the task to end, and returns its result. Meanwhile it requests the status at the interval that
// the server wants, reports progress to the function of [WithProgress], and handles the task's requests for input
// with the handlers of [Options]. The error of a failed task is the server's, a *[jsonrpc.Error]; that of a
// cancelled one is [ErrTaskCancelled]. Other errors, such as that of ctx, do not affect the task, and Result may be
// called again.
func (t *Task) Result(ctx context.Context) (*mcp.CallToolResult, error) {
	raw, err := t.wait(ctx)
	if err != nil {
		return nil, err
	}
	r := new(mcp.CallToolResult)
	if err := wire.Decode(raw, r); err != nil {
		return nil, &jsonrpc.CallError{Method: mcp.MethodCallTool.Name, Err: err}
	}
	if t.call == nil {
		return r, nil
	}
	if err := t.client.checkOutput(ctx, t.call, r); err != nil {
		return nil, err
	}
	return r, nil
}

// wait waits for the task to end, and returns the text of its result.
func (t *Task) wait(ctx context.Context) (wire.Raw, error) {
	if t.id == "" {
		return t.result, nil
	}
	t.mu.Lock()
	pause := t.fresh
	t.fresh = 0
	t.mu.Unlock()
	progress := taskProgress{id: t.id}
	for {
		if err := t.client.pause(ctx, pause); err != nil {
			return nil, &jsonrpc.CallError{Method: mcp.MethodCallTool.Name, Err: err}
		}
		task, err := t.Get(ctx)
		if err != nil {
			return nil, err
		}
		progress.report(ctx, task)
		pause = pollInterval(task)
		switch {
		case task.Status == mcp.TaskStatusCancelled:
			return nil, ErrTaskCancelled
		case !t.client.modern():
			if tasks.Done(task.Status) || task.Status == mcp.TaskStatusInputRequired {
				return t.payload(ctx)
			}
		case task.Status == mcp.TaskStatusFailed:
			return nil, task.Error
		case task.Status == mcp.TaskStatusCompleted:
			return task.Result, nil
		case task.Status == mcp.TaskStatusInputRequired && !t.client.opts.ManualInput:
			responded, err := t.handleInput(ctx, task.InputRequests)
			if err != nil {
				return nil, err
			}
			if responded {
				pause = 0
			}
		}
	}
}

// payload requests the result, at 2025-11-25. The response arrives when the task has ended; the server may ask for
// input before that.
func (t *Task) payload(ctx context.Context) (wire.Raw, error) {
	var raw wire.Raw
	err := t.client.Call(ctx, &mcp.MethodGetTaskPayload, &mcp.GetTaskPayloadRequestParams{TaskID: t.id}, &raw)
	return raw, err
}

// handleInput handles the task's requests for input, except for those that are handled already, and reports
// whether there were any.
func (t *Task) handleInput(ctx context.Context, requests mcp.InputRequests) (bool, error) {
	keys, err := t.claim(requests)
	if len(keys) == 0 || err != nil {
		return false, err
	}
	responses := mcp.InputResponses{}
	for _, key := range keys {
		if responses[key], err = t.client.input(ctx, requests[key]); err != nil {
			err = &InputError{mcp.MethodCallTool.Name, key, methodOf(requests[key]), err}
			break
		}
	}
	if err == nil {
		err = t.Respond(ctx, responses)
	}
	if err != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		for _, key := range keys {
			delete(t.taken, key)
		}
		return false, err
	}
	return true, nil
}

// claim returns the keys of the requests that nothing handles yet, in order, for the caller to handle.
func (t *Task) claim(requests mcp.InputRequests) (keys []string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(requests)) {
		if !t.taken[key] {
			keys = append(keys, key)
		}
	}
	switch {
	case len(keys) == 0:
		return nil, nil
	case t.rounds == t.client.opts.maxRounds():
		return nil, &RoundsError{mcp.MethodCallTool.Name, t.rounds}
	case t.taken == nil:
		t.taken = map[string]bool{}
	}
	t.rounds++
	for _, key := range keys {
		t.taken[key] = true
	}
	return keys, nil
}

// How long to wait between two requests for the status: by default, and at least.
const (
	usualPoll = time.Second
	leastPoll = 10 * time.Millisecond
)

func pollInterval(t *tasks.Task) time.Duration {
	if t.PollInterval == 0 {
		return usualPoll
	}
	return max(t.PollInterval, leastPoll)
}

// pause waits for a time, or until ctx or the connection ends.
func (c *Client) pause(ctx context.Context, d time.Duration) error {
	if d == 0 {
		return nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-c.connected.Done():
		return nil // the next request returns the error
	}
}

// callTasks sends a request of the extension.
func (c *Client) callTasks(ctx context.Context, m *wire.Method, params wire.Encodable, result wire.Decodable) error {
	if !c.modern() {
		return &RevisionError{m.Name, c.rev}
	}
	if _, ok := c.server.Capabilities.Extensions[extension.Extension]; !ok && !c.opts.AllowUndeclared {
		return &CapabilityError{m.Name, "extensions." + extension.Extension}
	}
	return c.Call(ctx, m, params, result)
}

// OnTaskStatus calls the callback for the status of a task, at 2025-11-25.
func (h *builtin) OnTaskStatus(ctx context.Context, p *mcp.TaskStatusNotificationParams) error {
	if h.client.opts.OnTask == nil {
		return wire.ErrUnknownMethod
	}
	h.client.opts.OnTask(ctx, tasks.FromCore(&mcp.Task{
		TaskID: p.TaskID, Status: p.Status, StatusMessage: p.StatusMessage, CreatedAt: p.CreatedAt,
		LastUpdatedAt: p.LastUpdatedAt, TTL: p.TTL, PollInterval: p.PollInterval, Extra: p.Extra,
	}))
	return nil
}

// onTask calls the callback for the status of a task, since 2026-07-28.
func (c *Client) onTask(ctx context.Context, params wire.Raw) error {
	if c.opts.OnTask == nil {
		return nil
	}
	p := new(extension.TaskStatusNotificationParams)
	if err := wire.Decode(params, p); err != nil {
		return err
	}
	if !c.subscriptions.foreign(p.Meta) {
		c.opts.OnTask(ctx, tasks.FromChanged(p))
	}
	return nil
}
