package taskserver

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/tasks"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Store keeps the tasks of a server. Whoever changes a task, in this process or in another, reads its record and replaces
// it, which succeeds if nobody else has done so meanwhile. So a task ends once, whatever happens at the same time.
//
// The methods may be called by several goroutines. Records must not be changed: neither those that a store returns nor
// those that it was given. The server deletes tasks that this process created when they have expired; those of a process
// that has ended are left to the store. [Memory] is the store of a single process; package cluster/shared has one for several.
type Store interface {
	// Create adds a task, which this process runs, and sets Version and Mark of its record. It is an error if the principal
	// has a task with that id.
	Create(ctx context.Context, r *Record) error

	// Load returns the task as it is now, nil if there is none. If the process that ran it has ended, it has failed.
	Load(ctx context.Context, principal, id string) (*Record, error)

	// Update replaces the record from which r was made, and sets Version of r. The error is [ErrConflict] if the task is
	// not as it was then, and [ErrTooLarge] if there is no room for r.
	Update(ctx context.Context, r *Record) error

	// Delete deletes a task, if there is one.
	Delete(ctx context.Context, principal, id string) error

	// List returns the first n tasks of a principal, or fewer, whose ids are greater than after, in the order of their ids,
	// as Load does.
	List(ctx context.Context, principal, after string, n int) ([]*Record, error)

	// Watch makes the store call changed with what a task has become, until stop is called: before a change that this
	// process makes returns, and within a second of one that another makes. Of several changes the last counts. The record
	// is nil if the task is gone. An error says that this process, which ran the task, does so no longer for the others.
	// The task may be created only later. Changed calls methods of the store, and stop, so the store must hold no lock
	// meanwhile.
	Watch(principal, id string, changed func(r *Record, lost error)) (stop func())
}

var (
	// ErrConflict is the error of [Store].Update for a task that somebody else has changed.
	ErrConflict = errors.New("taskserver: the task was changed by somebody else")
	// ErrTooLarge is the error of [Store].Update for a record that is too large for the store.
	ErrTooLarge = errors.New("taskserver: the task is too large for the store")
)

// A Record is a task in a [Store].
type Record struct {
	Task tasks.Task `json:"task"`
	// Principal alone may use the task. If it is empty, anyone who knows the id may.
	Principal string `json:"principal,omitempty"`
	// Scopes are those that the request required. Requests about the task require them, too.
	Scopes []string `json:"scopes,omitempty"`
	// Revision is that of the request that became the task.
	Revision wire.Revision `json:"revision"`
	// Responses are those that the handler has not received, by the keys of the requests for input.
	Responses map[string]Response `json:"responses,omitempty"`

	Version uint64 `json:"-"` // greater with each change
	Mark    any    `json:"-"` // of the store, which Load sets, too
}

// A Response is a client's response to a request for input: a result or, through 2025-11-25, an error.
type Response struct {
	Result wire.Raw       `json:"result,omitempty"`
	Error  *jsonrpc.Error `json:"error,omitempty"`
}

// A Memory is a [Store] in the memory of this process. The zero Memory is empty. It deletes nothing by itself.
type Memory struct {
	mu      sync.Mutex
	version uint64
	all     map[string][]*Record // of each principal, in the order of their ids
	watches map[taskKey][]*watch
}

// A taskKey identifies a task.
type taskKey struct{ principal, id string }

func (r *Record) key() taskKey { return taskKey{r.Principal, r.Task.ID} }

// A watch is a function of [Store].Watch.
type watch struct {
	changed func(r *Record, lost error)
}

// find returns where the task with that id is among those of a principal, or would be. The caller holds mu.
func (m *Memory) find(principal, id string) (int, bool) {
	return slices.BinarySearchFunc(m.all[principal], id, func(r *Record, id string) int { return strings.Compare(r.Task.ID, id) })
}

// Create implements [Store].
func (m *Memory) Create(_ context.Context, r *Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	i, taken := m.find(r.Principal, r.Task.ID)
	if taken {
		return ErrConflict
	}
	if m.all == nil {
		m.all = make(map[string][]*Record)
	}
	m.version++
	r.Version = m.version
	m.all[r.Principal] = slices.Insert(m.all[r.Principal], i, r)
	return nil
}

// Load implements [Store].
func (m *Memory) Load(_ context.Context, principal, id string) (*Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i, ok := m.find(principal, id); ok {
		return m.all[principal][i], nil
	}
	return nil, nil
}

// Update implements [Store].
func (m *Memory) Update(_ context.Context, r *Record) error {
	m.mu.Lock()
	i, ok := m.find(r.Principal, r.Task.ID)
	if !ok || m.all[r.Principal][i].Version != r.Version {
		m.mu.Unlock()
		return ErrConflict
	}
	m.version++
	r.Version = m.version
	m.all[r.Principal][i] = r
	watches := m.watches[r.key()]
	m.mu.Unlock()
	for _, w := range watches {
		w.changed(r, nil)
	}
	return nil
}

// Delete implements [Store].
func (m *Memory) Delete(_ context.Context, principal, id string) error {
	m.mu.Lock()
	i, ok := m.find(principal, id)
	if !ok {
		m.mu.Unlock()
		return nil
	}
	if m.all[principal] = slices.Delete(m.all[principal], i, i+1); len(m.all[principal]) == 0 {
		delete(m.all, principal)
	}
	watches := m.watches[taskKey{principal, id}]
	m.mu.Unlock()
	for _, w := range watches {
		w.changed(nil, nil)
	}
	return nil
}

// List implements [Store].
func (m *Memory) List(_ context.Context, principal, after string, n int) ([]*Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i, found := m.find(principal, after)
	if found {
		i++
	}
	rest := m.all[principal][i:]
	return slices.Clone(rest[:min(n, len(rest))]), nil
}

// Watch implements [Store].
func (m *Memory) Watch(principal, id string, changed func(r *Record, lost error)) (stop func()) {
	m.mu.Lock()
	defer m.mu.Unlock()
	key, w := taskKey{principal, id}, &watch{changed}
	if m.watches == nil {
		m.watches = make(map[taskKey][]*watch)
	}
	m.watches[key] = append(slices.Clip(m.watches[key]), w) // which others may be reading
	return func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		rest := slices.DeleteFunc(slices.Clone(m.watches[key]), func(other *watch) bool { return other == w })
		if m.watches[key] = rest; len(rest) == 0 {
			delete(m.watches, key)
		}
	}
}
