package shared

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/cluster/store"
	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/tasks/taskserver"
)

// Tasks is a [taskserver.Store] that keeps tasks in the store of a member.
//
// The record of a task names the lease of the process that runs it. When that lease has ended, the task has failed: whoever
// looks at it first writes so, and every process looks for such tasks. So that they are found without reading all tasks, a
// record under the lease has the key of each. A process that changes a task that another one runs leaves that a message,
// which names the change: the process that runs it looks for messages, and for changes of tasks that it watches without
// running them.
type Tasks struct {
	member *store.Member

	mu      sync.Mutex
	here    map[string]*store.Lease // of the tasks that this process runs, by their keys
	watched map[string]*watched     // by key
	looks   uint64                  // how many there have been at tasks of others
}

var _ taskserver.Store = (*Tasks)(nil)

// A watched is a task that is watched in this process.
type watched struct {
	functions []*func(*taskserver.Record, error) // replaced, never changed
	version   uint64                             // of which they have been told; 0 before the first
	missed    bool                               // there was none when it was looked at last
	looked    uint64                             // which look that was
}

const (
	// taskTick is how often a process looks for messages about its tasks, and at tasks of others.
	taskTick = 250 * time.Millisecond
	// maxLooks is how many tasks of others are looked at each time, in turn, and those of each principal in turn.
	maxLooks = 100
	// messageTTL is how long a message is kept if what it announces does not happen.
	messageTTL = time.Minute
	// tidyTimeout is how long the store may take for what no caller waits for.
	tidyTimeout = 10 * time.Second
	// taskEnded is the message of a task whose process has ended.
	taskEnded = "the server that ran the task has ended"
)

// A taskRecord is the record of a task.
type taskRecord struct {
	*taskserver.Record
	Lease string `json:"lease,omitempty"` // of the process that runs the task, empty if it is over
}

var errTaskRecord = errors.New("shared: the record of a task is not one that a process has written")

// NewTasks keeps tasks in the store of a member, until it leaves.
func NewTasks(m *store.Member) *Tasks {
	k := &Tasks{member: m, here: make(map[string]*store.Lease), watched: make(map[string]*watched)}
	go k.run()
	return k
}

// shortHash returns a short hash of a text of any length, for use in a key.
func shortHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// tasksOf returns the prefix of the keys of a principal's tasks. Nobody else finds these tasks.
//
// REQ TASK-18
func tasksOf(principal string) string {
	return "task." + shortHash(principal)
}

// taskKey returns the key of a task. It is not valid if the id cannot be that of a task.
func taskKey(principal, id string) string {
	if id == "" || strings.Contains(id, ".") {
		return ""
	}
	return tasksOf(principal) + "." + id
}

// underLease returns the key of a record of some kind about a task that a lease has: KIND.LEASE.PRINCIPAL.ID.
func underLease(kind, lease, key string) string { return kind + "." + lease + key[len("task"):] }

// taskOf returns the key of the task that such a record is about, and what follows it.
func taskOf(under string) (key, rest string) {
	parts := append(strings.SplitN(under, ".", 5), "", "", "")
	return "task." + parts[2] + "." + parts[3], parts[4]
}

// timeLeft returns how long a record of a task is kept from now on, 0 if for ever.
func timeLeft(t *tasks.Task) time.Duration {
	at := t.Expires()
	if at.IsZero() {
		return 0
	}
	return max(time.Until(at), time.Second)
}

// Create implements [taskserver.Store].
func (k *Tasks) Create(ctx context.Context, r *taskserver.Record) error {
	lease := k.member.Lease()
	if lease == nil {
		return errors.New("it cannot be reached at the moment; try again later")
	}
	key := taskKey(r.Principal, r.Task.ID)
	k.mu.Lock()
	if k.here[key] != nil {
		k.mu.Unlock()
		return taskserver.ErrConflict
	}
	k.here[key] = lease
	k.mu.Unlock()
	_, err := k.member.Store().Put(ctx, underLease("work", lease.ID(), key), []byte(key), 0, timeLeft(&r.Task))
	if err == nil {
		err = k.put(ctx, key, r, lease.ID())
	}
	if err != nil {
		k.drop(key)
	}
	return err
}

// drop forgets that this process runs a task.
func (k *Tasks) drop(key string) *store.Lease {
	k.mu.Lock()
	defer k.mu.Unlock()
	lease := k.here[key]
	delete(k.here, key)
	return lease
}

// put writes the record of a task.
func (k *Tasks) put(ctx context.Context, key string, r *taskserver.Record, lease string) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false) // which lengthens results
	if err := enc.Encode(taskRecord{r, lease}); err != nil {
		return err
	}
	version, err := k.member.Store().Put(ctx, key, buf.Bytes(), r.Version, timeLeft(&r.Task))
	switch {
	case errors.Is(err, store.ErrConflict):
		return taskserver.ErrConflict
	case errors.Is(err, store.ErrTooLarge):
		return taskserver.ErrTooLarge
	case err == nil:
		r.Version, r.Mark = version, lease
	}
	return err
}

// Load implements [taskserver.Store].
func (k *Tasks) Load(ctx context.Context, principal, id string) (*taskserver.Record, error) {
	key := taskKey(principal, id)
	if !store.ValidKey(key) {
		return nil, nil
	}
	return k.load(ctx, key)
}

// load returns a task as it is now, nil if there is none.
func (k *Tasks) load(ctx context.Context, key string) (*taskserver.Record, error) {
	r, err := k.member.Store().Get(ctx, key)
	if errors.Is(err, store.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return k.current(ctx, r)
}

// current returns the task of a record. If the process that ran it has ended, it writes that the task has failed.
func (k *Tasks) current(ctx context.Context, r store.Record) (*taskserver.Record, error) {
	rec := taskRecord{Record: new(taskserver.Record)}
	if err := json.Unmarshal(r.Value, &rec); err != nil {
		return nil, fmt.Errorf("%w: record %s: %w", errTaskRecord, r.Key, err)
	}
	rec.Version, rec.Mark = r.Revision, rec.Lease
	if tasks.Done(rec.Task.Status) {
		return rec.Record, nil
	}
	own, known := k.isOwn(r.Key, rec.Lease)
	if known {
		return rec.Record, nil
	}
	alive := false
	if rec.Lease != "" {
		var err error
		if alive, err = k.member.Alive(ctx, rec.Lease); err != nil {
			return nil, err
		}
	}
	if alive && !own {
		return rec.Record, nil
	}
	if own { // it began or ended just now, unless a write that seemed to fail has succeeded
		again, err := k.member.Store().Get(ctx, r.Key)
		_, known := k.isOwn(r.Key, rec.Lease)
		switch {
		case errors.Is(err, store.ErrNotFound):
			return nil, nil
		case err != nil:
			return nil, err
		case known || again.Revision != r.Revision:
			return k.current(ctx, again)
		}
	}
	failed := *rec.Record
	failed.Responses, failed.Task.InputRequests = nil, nil
	failed.Task.Status, failed.Task.StatusMessage, failed.Task.UpdatedAt = mcp.TaskStatusFailed, taskEnded, time.Now().Truncate(time.Millisecond)
	failed.Task.Error = &jsonrpc.Error{Code: mcp.CodeInternalError, Message: taskEnded}
	err := k.Update(ctx, &failed)
	if errors.Is(err, taskserver.ErrConflict) { // another process was faster
		return k.load(ctx, r.Key)
	}
	if err != nil {
		return nil, err
	}
	return &failed, nil
}

// isOwn reports whether a lease is that of this process, and whether this process runs the task with it.
func (k *Tasks) isOwn(key, lease string) (own, known bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	l := k.member.Lease()
	here := k.here[key]
	return l != nil && l.ID() == lease, here != nil && here.ID() == lease && here.Valid()
}

// Update implements [taskserver.Store].
func (k *Tasks) Update(ctx context.Context, r *taskserver.Record) error {
	key, lease := taskKey(r.Principal, r.Task.ID), r.Mark.(string)
	over := tasks.Done(r.Task.Status)
	_, own := k.isOwn(key, lease)
	if lease != "" && !own {
		if alive, err := k.member.Alive(ctx, lease); err != nil {
			return err
		} else if alive { // first, so that the process that runs the task learns of the change in any case
			message := underLease("mail", lease, key) + "." + strconv.FormatUint(r.Version, 36)
			if _, err := k.member.Store().Put(ctx, message, nil, 0, messageTTL); err != nil && !errors.Is(err, store.ErrConflict) {
				return err
			}
		}
	}
	held := lease
	if over {
		held = ""
	}
	if err := k.put(ctx, key, r, held); err != nil {
		return err
	}
	if over {
		k.drop(key)
		k.tidy("cannot record that a task has ended", underLease("work", lease, key), lease != "")
	}
	k.tell(key, r, nil)
	return nil
}

// tidy deletes a record that is not needed any more, if there is one.
func (k *Tasks) tidy(what, key string, needed bool) {
	if !needed {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), tidyTimeout)
	defer cancel()
	k.log(what, k.member.Store().Delete(ctx, key, 0))
}

// Delete implements [taskserver.Store].
func (k *Tasks) Delete(ctx context.Context, principal, id string) error {
	key := taskKey(principal, id)
	if !store.ValidKey(key) {
		return nil
	}
	if err := k.member.Store().Delete(ctx, key, 0); err != nil {
		return err
	}
	lease := k.drop(key)
	if lease == nil {
		lease = k.member.Lease()
	}
	if lease != nil {
		k.tidy("cannot record that a task has gone", underLease("work", lease.ID(), key), true)
	}
	k.tell(key, nil, nil)
	return nil
}

// List implements [taskserver.Store].
func (k *Tasks) List(ctx context.Context, principal, after string, n int) ([]*taskserver.Record, error) {
	under := tasksOf(principal)
	if after != "" {
		after = under + "." + after
	}
	found, err := k.member.Store().List(ctx, under, after, n)
	if err != nil {
		return nil, err
	}
	list := make([]*taskserver.Record, len(found))
	for i, r := range found {
		if list[i], err = k.current(ctx, r); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// Watch implements [taskserver.Store].
func (k *Tasks) Watch(principal, id string, changed func(*taskserver.Record, error)) (stop func()) {
	key, f := taskKey(principal, id), &changed
	k.mu.Lock()
	defer k.mu.Unlock()
	w := k.watched[key]
	if w == nil {
		w = new(watched)
		k.watched[key] = w
	}
	w.functions = append(slices.Clip(w.functions), f)
	return func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		w.functions = slices.DeleteFunc(slices.Clone(w.functions), func(other *func(*taskserver.Record, error)) bool { return other == f })
		if len(w.functions) == 0 && k.watched[key] == w {
			delete(k.watched, key)
		}
	}
}

// tell tells those who watch a task what it has become.
func (k *Tasks) tell(key string, r *taskserver.Record, lost error) {
	k.mu.Lock()
	w := k.watched[key]
	if w == nil || r != nil && r.Version <= w.version {
		k.mu.Unlock()
		return
	}
	if r != nil {
		w.version = r.Version
	}
	functions := w.functions
	k.mu.Unlock()
	for _, f := range functions {
		(*f)(r, lost)
	}
}

// log logs an operation that failed because of the store. It does nothing if err is nil.
func (k *Tasks) log(what string, err error) {
	if err != nil && !errors.Is(err, context.Canceled) {
		k.member.Log().Warn("shared: "+what, "error", err)
	}
}

// run looks for messages about the tasks of this process, at the tasks of others that are watched here, and after tasks of
// processes that have ended, until the member leaves.
func (k *Tasks) run() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go k.guard(ctx)
	tick := time.NewTicker(taskTick)
	defer tick.Stop()
	swept := time.Now()
	for {
		select {
		case <-k.member.Left():
			return
		case <-tick.C:
		}
		lease := k.member.Lease()
		if lease == nil {
			continue
		}
		due := time.Since(swept) >= k.member.TTL()
		k.mu.Lock()
		busy := len(k.here) > 0
		k.mu.Unlock()
		if busy || due { // even without tasks, since messages that arrived too late would stay
			k.log("cannot receive messages about tasks", k.receive(ctx, lease.ID()))
		}
		k.log("cannot look at the tasks of other processes", k.look(ctx))
		if due {
			k.log("cannot look after tasks of processes that have ended", k.sweep(ctx))
			swept = time.Now()
		}
	}
}

// guard drops the tasks of leases that have ended.
func (k *Tasks) guard(ctx context.Context) {
	tick := time.NewTicker(k.member.TTL() / 2)
	defer tick.Stop()
	for {
		var ended <-chan struct{}
		if lease := k.member.Lease(); lease != nil {
			ended = lease.Done()
		}
		select {
		case <-ctx.Done():
			if ended != nil {
				<-ended // the member has left
			}
			k.lose()
			return
		case <-ended:
		case <-tick.C:
		}
		k.lose()
	}
}

// lose drops the tasks whose lease has ended. Another process records that they have failed.
func (k *Tasks) lose() {
	var lost []string
	k.mu.Lock()
	for key, lease := range k.here {
		if !lease.Valid() {
			lost = append(lost, key)
			delete(k.here, key)
		}
	}
	k.mu.Unlock()
	for _, key := range lost {
		k.tell(key, nil, taskserver.ErrLost)
	}
}

// receive handles the messages about the tasks of a lease.
func (k *Tasks) receive(ctx context.Context, lease string) error {
	mail, err := k.member.Store().List(ctx, "mail."+lease, "", 100)
	if err != nil {
		return err
	}
	for _, letter := range mail {
		key, version := taskOf(letter.Key)
		before, err := strconv.ParseUint(version, 36, 64)
		k.mu.Lock()
		here := k.here[key] != nil
		k.mu.Unlock()
		if err == nil && here {
			r, err := k.load(ctx, key)
			if err != nil && !errors.Is(err, errTaskRecord) {
				return err
			}
			if r != nil && r.Version <= before {
				continue // it has not happened yet
			}
			if r == nil || tasks.Done(r.Task.Status) {
				k.drop(key)
			}
			k.tell(key, r, nil)
		}
		if err := k.member.Store().Delete(ctx, letter.Key, 0); err != nil {
			return err
		}
	}
	return nil
}

// look looks at tasks that others run.
func (k *Tasks) look(ctx context.Context) error {
	for _, key := range k.next() {
		r, err := k.load(ctx, key)
		if err != nil && !errors.Is(err, errTaskRecord) { // the others do not depend on it
			return err
		}
		k.mu.Lock()
		missed := true
		if w := k.watched[key]; w != nil {
			k.looks++
			missed, w.missed, w.looked = w.missed, r == nil, k.looks
		}
		k.mu.Unlock()
		if r != nil || missed { // else it may be in the course of being created
			k.tell(key, r, nil)
		}
	}
	return nil
}

// next returns the keys of the tasks to look at: of each principal first the one that was looked at longest ago.
func (k *Tasks) next() []string {
	type turn struct {
		key    string
		before int // how many of the same principal come first
		looked uint64
	}
	var turns []turn
	k.mu.Lock()
	for key, w := range k.watched {
		if k.here[key] == nil && store.ValidKey(key) {
			turns = append(turns, turn{key: key, looked: w.looked})
		}
	}
	k.mu.Unlock()
	principal := func(key string) string { return key[:strings.LastIndexByte(key, '.')] }
	slices.SortFunc(turns, func(a, b turn) int {
		return cmp.Or(strings.Compare(principal(a.key), principal(b.key)), cmp.Compare(a.looked, b.looked))
	})
	for i := range turns[min(1, len(turns)):] {
		if principal(turns[i+1].key) == principal(turns[i].key) {
			turns[i+1].before = turns[i].before + 1
		}
	}
	slices.SortFunc(turns, func(a, b turn) int {
		return cmp.Or(cmp.Compare(a.before, b.before), cmp.Compare(a.looked, b.looked))
	})
	keys := make([]string, min(len(turns), maxLooks))
	for i := range keys {
		keys[i] = turns[i].key
	}
	return keys
}

// sweep looks after the tasks of processes that have ended, and after tasks that this process has without knowing it,
// because a write that seemed to fail succeeded.
func (k *Tasks) sweep(ctx context.Context) error {
	for after := ""; ; {
		first, err := k.member.Store().List(ctx, "work", after, 1)
		if err != nil || len(first) == 0 {
			return err
		}
		lease := strings.Split(first[0].Key, ".")[1]
		after = "work." + lease + "/" // greater than all keys of the lease
		alive, err := k.member.Alive(ctx, lease)
		if err != nil {
			return err
		}
		if own := k.member.Lease(); alive && (own == nil || own.ID() != lease) {
			continue
		}
		if err := k.sweepLease(ctx, lease); err != nil {
			return err
		}
	}
}

// sweepLease looks after the tasks of a lease, except those that this process runs.
func (k *Tasks) sweepLease(ctx context.Context, lease string) error {
	for after := ""; ; {
		work, err := k.member.Store().List(ctx, "work."+lease, after, 100)
		if err != nil || len(work) == 0 {
			return err
		}
		for _, w := range work {
			after = w.Key
			key := string(w.Value)
			if _, known := k.isOwn(key, lease); known {
				continue
			}
			_, err := k.load(ctx, key)
			if errors.Is(err, errTaskRecord) { // the other tasks do not depend on it
				k.log("cannot look after a task", err)
				continue
			}
			if err != nil {
				return err
			}
			if err := k.member.Store().Delete(ctx, w.Key, w.Revision); err != nil && !errors.Is(err, store.ErrConflict) {
				return err
			}
		}
	}
}
