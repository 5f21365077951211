package as

import (
	"bytes"
	"context"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/option"
)

// MemoryOptions configures a [MemoryStore].
type MemoryOptions struct {
	// MaxRecords is how many records of each kind it keeps, 10,000 if 0, and MaxBytes how many bytes they may
	// have together, 32 MiB if 0. There is no room for a record beyond that.
	MaxRecords, MaxBytes int
}

// A MemoryStore is a [Store] that keeps records in memory, until the process ends.
type MemoryStore struct {
	maxRecords, maxBytes int

	mu    sync.Mutex
	kinds map[Kind]*memoryKind
}

type memoryKind struct {
	records map[string]Record
	bytes   int       // of the records
	sweep   time.Time // when something may have expired that is still there
}

// NewMemoryStore returns a store.
func NewMemoryStore(opts *MemoryOptions) *MemoryStore {
	o := option.Of(opts)
	return &MemoryStore{maxRecords: option.Limit(o.MaxRecords, 10_000), maxBytes: option.Limit(o.MaxBytes, 32<<20), kinds: map[Kind]*memoryKind{}}
}

// size is how many bytes a record has.
func size(r Record) int { return len(r.Key) + len(r.Value) }

func (k *memoryKind) put(r Record) {
	k.remove(r.Key)
	r.Value = bytes.Clone(r.Value)
	k.records[r.Key] = r
	k.bytes += size(r)
}

func (k *memoryKind) remove(key string) {
	if r, found := k.records[key]; found {
		k.bytes -= size(r)
		delete(k.records, key)
	}
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
	full := func() bool { return len(k.records) >= m.maxRecords || k.bytes+size(r) > m.maxBytes }
	k.removeExpired(time.Now(), full())
	if _, found := k.live(r.Key); found {
		return ErrExists
	}
	if full() {
		return ErrFull
	}
	k.put(r)
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
	k.put(r)
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
	k.remove(key)
	return r, nil
}

// live returns the record of a key that has not expired.
func (k *memoryKind) live(key string) (Record, bool) {
	if k == nil {
		return Record{}, false
	}
	r, found := k.records[key]
	if found && !time.Now().Before(r.Expires) {
		k.remove(key)
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
			k.remove(key)
		}
	}
	k.sweep = now.Add(sweepEvery)
}
