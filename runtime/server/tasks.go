package server

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	extension "github.com/mcpgen/mcpgen/mcp/tasks"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/store"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var (
	// ErrTaskCreated is what [Call.AsTask] returns when the call has become a task. The handler should
	// return; whatever it returns, the client receives the task.
	ErrTaskCreated = ErrResponded

	// ErrTaskCancelled is the cause of a handler's context that ends because the client has cancelled the task.
	ErrTaskCancelled = errors.New("the task was cancelled")

	// ErrTaskExpired is the cause of a handler's context that ends because the task has expired.
	ErrTaskExpired = errors.New("the task has expired")

	// ErrTaskLost is the cause with which the context of a handler ends when the process no longer has the task,
	// because its lease has ended or another process has ended the task. What the handler returns is discarded. See
	// [TaskOptions.Member].
	ErrTaskLost = errors.New("the process no longer has the task")

	errTaskEnded = errors.New("the server that ran the task has ended")
)

// TaskOptions configures how a server runs tasks: see [Options.Tasks]. The zero value of each field is its default, and
// a negative number or duration means that there is no limit.
//
// Each tool says in its definition, in Execution.TaskSupport, whether its calls can be tasks:
//
//   - forbidden, the default: no call is a task, unless its handler calls [Call.AsTask].
//   - optional: a call is a task if the client asks for one, at 2025-11-25, or supports tasks, since
//     2026-07-28. Otherwise it is an ordinary call.
//   - required: the same, but any other call is an error.
//
// The handler is the same in all cases. In a task, its context ends with the task, not with the request, and
// requests for input such as [Call.Elicit] wait for the response in every revision. Middleware sees that the task
// is created, not its result.
//
// Clients see the tasks of their own principal. Without a principal, any client that knows the id of a task
// may use it; ids cannot be guessed, and tasks cannot be listed.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks and
// https://github.com/modelcontextprotocol/ext-tasks
type TaskOptions struct {
	// Member keeps the tasks in the store that this process is a member of: they outlive the process, and every process
	// that shares the store handles requests about them. If it is nil, tasks are kept in the memory of this process
	// alone.
	//
	// A task belongs to the process that created it, as long as that process has its lease; after that, the context of
	// the handler ends with [ErrTaskLost]. A task whose process has ended fails. While the
	// store cannot be reached, requests about tasks fail, and results wait until it can be reached or the lease ends.
	Member *store.Member

	// TTL is how long a task is kept after its creation if the client does not say: 1 hour. MaxTTL is how
	// long it is kept at most, whatever the client says: 24 hours. The context of a handler that is still
	// running then ends with [ErrTaskExpired].
	TTL, MaxTTL time.Duration

	// PollInterval is how long clients should wait before they ask for the status of a task again:
	// 1 second. A negative duration means that the server does not say.
	PollInterval time.Duration

	// MaxRunning is how many tasks may run at the same time: 1000. MaxTasks is how many may be kept, including
	// those that are done: 10,000. MaxBytes is how many bytes they may keep together: the requests of those that
	// run, and the results of the others: 64 MiB. All clients of the server share these limits; one client may have
	// the part of each that [Options.Share] says.
	//
	// A new task beyond a limit replaces finished tasks, the oldest first: those of a client that has more than its
	// part, or else of the client that has most. If that is not enough, calls that would become tasks fail, and so
	// do tasks whose result is too large.
	MaxRunning, MaxTasks, MaxBytes int

	// MaxRunningPerClient and MaxTasksPerClient are how many of MaxRunning and of MaxTasks one client may have: the part
	// that [Options.Share] says, if 0.
	MaxRunningPerClient, MaxTasksPerClient int

	// Watch is called when a call becomes the task with that id, and returns ctx or a context derived from it for the
	// handler. Ended, if not nil, is called once when the task is over in this process, with the reason if it has
	// failed or was cancelled; toolFailed says that its result is that of a tool that has failed.
	Watch func(ctx context.Context, c *Call, id string) (_ context.Context, ended func(err error, toolFailed bool))
}

// enableTasks makes the server run calls of tools as tasks: as in the core of revision 2025-11-25, and since
// 2026-07-28 by the extension.
func (s *Server) enableTasks(o TaskOptions) {
	ctx, stop := context.WithCancel(context.Background())
	r := &taskRunner{server: s, opts: o, live: make(map[string]*liveTask), following: make(map[string]bool), idle: make(chan struct{}), stop: stop}
	r.opts.setDefaults()
	r.store = taskStore{Store: new(store.Memory)}
	if o.Member != nil {
		r.store = taskStore{o.Member.Store(), o.Member}
	}
	r.room = taskRoom{opts: &r.opts, percent: s.opts.Share}
	s.tasks = r
	err := errors.Join(
		s.AddExtension(Extension{ // the core of one revision
			Since: mcp.V2025_11_25, Until: mcp.V2025_11_25,
			Methods: map[string]Handler{
				mcp.MethodGetTask.Name:        r.coreGet,
				mcp.MethodGetTaskPayload.Name: r.coreResult,
				mcp.MethodListTasks.Name:      r.coreList,
				mcp.MethodCancelTask.Name:     r.coreCancel,
			},
			Capabilities: declareTasks,
			Scopes:       r.scopesOf,
		}),
		s.AddExtension(Extension{
			ID:    extension.Extension,
			Since: mcp.V2026_07_28,
			Methods: map[string]Handler{
				extension.MethodGetTask.Name:    r.extensionGet,
				extension.MethodUpdateTask.Name: r.extensionUpdate,
				extension.MethodCancelTask.Name: r.extensionCancel,
			},
			Scopes: r.scopesOf,
			Listen: r.listen,
			Tool:   r.wrap, // in both
			Filter: &Filter{Concerns: runsOnlyAsTask, Admit: showTasks},
			Value:  r,
		}),
	)
	if err != nil {
		panic(err) // a new server has no other extension
	}
	if o.Member != nil {
		go r.guard(ctx)
		go r.watch(ctx)
	}
}

// runsOnlyAsTask reports whether an item is a tool that must be called as a task.
func runsOnlyAsTask(i *Item) bool {
	t, ok := i.Definition.(*mcp.Tool)
	return ok && t.Execution.GetTaskSupport() == mcp.ToolExecutionTaskSupportRequired
}

// showTasks hides such tools from clients that cannot call them.
func showTasks(_ context.Context, c *Call, i *Item) (show bool, refuse error) {
	if c.rev == lastLegacy || c.takesTasks() {
		return true, nil
	}
	return false, c.mustBeTask(i.Definition.(*mcp.Tool).Name)
}

// mustBeTask returns the error for a call of a tool that runs only as a task.
func (c *Call) mustBeTask(tool string) error {
	// REQ XTASK-04
	if c.modern() {
		return needsExtension(extension.Extension)
	}
	// REQ TASK-05
	return jsonrpcError(codeNotFound, fmt.Sprintf("tool %q must be called as a task", excerpt.Of(tool)), nil)
}

func (o *TaskOptions) setDefaults() {
	o.MaxTTL = option.Limit(o.MaxTTL, 24*time.Hour)
	o.TTL = min(option.Limit(o.TTL, time.Hour), o.MaxTTL)
	o.PollInterval = max(cmp.Or(o.PollInterval, time.Second), 0)
	o.MaxRunning = option.Limit(o.MaxRunning, 1000)
	o.MaxTasks = option.Limit(o.MaxTasks, 10_000)
	o.MaxBytes = option.Limit(o.MaxBytes, 64<<20)
}

// AsTask turns the rest of a call into a task if the client supports tasks: it returns [ErrTaskCreated] at once,
// and f runs in the background with its own context and Call. Otherwise, and if the call is a task already, AsTask
// only calls f. A handler that needs input to decide asks for it first:
//
//	answer, err := c.Elicit(ctx, form)
//	if err != nil {
//		return nil, err
//	}
//	return c.AsTask(ctx, func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error) {
//		return compute(ctx, answer)
//	})
//
// Clients accept tasks that they did not ask for since 2026-07-28, as the result of tools/call.
func (c *Call) AsTask(ctx context.Context, f func(ctx context.Context, c *Call) (*mcp.CallToolResult, error)) (*mcp.CallToolResult, error) {
	r, _ := c.Extended(extension.Extension).(*taskRunner)
	if r == nil || c.task != nil || c.Method() != mcp.MethodCallTool.Name ||
		!c.takesTasks() { // REQ XTASK-03
		return f(ctx, c)
	}
	if c.InputRequired() {
		return nil, ErrInputRequired // the handler has ignored it
	}
	return nil, r.respond(ctx, c, nil, f)
}

// TaskID returns the id of the task that the handler runs as, empty if there is none.
func (c *Call) TaskID() string {
	if c.task == nil {
		return ""
	}
	return c.task.id
}

// takesTasks reports whether the client of a call declares the tasks extension, in a revision that has it.
func (c *Call) takesTasks() bool {
	_, ok := c.Extension(extension.Extension)
	return ok && c.modern()
}

// A taskRunner runs the tasks of a server. A task has a goroutine while its handler runs; after that it is only a
// record in the store, and a part of the taskRoom.
type taskRunner struct {
	server *Server
	opts   TaskOptions
	store  taskStore

	mu    sync.Mutex
	live  map[string]*liveTask // by key; those whose end is not in the store yet
	room  taskRoom
	ended bool
	stop  context.CancelFunc // ends guard and watch

	following map[string]bool // keys of tasks that clients follow, in a shared store
	idle      chan struct{}   // closed when it has ended and no handler runs
}

// wrap runs calls of a tool as tasks if they should be.
func (r *taskRunner) wrap(t *mcp.Tool, next ToolHandler) (ToolHandler, error) {
	support := t.Execution.GetTaskSupport()
	if !support.Valid() {
		return nil, fmt.Errorf("task support %q: want forbidden, optional or required", support)
	}
	return func(ctx context.Context, c *Call, args wire.Raw) (*mcp.CallToolResult, error) {
		// REQ TASK-05, XTASK-03
		wish, wanted := wishOf(c)
		switch {
		case wanted && support != mcp.ToolExecutionTaskSupportForbidden:
			return nil, r.respond(ctx, c, wish, func(ctx context.Context, c *Call) (*mcp.CallToolResult, error) {
				return next(ctx, c, args)
			})
		case wanted && !c.modern():
			return nil, jsonrpcError(codeNotFound, fmt.Sprintf("tool %q does not run as a task", excerpt.Of(t.Name)), nil)
		case support == mcp.ToolExecutionTaskSupportRequired:
			return nil, c.mustBeTask(t.Name)
		}
		return next(ctx, c, args)
	}, nil
}

// wishOf reports whether a call is to become a task, and returns what the client says about it, at 2025-11-25.
func wishOf(c *Call) (wish *mcp.TaskMetadata, wanted bool) {
	if c.modern() {
		return nil, c.takesTasks()
	}
	if c.Revision() != mcp.V2025_11_25 || !bytes.Contains(c.Params(), []byte(`"task"`)) {
		return nil, false
	}
	var p mcp.CallToolRequestParams
	if wire.DecodeAlias(c.Params(), &p) != nil {
		return nil, false // it was decoded before
	}
	return p.Task, p.Task != nil
}

// respond makes a task of a call, as which f runs, and responds with it.
func (r *taskRunner) respond(ctx context.Context, c *Call, wish *mcp.TaskMetadata, f func(ctx context.Context, c *Call) (*mcp.CallToolResult, error)) error {
	if c.responded() != nil {
		return errors.New("server: AsTask: the call is a task already")
	}
	t, err := r.start(ctx, c, wish, f)
	if err != nil {
		return err
	}
	// REQ TASK-09
	if !c.modern() {
		return c.Respond(&mcp.CreateTaskResult{Task: t.Core()})
	}
	raw, err := wire.Marshal(c.Revision(), t.Created())
	if err != nil {
		return err
	}
	return c.Respond(&mcp.UnknownCallToolResponse{Raw: raw})
}

// scopesOf returns the scopes of the calls that became the tasks that a request names.
func (r *taskRunner) scopesOf(ctx context.Context, c *Call) (scopes []string) {
	var ids []string
	if id := c.Params().StringAt(extension.MethodGetTask.NameParam); id != "" {
		ids = []string{id}
	} else if named, err := namedTasks(c.Params()); err == nil && len(named) <= maxTaskIDs {
		ids = named
	}
	for _, id := range ids {
		if rec, _, err := r.owned(ctx, c, id); err == nil {
			scopes = append(scopes, rec.Scopes...)
		}
	}
	return scopes
}

// find returns the record of a task that the caller of c may use, and the task itself if this process runs it. The scopes
// are checked here, too: the list of those that a request requires has limits, and a store may fail when it is made.
func (r *taskRunner) find(ctx context.Context, c *Call, id string) (*taskRecord, *liveTask, error) {
	rec, t, err := r.owned(ctx, c, id)
	if err != nil {
		return nil, nil, err
	}
	if err := c.require(rec.Scopes); err != nil {
		return nil, nil, err
	}
	return rec, t, nil
}

// owned is find without the check of scopes.
func (r *taskRunner) owned(ctx context.Context, c *Call, id string) (*taskRecord, *liveTask, error) {
	rec, t, err := r.current(ctx, taskKey(c.Principal(), id))
	if err != nil {
		return nil, nil, storeError(err)
	}
	// REQ TASK-16, XTASK-15
	if rec == nil || !r.owns(c, rec) {
		return nil, nil, unknownTask(id)
	}
	return rec, t, nil
}

// owns reports whether a task of the caller's principal belongs to the caller's era and has not expired.
func (r *taskRunner) owns(c *Call, rec *taskRecord) bool {
	// REQ TASK-16
	return (rec.Revision >= firstModern) == c.modern() && !expired(&rec.Task)
}

func expired(t *tasks.Task) bool {
	at := t.Expires()
	return !at.IsZero() && !time.Now().Before(at)
}

func unknownTask(id string) error {
	return jsonrpcError(codeInvalidParams, fmt.Sprintf("unknown task %q: it does not exist, or has expired", excerpt.Of(id)), nil)
}

func storeError(err error) error {
	return jsonrpcError(codeInternal, "the task store: "+err.Error(), nil)
}
