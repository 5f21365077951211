package otel

import (
	"maps"
	"sync"
	"sync/atomic"
)

// maxCached is how many values a cache keeps. Further values are made each time.
const maxCached = 1024

// A cache keeps values by key, since sets of attributes are expensive to make. Reading takes no lock.
type cache[K comparable, V any] struct {
	values atomic.Pointer[map[K]V] // replaced, never changed
	mu     sync.Mutex              // held while it is replaced
}

// get returns the value of a key, which fresh makes if there is none yet.
func (c *cache[K, V]) get(key K, fresh func(K) V) V {
	if m := c.values.Load(); m != nil {
		if v, ok := (*m)[key]; ok {
			return v
		}
	}
	v := fresh(key)
	c.mu.Lock()
	defer c.mu.Unlock()
	old := c.values.Load()
	var next map[K]V
	if old == nil {
		next = make(map[K]V)
	} else if len(*old) >= maxCached {
		return v
	} else {
		next = maps.Clone(*old)
	}
	next[key] = v
	c.values.Store(&next)
	return v
}
