package filelock

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
)

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var all sync.WaitGroup
	var inside, n atomic.Int32 // the race detector does not know of locks on files
	for range 20 {
		all.Go(func() {
			unlock, err := Lock(context.Background(), path)
			if err != nil {
				t.Error(err)
				return
			}
			defer unlock()
			if now := inside.Add(1); now != 1 {
				t.Errorf("%d have the lock", now)
			}
			n.Add(1)
			inside.Add(-1)
		})
	}
	all.Wait()
	if got := n.Load(); got != 20 {
		t.Errorf("%d had the lock", got)
	}
	unlock, err := Lock(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	gone := errors.New("gone")
	cancel(gone)
	if _, err := Lock(ctx, path); err != gone {
		t.Errorf("got %v", err)
	}
	unlock()
	if unlock, err = Lock(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	unlock()
	if _, err := Lock(t.Context(), filepath.Join(path, "x")); err == nil {
		t.Error("a lock in a folder that is none")
	}
}
