package as

import (
	"bytes"
	"context"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/option"
)

// standardRecords is how many records of a kind a [MemoryStore] keeps by default.
const standardRecords = 10_000

// A MemoryStore keeps records in memory: they end with the process.
type MemoryStore struct {
	max int

	mu    sync.Mutex
	kinds map[Kind]*memoryKind
}

type memoryKind struct {
	records map[string]Record
	sweep   time.Time // when something may have expired that is still there
}

// NewMemoryStore returns a store that keeps up to max records of each kind: 10,000 if 0, and any number if
// negative.
func NewMemoryStore(max int) *MemoryStore {
	return &MemoryStore{max: option.Limit(max, standardRecords), kinds: map[Kind]*memoryKind{}}
}

// Create implements [Store].
func (m *MemoryStore) Create(_ context.Context, r Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := m.kinds[r.Kind]
	if k == nil {
		k = &memoryKind{records: map[string]Record{}}
		m.kinds[r.Kind] = k
	}
	k.removeExpired(time.Now(), len(k.records) >= m.max)
	if _, found := k.live(r.Key); found {
		return ErrExists
	}
	if len(k.records) >= m.max {
		return ErrFull
	}
	r.Value = bytes.Clone(r.Value)
	k.records[r.Key] = r
	return nil
}

// Get implements [Store].
func (m *MemoryStore) Get(_ context.Context, kind Kind, key string) (Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, found := m.kinds[kind].live(key)
	if !found {
		return Record{}, ErrNotFound
	}
	r.Value = bytes.Clone(r.Value)
	return r, nil
}

// Replace implements [Store].
func (m *MemoryStore) Replace(_ context.Context, old []byte, r Record) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := m.kinds[r.Kind]
	have, found := k.live(r.Key)
	if !found {
		return ErrNotFound
	}
	if !bytes.Equal(have.Value, old) {
		return ErrConflict
	}
	r.Value = bytes.Clone(r.Value)
	k.records[r.Key] = r
	return nil
}

// Take implements [Store].
func (m *MemoryStore) Take(_ context.Context, kind Kind, key string) (Record, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	k := m.kinds[kind]
	r, found := k.live(key)
	if !found {
		return Record{}, ErrNotFound
	}
	delete(k.records, key)
	return r, nil
}

// live returns the record of a key that has not expired.
func (k *memoryKind) live(key string) (Record, bool) {
	if k == nil {
		return Record{}, false
	}
	r, found := k.records[key]
	if found && !time.Now().Before(r.Expires) {
		delete(k.records, key)
		return Record{}, false
	}
	return r, found
}

// sweepEvery is how long expired records may stay where there is room.
const sweepEvery = time.Minute

func (k *memoryKind) removeExpired(now time.Time, full bool) {
	if now.Before(k.sweep) && !full {
		return
	}
	for key, r := range k.records {
		if !now.Before(r.Expires) {
			delete(k.records, key)
		}
	}
	k.sweep = now.Add(sweepEvery)
}
