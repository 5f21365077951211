package tasks

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Record is what a [Store] keeps of a task.
type Record struct {
	Task Task `json:"task"`
	// Principal is the only one that may use the task. Empty means anyone who knows its id.
	Principal string `json:"principal"`
	// Scopes are those that the request required, as those about the task do.
	Scopes []string `json:"scopes,omitempty"`
	// Revision is that of the request that became the task.
	Revision wire.Revision `json:"revision"`
}

// A Store keeps the tasks of a server. A server puts a task into it when the task is created and when it
// ends; in between, the state of the task is in the process that runs it. In a store that outlives the
// process, results survive, and tasks that were running have failed. A server deletes the tasks that it
// created when they expire. Those of a process that has ended are for the store to delete; see
// [Task.Expires].
//
// The methods of a Store may be called by several goroutines at once. Nothing may change a Record once it is
// in a store.
type Store interface {
	// Put stores a record, in place of an earlier one with the same id. Once it has returned, Get returns
	// the record.
	Put(ctx context.Context, r *Record) error
	// Get returns the record of a task, nil if there is none.
	Get(ctx context.Context, id string) (*Record, error)
	// Delete deletes the record of a task. It is not an error if there is none.
	Delete(ctx context.Context, id string) error
	// List returns the first n records of a principal, or fewer, whose ids are greater than after, in the
	// order of their ids.
	List(ctx context.Context, principal, after string, n int) ([]*Record, error)
}

// A Memory is a [Store] in memory. The zero value is empty and ready to use. It has no limits: the server
// bounds what it puts into a store.
type Memory struct {
	mu      sync.RWMutex
	records []*Record // in the order of their ids
}

func (m *Memory) search(id string) (int, bool) {
	return slices.BinarySearchFunc(m.records, id, func(r *Record, id string) int { return strings.Compare(r.Task.ID, id) })
}

// Put implements [Store].
func (m *Memory) Put(_ context.Context, r *Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	i, found := m.search(r.Task.ID)
	if found {
		m.records[i] = r
	} else {
		m.records = slices.Insert(m.records, i, r)
	}
	return nil
}

// Get implements [Store].
func (m *Memory) Get(_ context.Context, id string) (*Record, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if i, found := m.search(id); found {
		return m.records[i], nil
	}
	return nil, nil
}

// Delete implements [Store].
func (m *Memory) Delete(_ context.Context, id string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if i, found := m.search(id); found {
		m.records = slices.Delete(m.records, i, i+1)
	}
	return nil
}

// List implements [Store].
func (m *Memory) List(_ context.Context, principal, after string, n int) ([]*Record, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	i, found := m.search(after)
	if found {
		i++
	}
	var list []*Record
	for _, r := range m.records[i:] {
		if len(list) == n {
			break
		}
		if r.Principal == principal {
			list = append(list, r)
		}
	}
	return list, nil
}
