package server

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// An item is what a tool, a prompt, a resource and a resource template have in common.
type item struct {
	key        string   // its name or URI
	definition any      // what [Options.Visible] receives
	scopes     []string // that it requires; those of a template may have variables
	gate       *gate
	from       *mount // that brought it; nil if it is the server's own
}

func (i *item) common() *item { return i }

// A kind is a pointer to a struct that embeds an item.
type kind interface {
	comparable
	common() *item
}

// A registry holds the items of one kind. They are listed in the order of their keys, so that all processes
// with the same items list them in the same order.
type registry[T kind] struct {
	mu    sync.RWMutex
	items map[string]T
	order []T       // nil after a change
	needs abilities // of all items in order
	used  bool      // there has been an item
	pages map[pageKey]wire.Raw
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

// offer adds a new item, for callers that access admits. What names the function and the item in errors.
func offer[T kind](s *Server, to *registry[T], list listKind, what string, t T, access []Access, variables []string) error {
	i := t.common()
	var err error
	if i.scopes, i.gate, err = s.takeAccess(access, variables); err == nil {
		err = to.put(t)
	}
	if err != nil {
		return fmt.Errorf("server: %s %q: %w", what, i.key, err)
	}
	s.listChanged(list)
	return nil
}

// put adds an item. Its key must be new.
func (r *registry[T]) put(t T) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.items == nil {
		r.items = make(map[string]T)
	}
	key := t.common().key
	if _, taken := r.items[key]; taken {
		return errExists
	}
	r.items[key] = t
	r.order, r.pages, r.used = nil, nil, true
	return nil
}

// exchange replaces the items of a mount, and returns the keys that it could not add because other items have them.
func (r *registry[T]) exchange(m *mount, items []T) (taken []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.items == nil {
		r.items = make(map[string]T)
	}
	maps.DeleteFunc(r.items, func(_ string, t T) bool { return t.common().from == m })
	for _, t := range items {
		key := t.common().key
		if _, again := r.items[key]; again {
			taken = append(taken, key)
			continue
		}
		r.items[key] = t
		r.used = true
	}
	r.order, r.pages = nil, nil
	return taken
}

// forget discards what was computed from the items, because they have changed.
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
func (r *registry[T]) get(key string) T {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.items[key]
}

// offered reports whether there is or was an item.
func (r *registry[T]) offered() bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.used
}

// sorted returns all items in order, and what a caller must have to see all of them. The slices are never
// changed.
func (r *registry[T]) sorted() (order []T, needs abilities) {
	r.mu.RLock()
	order, needs = r.order, r.needs
	r.mu.RUnlock()
	if order != nil {
		return order, needs
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.order == nil {
		r.order = make([]T, 0, len(r.items))
		r.needs = 0
		for _, t := range r.items {
			r.order = append(r.order, t)
			if g := t.common().gate; g != nil {
				r.needs |= g.needs
			}
		}
		slices.SortFunc(r.order, func(a, b T) int { return strings.Compare(a.common().key, b.common().key) })
	}
	return r.order, r.needs
}

// kept returns the page that is kept for k, if order is still current.
func (r *registry[T]) kept(order []T, k pageKey) (wire.Raw, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	p, ok := r.pages[k]
	return p, ok && sameSlice(order, r.order)
}

// keep keeps a page that was made from order, unless the items have changed since.
func (r *registry[T]) keep(order []T, k pageKey, p wire.Raw) {
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
func after[T kind](order []T, key string) int {
	return sort.Search(len(order), func(i int) bool { return order[i].common().key > key })
}
