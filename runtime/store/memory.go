package store

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Memory is a [Store] in the memory of this process. The zero value is empty and ready to use. It has no limits of
// its own: they are up to those who put records into it.
type Memory struct {
	mu      sync.Mutex
	last    uint64 // newest revision
	records map[string]*memoryRecord
	sweep   time.Time // when to remove what has expired
}

type memoryRecord struct {
	value    []byte
	revision uint64
	expires  time.Time // zero for never
}

// sweepEvery is the time between two removals of what has expired.
const sweepEvery = time.Minute

// get returns a record, nil if there is none. It is called with mu held.
func (m *Memory) get(key string, now time.Time) *memoryRecord {
	r := m.records[key]
	if r == nil || !r.expires.IsZero() && !now.Before(r.expires) {
		return nil
	}
	return r
}

// Get implements [Store].
func (m *Memory) Get(ctx context.Context, key string) (Record, error) {
	switch {
	case !ValidKey(key):
		return Record{}, ErrKey
	case ctx.Err() != nil:
		return Record{}, ctx.Err()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.get(key, time.Now())
	if r == nil {
		return Record{}, ErrNotFound
	}
	return Record{key, bytes.Clone(r.value), r.revision}, nil
}

// Put implements [Store].
func (m *Memory) Put(ctx context.Context, key string, value []byte, revision uint64, ttl time.Duration) (uint64, error) {
	switch {
	case !ValidKey(key):
		return 0, ErrKey
	case ctx.Err() != nil:
		return 0, ctx.Err()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	m.removeExpired(now)
	var have uint64
	if r := m.get(key, now); r != nil {
		have = r.revision
	}
	if have != revision {
		return 0, ErrConflict
	}
	m.last++
	r := &memoryRecord{value: bytes.Clone(value), revision: m.last}
	if ttl > 0 {
		r.expires = now.Add(ttl)
	}
	if m.records == nil {
		m.records = make(map[string]*memoryRecord)
	}
	m.records[key] = r
	return r.revision, nil
}

// removeExpired removes what has expired, once per sweepEvery. It is called with mu held.
func (m *Memory) removeExpired(now time.Time) {
	if now.Before(m.sweep) {
		return
	}
	m.sweep = now.Add(sweepEvery)
	for key := range m.records {
		if m.get(key, now) == nil {
			delete(m.records, key)
		}
	}
}

// Delete implements [Store].
func (m *Memory) Delete(ctx context.Context, key string, revision uint64) error {
	switch {
	case !ValidKey(key):
		return ErrKey
	case ctx.Err() != nil:
		return ctx.Err()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.get(key, time.Now())
	if r != nil && revision != 0 && r.revision != revision {
		return ErrConflict
	}
	delete(m.records, key)
	return nil
}

// List implements [Store].
func (m *Memory) List(ctx context.Context, under, after string, n int) ([]Record, error) {
	switch {
	case !ValidKey(under):
		return nil, ErrKey
	case ctx.Err() != nil:
		return nil, ctx.Err()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	var list []Record
	for key, r := range m.records {
		if strings.HasPrefix(key, under+".") && key > after && m.get(key, now) != nil {
			list = append(list, Record{key, r.value, r.revision})
		}
	}
	slices.SortFunc(list, func(a, b Record) int { return strings.Compare(a.Key, b.Key) })
	list = list[:min(n, len(list))]
	for i := range list {
		list[i].Value = bytes.Clone(list[i].Value)
	}
	return list, nil
}
