package auth

import (
	"crypto/sha256"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/internal/lru"
)

// A tokenKey is the hash of a token, so that the time of a lookup says nothing about the tokens that are cached.
type tokenKey [sha256.Size]byte

func keyOf(token string) tokenKey {
	var buf [1024]byte // converting the string would allocate
	return sha256.Sum256(append(buf[:0], token...))
}

// A cache keeps the values of the tokens that were used or added last.
type cache[V any] struct {
	mu   sync.Mutex
	kept lru.Map[tokenKey, V]
}

// newCache returns a cache for at most max tokens. Beyond that the token that was not used for longest is forgotten, which costs
// its sender another verification, and nobody anything else.
func newCache[V any](max int) *cache[V] {
	return &cache[V]{kept: lru.Map[tokenKey, V]{MaxItems: max}}
}

func (c *cache[V]) get(k tokenKey) (V, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.kept.Get(k)
}

// put adds or replaces a value.
func (c *cache[V]) put(k tokenKey, v V) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.kept.Put(k, v, 0)
}
