package taskserver

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/store"
	"github.com/mcpgen/mcpgen/runtime/tasks"
)

// This file handles tasks in a store that several processes share; see [Options.Member].

// taskTick is how often a process that runs tasks looks for messages about them.
const taskTick = 250 * time.Millisecond

// errTaskTaken is the error for a task that no longer belongs to this process.
var errTaskTaken = errors.New("another process has ended the task, or runs it")

// guard drops the tasks of leases that have ended, until the server ends.
func (r *taskRunner) guard(ctx context.Context) {
	m := r.store.member
	tick := time.NewTicker(m.TTL() / 2)
	defer tick.Stop()
	for {
		var ended <-chan struct{}
		if lease := m.Lease(); lease != nil {
			ended = lease.Done()
		}
		select {
		case <-ctx.Done():
			return
		case <-ended:
		case <-tick.C:
		}
		for _, t := range r.running() {
			if !t.lease.Valid() {
				t.lose()
			}
		}
	}
}

// watch receives messages about the tasks of this process, writes what could not be written before, and looks after
// tasks of processes that have ended, until the server ends.
func (r *taskRunner) watch(ctx context.Context) {
	m := r.store.member
	tick := time.NewTicker(taskTick)
	defer tick.Stop()
	swept, followed := time.Now(), following{runner: r}
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		lease := m.Lease()
		if lease == nil {
			continue
		}
		live := r.running()
		for _, t := range live {
			t.saveLater()
		}
		due := time.Since(swept) >= m.TTL()
		if len(live) > 0 || due { // even without tasks, since messages that arrived too late would stay
			r.log("cannot receive messages about tasks", r.receive(ctx, lease.ID()))
		}
		if time.Since(followed.last) >= time.Second {
			r.log("cannot follow the tasks of other processes", followed.look(ctx))
		}
		if due {
			r.log("cannot look after tasks of processes that have ended", r.sweep(ctx))
			swept = time.Now()
		}
	}
}

// log logs an operation that failed because of the store. It does nothing if err is nil.
func (r *taskRunner) log(what string, err error) {
	if err != nil && !errors.Is(err, context.Canceled) {
		r.server.Log().Warn("mcp: "+what, "error", err)
	}
}

// running returns the tasks of this process whose end is not in the store yet.
func (r *taskRunner) running() []*liveTask {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]*liveTask, 0, len(r.live))
	for _, t := range r.live {
		list = append(list, t)
	}
	return list
}

// taken ends the task in this process after another process has ended it or taken it over. By is the record that
// the other process wrote, nil if the record is gone.
func (t *liveTask) taken(by *taskRecord) {
	cause := ErrLost
	if by != nil && by.Task.Status == mcp.TaskStatusCancelled {
		cause = ErrCancelled
	}
	if t.claim(cause) {
		t.takenWhileEnding(by)
		close(t.over)
	} else if !t.isOver() { // its end could not be stored
		t.takenWhileEnding(by)
	}
}

// isOver reports whether the end of the task is in the store, or this process no longer has the task.
func (t *liveTask) isOver() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.final == nil
}

// takenWhileEnding is taken when called by the goroutine that has decided to end the task.
func (t *liveTask) takenWhileEnding(by *taskRecord) {
	if by == nil || !tasks.Done(by.Task.Status) {
		t.drop()
		return
	}
	t.mu.Lock()
	t.conclude(&by.Task)
	cause := t.cause
	t.mu.Unlock()
	t.runner.settle(t, true)
	t.watched(cause, false)
}

// lose drops a task whose lease has ended. Another process records that it has failed.
func (t *liveTask) lose() {
	claimed := t.claim(ErrLost)
	t.drop() // also if it has ended: its end could not be stored
	if claimed {
		close(t.over)
	}
}

// drop forgets a task about which the store now knows more than this process.
func (t *liveTask) drop() {
	t.mu.Lock()
	t.gone, t.pending, t.asks, t.final, t.lag = errTaskTaken, nil, nil, nil, lacksNothing
	t.wake()
	t.mu.Unlock()
	t.runner.drop(t.key)
	if t.lease != nil && t.lease.Valid() {
		t.unassign()
	}
	t.watched(ErrLost, false)
}

// sweep looks after the tasks of processes that have ended, and after tasks that this process owns without knowing
// it, because a write that seemed to fail succeeded.
func (r *taskRunner) sweep(ctx context.Context) error {
	for after := ""; ; {
		first, err := r.store.List(ctx, "work", after, 1)
		if err != nil || len(first) == 0 {
			return err
		}
		lease := strings.Split(first[0].Key, ".")[1]
		after = "work." + lease + "/" // greater than all keys of the lease
		if alive, err := r.store.works(ctx, lease); err != nil {
			return err
		} else if alive && !r.isOwn(lease) {
			continue
		}
		if err := r.sweepLease(ctx, lease); err != nil {
			return err
		}
	}
}

// sweepLease looks after the tasks of a lease, except those that this process runs.
func (r *taskRunner) sweepLease(ctx context.Context, lease string) error {
	for after := ""; ; {
		work, err := r.store.List(ctx, "work."+lease, after, 100)
		if err != nil || len(work) == 0 {
			return err
		}
		for _, w := range work {
			after = w.Key
			if r.at(string(w.Value)) != nil {
				continue
			}
			_, _, err := r.current(ctx, string(w.Value))
			if errors.Is(err, errTaskRecord) { // the other tasks do not depend on it
				r.log("cannot look after a task", err)
				continue
			}
			if err != nil {
				return err
			}
			if err := r.store.Delete(ctx, w.Key, w.Revision); err != nil && !errors.Is(err, store.ErrConflict) {
				return err
			}
		}
	}
}

// current returns the record of a task as it is now, nil if it does not exist, and the task itself if this process
// runs it. If the process that ran it has ended, the task fails. The store takes precedence over memory, so that nobody
// sees a task end and then run, or responds to a request for input that other processes do not know yet.
func (r *taskRunner) current(ctx context.Context, key string) (*taskRecord, *liveTask, error) {
	for number := uint64(0); ; {
		t := r.at(key)
		if t != nil && t.lease == nil {
			return t.record(), t, nil
		}
		if t != nil {
			select {
			case <-t.begun:
			case <-ctx.Done():
				return nil, nil, context.Cause(ctx)
			}
			if r.at(key) != t { // it did not begin
				continue
			}
		}
		rec, err := r.store.load(ctx, key)
		switch {
		case err != nil:
			return nil, nil, err
		case t != nil && rec != nil && !tasks.Done(rec.Task.Status) && rec.Lease == t.lease.ID():
			return rec, t, nil
		case t != nil && rec != nil:
			t.taken(rec)
		}
		if rec == nil || tasks.Done(rec.Task.Status) {
			return rec, nil, nil
		}
		switch alive, err := r.store.works(ctx, rec.Lease); {
		case err != nil:
			return nil, nil, err
		case alive && r.isOwn(rec.Lease) && number != rec.number:
			number = rec.number // it began or ended just now
			continue
		case alive && !r.isOwn(rec.Lease):
			return rec, nil, nil
		}
		rec, err = r.fail(ctx, rec)
		if !errors.Is(err, store.ErrConflict) {
			return rec, nil, err
		}
	}
}

func (r *taskRunner) isOwn(lease string) bool {
	l := r.store.member.Lease()
	return l != nil && l.ID() == lease
}

// fail records that a task that no process runs has failed. The error is [store.ErrConflict] if another process was faster.
func (r *taskRunner) fail(ctx context.Context, rec *taskRecord) (*taskRecord, error) {
	lost := rec.over(failed(rec.Task, errTaskEnded.Error()))
	if _, err := r.store.save(ctx, lost); err != nil {
		return nil, err
	}
	r.changed(&lost.Task, lost.Revision)
	r.log("cannot record that a task has ended", r.store.release(ctx, rec.Lease, rec.Task.ID))
	return lost, nil
}
