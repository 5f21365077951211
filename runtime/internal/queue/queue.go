// Package queue has queues that are linked by fields of their items, so that adding an item takes no allocation, and
// removing one no search.
package queue

import "iter"

// A Queue is a queue of items. The zero value is empty.
type Queue[T any] struct{ first, last *Link[T] }

// A Link is the place of an item in a queue. The zero value is in none.
type Link[T any] struct {
	item       T
	in         *Queue[T]
	prev, next *Link[T]
}

// Add adds an item at the end, by a link that is in no queue.
func (q *Queue[T]) Add(k *Link[T], item T) {
	*k = Link[T]{item: item, in: q, prev: q.last}
	if q.last == nil {
		q.first = k
	} else {
		q.last.next = k
	}
	q.last = k
}

// Remove takes the item out of its queue, if it is in one.
func (k *Link[T]) Remove() {
	if k.in == nil {
		return
	}
	if k.prev == nil {
		k.in.first = k.next
	} else {
		k.prev.next = k.next
	}
	if k.next == nil {
		k.in.last = k.prev
	} else {
		k.next.prev = k.prev
	}
	*k = Link[T]{}
}

// First returns the first item, if there is one.
func (q *Queue[T]) First() (item T, ok bool) {
	if q.first == nil {
		return item, false
	}
	return q.first.item, true
}

// All returns the items, the first one first. No item may be removed meanwhile.
func (q *Queue[T]) All() iter.Seq[T] {
	return func(yield func(T) bool) {
		for k := q.first; k != nil && yield(k.item); k = k.next {
		}
	}
}
