package as_test

import (
	"bytes"
	"context"
	"fmt"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/auth/as"
)

// A spyStore remembers all that was ever stored.
type spyStore struct {
	as.Store
	mu  sync.Mutex
	all bytes.Buffer
}

func (s *spyStore) note(r as.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fmt.Fprintf(&s.all, "%s %s %s\n", r.Kind, r.Key, r.Value)
}

func (s *spyStore) Create(ctx context.Context, r as.Record) error {
	s.note(r)
	return s.Store.Create(ctx, r)
}

func (s *spyStore) Replace(ctx context.Context, old []byte, r as.Record) error {
	s.note(r)
	return s.Store.Replace(ctx, old, r)
}
