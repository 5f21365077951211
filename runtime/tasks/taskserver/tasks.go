// Package taskserver makes servers run calls of tools as tasks: as in the core of revision 2025-11-25, and since 2026-07-28
// by the extension io.modelcontextprotocol/tasks. [Enable] is for the options of a server:
//
//	s := server.New(info, &server.Options{Setup: []server.Setup{taskserver.Enable(nil)}})
//
// Each tool says in its definition, in Execution.TaskSupport, whether its calls can be tasks:
//
//   - forbidden, the default: no call is a task, unless its handler calls [AsTask].
//   - optional: a call is a task if the client asks for one, at 2025-11-25, or supports tasks, since
//     2026-07-28. Otherwise it is an ordinary call.
//   - required: the same, but any other call is an error.
//
// A server without tasks refuses tools of the last two kinds. The handler is the same in all cases. In a task, its context
// ends with the task, not with the request, and requests for input such as [server.Call.Elicit] wait for the response in
// every revision. A report of progress becomes part of the status of the task, and its message the status message: see
// [tasks.Task]. Middleware sees that the task is created, not its result.
//
// Clients see the tasks of their own principal. Without a principal, any client that knows the id of a task
// may use it; ids cannot be guessed, and tasks cannot be listed.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/tasks and
// https://github.com/modelcontextprotocol/ext-tasks
package taskserver

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
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

var (
	// ErrCreated is what [AsTask] returns when the call has become a task. The handler should
	// return; whatever it returns, the client receives the task.
	ErrCreated = server.ErrResponded

	// ErrCancelled is the cause of a handler's context that ends because the client has cancelled the task.
	ErrCancelled = errors.New("the task was cancelled")

	// ErrExpired is the cause of a handler's context that ends because the task has expired.
	ErrExpired = errors.New("the task has expired")

	// ErrLost is the cause with which the context of a handler ends when the process no longer has the task: another
	// process has ended it, or may do so, because this one could not reach the store for too long. What the handler
	// returns is discarded.
	ErrLost = errors.New("the process no longer has the task")
)

// Options configures how a server runs tasks. The zero value of each field is its default, and a negative number or
// duration means that there is no limit.
type Options struct {
	// Store keeps the tasks: by default in the memory of this process, a [Memory]. That of package cluster/shared keeps
	// them where they outlive the process, and where every process that shares it handles requests about them. A task
	// runs in the process that created it, and fails when that process ends. While the store cannot be reached, requests
	// about tasks fail, and results wait.
	Store Store

	// TTL is how long a task is kept after its creation if the client does not say: 1 hour. MaxTTL is how
	// long it is kept at most, whatever the client says: 24 hours. The context of a handler that is still
	// running then ends with [ErrExpired].
	TTL, MaxTTL time.Duration

	// PollInterval is how long clients should wait before they ask for the status of a task again:
	// 1 second. A negative duration means that the server does not say.
	PollInterval time.Duration

	// MaxRunning is how many tasks may run at the same time: 1000. MaxTasks is how many may be kept, including
	// those that are done: 10,000. MaxBytes is how many bytes they may keep together: the requests of those that
	// run, and the results of the others: 64 MiB. All clients of the server share these limits; one client may have
	// a quarter of each.
	//
	// A new task beyond a limit replaces finished tasks, the oldest first: those of a client that has more than its
	// part, or else of the client that has most. If that is not enough, calls that would become tasks fail, and so
	// do tasks whose result is too large.
	MaxRunning, MaxTasks, MaxBytes int

	// Watch is called when a call becomes the task with that id, and returns ctx or a context derived from it for the
	// handler. Ended, if not nil, is called once when the task is over in this process, with the reason if it has
	// failed or was cancelled; toolFailed says that its result is that of a tool that has failed.
	Watch func(ctx context.Context, c *server.Call, id string) (_ context.Context, ended func(err error, toolFailed bool))
}

// Enable returns what makes a server run calls of tools as tasks, for [server.Options].Setup. Opts may be nil.
func Enable(opts *Options) server.Setup {
	return func(s *server.Server) error {
		_, err := enable(s, option.Of(opts))
		return err
	}
}

// enable adds the methods for tasks to a server: those of revision 2025-11-25, and those of the extension since 2026-07-28.
func enable(s *server.Server, o Options) (*runner, error) {
	r := &runner{
		server: s, opts: o, ending: make(chan struct{}),
		waiters: make(map[taskKey][]waiter), followed: make(map[taskKey]*follower),
	}
	if r.store = new(Memory); o.Store != nil {
		r.store = containedStore{o.Store, s.Log()}
	}
	r.opts.setDefaults()
	r.room.opts = &r.opts
	err := errors.Join(
		s.AddExtension(server.Extension{ // the core of one revision
			Since: mcp.V2025_11_25, Through: mcp.V2025_11_25,
			Methods: map[string]server.Handler{
				mcp.MethodGetTask.Name:        r.coreGet,
				mcp.MethodGetTaskPayload.Name: r.coreResult,
				mcp.MethodListTasks.Name:      r.coreList,
				mcp.MethodCancelTask.Name:     r.coreCancel,
			},
			Capabilities: declareTasks,
			Scopes:       r.scopesOf,
		}),
		s.AddExtension(server.Extension{
			ID:    extension.Extension,
			Since: mcp.V2026_07_28,
			Methods: map[string]server.Handler{
				extension.MethodGetTask.Name:    r.extensionGet,
				extension.MethodUpdateTask.Name: r.extensionUpdate,
				extension.MethodCancelTask.Name: r.extensionCancel,
			},
			Scopes: r.scopesOf,
			Listen: r.listen,
			Tool:   r.wrap, // in both
			Filter: &server.Filter{Concerns: runsOnlyAsTask, Admit: showTasks},
			Value:  r,
		}),
	)
	if err != nil {
		return nil, err
	}
	s.OnShutdown(r.shutdown)
	return r, nil
}

// runsOnlyAsTask reports whether an item is a tool whose calls can only be tasks.
func runsOnlyAsTask(i *server.Item) bool {
	t, ok := i.Definition.(*mcp.Tool)
	return ok && t.Execution.GetTaskSupport() == mcp.ToolExecutionTaskSupportRequired
}

// showTasks hides such tools from clients that cannot call them.
func showTasks(_ context.Context, c *server.Call, i *server.Item) (show bool, refuse error) {
	if c.Revision() == mcp.V2025_11_25 || takesTasks(c) {
		return true, nil
	}
	return false, requiresTask(c, i.Definition.(*mcp.Tool).Name)
}

// requiresTask returns the error for a call of a tool that runs only as a task.
//
// REQ XTASK-04, TASK-05
func requiresTask(c *server.Call, tool string) error {
	if modern(c) {
		return needsExtension()
	}
	return protocolError(mcp.CodeMethodNotFound, fmt.Sprintf("tool %q runs only as a task, want a call with params.task", excerpt.Of(tool)))
}

func (o *Options) setDefaults() {
	o.MaxTTL = option.Limit(o.MaxTTL, 24*time.Hour)
	o.TTL = min(option.Limit(o.TTL, time.Hour), o.MaxTTL)
	o.PollInterval = max(cmp.Or(o.PollInterval, time.Second), 0)
	o.MaxRunning = option.Limit(o.MaxRunning, 1000)
	o.MaxTasks = option.Limit(o.MaxTasks, 10_000)
	o.MaxBytes = option.Limit(o.MaxBytes, 64<<20)
}

// AsTask turns the rest of a call of a tool into a task if the client supports tasks: it returns [ErrCreated] at once,
// and f runs in the background with its own context and Call. Otherwise, and if the call is a task already, AsTask
// only calls f. A handler that needs input to decide asks for it first:
//
//	response, err := c.Elicit(ctx, form)
//	if err != nil {
//		return nil, err
//	}
//	return taskserver.AsTask(ctx, c, func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error) {
//		return compute(ctx, response)
//	})
//
// Clients accept tasks that they did not ask for since 2026-07-28, as the result of tools/call.
//
// REQ XTASK-03
func AsTask(ctx context.Context, c *server.Call, f func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error)) (*mcp.CallToolResult, error) {
	r, _ := c.Extended(extension.Extension).(*runner)
	if r == nil || c.Background() != nil || c.Method() != mcp.MethodCallTool.Name ||
		!takesTasks(c) {
		return f(ctx, c)
	}
	if c.InputRequired() {
		return nil, server.ErrInputRequired // the handler has ignored it
	}
	return nil, r.makeTask(ctx, c, nil, f)
}

// ID returns the id of the task that the handler of a call runs as, empty if there is none.
func ID(c *server.Call) string {
	if t, ok := c.Background().(*liveTask); ok {
		return t.key.id
	}
	return ""
}

// modern reports whether a call belongs to the era of the extension.
func modern(c *server.Call) bool { return c.Revision() >= mcp.Modern }

// takesTasks reports whether the client of a call declares the tasks extension, in a revision that has it.
func takesTasks(c *server.Call) bool {
	_, ok := c.Extension(extension.Extension)
	return ok && modern(c)
}

// A runner runs the tasks of a server. A task has a goroutine while its handler runs; after that it is only a record in the
// store, and a part of the taskRoom.
type runner struct {
	server *server.Server
	opts   Options
	store  Store
	room   taskRoom
	ending chan struct{} // closed when the server ends

	mu       sync.Mutex            // guards what follows; room has a lock of its own
	waiters  map[taskKey][]waiter  // the newest last
	followed map[taskKey]*follower // what clients subscribe to
	looked   time.Time             // when it was last looked whether they still do
}

// A handler is what runs as a task.
type handler = func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error)

// wrap runs calls of a tool as tasks if they should be.
//
// REQ TASK-05, XTASK-03
func (r *runner) wrap(t *mcp.Tool, next server.ToolHandler) (server.ToolHandler, error) {
	support := t.Execution.GetTaskSupport()
	if !support.Valid() {
		return nil, fmt.Errorf("task support %q: want forbidden, optional or required", support)
	}
	return func(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
		wish, wanted := wishOf(c)
		switch {
		case wanted && support != mcp.ToolExecutionTaskSupportForbidden:
			return nil, r.makeTask(ctx, c, wish, func(ctx context.Context, c *server.Call) (*mcp.CallToolResult, error) {
				return next(ctx, c, args)
			})
		case wanted && !modern(c):
			return nil, protocolError(mcp.CodeMethodNotFound, fmt.Sprintf("tool %q does not run as a task", excerpt.Of(t.Name)))
		case support == mcp.ToolExecutionTaskSupportRequired:
			return nil, requiresTask(c, t.Name)
		}
		return next(ctx, c, args)
	}, nil
}

// wishOf reports whether a call is to become a task, and returns what the client says about it, at 2025-11-25.
func wishOf(c *server.Call) (wish *mcp.TaskMetadata, wanted bool) {
	if modern(c) {
		return nil, takesTasks(c)
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

// makeTask makes a task of a call, as which f runs, and responds with it.
//
// REQ TASK-09
func (r *runner) makeTask(ctx context.Context, c *server.Call, wish *mcp.TaskMetadata, f handler) error {
	if c.Responded() != nil {
		return errors.New("taskserver: AsTask: the call is a task already")
	}
	rec, err := r.start(ctx, c, wish, f)
	if err != nil {
		return err
	}
	if !modern(c) {
		return c.Respond(&mcp.CreateTaskResult{Task: rec.Task.Core()})
	}
	raw, err := wire.Marshal(c.Revision(), rec.Task.Created())
	if err != nil {
		return err
	}
	return c.Respond(&mcp.UnknownCallToolResponse{Raw: raw})
}

// scopesOf returns the scopes of the calls that became the tasks that a request names.
func (r *runner) scopesOf(ctx context.Context, c *server.Call) (scopes []string) {
	var ids []string
	if id := c.Params().StringAt(extension.MethodGetTask.NameParam); id != "" {
		ids = []string{id}
	} else if named := namedTasks(c.Params()); len(named) <= maxTaskIDs {
		ids = named
	}
	for _, id := range ids {
		if rec, err := r.owned(ctx, c, id); err == nil {
			scopes = append(scopes, rec.Scopes...)
		}
	}
	return scopes
}

// find returns a task that the caller of c may use. The scopes are checked here, too: the list of those that a request
// requires has limits, and a store may fail when it is made.
func (r *runner) find(ctx context.Context, c *server.Call, id string) (*Record, error) {
	rec, err := r.owned(ctx, c, id)
	if err != nil {
		return nil, err
	}
	if err := c.Require(rec.Scopes); err != nil {
		return nil, err
	}
	return rec, nil
}

// owned returns a task of the caller of c, whatever scopes it requires.
//
// REQ TASK-16, XTASK-15
func (r *runner) owned(ctx context.Context, c *server.Call, id string) (*Record, error) {
	rec, err := r.store.Load(ctx, c.Principal(), id)
	if err != nil {
		return nil, storeError(err)
	}
	if rec == nil || !r.owns(c, rec) {
		return nil, unknownTask(id)
	}
	return rec, nil
}

// owns reports whether a task of the caller's principal belongs to the caller's era and has not expired.
//
// REQ TASK-16
func (r *runner) owns(c *server.Call, rec *Record) bool {
	return (rec.Revision >= mcp.Modern) == modern(c) && !expired(&rec.Task)
}

func expired(t *tasks.Task) bool {
	at := t.Expires()
	return !at.IsZero() && !time.Now().Before(at)
}

func unknownTask(id string) error {
	return protocolError(mcp.CodeInvalidParams, fmt.Sprintf("unknown task %q: it does not exist, or has expired", excerpt.Of(id)))
}

func storeError(err error) error {
	return protocolError(mcp.CodeInternalError, "the task store: "+err.Error())
}

// protocolError returns an error of the protocol.
func protocolError(code int, message string) error {
	return &jsonrpc.Error{Code: int64(code), Message: message}
}

// needsExtension returns the error for a client that does not declare the extension.
func needsExtension() error {
	return &server.MissingCapabilityError{Required: mcp.ClientCapabilities{Extensions: map[string]wire.Raw{extension.Extension: wire.Raw("{}")}}}
}
