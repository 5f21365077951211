package filelock

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"
)

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lock")
	var all sync.WaitGroup
	inside, n := 0, 0
	for range 20 {
		all.Go(func() {
			unlock, err := Lock(context.Background(), path)
			if err != nil {
				t.Error(err)
				return
			}
			defer unlock()
			if inside++; inside != 1 {
				t.Errorf("%d have the lock", inside)
			}
			n++
			inside--
		})
	}
	all.Wait()
	if n != 20 {
		t.Errorf("%d had the lock", n)
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
