package server

import "sync"

// A set holds what comes and goes while the server runs: connections, subscriptions, calls in the background. The server ends
// them when it shuts down, and what is added meanwhile would be forgotten; so a set can be closed. The zero set is empty.
// Functions are in a set by pointers to them, because functions cannot be compared.
type set[T comparable] struct {
	mu     sync.Mutex
	items  map[T]struct{}
	closed bool
}

// add adds an item, and reports whether it did. It adds nothing to a closed set.
func (s *set[T]) add(item T) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	if s.items == nil {
		s.items = make(map[T]struct{})
	}
	s.items[item] = struct{}{}
	return true
}

// remove removes an item, if it is there.
func (s *set[T]) remove(item T) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.items, item)
}

// all returns the items, in no particular order. They are a copy, so that no lock is held while the caller works on them.
func (s *set[T]) all() []T {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]T, 0, len(s.items))
	for item := range s.items {
		all = append(all, item)
	}
	return all
}

// close makes add refuse everything from now on, and returns the items.
func (s *set[T]) close() []T {
	s.mu.Lock()
	s.closed = true
	s.mu.Unlock()
	return s.all()
}
