package taskclient

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	extension "github.com/mcpgen/mcpgen/mcp/tasks"
	"github.com/mcpgen/mcpgen/runtime/client"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A client polls: it requests the status of a task by tasks/get, at the interval that the server wants, until the task is
// over. At 2025-11-25 it then requests the result by tasks/result, also while the task requires input, which the server asks
// for in requests of its own. Since 2026-07-28 tasks/get returns result, error and requests for input, whose responses the
// client sends by tasks/update, each once. Notifications of the status are for the program; nothing here depends on them.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks and
// https://modelcontextprotocol.io/extensions/tasks/overview.

// ErrCancelled is the error of [Task.Result] for a task that was cancelled.
var ErrCancelled = errors.New("the task was cancelled")

// A Task is a call of a tool that the server runs in the background. Its methods may be called by several
// goroutines at once.
type Task struct {
	client *client.Client
	id     string
	call   *mcp.CallToolRequestParams // nil if it is not known

	mu         sync.Mutex
	taken      map[string]bool // keys of requests for input that were handled, or are being handled
	rounds     int
	firstPause time.Duration // before the first request for the status
	result     wire.Raw      // of a call that did not become a task
}

// Of returns the task with the given id, which may have been created over another connection. It sends nothing. Its
// result is not checked against the output schema of the tool, which is not known.
func Of(c *client.Client, id string) *Task { return &Task{client: c, id: id} }

// List requests one page of the tasks that the server knows, at 2025-11-25. Later revisions have no such list.
func List(ctx context.Context, c *client.Client, params *mcp.PaginatedRequestParams) (*mcp.ListTasksResult, error) {
	return mcp.ServerCalls{Caller: c}.ListTasks(ctx, params)
}

// ID returns the id of the task, for [Of]. It is empty if the call did not become a task.
func (t *Task) ID() string { return t.id }

// Get requests the status of the task.
func (t *Task) Get(ctx context.Context) (*tasks.Task, error) {
	c := t.client
	if t.id == "" {
		return &tasks.Task{Status: mcp.TaskStatusCompleted, Result: t.result}, nil
	}
	if !modern(c) {
		r, err := mcp.ServerCalls{Caller: c}.GetTask(ctx, &mcp.GetTaskRequestParams{TaskID: t.id})
		if err != nil {
			return nil, err
		}
		return tasks.FromCoreState(r), nil
	}
	m, r := &extension.MethodGetTask, new(extension.GetTaskResult)
	if err := callTasks(ctx, c, m, &extension.GetTaskRequestParams{TaskID: t.id}, r); err != nil {
		return nil, err
	}
	task := tasks.FromState(r)
	switch {
	case task.Status == mcp.TaskStatusCompleted && task.Result == nil:
		return nil, &client.ResultError{Method: m.Name, Reason: "result is missing, want that of a completed task"}
	case task.Status == mcp.TaskStatusFailed && task.Error == nil:
		return nil, &client.ResultError{Method: m.Name, Reason: "error is missing, want that of a failed task"}
	case task.Status == mcp.TaskStatusInputRequired && task.InputRequests == nil:
		return nil, &client.ResultError{Method: m.Name, Reason: "inputRequests is missing, want those of a task that requires input"}
	}
	return task, nil
}

// Respond sends input responses to the task, by the keys of its input requests, since 2026-07-28. [Task.Result]
// does so with the responses of the handlers of [client.Options].
func (t *Task) Respond(ctx context.Context, responses mcp.InputResponses) error {
	params := &extension.UpdateTaskRequestParams{TaskID: t.id, InputResponses: responses}
	return callTasks(ctx, t.client, &extension.MethodUpdateTask, params, new(extension.UpdateTaskResult))
}

// Cancel asks the server to cancel the task. At 2025-11-25 it is an error if the task has ended. Since 2026-07-28
// that is not an error, and a server may complete the task nevertheless.
//
// REQ CANC-10, XTASK-11
func (t *Task) Cancel(ctx context.Context) error {
	c := t.client
	if t.id == "" {
		return nil
	}
	if !modern(c) {
		_, err := mcp.ServerCalls{Caller: c}.CancelTask(ctx, &mcp.CancelTaskRequestParams{TaskID: t.id})
		return err
	}
	params := &extension.CancelTaskRequestParams{TaskID: t.id}
	return callTasks(ctx, c, &extension.MethodCancelTask, params, new(extension.CancelTaskResult))
}

// Result waits for the task to end, and returns its result. Meanwhile it requests the status at the interval that
// the server wants, reports progress to the function of [client.WithProgress], and handles the task's requests for input
// with the handlers of [client.Options]. The error of a failed task is the server's, a *[jsonrpc.Error]; that of a
// cancelled one is [ErrCancelled]. Other errors, such as that of ctx, do not affect the task, and Result may be
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
	if err := t.client.CheckOutput(ctx, t.call, r); err != nil {
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
	pause := t.firstPause
	t.firstPause = 0
	t.mu.Unlock()
	seen := reported{id: t.id}
	for {
		if err := t.pause(ctx, pause); err != nil {
			return nil, &jsonrpc.CallError{Method: mcp.MethodCallTool.Name, Err: err}
		}
		task, err := t.Get(ctx)
		if err != nil {
			return nil, err
		}
		seen.report(ctx, task)
		pause = pollInterval(task)
		switch {
		case task.Status == mcp.TaskStatusCancelled:
			return nil, ErrCancelled
		case !modern(t.client):
			if tasks.Done(task.Status) || task.Status == mcp.TaskStatusInputRequired {
				return t.payload(ctx)
			}
		case task.Status == mcp.TaskStatusFailed:
			return nil, task.Error
		case task.Status == mcp.TaskStatusCompleted:
			return task.Result, nil
		case task.Status == mcp.TaskStatusInputRequired:
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
	err := t.client.Call(client.WithoutTimeout(ctx), &mcp.MethodGetTaskPayload, &mcp.GetTaskPayloadRequestParams{TaskID: t.id}, &raw)
	return raw, err
}

// handleInput handles the task's requests for input, except for those that are handled already, and reports
// whether there were any.
func (t *Task) handleInput(ctx context.Context, requests mcp.InputRequests) (bool, error) {
	claimed, err := t.claim(requests)
	if len(claimed) == 0 {
		return false, err
	}
	responses, err := t.client.HandleInput(ctx, &mcp.MethodCallTool, claimed)
	if err == nil {
		err = t.Respond(ctx, responses)
	}
	if err != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		for key := range claimed {
			delete(t.taken, key)
		}
		return false, err
	}
	return true, nil
}

// claim returns the requests that nothing handles yet, for the caller to handle.
func (t *Task) claim(requests mcp.InputRequests) (mcp.InputRequests, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	claimed := maps.Clone(requests)
	maps.DeleteFunc(claimed, func(key string, _ mcp.InputRequest) bool { return t.taken[key] })
	switch {
	case len(claimed) == 0:
		return nil, nil
	case t.rounds == client.MaxRounds:
		return nil, &client.RoundsError{Method: mcp.MethodCallTool.Name, Rounds: t.rounds}
	case t.taken == nil:
		t.taken = map[string]bool{}
	}
	t.rounds++
	for key := range claimed {
		t.taken[key] = true
	}
	return claimed, nil
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
func (t *Task) pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.client.Done():
		return nil // the next request returns the error
	}
}

// callTasks sends a request of the extension.
func callTasks(ctx context.Context, c *client.Client, m *wire.Method, params wire.Encodable, result wire.Decodable) error {
	if !modern(c) {
		return &client.RevisionError{Method: m.Name, Revision: c.Revision()}
	}
	if !c.HasExtension(extension.Extension) {
		return &client.CapabilityError{Method: m.Name, Capability: "extensions." + extension.Extension}
	}
	return c.Call(ctx, m, params, result)
}
