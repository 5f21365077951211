// Package rate bounds how often clients may do something.
package rate

import (
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/lru"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
)

// maxRated is how many owners a Rate tells apart. One more replaces the one that has taken nothing for longest, who
// may then take as many at once as a new one.
const maxRated = 10_000

// A Rate bounds how often each owner may do something, by the generic cell rate algorithm: whatever an owner takes
// reserves an equal part of time, after the parts that it has reserved before, and the reserved time must not reach
// further than a burst lasts. Owners that are known only by their connections are told apart, too.
type Rate struct {
	each  time.Duration // the part of time that one takes
	burst time.Duration // how far from now time may be reserved

	mu   sync.Mutex
	free lru.Map[share.Owner, *time.Time] // when nothing is reserved any more
}

// New returns a Rate of n in a period, of which so many may come at once. All must be positive.
func New(n int, period time.Duration, burst int) *Rate {
	each, most := share.Parts(n, period, burst)
	return &Rate{each: each, burst: most, free: lru.Map[share.Owner, *time.Time]{MaxItems: maxRated}}
}

// Allow reports whether an owner may take one now, and takes it.
func (r *Rate) Allow(o share.Owner) bool {
	_, wait := r.Take(o, time.Now())
	return wait == 0
}

// Take takes one for an owner, and returns the end of the time that it reserves. If the owner may take none now, it returns
// how long to wait.
func (r *Rate) Take(o share.Owner, now time.Time) (end time.Time, wait time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	free, known := r.free.Get(o)
	if !known {
		free = new(time.Time)
		r.free.Put(o, free, 0)
	}
	if wait := share.Reserve(free, now, r.each, r.burst); wait > 0 {
		return time.Time{}, wait
	}
	return *free, 0
}

// GiveBack gives back what an owner has taken by the reservation that ends at end, unless that time has passed.
func (r *Rate) GiveBack(o share.Owner, end, now time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if free, known := r.free.Get(o); known && end.After(now) && free.After(now) {
		*free = free.Add(-r.each)
	}
}
