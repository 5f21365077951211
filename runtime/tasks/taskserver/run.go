package taskserver

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/store"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A liveTask is a task of this process that is not over.
type liveTask struct {
	runner       *taskRunner
	id           string
	key          string   // of the record
	principal    string   // of its sender
	scopes       []string // that the request required
	rev          wire.Revision
	owner        *taskOwner // who has the task and its request
	requestBytes int        // size of the message that it came by
	cancel       context.CancelCauseFunc
	ending       atomic.Bool   // how the task ends has been decided
	over         chan struct{} // closed when the task has ended and its end is stored

	lease *store.Lease  // nil if the store is not shared
	begun chan struct{} // closed when the task is in the store, or has been discarded

	writing chan struct{} // full while the record is written
	number  uint64        // revision of the record

	mu      sync.Mutex
	cause   error           // of the end of the handler's context, nil until ending
	task    *tasks.Task     // current status; replaced, never changed
	gone    error           // nil, or why this process no longer has it
	pending []*pendingInput // without responses
	asks    []taskAsk       // the same, as the record has them; replaced, never changed
	final   *tasks.Task     // how it ends, while a shared store does not have that yet
	lag     recordLag       // what the record lacks, in a shared store
	saving  bool            // a goroutine writes the record
	waiters []*waiter       // the newest last
	changed chan struct{}   // closed, and replaced, when any of these changes

	watched func(err error, toolFailed bool) // of [Options].Watch; called once
}

// newTaskID returns an id that cannot be guessed. Ids are ordered by the time of their creation.
func newTaskID(now time.Time) string {
	return fmt.Sprintf("%09s-%s", strconv.FormatInt(now.UnixMilli(), 36), rand.Text())
}

// ttl returns how long a task is kept for a client that sends meta, 0 for ever.
func (o *Options) ttl(meta *mcp.TaskMetadata) time.Duration {
	ttl := o.TTL
	switch ms := meta.GetTTL(); {
	case ms > option.Forever.Milliseconds():
		ttl = option.Forever
	case ms > 0:
		ttl = time.Duration(ms) * time.Millisecond
	}
	if ttl = min(ttl, o.MaxTTL); ttl == option.Forever {
		return 0
	}
	return ttl
}

// start makes a task of a call and runs it. When start returns, the task is in the store.
func (r *taskRunner) start(ctx context.Context, c *server.Call, meta *mcp.TaskMetadata, run func(context.Context, *server.Call) (*mcp.CallToolResult, error)) (_ *tasks.Task, err error) {
	now := time.Now().Truncate(time.Millisecond)
	var lease *store.Lease
	if m := r.store.member; m != nil {
		if lease = m.Lease(); lease == nil {
			return nil, storeError(errors.New("it cannot be reached at the moment; try again later"))
		}
	}
	created := &tasks.Task{
		// REQ TASK-06
		ID: newTaskID(now),
		// REQ TASK-08
		Status: mcp.TaskStatusWorking, CreatedAt: now, UpdatedAt: now,
		TTL: r.opts.ttl(meta), PollInterval: r.opts.PollInterval,
	}
	t := r.newTask(created, c, lease)
	t.scopes = c.Scopes()
	own := t.begin(ctx, c)
	if err := r.enter(t, c); err != nil {
		t.cancel(err)
		t.watched(err, false)
		return nil, err
	}
	defer close(t.begun)
	started := false
	defer func() {
		if !started {
			r.discard(t)
			t.watched(err, false)
		}
	}()
	// REQ XTASK-07
	if err := r.create(ctx, t); err != nil {
		if t.lease != nil { // it may be stored nevertheless
			go func() {
				r.delete(t.key)
				t.unassign()
			}()
		}
		return nil, storeError(err)
	}
	switch {
	case ctx.Err() != nil: // nobody will learn of the task
		r.delete(t.key)
		t.unassign()
		return nil, context.Cause(ctx)
	case t.ending.Load(): // while it was stored
		<-t.over // or its end could be stored after its deletion
		r.delete(t.key)
		return nil, protocolError(mcp.CodeInternalError, ErrExpired.Error())
	}
	if own := c.Subscription(); own != nil {
		own.Add(taskTopic(t.id))
	}
	if err := c.Continue(own, t, related(t.id), run); err != nil { // the server is shutting down
		r.delete(t.key)
		t.unassign()
		return nil, err
	}
	started = true
	return created, nil
}

// newTask returns a task that has not begun. The lease is nil if the store is not shared.
func (r *taskRunner) newTask(task *tasks.Task, c *server.Call, lease *store.Lease) *liveTask {
	return &liveTask{
		runner: r, id: task.ID, key: taskKey(c.Principal(), task.ID), principal: c.Principal(), rev: c.Revision(), lease: lease,
		begun: make(chan struct{}), over: make(chan struct{}), writing: make(chan struct{}, 1), changed: make(chan struct{}), task: task,
	}
}

// begin makes the context of the handler from that of the request.
func (t *liveTask) begin(ctx context.Context, c *server.Call) context.Context {
	own, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	t.cancel = cancel
	t.watched = func(error, bool) {}
	if f := t.runner.opts.Watch; f != nil {
		var ended func(error, bool)
		if own, ended = f(own, c, t.id); ended != nil {
			var once sync.Once
			t.watched = func(err error, toolFailed bool) { once.Do(func() { ended(err, toolFailed) }) }
		}
	}
	return own
}

// create stores the record of a task that begins.
func (r *taskRunner) create(ctx context.Context, t *liveTask) error {
	t.writing <- struct{}{}
	defer func() { <-t.writing }()
	rec := t.record()
	rec.number = t.number
	if t.lease != nil {
		if err := r.store.assign(ctx, rec.Lease, rec); err != nil {
			return err
		}
	}
	var err error
	t.number, err = r.store.save(ctx, rec)
	return err
}

// Done ends the task when its handler has returned. It implements [server.Background].
func (t *liveTask) Done(result wire.Raw, toolFailed bool, failure *jsonrpc.Error) {
	e := taskEnd{status: mcp.TaskStatusCompleted, result: result, toolFailed: toolFailed}
	switch {
	case failure != nil:
		e = taskEnd{status: mcp.TaskStatusFailed, err: failure}
	// REQ XTASK-09
	case toolFailed && t.rev < mcp.V2026_07_28:
		e.status, e.message = mcp.TaskStatusFailed, "the tool failed: its result says why"
	}
	t.end(e)
	t.runner.left(t)
}

// A taskEnd says how a task ends.
type taskEnd struct {
	status mcp.TaskStatus
	result wire.Raw
	err    *jsonrpc.Error
	cause  error // of the end of the handler's context

	message string // for people, in addition to err and cause

	toolFailed bool // the result says so
}

// failure returns why a task failed, nil if it did not.
func (e *taskEnd) failure() error {
	switch {
	case e.err != nil:
		return e.err
	case e.status == mcp.TaskStatusCancelled:
		return context.Canceled
	}
	return nil
}

// claim reports whether the caller is the one to end the task; if so, it has ended the handler's context with the
// given reason. If something else ends the task, claim waits until it has ended.
func (t *liveTask) claim(cause error) bool {
	// REQ TASK-08
	if !t.ending.CompareAndSwap(false, true) {
		<-t.over
		return false
	}
	t.mu.Lock()
	t.cause = cause
	t.mu.Unlock()
	// REQ PROG-09
	t.cancel(cause)
	return true
}

// end ends the task and reports whether it did. If something else ends the task, end waits until it has ended.
func (t *liveTask) end(e taskEnd) bool {
	if !t.claim(cmp.Or(e.cause, context.Canceled)) {
		return false
	}
	message := e.message
	switch {
	case e.err != nil:
		message = e.err.Message
	case e.cause != nil:
		message = e.cause.Error()
	}
	task, _, _ := t.now()
	final := ended(*task, e.status, message)
	final.Result, final.Error = e.result, e.err

	if err := t.runner.finish(t.key, &final); err != nil {
		final = failed(*task, "the result is too large: "+err.Error())
	}
	defer close(t.over)
	t.writing <- struct{}{}
	now, err := t.write(&final, nil, "")
	if errors.Is(err, store.ErrTooLarge) {
		final = failed(*task, "the result is too large for the store")
		now, err = t.write(&final, nil, "")
	}
	if errors.Is(err, errTaskTaken) {
		<-t.writing
		t.takenWhileEnding(now)
		return false
	}
	t.mu.Lock()
	waits := err != nil && t.lease != nil // or a client could see another end later, at another process
	if waits {
		t.pending, t.asks, t.final, t.lag = nil, nil, &final, lacksStatus
	} else {
		t.conclude(&final)
	}
	t.mu.Unlock()
	<-t.writing
	if err != nil {
		t.runner.server.Log().Error("mcp: the end of a task could not be stored; it is kept in memory",
			"task", t.id, "status", final.Status, "error", err)
	}
	if !waits {
		t.runner.settle(t, err == nil)
	}
	t.watched(e.failure(), e.toolFailed)
	return true
}

// expire ends a task that has expired.
func (t *liveTask) expire() {
	if !t.claim(ErrExpired) {
		return
	}
	t.mu.Lock()
	t.gone, t.pending, t.asks = unknownTask(t.id), nil, nil
	t.wake()
	t.mu.Unlock()
	t.watched(ErrExpired, false)
	close(t.over)
}

// ended returns a task that has ended now.
func ended(t tasks.Task, status mcp.TaskStatus, message string) tasks.Task {
	t.Status, t.StatusMessage, t.UpdatedAt, t.InputRequests = status, message, time.Now().Truncate(time.Millisecond), nil
	return t
}

// failed returns a task that failed because of the server.
func failed(t tasks.Task, why string) tasks.Task {
	t = ended(t, mcp.TaskStatusFailed, why)
	t.Error = &jsonrpc.Error{Code: mcp.CodeInternalError, Message: why}
	return t
}

// now returns the status of the task and a channel that is closed when it changes, or an error that says why this
// process no longer has the task.
func (t *liveTask) now() (task *tasks.Task, changed <-chan struct{}, gone error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.task, t.changed, t.gone
}

// wake wakes goroutines that wait for a change. The caller holds mu.
func (t *liveTask) wake() {
	close(t.changed)
	t.changed = make(chan struct{})
}

// Report sets the progress of a running task, and its message if there is one. It implements [server.Background].
func (t *liveTask) Report(done, total float64, message string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ending.Load() {
		return
	}
	task := *t.task
	task.SetProgress(tasks.Progress{Done: done, Total: total, Message: message})
	task.StatusMessage, task.UpdatedAt = cmp.Or(message, task.StatusMessage), time.Now().Truncate(time.Millisecond)
	t.replace(&task)
}

// enter adds a task, if there is room for it.
func (r *taskRunner) enter(t *liveTask, c *server.Call) error {
	r.mu.Lock()
	t.requestBytes = c.Size()
	of, gone, err := r.room.enter(t.key, c.Sender().(share.Owner), t.requestBytes)
	if err == nil {
		t.owner = of
		r.live[t.key] = t
		if at := t.task.Expires(); !at.IsZero() && !r.ended {
			key := t.key // alone, so that the timer does not keep the call alive
			r.room.all[key].expiry = time.AfterFunc(time.Until(at), func() { r.expire(key) })
		}
	}
	r.dismiss(gone)
	r.mu.Unlock()
	r.forget(gone)
	return err
}

// finish makes room for the result of a task.
func (r *taskRunner) finish(key string, t *tasks.Task) error {
	r.mu.Lock()
	gone, err := r.room.finish(key, resultBytes(t))
	r.dismiss(gone)
	r.mu.Unlock()
	r.forget(gone)
	return err
}

// dismiss drops tasks that were removed from the room. The caller holds mu, and calls forget afterwards.
func (r *taskRunner) dismiss(gone []*keptTask) {
	for _, k := range gone {
		delete(r.live, k.key) // it is there if its end could not be stored
	}
}

func (r *taskRunner) forget(gone []*keptTask) {
	for _, k := range gone {
		r.delete(k.key)
		r.gone(taskIDOf(k.key))
	}
}

// discard drops a task that was not started.
func (r *taskRunner) discard(t *liveTask) {
	t.cancel(context.Canceled)
	r.drop(t.key)
	r.left(t)
}

// drop drops a task, and gives back the room that it took.
func (r *taskRunner) drop(key string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.live, key)
	r.room.remove(key)
}

// expire removes a task that has expired.
func (r *taskRunner) expire(key string) {
	r.mu.Lock()
	_, kept := r.room.all[key]
	r.room.remove(key)
	r.mu.Unlock()
	if !kept { // it was removed meanwhile
		return
	}
	if t := r.at(key); t != nil {
		t.expire()
		r.remove(t)
	}
	r.delete(key)
	r.gone(taskIDOf(key))
}

// left records that a handler has returned.
func (r *taskRunner) left(t *liveTask) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.room.left(t.owner, t.requestBytes)
}

// at returns the task with that key if this process runs it, else nil.
func (r *taskRunner) at(key string) *liveTask {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.live[key]
}

// remove removes a task that this process no longer has.
func (r *taskRunner) remove(t *liveTask) {
	r.mu.Lock()
	delete(r.live, t.key)
	r.mu.Unlock()
	t.unassign()
}

// settle records that a task is over, and whether its end is stored.
func (r *taskRunner) settle(t *liveTask, stored bool) {
	r.mu.Lock()
	r.room.settle(t.key)
	r.mu.Unlock()
	if stored {
		r.remove(t)
	}
}

// unassign records that this process no longer has the task.
func (t *liveTask) unassign() {
	if t.lease == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	r := t.runner
	r.log("cannot record that a task has ended", r.store.release(ctx, t.lease.ID(), t.id))
}

func (r *taskRunner) delete(key string) {
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	if err := r.store.Delete(ctx, key, 0); err != nil {
		r.server.Log().Error("mcp: a task could not be deleted", "task", taskIDOf(key), "error", err)
	}
}

// end stops what looks after tasks, because the server ends. Their handlers end with it.
func (r *taskRunner) end() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	r.stop()
	for _, k := range r.room.all {
		if k.expiry != nil {
			k.expiry.Stop()
		}
	}
}
