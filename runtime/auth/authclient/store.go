package authclient

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
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

// keep stores what is a token or a registration. If that fails, it can be used all the same.
func (t *Transport) keep(ctx context.Context, what, key string, v any) {
	err := t.opts.Store.Update(ctx, key, func([]byte) ([]byte, error) { return json.Marshal(v) })
	if err != nil {
		t.opts.Logger.Warn("authclient: the "+what+" could not be stored", "key", key, "error", err)
	}
}

// A MemoryStore is a [Store] in memory. The zero value is empty and ready to use.
type MemoryStore struct{ entries sync.Map } // of *entry, by key

// An entry is what is stored for a key. It is read while an Update is under way, which may take as long as a request.
type entry struct {
	turn chan struct{} // held by the Update that is under way
	data atomic.Pointer[[]byte]
}

// Format hides what is stored.
func (m *MemoryStore) Format(s fmt.State, _ rune) { fmt.Fprint(s, "authclient.MemoryStore") }

func (m *MemoryStore) entry(key string) *entry {
	e, _ := m.entries.LoadOrStore(key, &entry{turn: make(chan struct{}, 1)})
	return e.(*entry)
}

// Load implements [Store].
func (m *MemoryStore) Load(_ context.Context, key string) ([]byte, error) {
	if data := m.entry(key).data.Load(); data != nil {
		return *data, nil
	}
	return nil, nil
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
	old, err := m.Load(ctx, key)
	if err != nil {
		return err
	}
	data, err := change(old)
	if err == nil {
		e.data.Store(&data)
	}
	return err
}
