package client

import (
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/internal/lru"
)

// The limits of what is remembered about a server's tools, for each kind of knowledge. Beyond them, the least
// recently used entries are discarded, until the tools are listed again.
const (
	maxLearned      = 10_000
	maxLearnedBytes = 16 << 20
)

// learned is what a client remembers about tools, by name. The zero value is empty.
type learned[V any] struct {
	mu   sync.Mutex
	kept lru.Map[string, V]
}

func (l *learned[V]) get(name string) (value V, known bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.kept.Get(name)
}

// put remembers a value. Bytes is the size of the value, without its name.
func (l *learned[V]) put(name string, value V, bytes int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept.MaxItems, l.kept.MaxSize = maxLearned, maxLearnedBytes
	l.kept.Put(strings.Clone(name), value, len(name)+bytes) // so that the text of the whole list is not kept
}

// drop discards what is remembered about a name.
func (l *learned[V]) drop(name string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept.Delete(name)
}

// forget discards everything.
func (l *learned[V]) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept = lru.Map[string, V]{}
}
