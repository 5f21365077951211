package tasks

import (
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Record is what a store keeps of a task.
type Record struct {
	Task Task `json:"task"`
	// Principal is who may know of the task, empty for anybody who knows its id.
	Principal string `json:"principal"`
	// Revision is the one that the request followed which became the task.
	Revision wire.Revision `json:"revision"`
}

// A Store keeps the tasks of a server. It is told of a task when it is created and when it ends;
// what happens between is the business of the process that runs it. So with a store that outlives
// the process, results do, too; a task that was at work has failed. Servers delete the tasks that
// they have created when they expire; what is left when a process ends, the store has to clean up
// itself, by [Task.Expires].
//
// Its methods may be called from several goroutines at once. Records must not be changed by
// anybody once they are in a store.
type Store interface {
	// Put keeps a record, in place of an earlier one of the same id. When it returns, Get finds it.
	Put(ctx context.Context, r *Record) error
	// Get returns the record of a task, nil if there is none.
	Get(ctx context.Context, id string) (*Record, error)
	// Delete forgets a task. It is no error if there is none.
	Delete(ctx context.Context, id string) error
	// List returns the first records of a principal whose ids are greater than after, n at most, in
	// the order of the ids.
	List(ctx context.Context, principal, after string, n int) ([]*Record, error)
}

// Memory is a [Store] in this process. The zero value is empty, and ready for use. What it holds is
// bounded by what a server puts into it.
type Memory struct {
	mu      sync.RWMutex
	records []*Record // in the order of the ids
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
