package authclient

import (
	"context"
	"fmt"
	"sync"
)

// A Store keeps tokens and registrations. What it keeps is secret: whoever reads it can do what the user can. The keys
// are texts of printable ASCII, such as "token https://example.com/mcp".
type Store interface {
	// Load returns what is stored for a key, nil if nothing is.
	Load(ctx context.Context, key string) ([]byte, error)

	// Update replaces what is stored for a key by what change returns; nil deletes it. Change gets what is
	// stored, nil if nothing is. If it fails, nothing is changed, and its error is returned. It may take as long
	// as a request to a server. Meanwhile no other Update of the key begins, in any process that uses the same
	// store: authorization servers take a refresh token that is used twice for a stolen one.
	Update(ctx context.Context, key string, change func(old []byte) ([]byte, error)) error
}

// A MemoryStore is a [Store] of one process. The zero value is empty.
type MemoryStore struct {
	mu      sync.Mutex
	entries map[string]*entry
}

// An entry is what is stored for a key.
type entry struct {
	turn chan struct{} // held by the Update that is under way
	data []byte        // guarded by MemoryStore.mu
}

// Format hides what is stored.
func (m *MemoryStore) Format(s fmt.State, _ rune) { fmt.Fprint(s, "authclient.MemoryStore") }

func (m *MemoryStore) entry(key string) *entry {
	m.mu.Lock()
	defer m.mu.Unlock()
	e := m.entries[key]
	if e == nil {
		if m.entries == nil {
			m.entries = map[string]*entry{}
		}
		e = &entry{turn: make(chan struct{}, 1)}
		m.entries[key] = e
	}
	return e
}

// Load implements [Store].
func (m *MemoryStore) Load(_ context.Context, key string) ([]byte, error) {
	e := m.entry(key)
	m.mu.Lock()
	defer m.mu.Unlock()
	return e.data, nil
}

// Update implements [Store].
func (m *MemoryStore) Update(ctx context.Context, key string, change func([]byte) ([]byte, error)) error {
	e := m.entry(key)
	select {
	case e.turn <- struct{}{}:
		defer func() { <-e.turn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	m.mu.Lock()
	data := e.data
	m.mu.Unlock()
	data, err := change(data)
	if err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	e.data = data
	return nil
}
