package streamable

// A queue is linked by fields of its items, so that adding one takes no allocation. The zero value is empty.
type queue[T any] struct{ first, last *link[T] }

// A link is the place of an item in a queue. The zero value is in none.
type link[T any] struct {
	item       T
	in         *queue[T]
	prev, next *link[T]
}

// add adds an item at the end, by a link that is in no queue.
func (q *queue[T]) add(k *link[T], item T) {
	*k = link[T]{item: item, in: q, prev: q.last}
	if q.last == nil {
		q.first = k
	} else {
		q.last.next = k
	}
	q.last = k
}

// remove takes the item out of its queue, if it is in one.
func (k *link[T]) remove() {
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
	*k = link[T]{}
}
