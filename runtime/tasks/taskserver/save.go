package taskserver

import (
	"context"
	"errors"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/store"
	"github.com/mcpgen/mcpgen/runtime/tasks"
)

// In a store that several processes share, the record of a task has a change before clients are notified of it. The
// status of a running task is written in the background: at once if clients are notified, else at the next tick of
// [taskRunner.watch]. The goroutine that ends a task writes how it ended. If a write fails, the next tick tries
// again, until the lease ends. Only who holds writing writes.

// storeTimeout is how long the store may take for what no request waits for.
const storeTimeout = 10 * time.Second

// A recordLag is what the record of a task lacks.
type recordLag int

const (
	lacksNothing  recordLag = iota
	lacksProgress           // or a message
	lacksStatus             // of which clients have not been notified, either
)

// replace sets the status of the task. The caller holds mu; if the task is over, the record has the status already.
func (t *liveTask) replace(task *tasks.Task) {
	lag := lacksProgress
	if task.Status != t.task.Status || task.Status == mcp.TaskStatusInputRequired {
		lag = lacksStatus
	}
	t.task = task
	t.wake()
	switch {
	case t.lease != nil && !tasks.Done(task.Status):
		if t.lag = max(t.lag, lag); lag == lacksStatus && !t.ending.Load() {
			t.save()
		}
	case lag == lacksStatus:
		t.runner.changed(task, t.rev)
	}
}

// conclude sets how the task has ended, which the record says. The caller holds mu.
func (t *liveTask) conclude(task *tasks.Task) {
	t.pending, t.asks, t.final, t.lag = nil, nil, nil, lacksNothing
	t.replace(task)
}

// saveLater writes the record of a task in the background, if it is not up to date.
func (t *liveTask) saveLater() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.lag != lacksNothing {
		t.save()
	}
}

// save writes the record of a task in the background. The caller holds mu.
func (t *liveTask) save() {
	if !t.saving {
		t.saving = true
		go t.saveAll()
	}
}

// saveAll writes the record of a task until it is up to date.
func (t *liveTask) saveAll() {
	for {
		t.writing <- struct{}{}
		t.mu.Lock()
		task, asks, lease, lag := t.task, t.asks, t.lease.ID(), t.lag
		over := t.final != nil
		if over {
			task, asks, lease = t.final, nil, ""
		}
		if lag == lacksNothing || t.gone != nil || t.ending.Load() && !over {
			t.saving = false
			t.mu.Unlock()
			<-t.writing
			return
		}
		t.lag = lacksNothing
		t.mu.Unlock()
		now, err := t.write(task, asks, lease)
		switch {
		case errors.Is(err, errTaskTaken):
			<-t.writing
			t.taken(now)
		case err != nil:
			t.mu.Lock()
			t.lag, t.saving = max(t.lag, lag), false // until the next tick
			t.mu.Unlock()
			<-t.writing
			return
		case over:
			t.mu.Lock()
			t.conclude(task)
			t.mu.Unlock()
			<-t.writing
			t.runner.settle(t, true)
		default:
			<-t.writing
			if lag == lacksStatus {
				t.runner.changed(task, t.rev)
			}
		}
	}
}

// write writes the record of the task. If the task no longer belongs to this process, the error is errTaskTaken,
// and write returns the record that another process wrote, nil if the record is gone. It is called with writing
// held.
func (t *liveTask) write(task *tasks.Task, asks []taskAsk, lease string) (*taskRecord, error) {
	ctx, cancel := context.WithTimeout(context.Background(), storeTimeout)
	defer cancel()
	s := &t.runner.store
	for {
		rec := t.recordOf(task, asks, lease)
		rec.number = t.number
		number, err := s.save(ctx, rec)
		if err == nil {
			t.number = number
			return nil, nil
		}
		if !errors.Is(err, store.ErrConflict) {
			return nil, err
		}
		now, err := s.load(ctx, t.key)
		switch {
		case err != nil:
			return nil, err
		case now == nil || tasks.Done(now.Task.Status) || t.lease == nil || now.Lease != t.lease.ID():
			return now, errTaskTaken
		}
		t.number = now.number // a write that seemed to fail was made
	}
}

// record returns the record of the task as it should be now, without its revision number.
func (t *liveTask) record() *taskRecord {
	t.mu.Lock()
	task, asks := t.task, t.asks
	t.mu.Unlock()
	lease := ""
	if t.lease != nil && !tasks.Done(task.Status) {
		lease = t.lease.ID()
	}
	return t.recordOf(task, asks, lease)
}

func (t *liveTask) recordOf(task *tasks.Task, asks []taskAsk, lease string) *taskRecord {
	return &taskRecord{Task: *task, Principal: t.principal, Scopes: t.scopes, Revision: t.rev, Lease: lease, Asks: asks, key: t.key}
}
