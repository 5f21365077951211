// Package lru has bounded maps, which discard the least recently used items.
package lru

import "container/list"

// A Map is a map with limits. It is for one goroutine at a time.
type Map[K comparable, V any] struct {
	MaxItems int
	MaxSize  int // of all items together

	items map[K]*list.Element // of *item[K, V]
	used  list.List           // the one used last in front
	size  int
}

type item[K comparable, V any] struct {
	key   K
	value V
	size  int
}

// Len returns the number of items.
func (m *Map[K, V]) Len() int { return len(m.items) }

// Size returns the size of all items together.
func (m *Map[K, V]) Size() int { return m.size }

// Get returns the value of a key, and makes the key the most recently used one.
func (m *Map[K, V]) Get(key K) (value V, found bool) {
	e := m.items[key]
	if e == nil {
		return value, false
	}
	m.used.MoveToFront(e)
	return e.Value.(*item[K, V]).value, true
}

// Put sets the value of a key, and makes the key the most recently used one. If the value is too large by itself,
// the key is removed.
func (m *Map[K, V]) Put(key K, value V, size int) {
	m.Delete(key)
	if size > m.MaxSize || m.MaxItems <= 0 {
		return
	}
	if m.items == nil {
		m.items = make(map[K]*list.Element)
	}
	for len(m.items) >= m.MaxItems || m.size+size > m.MaxSize {
		m.remove(m.used.Back())
	}
	m.items[key] = m.used.PushFront(&item[K, V]{key, value, size})
	m.size += size
}

// Delete removes a key.
func (m *Map[K, V]) Delete(key K) {
	if e := m.items[key]; e != nil {
		m.remove(e)
	}
}

// DeleteFunc removes the keys for which del returns true.
func (m *Map[K, V]) DeleteFunc(del func(K) bool) {
	for key, e := range m.items {
		if del(key) {
			m.remove(e)
		}
	}
}

func (m *Map[K, V]) remove(e *list.Element) {
	old := m.used.Remove(e).(*item[K, V])
	delete(m.items, old.key)
	m.size -= old.size
}
