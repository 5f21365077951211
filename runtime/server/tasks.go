package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	extension "github.com/mcpgen/mcpgen/mcp/tasks"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var (
	// ErrTaskCreated is what [Call.AsTask] returns when the call has become a task. The handler has
	// nothing more to do than to return; whatever it returns, the client is told of the task.
	ErrTaskCreated = errors.New("the call goes on as a task")

	// ErrTaskCancelled is why the context of a handler ends whose task the client has cancelled.
	ErrTaskCancelled = errors.New("the task was cancelled")

	// ErrTaskExpired is why the context of a handler ends whose task has lived as long as it may.
	ErrTaskExpired = errors.New("the task has expired")

	errTaskLost = errors.New("the server that ran the task has ended")
)

// TaskOptions configures how a server runs tasks. The zero value of each field is its default, and a
// negative number or duration means that there is no limit.
type TaskOptions struct {
	// Store keeps the tasks. Nil means in memory. A running task belongs to this process: where several
	// serve the same clients, requests about it must reach this one.
	Store tasks.Store

	// TTL is how long a task is kept after its creation if the client does not say: 1 hour. MaxTTL is how
	// long it is kept at most, whatever the client says: 24 hours. The context of a handler that is still
	// running then ends with [ErrTaskExpired].
	TTL, MaxTTL time.Duration

	// PollInterval is how long clients should wait before they ask for the status of a task again:
	// 1 second. A negative duration means that the server does not say.
	PollInterval time.Duration

	// MaxRunning is how many tasks may run at the same time: 1000. MaxTasks is how many may be kept,
	// including those that are done: 10,000. MaxBytes is how many bytes they may keep together: the
	// requests of those that run, and the results of the others: 64 MiB. All clients of the server share
	// them; one client may have the part of each that [Options.Share] says.
	//
	// A new task beyond them takes the place of tasks that are done, the oldest first: of the client who
	// has more than its part, or else of the one who has most. Where that is not enough, calls that would
	// become tasks fail, and so do tasks whose result is too large.
	MaxRunning, MaxTasks, MaxBytes int
}

// EnableTasks makes the server run calls of tools as tasks: as the core of revision 2025-11-25 has
// them, and from 2026-07-28 on as the extension io.modelcontextprotocol/tasks. Opts may be nil.
//
// Which tools can be tasks, they say themselves, by Execution.TaskSupport in their definitions:
//
//   - forbidden, the default: no call is a task, unless its handler says so by [Call.AsTask].
//   - optional: a call is a task if the client wants that, at 2025-11-25, or can have it, from
//     2026-07-28 on; otherwise it is an ordinary call.
//   - required: the same, but for all others the call is an error.
//
// The handler is the same either way. In a task its context is not that of the request, but ends
// with the task; and [Call.Elicit] and its like wait for the answer in every revision. Middleware
// sees the creation of the task, not its result.
//
// Clients see the tasks of their own principal. Where there is none, whoever knows the id of a task,
// which cannot be guessed, may use it, and nobody gets a list.
func (s *Server) EnableTasks(opts *TaskOptions) error {
	r := &taskRunner{server: s, live: make(map[string]*liveTask), idle: make(chan struct{})}
	if opts != nil {
		r.opts = *opts
	}
	o := &r.opts
	if o.Store == nil {
		o.Store = new(tasks.Memory)
	}
	o.MaxTTL = lifetime(o.MaxTTL, 24*time.Hour)
	o.TTL = min(lifetime(o.TTL, time.Hour), o.MaxTTL)
	o.PollInterval = max(cmp.Or(o.PollInterval, time.Second), 0)
	o.MaxRunning = limit(o.MaxRunning, 1000)
	o.MaxTasks = limit(o.MaxTasks, 10_000)
	o.MaxBytes = limit(o.MaxBytes, 64<<20)
	r.room = taskRoom{opts: o, percent: s.opts.Share}
	if !s.tasks.CompareAndSwap(nil, r) {
		return errors.New("server: EnableTasks: tasks are enabled already")
	}
	err := s.AddExtension(Extension{
		ID:    extension.Extension,
		Since: firstModern,
		Methods: map[string]Handler{
			extension.MethodGetTask.Name:    r.extensionGet,
			extension.MethodUpdateTask.Name: r.extensionUpdate,
			extension.MethodCancelTask.Name: r.extensionCancel,
		},
	})
	if err != nil {
		s.tasks.Store(nil)
	}
	return err
}

// AsTask makes a task of the rest of a call, if the client takes one: then it returns
// [ErrTaskCreated] at once, and f runs in the background with a context and a call of its own.
// Otherwise, and if the call is a task already, f just runs. A handler that must know something from
// the client before it can tell whether there will be a task asks first:
//
//	answer, err := c.Elicit(ctx, form)
//	if err != nil {
//		return nil, err
//	}
//	return c.AsTask(ctx, func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error) {
//		return compute(ctx, answer)
//	})
//
// Clients take tasks that they did not ask for from 2026-07-28 on, in answer to tools/call.
func (c *Call) AsTask(ctx context.Context, f func(ctx context.Context, c *Call) (*mcp.CallToolResult, error)) (*mcp.CallToolResult, error) {
	r := c.server.tasks.Load()
	if r == nil || c.task != nil || !c.modern() || c.req.Method != mcp.MethodCallTool.Name ||
		!c.takesTasks() { // REQ XTASK-03
		return f(ctx, c)
	}
	if c.input.isWaiting() {
		return nil, ErrInputRequired // a question that the handler did not care about
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.created != nil {
		return nil, errors.New("server: AsTask: the call is a task already")
	}
	var err error
	if c.created, err = r.start(ctx, c, nil, f); err != nil {
		return nil, err
	}
	return nil, ErrTaskCreated
}

// createdTask returns the task that AsTask made of the call, nil if it did not.
func (c *Call) createdTask() *tasks.Task {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.created
}

// TaskID returns the id of the task that the call is, empty if it is none.
func (c *Call) TaskID() string {
	if c.task == nil {
		return ""
	}
	return c.task.id
}

// takesTasks reports whether the client of a call declares the extension.
func (c *Call) takesTasks() bool {
	_, ok := c.Extension(extension.Extension)
	return ok
}

// makesTasks reports whether the client can call a tool that runs only as a task.
func (c *Call) makesTasks() bool { return c.rev == lastLegacy || c.modern() && c.takesTasks() }

// A taskRunner runs the tasks of a server. A task costs a goroutine while its handler is at work,
// and no more than a record in the store and an entry of its expiry afterwards.
type taskRunner struct {
	server *Server
	opts   TaskOptions

	mu     sync.Mutex
	live   map[string]*liveTask // those whose end is not in the store
	expiry expiry               // of all
	room   taskRoom
	ended  bool
	idle   chan struct{} // closed when it has ended and nothing is at work
}

// asTask answers a call of a tool with a task, if it is to be one. The response is nil if it is not.
func (r *taskRunner) asTask(ctx context.Context, c *Call, t *tool, p *mcp.CallToolRequestParams, args wire.Raw) (mcp.CallToolResponse, error) {
	support := t.def.Execution.GetTaskSupport()
	// REQ TASK-05, XTASK-03
	wanted := c.modern() && c.takesTasks() || c.rev == lastLegacy && p.Task != nil
	switch {
	case wanted && support != mcp.ToolExecutionTaskSupportForbidden:
		wish := p.Task
		if c.modern() {
			wish = nil // it means nothing there
		}
		task, err := r.start(ctx, c, wish, func(ctx context.Context, c *Call) (*mcp.CallToolResult, error) {
			return t.run(ctx, c, args)
		})
		if err != nil {
			return nil, err
		}
		return c.taskResponse(task)
	case wanted && !c.modern():
		return nil, jsonrpcError(codeNotFound, fmt.Sprintf("tool %q does not run as a task", excerpt.Of(p.Name)), nil)
	// REQ TASK-05
	case support != mcp.ToolExecutionTaskSupportRequired:
		return nil, nil
	// REQ XTASK-04
	case c.modern():
		return nil, needsTasks()
	}
	return nil, jsonrpcError(codeNotFound, fmt.Sprintf("tool %q runs as a task alone", excerpt.Of(p.Name)), nil)
}

// needsTasks is the error for a client that does not declare the extension.
func needsTasks() error {
	return &MissingCapabilityError{Required: mcp.ClientCapabilities{
		Extensions: map[string]wire.Raw{extension.Extension: wire.Raw("{}")},
	}}
}

// taskResponse returns the answer to a call that has become a task.
func (c *Call) taskResponse(t *tasks.Task) (mcp.CallToolResponse, error) {
	// REQ TASK-09
	if !c.modern() {
		return &mcp.CreateTaskResult{Task: t.Core()}, nil
	}
	raw, err := wire.Marshal(c.rev, t.Created())
	if err != nil {
		return nil, err
	}
	return &mcp.UnknownCallToolResponse{Raw: raw}, nil
}

// find returns the record of a task that the caller of c may know, and the task itself if it is not
// over.
func (r *taskRunner) find(ctx context.Context, c *Call, id string) (*tasks.Record, *liveTask, error) {
	t := r.at(id)
	var rec *tasks.Record
	var err error
	if t != nil {
		rec = t.record()
	} else if rec, err = r.opts.Store.Get(ctx, id); err != nil {
		return nil, nil, storeError(err)
	}
	// REQ TASK-16, XTASK-15
	if rec == nil || !r.owns(ctx, c, rec) {
		return nil, nil, unknownTask(id)
	}
	if t != nil || tasks.Done(rec.Task.Status) {
		return rec, t, nil
	}
	if rec, t, err = r.current(ctx, rec); err != nil {
		return nil, nil, storeError(err)
	}
	if rec == nil {
		return nil, nil, unknownTask(id)
	}
	return rec, t, nil
}

// owns reports whether a task is of the caller of c, and has not expired.
func (r *taskRunner) owns(ctx context.Context, c *Call, rec *tasks.Record) bool {
	// REQ TASK-16, TASK-18
	return rec.Principal == c.Principal(ctx) && (rec.Revision >= firstModern) == c.modern() &&
		!expired(&rec.Task)
}

func expired(t *tasks.Task) bool {
	at := t.Expires()
	return !at.IsZero() && !time.Now().Before(at)
}

// current returns what is true of a task that was at work according to the store, which is rec. The
// record is nil if there is no such task any more.
func (r *taskRunner) current(ctx context.Context, rec *tasks.Record) (*tasks.Record, *liveTask, error) {
	id := rec.Task.ID
	if t := r.at(id); t != nil {
		return t.record(), t, nil
	}
	// Either it has ended since, in which case the store knows it by now, or it ran in a process
	// that is gone.
	rec, err := r.opts.Store.Get(ctx, id)
	if err != nil || rec == nil || tasks.Done(rec.Task.Status) {
		return rec, nil, err
	}
	lost := *rec
	lost.Task = failed(rec.Task, errTaskLost.Error())
	return &lost, nil, r.opts.Store.Put(ctx, &lost)
}

func unknownTask(id string) error {
	return jsonrpcError(codeInvalidParams, fmt.Sprintf("unknown task %q: there is none of that id, or it has expired", excerpt.Of(id)), nil)
}

func storeError(err error) error {
	return jsonrpcError(codeInternal, "the store of tasks: "+err.Error(), nil)
}
