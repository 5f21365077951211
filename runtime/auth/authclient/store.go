package authclient

import (
	"context"
	"fmt"
	"sync"
)

// A Store keeps tokens and registrations. What it keeps is secret: anyone who reads it can act as the user. Keys
// consist of printable ASCII, such as "token https://example.com/mcp".
type Store interface {
	// Load returns what is stored for a key, or nil if nothing is.
	Load(ctx context.Context, key string) ([]byte, error)

	// Update replaces what is stored for a key with what change returns; nil deletes it. Change is called with what
	// is stored, or nil. If it fails, Update changes nothing and returns its error. It may take as long as a request
	// to a server. Meanwhile no other Update of the key may begin, in any process that uses the same store: an
	// authorization server takes a refresh token that is used twice for a stolen one (RFC 9700 section 4.14.2).
	Update(ctx context.Context, key string, change func(old []byte) ([]byte, error)) error
}

// A MemoryStore is a [Store] in memory. The zero value is empty and ready to use.
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
