package taskserver

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/contain"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The state of a task is its record in the store, also for the process that runs it: that process, and any other, changes
// a task by replacing the record, and learns of the changes of others from the store. So a task that is cancelled or that
// gets input takes the same way wherever the request arrives.
//
// A task that this process runs is in one of these states:
//
//	starting   start has made the liveTask and its place in the room; the record is on its way to the store
//	working    the handler runs; change writes its progress and its requests for input
//	returned   Done has the handler's result; the record is changed for the last time, again until the store takes it
//	over       recordChanged has seen a record that is final, or that this process no longer has the task
//
// It is over before the handler returns if a client has cancelled it, if it has expired, or if the process has lost it. Then
// the context of the handler ends, what it returns is discarded, and only its request is still counted until it returns. The
// record stays until the task expires or gives way to another one; only Store.Delete removes it.

const (
	// progressInterval is how often the progress of a task is written at most.
	progressInterval = 250 * time.Millisecond
	// retryInterval is the time between attempts to write what must not be lost.
	retryInterval = 250 * time.Millisecond
	// storeTimeout is how long the store may take for what no request waits for.
	storeTimeout = 10 * time.Second
)

// A liveTask is a task whose handler this process runs. It is the [server.Background] of the handler's call.
type liveTask struct {
	runner       *runner
	key          taskKey
	owner        *taskOwner // who has the task and its request; set by taskRoom.enter
	requestBytes int        // size of the message that it came by
	expires      time.Time  // zero for never
	cancel       context.CancelCauseFunc
	stop         func()            // ends the watch of the record
	ended        func(error, bool) // of [Options].Watch; called once

	writing sync.Mutex // held by who changes the record

	mu       sync.Mutex
	rec      *Record                  // the newest that is known; nil until it is in the store
	asked    map[string]chan Response // the handler's requests for input
	progress *tasks.Progress          // that the record lacks; nil if it lacks none
	saving   *time.Timer              // writes it; nil if none is to be written
	saved    time.Time
	cause    error // of the end of the handler's context; not nil when the task has ended, or this process no longer has it
	returned bool  // the handler has returned
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
//
// REQ TASK-06, TASK-08, XTASK-07
func (r *runner) start(ctx context.Context, c *server.Call, meta *mcp.TaskMetadata, run handler) (*Record, error) {
	now := time.Now().Truncate(time.Millisecond)
	rec := &Record{Principal: c.Principal(), Scopes: c.RequiredScopes(), Revision: c.Revision(), Task: tasks.Task{
		ID:     newTaskID(now),
		Status: mcp.TaskStatusWorking, CreatedAt: now, UpdatedAt: now,
		TTL: r.opts.ttl(meta), PollInterval: r.opts.PollInterval,
	}}
	t := &liveTask{runner: r, key: rec.key(), requestBytes: c.Size(), expires: rec.Task.Expires(), asked: make(map[string]chan Response)}
	own := t.begin(ctx, c)
	t.stop = r.store.Watch(rec.Principal, rec.Task.ID, t.recordChanged) // before enter, from which on the task may expire
	gone, err := r.room.enter(t, c.Sender().(share.Owner))
	r.delete(gone...)
	if err != nil {
		t.stop()
		t.cancel(err)
		t.ended(err, false)
		return nil, err
	}
	err = r.store.Create(ctx, rec)
	stored := err == nil
	switch {
	case !stored:
		err = storeError(err)
	case ctx.Err() != nil: // nobody will learn of the task
		err = context.Cause(ctx)
	case !t.stored(rec): // it is over already
		err = protocolError(mcp.CodeInternalError, ErrExpired.Error())
	}
	if err == nil {
		if to := c.Subscription(); to != nil && to.Add(taskTopic(rec.Task.ID)) {
			r.follow(rec)
		}
		err = c.Continue(own, t, related(rec.Task.ID), run)
	}
	if err != nil {
		r.abandon(t, err)
		if stored {
			r.delete(t.key)
		} else {
			go r.delete(t.key) // it may be stored nevertheless
		}
		return nil, err
	}
	return rec, nil
}

// begin makes the context of the handler from that of the request.
func (t *liveTask) begin(ctx context.Context, c *server.Call) context.Context {
	own, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	t.cancel = cancel
	t.ended = func(error, bool) {}
	if f := t.runner.opts.Watch; f != nil {
		var ended func(error, bool)
		if own, ended = f(own, c, t.key.id); ended != nil {
			var once sync.Once
			t.ended = func(err error, toolFailed bool) {
				once.Do(func() {
					defer contain.Panic(t.runner.server.Log(), "what Options.Watch returned", new(error)) // a timer may have ended the task
					ended(err, toolFailed)
				})
			}
		}
	}
	return own
}

// stored records that the task is in the store, and reports whether it is not over yet.
func (t *liveTask) stored(rec *Record) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.rec == nil {
		t.rec = rec
	}
	return !t.isOver()
}

// isOver reports whether the task has ended, or this process no longer has it. The caller holds mu.
func (t *liveTask) isOver() bool { return t.cause != nil }

// recordChanged takes note of what the store says about the task: see [Store].Watch. It is the one place where a task is
// over for this process, whoever has ended it.
//
// REQ TASK-19, TASK-08, PROG-09
func (t *liveTask) recordChanged(rec *Record, lost error) {
	t.mu.Lock()
	if t.isOver() || rec != nil && t.rec != nil && rec.Version <= t.rec.Version {
		t.mu.Unlock()
		return
	}
	var cause error
	switch {
	case rec == nil && lost == nil && !t.expires.IsZero() && !time.Now().Before(t.expires):
		cause = ErrExpired
	case rec == nil:
		cause = ErrLost
	case rec.Task.Status == mcp.TaskStatusCancelled:
		cause = ErrCancelled
	case tasks.Done(rec.Task.Status) && t.returned:
		cause = context.Canceled
	case tasks.Done(rec.Task.Status):
		cause = ErrLost // another process has ended it
	}
	if rec != nil {
		t.rec = rec
		t.deliver(rec.Responses)
	}
	returned := t.returned
	t.cause = cause
	t.mu.Unlock()
	if cause == nil {
		return
	}
	t.cancel(cause)
	if rec == nil {
		t.runner.room.remove(t.key)
	} else {
		t.runner.delete(t.runner.room.markOver(t.key, rec)...)
	}
	t.stop()
	if !returned {
		t.reportEnd(new(tasks.Task), false)
	}
}

// change changes the record, which then has the progress, too. F changes a copy of the task, with mu held. If the task is
// over, change does nothing.
func (t *liveTask) change(ctx context.Context, f func(task *tasks.Task)) error {
	t.writing.Lock()
	defer t.writing.Unlock()
	t.mu.Lock()
	rec := t.rec
	t.mu.Unlock()
	var progress *tasks.Progress
	rec, err := t.runner.change(ctx, rec, func(next *Record) bool {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.isOver() || tasks.Done(next.Task.Status) {
			return false
		}
		t.deliver(next.Responses)
		next.Responses = nil
		if progress = t.progress; progress != nil {
			next.Task.SetProgress(*progress)
			next.Task.StatusMessage = cmp.Or(progress.Message, next.Task.StatusMessage)
		}
		next.Task.UpdatedAt = time.Now().Truncate(time.Millisecond)
		f(&next.Task)
		return true
	})
	if err != nil {
		return err
	}
	t.mu.Lock()
	if t.progress == progress {
		t.progress = nil
	}
	t.mu.Unlock()
	t.recordChanged(rec, nil)
	return nil
}

// persist changes the record by f: it tries until it succeeds, the task is over, or ctx ends.
func (t *liveTask) persist(ctx context.Context, f func(task *tasks.Task)) error {
	for logged := false; ; logged = true {
		try, cancel := context.WithTimeout(ctx, storeTimeout)
		err := t.change(try, f)
		cancel()
		if err == nil || errors.Is(err, ErrTooLarge) {
			return err
		}
		if !logged {
			t.runner.server.Log().Warn("mcp: a task cannot be stored yet", "task", t.key.id, "error", err)
		}
		select {
		case <-time.After(retryInterval):
		case <-t.runner.ending:
			return err
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Report sets the progress of a running task, and its message if there is one. It implements [server.Background].
func (t *liveTask) Report(done, total float64, message string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.progress = &tasks.Progress{Done: done, Total: total, Message: message}
	t.saveLater()
}

// saveLater writes the progress soon, if it is not in the record. The caller holds mu.
func (t *liveTask) saveLater() {
	if t.progress != nil && t.saving == nil && !t.returned && !t.isOver() {
		t.saving = time.AfterFunc(progressInterval-time.Since(t.saved), t.save)
	}
}

// save writes the progress. If it fails, the next report tries again.
func (t *liveTask) save() {
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	err := t.change(ctx, func(*tasks.Task) {})
	t.runner.log("the progress of a task cannot be stored", err)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.saving, t.saved = nil, time.Now()
	if err == nil {
		t.saveLater()
	}
}

// Done ends the task when its handler has returned. It implements [server.Background].
//
// REQ XTASK-09
func (t *liveTask) Done(result wire.Raw, toolFailed bool, err *jsonrpc.Error) {
	defer t.runner.room.handlerReturned(t)
	t.mu.Lock()
	t.returned = true
	rev := t.rec.Revision
	t.mu.Unlock()
	final := &tasks.Task{Status: mcp.TaskStatusCompleted, Result: result}
	switch {
	case err != nil:
		final = &tasks.Task{Status: mcp.TaskStatusFailed, StatusMessage: err.Message, Error: err}
	case toolFailed && rev < mcp.Modern:
		final.Status, final.StatusMessage = mcp.TaskStatusFailed, "the tool failed: its result says why"
	}
	gone, full := t.runner.room.reserveResult(t.key, final)
	t.runner.delete(gone...)
	if full != nil {
		final = failed("the result is too large: " + full.Error())
	}
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	if t.end(ctx, t.change, final) == nil {
		t.reportEnd(final, toolFailed)
		return
	}
	go func() { // the end waits for a store that cannot be reached
		t.end(context.Background(), t.persist, final)
		t.reportEnd(final, toolFailed)
	}()
}

// end ends the task by a change, unless it is over. If the result is too large, final is how it ends then.
func (t *liveTask) end(ctx context.Context, change func(context.Context, func(*tasks.Task)) error, final *tasks.Task) error {
	err := change(ctx, endAs(final))
	if errors.Is(err, ErrTooLarge) {
		*final = *failed("the result is too large for the store")
		err = change(ctx, endAs(final))
	}
	return err
}

// reportEnd calls what [Options].Watch returned, with how the task has ended: as final, unless something else was faster.
func (t *liveTask) reportEnd(final *tasks.Task, toolFailed bool) {
	var reason error
	if final.Error != nil {
		reason, toolFailed = final.Error, false
	}
	t.mu.Lock()
	cause := t.cause
	t.mu.Unlock()
	switch cause {
	case nil, context.Canceled: // by its own end
	case ErrCancelled:
		reason, toolFailed = context.Canceled, false
	default:
		reason, toolFailed = cause, false
	}
	t.ended(reason, toolFailed)
}

// endAs returns a change that ends a task.
func endAs(final *tasks.Task) func(*tasks.Task) {
	return func(task *tasks.Task) {
		task.Status, task.StatusMessage, task.InputRequests = final.Status, final.StatusMessage, nil
		task.Result, task.Error = final.Result, final.Error
	}
}

// failed returns how a task ends that failed because of the server.
func failed(why string) *tasks.Task {
	return &tasks.Task{Status: mcp.TaskStatusFailed, StatusMessage: why, Error: &jsonrpc.Error{Code: mcp.CodeInternalError, Message: why}}
}

// change replaces a record that was read by one that f changes, again if somebody else was faster. F reports false if there
// is nothing to change; it must not change what the copy shares with the record. It returns the record as it is then, nil
// if there is no such task.
func (r *runner) change(ctx context.Context, rec *Record, f func(next *Record) bool) (*Record, error) {
	for rec != nil {
		next := *rec
		if !f(&next) {
			return rec, nil
		}
		err := r.store.Update(ctx, &next)
		if err == nil {
			return &next, nil
		}
		if !errors.Is(err, ErrConflict) {
			return nil, err
		}
		if rec, err = r.store.Load(ctx, next.Principal, next.Task.ID); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// cancel cancels a task of the caller of c. It returns the task, and reports whether this call ended it.
//
// REQ TASK-15
func (r *runner) cancel(ctx context.Context, c *server.Call, id string) (_ *Record, done bool, _ error) {
	rec, err := r.find(ctx, c, id)
	if err != nil {
		return nil, false, err
	}
	rec, err = r.change(ctx, rec, func(next *Record) bool {
		if done = !tasks.Done(next.Task.Status); done {
			next.Task.UpdatedAt, next.Responses = time.Now().Truncate(time.Millisecond), nil
			endAs(&tasks.Task{Status: mcp.TaskStatusCancelled, StatusMessage: ErrCancelled.Error()})(&next.Task)
		}
		return done
	})
	switch {
	case err != nil:
		return nil, false, storeError(err)
	case rec == nil:
		return nil, false, unknownTask(id)
	}
	return rec, done, nil
}

// abandon undoes what start has done for a task that it could not start.
func (r *runner) abandon(t *liveTask, err error) {
	t.cancel(context.Canceled)
	t.stop()
	r.room.remove(t.key)
	r.room.handlerReturned(t)
	t.ended(err, false)
}

// expire removes a task that has expired.
func (r *runner) expire(key taskKey) {
	t, kept := r.room.remove(key)
	if !kept { // it was removed meanwhile
		return
	}
	if t != nil {
		t.recordChanged(nil, nil)
	}
	r.delete(key)
}

// delete deletes tasks in the store, where they may not be: those that have expired, gave way to others, or did not start.
func (r *runner) delete(keys ...taskKey) {
	for _, key := range keys {
		ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
		r.log("a task cannot be deleted", r.store.Delete(ctx, key.principal, key.id))
		cancel()
	}
}

// log logs what has failed because of the store. It does nothing if err is nil.
func (r *runner) log(what string, err error) {
	if err != nil {
		r.server.Log().Warn("mcp: "+what, "error", err)
	}
}

// shutdown stops what looks after tasks, because the server ends. Their handlers end with it.
func (r *runner) shutdown() {
	r.room.close()
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.ending)
	for key := range r.followed {
		r.unfollow(key)
	}
}

func (r *runner) isEnding() bool {
	select {
	case <-r.ending:
		return true
	default:
		return false
	}
}
