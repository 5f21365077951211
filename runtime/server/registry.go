package server

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sort"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A registry is read by every request and changed seldom. Items are immutable: a change puts another one in the place of the
// old, and discards what was computed from all of them: their order, and the pages of the list. Both are made again when they
// are needed. A page belongs to one order, the slice from which it was made; while that was read without the lock, the items
// may have changed, and then the page is sent, but not kept.

// A kind is a pointer to a struct that embeds an item.
type kind interface{ common() *item }

// A registry holds the items of one kind. They are listed in the order of their keys, so that all processes
// with the same items list them in the same order. It has no type parameter: its methods would be compiled again with each
// package that uses servers, which then takes two tenths of a second longer.
type registry struct {
	name string                           // of the kind, for messages
	list listKind                         // that the items are in
	make func(given *offer) (kind, error) // makes an item

	extensions func() []*Extension // those of the server

	// Mu guards what follows. It is not held while items are made, which runs functions of the program. Slices are replaced,
	// never changed: get and sorted return them.
	mu     sync.RWMutex
	items  map[string][]kind // by key; several are variants, of which each excludes the others
	order  []kind            // nil after a change
	needs  abilities         // of all items in order
	varies bool              // a filter may decide about some of them differently for each caller
	used   bool              // there has been an item
	pages  map[pageKey]wire.Raw
}

// A pageKey identifies a page that is kept.
type pageKey struct {
	rev   wire.Revision
	start int       // index of the first item, a multiple of the page size
	able  abilities // that the client has, of those that items need
}

// errExists is the error for a second item with the same key.
var errExists = errors.New("there is one already; remove it first, or choose another name")

// isStale reports whether an extension was added or replaced since an item was made. It is asked with mu held, in the moment
// in which the item enters the registry; an extension that comes later finds it there. So no item is without the filters and
// the wrappers of an extension, whoever is faster.
func (r *registry) isStale(t kind) bool { return !slices.Equal(t.common().extensions, r.extensions()) }

// set puts an item under its key, beside variants of it. The caller holds mu.
func (r *registry) set(t kind) error {
	i := t.common()
	for _, other := range r.items[i.key] {
		if r.list != toolsList || !i.Access.excludes(&other.common().Access) {
			return fmt.Errorf("%s %q: %w", r.name, i.key, errExists)
		}
	}
	if r.items == nil {
		r.items = make(map[string][]kind)
	}
	r.items[i.key] = append(slices.Clip(r.items[i.key]), t)
	r.used = true
	return nil
}

// exchange replaces the items of a source, if that is not nil, and reports whether anything has changed. It leaves out items that
// are not valid, and those whose keys other items have; the error is about these. Two tools of one name are a mistake of the
// program, and which of them a client gets should not depend on the order in which they were added.
func (r *registry) exchange(source any, items []*Item) (changed bool, err error) {
	var made []kind
	var left []error
	for _, i := range items {
		t, err := r.make(newOffer(*i))
		if err != nil {
			left = append(left, err)
			continue
		}
		made = append(made, t)
	}
	r.mu.Lock()
	if slices.ContainsFunc(made, r.isStale) { // made with extensions that have changed meanwhile: once more
		r.mu.Unlock()
		return r.exchange(source, items)
	}
	defer r.mu.Unlock()
	// Removed first: new items may have the keys of old ones.
	changed = r.removeAll(func(i *item) bool { return source != nil && i.Source == source })
	for _, t := range made {
		if err := r.set(t); err != nil {
			left = append(left, err)
			continue
		}
		changed = true
	}
	r.order, r.pages = nil, nil
	return changed, errors.Join(left...)
}

// renew makes all items anew, because what they are made with has changed. An item that cannot be made stays as it was;
// the error is about these.
func (r *registry) renew() error {
	var left []error
	order, _, _ := r.sorted()
	renewed := make(map[kind]kind, len(order))
	for _, t := range order {
		again, err := r.make(t.common().given)
		if err != nil {
			left = append(left, err)
			continue
		}
		renewed[t] = again
	}
	r.mu.Lock()
	if slices.ContainsFunc(slices.Collect(maps.Values(renewed)), r.isStale) {
		r.mu.Unlock()
		return r.renew()
	}
	defer r.mu.Unlock()
	for key, variants := range r.items {
		variants = slices.Clone(variants)
		for n, t := range variants {
			if again, ok := renewed[t]; ok { // else it was added meanwhile
				variants[n] = again
			}
		}
		r.items[key] = variants
	}
	r.order, r.pages = nil, nil
	return errors.Join(left...)
}

// forget discards what was computed from the items, because filters decide differently now.
func (r *registry) forget() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.order, r.pages = nil, nil
}

// remove removes items and reports whether there were any.
func (r *registry) remove(keys []string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.removeAll(func(i *item) bool { return slices.Contains(keys, i.key) }) {
		return false
	}
	r.order, r.pages = nil, nil
	return true
}

// removeAll removes the items that a function chooses, and reports whether there were any. The caller holds mu.
func (r *registry) removeAll(chosen func(i *item) bool) (removed bool) {
	for key, variants := range r.items {
		left := slices.DeleteFunc(slices.Clone(variants), func(t kind) bool { return chosen(t.common()) })
		removed = removed || len(left) < len(variants)
		if r.items[key] = left; len(left) == 0 {
			delete(r.items, key)
		}
	}
	return removed
}

// find returns the item of r with that key that exists for the caller of c, nil if there is none; of variants there is one at most.
// Show and refused are what its filters decide.
func find[T kind](ctx context.Context, c *Call, r *registry, key string) (t T, show bool, refused error) {
	for _, t := range r.get(key) {
		if show, refused := t.common().filter(ctx, c, nil); refused != errNoItem {
			return t.(T), show, refused
		}
	}
	return t, false, nil
}

// get returns the items with a key; more than one are variants.
func (r *registry) get(key string) []kind {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.items[key]
}

// offered reports whether there is or was an item.
func (r *registry) offered() bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.used
}

// complete adds a completer to the item with that key.
func (r *registry) complete(key, argument string, f Completer) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.items[key]) == 0 {
		return errors.New("there is none; add it first")
	}
	by := &r.items[key][0].common().given.completers
	with := maps.Clone(*by.Load())
	if with[argument] != nil {
		return fmt.Errorf("the argument %q has a completer already", argument)
	}
	if with == nil {
		with = make(map[string]Completer)
	}
	with[argument] = f
	by.Store(&with)
	return nil
}

// sorted returns all items in order, what a caller must have to see all of them, and whether a filter may decide about
// some of them differently for each caller. The slices are never changed.
func (r *registry) sorted() (order []kind, needs abilities, varies bool) {
	r.mu.RLock()
	order, needs, varies = r.order, r.needs, r.varies
	r.mu.RUnlock()
	if order != nil {
		return order, needs, varies
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.order == nil {
		r.order = make([]kind, 0, len(r.items))
		r.needs, r.varies = 0, false
		for _, variants := range r.items {
			for _, t := range variants {
				r.order = append(r.order, t)
				i := t.common()
				r.needs |= i.gate.needs
				r.varies = r.varies || i.varies()
			}
		}
		slices.SortStableFunc(r.order, func(a, b kind) int { return strings.Compare(a.common().key, b.common().key) })
	}
	return r.order, r.needs, r.varies
}

// kept returns the page that is kept for k, if order is still current.
func (r *registry) kept(order []kind, k pageKey) (wire.Raw, bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	p, ok := r.pages[k]
	return p, ok && sameSlice(order, r.order)
}

// keep keeps a page that was made from order, unless the items have changed since. How many pages there are is bounded by the
// revisions, the pages of one reading from the start, and the abilities that items need.
func (r *registry) keep(order []kind, k pageKey, p wire.Raw) {
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

// sameSlice reports whether a and b are one slice. No two orders are, unless both are empty, and nil is no order.
func sameSlice(a, b []kind) bool {
	return len(a) == len(b) && b != nil && (len(a) == 0 || &a[0] == &b[0])
}

// after returns the index of the first item whose key is greater than key.
func after(order []kind, key string) int {
	return sort.Search(len(order), func(i int) bool { return order[i].common().key > key })
}
