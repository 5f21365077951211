package taskserver

import (
	linked "container/list"
	"fmt"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/tasks"
)

// The limits of [Options] are kept here. A task counts from enter to remove, its request from enter to handlerReturned, and
// its result from reserveResult, or from markOver for one that another process has ended. So what is kept is counted once,
// before it is kept, and a limit is never exceeded by tasks that are about to end.

// A taskRoom counts what the tasks of a server keep, by owner. Methods that make room return the tasks that must be deleted:
// finished ones only, the oldest first, of an owner that exceeds its share, or else of the owner that has most.
type taskRoom struct {
	opts *Options

	mu      sync.Mutex // guards what follows, and all that it leads to
	closed  bool       // no task expires any more
	all     map[taskKey]*keptTask
	owners  map[share.Owner]*taskOwner
	running int // handlers
	bytes   int // of all
	working int // of these, those of running tasks
}

type taskOwner struct {
	owner    share.Owner
	tasks    int
	running  int
	bytes    int
	working  int
	finished linked.List // of *keptTask, the oldest first
}

type keptTask struct {
	key    taskKey
	of     *taskOwner
	live   *liveTask       // nil if it is over for this process
	bytes  int             // not counting the request
	place  *linked.Element // among the finished ones; nil if it is running, or its end is being stored
	expiry *time.Timer     // nil if it does not expire
}

// taskBytes is what a task counts in addition to its request and its result.
const taskBytes = 1 << 10

// enter adds a task, if there is room for it.
func (r *taskRoom) enter(t *liveTask, owner share.Owner) (gone []taskKey, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	of := r.owners[owner]
	if of == nil {
		of = &taskOwner{owner: owner}
	}
	running, most := of.running, owner.Part(r.opts.MaxRunning)
	if running < most {
		running, most = r.running, r.opts.MaxRunning
	}
	if running >= most {
		return nil, busy("%d tasks are running, which is the limit", running)
	}
	size := t.requestBytes + taskBytes
	if gone, err = r.fit(of, 1, size); err != nil {
		return nil, err
	}
	if r.all == nil {
		r.all, r.owners = make(map[taskKey]*keptTask), make(map[share.Owner]*taskOwner)
	}
	r.owners[owner], t.owner = of, of
	k := &keptTask{key: t.key, of: of, live: t, bytes: taskBytes}
	r.all[t.key] = k
	of.tasks++
	of.running++
	r.running++
	r.add(of, size, size)
	if !t.expires.IsZero() && !r.closed {
		runner, key := t.runner, t.key // alone, so that the timer does not keep the call alive
		k.expiry = time.AfterFunc(time.Until(t.expires), func() { runner.expire(key) })
	}
	return gone, nil
}

// reserveResult makes room for the result of a task. It returns an error if there is not enough.
func (r *taskRoom) reserveResult(key taskKey, result *tasks.Task) (gone []taskKey, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.reserve(r.all[key], resultBytes(result))
}

// markOver records that a task is over, in the way that the record says, so that it may be removed from now on.
func (r *taskRoom) markOver(key taskKey, rec *Record) (gone []taskKey) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := r.all[key]
	if k == nil || k.place != nil {
		return nil
	}
	gone, _ = r.reserve(k, resultBytes(&rec.Task))
	r.add(k.of, 0, -k.bytes)
	k.live, k.place = nil, k.of.finished.PushBack(k)
	return gone
}

// handlerReturned records that the handler of a task has returned, so that its request is no longer kept.
func (r *taskRoom) handlerReturned(t *liveTask) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.running--
	t.owner.running--
	r.add(t.owner, -t.requestBytes, -t.requestBytes)
	r.release(t.owner)
}

// remove removes a task, if it is still there. It returns the task itself, unless that is over.
func (r *taskRoom) remove(key taskKey) (live *liveTask, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := r.all[key]
	if k == nil {
		return nil, false
	}
	r.drop(k)
	return k.live, true
}

// close makes no task expire any more.
func (r *taskRoom) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for _, k := range r.all {
		if k.expiry != nil {
			k.expiry.Stop()
		}
	}
}

// busy returns the error for clients that may try again later.
func busy(format string, args ...any) error {
	return protocolError(mcp.CodeInternalError, fmt.Sprintf(format, args...)+": try again later")
}

// fit makes room for more tasks and bytes of an owner. It is called with mu held, like the methods that follow.
func (r *taskRoom) fit(of *taskOwner, more, bytes int) (gone []taskKey, err error) {
	mostTasks, mostBytes := of.owner.Part(r.opts.MaxTasks), of.owner.Part(r.opts.MaxBytes)
	if of.working+bytes > mostBytes || r.working+bytes > r.opts.MaxBytes { // running tasks remain
		return nil, busy("the running tasks and this one would keep %d bytes, want at most %d", of.working+bytes, mostBytes)
	}
	for {
		from, kept := of, of.tasks
		switch {
		case of.tasks+more > mostTasks || of.bytes+bytes > mostBytes:
		case len(r.all)+more > r.opts.MaxTasks:
			from, kept = r.greediest(func(o *taskOwner) int { return o.tasks }), len(r.all)
		case r.bytes+bytes > r.opts.MaxBytes:
			from = r.greediest(func(o *taskOwner) int { return o.bytes })
		default:
			return gone, nil
		}
		if from == nil || from.finished.Len() == 0 { // all are running
			return gone, busy("%d tasks are kept, which is the limit", kept)
		}
		oldest := from.finished.Front().Value.(*keptTask)
		r.drop(oldest)
		gone = append(gone, oldest.key)
	}
}

// greediest returns the owner that has most, among those with finished tasks.
func (r *taskRoom) greediest(has func(*taskOwner) int) (most *taskOwner) {
	for _, of := range r.owners {
		if of.finished.Len() > 0 && (most == nil || has(of) > has(most)) {
			most = of
		}
	}
	return most
}

// reserve makes room for the result of a task, unless that is gone, which is nil here, or over. It is called with mu held.
func (r *taskRoom) reserve(k *keptTask, result int) (gone []taskKey, err error) {
	if k == nil || k.place != nil {
		return nil, nil
	}
	r.add(k.of, taskBytes-k.bytes, -k.bytes)
	if gone, err = r.fit(k.of, 0, result); err != nil {
		result = 0
	}
	k.bytes = taskBytes + result
	r.add(k.of, result, k.bytes)
	return gone, err
}

// drop removes a task.
func (r *taskRoom) drop(k *keptTask) {
	delete(r.all, k.key)
	if k.expiry != nil {
		k.expiry.Stop()
	}
	k.of.tasks--
	working := -k.bytes
	if k.place != nil {
		k.of.finished.Remove(k.place)
		working = 0
	}
	r.add(k.of, -k.bytes, working)
	r.release(k.of)
}

// release removes an owner who has no tasks.
func (r *taskRoom) release(of *taskOwner) {
	if of.tasks == 0 && of.running == 0 {
		delete(r.owners, of.owner)
	}
}

// add counts bytes of an owner, and how many of them are those of running tasks.
func (r *taskRoom) add(of *taskOwner, bytes, working int) {
	of.bytes += bytes
	r.bytes += bytes
	of.working += working
	r.working += working
}

// resultBytes returns how many bytes a task keeps when it is over.
func resultBytes(t *tasks.Task) int {
	n := len(t.Result) + len(t.StatusMessage)
	for _, m := range t.Extra {
		n += len(m.Value)
	}
	if t.Error != nil {
		n += len(t.Error.Message) + len(t.Error.Data)
	}
	return n
}
