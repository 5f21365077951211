package store

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"sync"
	"time"
)

// A Memory is a [Store] in the memory of this process. The zero value is empty and ready to use.
type Memory struct {
	// MaxRecords and MaxBytes limit the records whose keys have the same first part: how many there may be, and how
	// many bytes their keys and values may have together. If 0, there is no limit: writers must limit what they
	// store. Replacing a record is always possible.
	MaxRecords, MaxBytes int

	mu     sync.Mutex
	last   uint64                  // newest revision
	groups map[string]*memoryGroup // by the first part of their keys
	sweep  time.Time               // when to remove what has expired
}

// A memoryGroup holds the records whose keys have the same first part.
type memoryGroup struct {
	records map[string]*memoryRecord
	bytes   int // of their keys and values
}

type memoryRecord struct {
	value    []byte
	revision uint64
	expires  time.Time // zero for never
}

// sweepEvery is the time between two removals of expired records.
const sweepEvery = time.Minute

// groupOf returns the name of the group of a key: its first part.
func groupOf(key string) string {
	first, _, _ := strings.Cut(key, ".")
	return first
}

// get returns a record, nil if there is none. The group may be nil.
func (g *memoryGroup) get(key string, now time.Time) *memoryRecord {
	if g == nil {
		return nil
	}
	r := g.records[key]
	if r == nil || !r.expires.IsZero() && !now.Before(r.expires) {
		return nil
	}
	return r
}

func (g *memoryGroup) put(key string, r *memoryRecord) {
	g.remove(key)
	g.records[key] = r
	g.bytes += len(key) + len(r.value)
}

func (g *memoryGroup) remove(key string) {
	if r := g.records[key]; r != nil {
		g.bytes -= len(key) + len(r.value)
		delete(g.records, key)
	}
}

func (g *memoryGroup) removeExpired(now time.Time) {
	for key := range g.records {
		if g.get(key, now) == nil {
			g.remove(key)
		}
	}
}

// check returns the error of a call that must not be made.
func check(ctx context.Context, key string) error {
	if !ValidKey(key) {
		return ErrKey
	}
	return ctx.Err()
}

// Get implements [Store].
func (m *Memory) Get(ctx context.Context, key string) (Record, error) {
	if err := check(ctx, key); err != nil {
		return Record{}, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	r := m.groups[groupOf(key)].get(key, time.Now())
	if r == nil {
		return Record{}, ErrNotFound
	}
	return Record{key, bytes.Clone(r.value), r.revision}, nil
}

// Put implements [Store].
func (m *Memory) Put(ctx context.Context, key string, value []byte, revision uint64, ttl time.Duration) (uint64, error) {
	if err := check(ctx, key); err != nil {
		return 0, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	m.removeExpired(now)
	g := m.groups[groupOf(key)]
	var have uint64
	if r := g.get(key, now); r != nil {
		have = r.revision
	}
	if have != revision {
		return 0, ErrConflict
	}
	if g == nil {
		g = &memoryGroup{records: make(map[string]*memoryRecord)}
		if m.groups == nil {
			m.groups = make(map[string]*memoryGroup)
		}
		m.groups[groupOf(key)] = g
	}
	if have == 0 && m.full(g, len(key)+len(value)) {
		if g.removeExpired(now); m.full(g, len(key)+len(value)) {
			return 0, ErrFull
		}
	}
	m.last++
	r := &memoryRecord{value: bytes.Clone(value), revision: m.last}
	if ttl > 0 {
		r.expires = now.Add(ttl)
	}
	g.put(key, r)
	return r.revision, nil
}

// full reports whether a group has no room for another record of that many bytes.
func (m *Memory) full(g *memoryGroup, bytes int) bool {
	return m.MaxRecords > 0 && len(g.records) >= m.MaxRecords || m.MaxBytes > 0 && g.bytes+bytes > m.MaxBytes
}

// removeExpired removes expired records, once per sweepEvery. It is called with mu held.
func (m *Memory) removeExpired(now time.Time) {
	if now.Before(m.sweep) {
		return
	}
	m.sweep = now.Add(sweepEvery)
	for first, g := range m.groups {
		if g.removeExpired(now); len(g.records) == 0 {
			delete(m.groups, first)
		}
	}
}

// Delete implements [Store].
func (m *Memory) Delete(ctx context.Context, key string, revision uint64) error {
	if err := check(ctx, key); err != nil {
		return err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	g := m.groups[groupOf(key)]
	if r := g.get(key, time.Now()); revision != 0 && (r == nil || r.revision != revision) {
		return ErrConflict
	}
	if g != nil {
		g.remove(key)
	}
	return nil
}

// List implements [Store].
func (m *Memory) List(ctx context.Context, under, after string, n int) ([]Record, error) {
	if err := check(ctx, under); err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	var list []Record
	g := m.groups[groupOf(under)]
	if g == nil {
		return nil, nil
	}
	for key, r := range g.records {
		if strings.HasPrefix(key, under+".") && key > after && g.get(key, now) != nil {
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
