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

// ErrTaskCancelled is the error of waiting for the result of a task that was cancelled.
var ErrTaskCancelled = errors.New("the task was cancelled")

// A Task is a call of a tool that the server carries out in the background. Its methods may be
// called from several goroutines at once.
type Task struct {
	client *Client
	id     string
	call   *mcp.CallToolRequestParams // nil if it is not known

	mu       sync.Mutex
	answered map[string]bool // keys of questions that were answered, or are being
	rounds   int
	fresh    time.Duration // how long to wait before the first question how it stands
	result   wire.Raw      // of a call that was no task
}

// Task returns the task of an id, which may have been created over another connection. Nothing is
// sent.
func (c *Client) Task(id string) *Task { return &Task{client: c, id: id} }

// StartTool calls a tool as a task and does not wait for the result. Up to 2025-11-25 it does so if
// the server and the tool can; params.Task may say how long the result is to be kept. From
// 2026-07-28 on the server decides, if [Options.Tasks] is set. A call that the server answers at once is
// a task without an id, which has its result.
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

// ID returns the id of the task, by which [Client.Task] finds it again. It is empty if the server
// answered the call at once.
func (t *Task) ID() string { return t.id }

// Get asks how the task stands.
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
	if err := c.askTasks(ctx, m, &extension.GetTaskRequestParams{TaskID: t.id}, r); err != nil {
		return nil, err
	}
	task := tasks.FromState(r)
	switch {
	case task.Status == mcp.TaskStatusCompleted && task.Result == nil:
		return nil, &ResultError{m.Name, "the task is completed, but has no result"}
	case task.Status == mcp.TaskStatusFailed && task.Error == nil:
		return nil, &ResultError{m.Name, "the task has failed, but has no error"}
	case task.Status == mcp.TaskStatusInputRequired && task.InputRequests == nil:
		return nil, &ResultError{m.Name, "the task requires input, but has no inputRequests"}
	}
	return task, nil
}

// Answer gives the task input that it asks for, by the keys of its InputRequests, from 2026-07-28 on.
// [Task.Result] does it by the handlers of the options, unless [Options.ManualInput] is set.
func (t *Task) Answer(ctx context.Context, responses mcp.InputResponses) error {
	params := &extension.UpdateTaskRequestParams{TaskID: t.id, InputResponses: responses}
	return t.client.askTasks(ctx, &extension.MethodUpdateTask, params, new(extension.UpdateTaskResult))
}

// Cancel asks the server to give the task up. Up to 2025-11-25 that is an error if the task is over;
// from 2026-07-28 on the server may also finish it all the same.
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
	return c.askTasks(ctx, &extension.MethodCancelTask, params, new(extension.CancelTaskResult))
}

// Result waits until the task is over. Meanwhile it asks how the task stands, as often as the server
// wants, and answers what the task asks by the handlers of the options. An error of ctx leaves the
// task as it is: Result may be called again, and so it may after others. A task that has failed is
// the server's error, a *[jsonrpc.Error]; one that was cancelled is [ErrTaskCancelled].
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

// wait waits for the text of the result.
func (t *Task) wait(ctx context.Context) (wire.Raw, error) {
	if t.id == "" {
		return t.result, nil
	}
	t.mu.Lock()
	pause := t.fresh
	t.fresh = 0
	t.mu.Unlock()
	for {
		if err := t.client.pause(ctx, pause); err != nil {
			return nil, &jsonrpc.CallError{Method: mcp.MethodCallTool.Name, Err: err}
		}
		task, err := t.Get(ctx)
		if err != nil {
			return nil, err
		}
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
			answered, err := t.respond(ctx, task.InputRequests)
			if err != nil {
				return nil, err
			}
			if answered {
				pause = 0
			}
		}
	}
}

// payload asks for the result, up to 2025-11-25. The server may ask the client, by requests, before
// it answers.
func (t *Task) payload(ctx context.Context) (wire.Raw, error) {
	var raw wire.Raw
	err := t.client.Call(ctx, &mcp.MethodGetTaskPayload, &mcp.GetTaskPayloadRequestParams{TaskID: t.id}, &raw)
	return raw, err
}

// respond answers what the task asks, except for what was answered already, and reports whether there
// was anything.
func (t *Task) respond(ctx context.Context, requests mcp.InputRequests) (bool, error) {
	keys, err := t.claim(requests)
	if len(keys) == 0 || err != nil {
		return false, err
	}
	responses := mcp.InputResponses{}
	for _, key := range keys {
		if responses[key], err = t.client.input(ctx, requests[key]); err != nil {
			err = &InputError{mcp.MethodCallTool.Name, key, askedBy(requests[key]), err}
			break
		}
	}
	if err == nil {
		err = t.Answer(ctx, responses)
	}
	if err != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		for _, key := range keys {
			delete(t.answered, key)
		}
		return false, err
	}
	return true, nil
}

// claim returns the keys of the requests that nobody answers yet, in their order. They are the
// caller's then.
func (t *Task) claim(requests mcp.InputRequests) (keys []string, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, key := range slices.Sorted(maps.Keys(requests)) {
		if !t.answered[key] {
			keys = append(keys, key)
		}
	}
	switch {
	case len(keys) == 0:
		return nil, nil
	case t.rounds == t.client.opts.maxRounds():
		return nil, &RoundsError{mcp.MethodCallTool.Name, t.rounds}
	case t.answered == nil:
		t.answered = map[string]bool{}
	}
	t.rounds++
	for _, key := range keys {
		t.answered[key] = true
	}
	return keys, nil
}

// How long to wait before asking again how a task stands: as long if the server does not say, and
// never less than that.
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

// pause waits.
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
	case <-c.connected.Done(): // what comes next says so
		return nil
	}
}

// askTasks sends a request of the extension.
func (c *Client) askTasks(ctx context.Context, m *wire.Method, params wire.Encodable, result wire.Decodable) error {
	if !c.modern() {
		return &RevisionError{m.Name, c.rev}
	}
	if _, ok := c.server.Capabilities.Extensions[extension.Extension]; !ok && !c.opts.AllowUndeclared {
		return &CapabilityError{m.Name, "extensions." + extension.Extension}
	}
	return c.Call(ctx, m, params, result)
}

// OnTaskStatus passes on how a task stands, up to 2025-11-25.
func (h *handler) OnTaskStatus(ctx context.Context, p *mcp.TaskStatusNotificationParams) error {
	if h.client.opts.OnTask == nil {
		return wire.ErrUnknownMethod
	}
	h.client.opts.OnTask(ctx, tasks.FromCore(&mcp.Task{
		TaskID: p.TaskID, Status: p.Status, StatusMessage: p.StatusMessage, CreatedAt: p.CreatedAt,
		LastUpdatedAt: p.LastUpdatedAt, TTL: p.TTL, PollInterval: p.PollInterval, Extra: p.Extra,
	}))
	return nil
}

// onTask passes on the status of a task, since 2026-07-28.
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
