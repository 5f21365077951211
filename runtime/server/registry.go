package server

import (
	"errors"
	"maps"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A registry holds the items of one kind. They are listed in the order of their keys, so that all processes
// with the same items list them in the same order.
type registry[T any] struct {
	mu    sync.RWMutex
	items map[string]*entry[T]
	order []*entry[T] // nil after a change
	needs needs       // of all items in order
	used  bool        // there has been an item
	pages map[pageKey]wire.Raw
}

type entry[T any] struct {
	key    string
	item   *T
	scopes []string // that a caller must have to see the item in a list
	gate   *gate
	from   *mount // that brought the item; nil if it is the server's own
}

// needs are what a caller must have to see all items of a kind.
type needs struct {
	scopes    []string
	abilities abilities
}

// A pageKey identifies a page that is kept.
type pageKey struct {
	rev   wire.Revision
	start int  // index of the first item, a multiple of the page size
	tasks bool // for clients with tasks
	able  abilities
}

// errExists is the error for a second item with the same key.
var errExists = errors.New("there is one already; remove it first, or choose another name")

// put adds an item. Its key must be new.
func (r *registry[T]) put(e *entry[T]) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.items == nil {
		r.items = make(map[string]*entry[T])
	}
	if r.items[e.key] != nil {
		return errExists
	}
	r.items[e.key] = e
	r.order, r.pages, r.used = nil, nil, true
	return nil
}

// exchange replaces the items that a mount has brought, and returns the keys of those that it cannot add because
// there are others with these keys.
func (r *registry[T]) exchange(m *mount, items []*entry[T]) (taken []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.items == nil {
		r.items = make(map[string]*entry[T])
	}
	maps.DeleteFunc(r.items, func(_ string, e *entry[T]) bool { return e.from == m })
	for _, e := range items {
		if r.items[e.key] != nil {
			taken = append(taken, e.key)
			continue
		}
		e.from = m
		r.items[e.key] = e
		r.used = true
	}
	r.order, r.pages = nil, nil
	return taken
}

// forget discards what was made of the items, since they are listed otherwise from now on.
func (r *registry[T]) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.order, r.pages = nil, nil
}

// remove removes items and reports whether there were any.
func (r *registry[T]) remove(keys []string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	n := len(r.items)
	for _, key := range keys {
		delete(r.items, key)
	}
	if len(r.items) == n {
		return false
	}
	r.order, r.pages = nil, nil
	return true
}

// get returns the item with that key, nil if there is none.
func (r *registry[T]) get(key string) *T {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if e := r.items[key]; e != nil {
		return e.item
	}
	return nil
}

// offered reports whether there is an item, or was one.
func (r *registry[T]) offered() bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.used
}

// sorted returns all items in order, and what a caller must have to see all of them. The slices are never
// changed.
func (r *registry[T]) sorted() (order []*entry[T], all needs) {
	r.mu.RLock()
	order, all = r.order, r.needs
	r.mu.RUnlock()
	if order != nil {
		return order, all
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.order == nil {
		r.order = make([]*entry[T], 0, len(r.items))
		for _, e := range r.items {
			r.order = append(r.order, e)
		}
		slices.SortFunc(r.order, func(a, b *entry[T]) int { return strings.Compare(a.key, b.key) })
		r.needs = needs{}
		for _, e := range r.order {
			r.needs.scopes = append(r.needs.scopes, e.scopes...)
			if e.gate != nil {
				r.needs.abilities |= e.gate.needs
			}
		}
		slices.Sort(r.needs.scopes)
		r.needs.scopes = slices.Compact(r.needs.scopes)
	}
	return r.order, r.needs
}

// kept returns the page that is kept for k, if order is still the current one.
func (r *registry[T]) kept(order []*entry[T], k pageKey) (wire.Raw, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	p, ok := r.pages[k]
	return p, ok && sameSlice(order, r.order)
}

// keep keeps a page that was made from order, unless the items have changed since.
func (r *registry[T]) keep(order []*entry[T], k pageKey, p wire.Raw) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !sameSlice(order, r.order) {
		return
	}
	if r.pages == nil {
		r.pages = make(map[pageKey]wire.Raw)
	}
	r.pages[k] = p
}

func sameSlice[T any](a, b []T) bool {
	return len(a) == len(b) && b != nil && (len(a) == 0 || &a[0] == &b[0])
}

// after returns the index of the first item whose key is greater than key.
func after[T any](order []*entry[T], key string) int {
	return sort.Search(len(order), func(i int) bool { return order[i].key > key })
}
