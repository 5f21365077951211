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
	"github.com/mcpgen/mcpgen/runtime/internal/turns"
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
		if got, err := g.Do(t.Context(), "a", fetch); got != "fetched" || err != nil || n.Load() != 2 {
			t.Errorf("later: got %q and %v, fetched %d times", got, err, n.Load())
		}
		// The only one gives up, and another one comes; of two, one gives up.
		for i, others := range []int{0, 1} {
			n.Store(0)
			key := fmt.Sprint("c", i)
			impatient, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			for range others {
				group.Go(func() {
					if got, err := g.Do(t.Context(), key, fetch); got != "fetched" || err != nil {
						t.Error(got, err)
					}
				})
			}
			if _, err := g.Do(impatient, key, fetch); !errors.Is(err, context.DeadlineExceeded) {
				t.Error(err)
			}
			if got, err := g.Do(t.Context(), key, fetch); got != "fetched" || err != nil || n.Load() != 1 {
				t.Errorf("got %q and %v, fetched %d times", got, err, n.Load())
			}
			group.Wait()
		}
		if _, err := g.Do(t.Context(), "b", func(context.Context) (string, error) { panic("why") }); err == nil || err.Error() != "panic: why" {
			t.Error(err)
		}
	})
}

// Whoever asks for much waits for itself, and is refused if that takes too long.
func TestShares(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := flights.New[string, string](4)
		var group sync.WaitGroup
		var refused, last atomic.Int32
		do := func(who string, i int) error {
			_, err := g.Do(share.With(t.Context(), share.Of("", who, nil)), fmt.Sprint(who, i), slow)
			return err
		}
		for i := range 300 {
			group.Go(func() {
				switch err := do("192.0.2.1", i); {
				case errors.Is(err, turns.ErrWaited):
					refused.Add(1)
					last.Store(int32(i))
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
		if err := do("192.0.2.1", int(last.Load())); err != nil {
			t.Errorf("the same again: %v", err)
		}
	})
}

// What nobody waits for any more leaves its place in the queue.
func TestGivenUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := flights.New[string, string](1)
		var group sync.WaitGroup
		var fetched atomic.Int32
		do := func(who string, i int, patience time.Duration) error {
			ctx, cancel := context.WithTimeout(share.With(t.Context(), share.Of("", who, nil)), patience)
			defer cancel()
			_, err := g.Do(ctx, fmt.Sprint(who, i), func(ctx context.Context) (string, error) {
				fetched.Add(1)
				return slow(ctx)
			})
			return err
		}
		for sender := range 6 {
			for i := range 500 {
				for range 2 { // who wait for the same
					group.Go(func() { do(fmt.Sprint("192.0.2.", sender), i, time.Millisecond) })
				}
			}
		}
		group.Wait()
		for i := range 3 { // the same sender, for the same and for something else
			for _, key := range []int{i, 1000 + i} {
				group.Go(func() {
					if err := do("192.0.2.0", key, time.Minute); err != nil {
						t.Error(err)
					}
				})
			}
		}
		group.Wait()
		time.Sleep(time.Minute)                  // until the last one has ended
		if n := fetched.Load(); n < 6 || n > 7 { // one of the six may be the one
			t.Errorf("fetched %d times, want once for those who gave up, and six times", n)
		}
	})
}

// Whoever waits for the same as somebody else waits for its own turn, and not for the other's.
func TestOwnTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := flights.New[string, string](4)
		var group sync.WaitGroup
		var popular atomic.Int32
		do := func(who, key string, within time.Duration) {
			group.Go(func() {
				ctx := share.With(t.Context(), share.Of("", who, nil))
				begun := time.Now()
				got, err := g.Do(ctx, key, func(ctx context.Context) (string, error) {
					if key == "popular" {
						popular.Add(1)
					}
					return slow(ctx)
				})
				if took := time.Since(begun); within > 0 && (got != "fetched" || err != nil || took > within) {
					t.Errorf("%s: %q, %v after %s", who, got, err, took)
				}
			})
			synctest.Wait()
		}
		for i := range 120 {
			do("192.0.2.1", fmt.Sprint(i), 0)
		}
		do("192.0.2.1", "popular", time.Second)
		do("192.0.2.2", "popular", time.Second)
		time.Sleep(time.Second / 2)
		do("192.0.2.1", "popular", time.Second/2)
		do("192.0.2.3", "popular", time.Second/2)
		group.Wait()
		if n := popular.Load(); n != 1 {
			t.Errorf("fetched %d times", n)
		}
	})
}

// Whoever waits for what is being fetched for somebody else has no place in the queue.
func TestPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := flights.New[string, string](4)
		var group sync.WaitGroup
		var full atomic.Int32
		do := func(who, key string) {
			group.Go(func() {
				ctx := share.With(t.Context(), share.Of("", who, nil))
				_, err := g.Do(ctx, key, func(context.Context) (string, error) {
					time.Sleep(time.Minute)
					return "", nil
				})
				if errors.Is(err, turns.ErrFull) {
					full.Add(1)
				}
			})
			synctest.Wait()
		}
		do("192.0.2.1", "first")
		do("192.0.2.1", "popular") // waits for the sender's place
		do("192.0.2.2", "popular")
		for i := range 1024 {
			do("192.0.2.1", fmt.Sprint(i))
		}
		if n := full.Load(); n != 0 {
			t.Errorf("%d of 1024 found no place in the queue", n)
		}
		do("192.0.2.1", "one more")
		if n := full.Load(); n != 1 {
			t.Errorf("%d found no place, want one", n)
		}
		group.Wait()
	})
}
