package auth

import (
	"crypto/sha256"
	"sync"
)

// A tokenKey is the hash of a token, so that the time of a lookup says nothing about the tokens that are cached.
type tokenKey [sha256.Size]byte

func keyOf(token string) tokenKey {
	var buf [1024]byte // converting the string would allocate
	return sha256.Sum256(append(buf[:0], token...))
}

// A cache keeps the values of at most max tokens: approximately those that were used or added last. It has two
// generations; when the younger is full, the older is dropped.
type cache[V any] struct {
	max   int
	mu    sync.RWMutex
	young map[tokenKey]V
	old   map[tokenKey]V
}

func newCache[V any](max int) *cache[V] {
	return &cache[V]{max: max, young: map[tokenKey]V{}}
}

func (c *cache[V]) get(k tokenKey) (V, bool) {
	c.mu.RLock()
	v, ok := c.young[k]
	aged := false
	if !ok {
		_, aged = c.old[k]
	}
	c.mu.RUnlock()
	if !aged {
		return v, ok
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if v, ok = c.young[k]; ok { // meanwhile
		return v, true
	}
	if v, ok = c.old[k]; ok {
		c.set(k, v)
	}
	return v, ok
}

// put adds or replaces a value.
func (c *cache[V]) put(k tokenKey, v V) {
	if c.max < 2 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.set(k, v)
}

// set is put with mu held.
func (c *cache[V]) set(k tokenKey, v V) {
	if _, ok := c.young[k]; !ok && len(c.young) >= c.max/2 {
		c.old, c.young = c.young, make(map[tokenKey]V, len(c.young))
	}
	c.young[k] = v
	delete(c.old, k)
}
