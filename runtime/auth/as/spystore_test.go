package as_test

import (
	"bytes"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/cluster/store"
)

// A spyStore remembers all that was ever stored.
type spyStore struct {
	store.Memory
	mu  sync.Mutex
	all bytes.Buffer
}

func (s *spyStore) Put(ctx context.Context, key string, value []byte, revision uint64, ttl time.Duration) (uint64, error) {
	s.mu.Lock()
	fmt.Fprintf(&s.all, "%s %s\n", key, value)
	s.mu.Unlock()
	return s.Memory.Put(ctx, key, value, revision, ttl)
}
