package flights_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/flights"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
)

func slow(context.Context) (string, error) {
	time.Sleep(time.Second)
	return "fetched", nil
}

// One fetch serves all who wait for it, and goes on when one of them gives up.
func TestOneForAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := flights.New[string, string](4)
		var n atomic.Int32
		fetch := func(ctx context.Context) (string, error) {
			n.Add(1)
			return slow(ctx)
		}
		impatient, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		var group sync.WaitGroup
		group.Go(func() {
			if _, err := g.Do(impatient, "a", fetch); !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
		})
		synctest.Wait()
		for range 10 {
			group.Go(func() {
				if got, err := g.Do(t.Context(), "a", fetch); got != "fetched" || err != nil {
					t.Error(got, err)
				}
			})
		}
		group.Wait()
		if n.Load() != 1 {
			t.Errorf("fetched %d times", n.Load())
		}
		if _, err := g.Do(t.Context(), "b", func(context.Context) (string, error) { panic("why") }); err == nil || err.Error() != "panic: why" {
			t.Error(err)
		}
	})
}

// Whoever asks for much waits for itself, and is refused if too much of it waits.
func TestShares(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := flights.New[string, string](4)
		var group sync.WaitGroup
		var refused atomic.Int32
		do := func(who string, i int) error {
			_, err := g.Do(share.With(t.Context(), share.Of("", who, nil)), fmt.Sprint(who, i), slow)
			return err
		}
		for i := range 300 {
			group.Go(func() {
				switch err := do("192.0.2.1", i); {
				case errors.Is(err, share.ErrFull), errors.Is(err, share.ErrWaited):
					refused.Add(1)
				case err != nil:
					t.Error(err)
				}
			})
		}
		synctest.Wait()
		begun := time.Now()
		if err := do("192.0.2.2", 0); err != nil || time.Since(begun) > time.Second {
			t.Errorf("another one: %v after %s", err, time.Since(begun))
		}
		group.Wait()
		if n := refused.Load(); n < 300-12 || n > 300-9 { // one at a time, for ten seconds
			t.Errorf("%d were refused", n)
		}
	})
}
