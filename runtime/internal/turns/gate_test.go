package turns_test

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/internal/turns"
)

// An owner has its part of the places, and those who wait take turns. When the queue is full, the newest request of the
// owner that has most gives way to one of an owner that has fewer.
func TestGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := turns.Gate{Max: 8, Queue: 4}
		var happened []string
		come := func(names string) {
			for name := range strings.FieldsSeq(names) {
				go func() {
					if err := g.Enter(t.Context(), share.Of(name, "", nil), time.Hour); err == nil {
						happened = append(happened, name)
					} else if err == turns.ErrFull {
						happened = append(happened, "no "+name)
					} else {
						t.Error(err)
					}
				}()
				synctest.Wait()
			}
		}
		leave := func(name string) {
			g.Leave(share.Of(name, "", nil))
			synctest.Wait()
		}
		expect := func(want string) {
			t.Helper()
			if got := strings.Join(happened, ", "); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			happened = nil
		}
		come("abe abe amy amy")
		expect("abe, abe, amy, amy")
		come("ada ada ada ada ada ada ada") // two inside, four wait, and there is no room for another
		expect("ada, ada, no ada")
		come("bob eve")
		expect("bob, eve")
		come("zoe zoe zoe") // zoe would have most with the third
		expect("no ada, no ada, no zoe")
		come("bob eve kim")
		expect("no ada, no zoe, no kim") // all have one
		leave("eve")                     // the turn is that of ada, who has her part
		expect("zoe")
		leave("ada")
		expect("ada")
		leave("zoe")
		expect("bob")
		leave("bob")
		expect("eve")
		for _, name := range []string{"ada", "ada", "bob", "eve"} {
			leave(name)
		}
		come("eve eve ada ada")
		expect("eve, eve, ada, ada")
	})
}

// Whoever gives up, or has waited for too long, leaves its place in the queue to others.
func TestGateGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := turns.Gate{Max: 1, Whole: true, Queue: 1}
		ada := share.Of("ada", "", nil)
		if err := g.Enter(t.Context(), ada, 0); err != nil {
			t.Fatal(err)
		}
		why := errors.New("why")
		ctx, cancel := context.WithCancelCause(t.Context())
		time.AfterFunc(time.Second, func() { cancel(why) })
		if err := g.Enter(ctx, share.Owner{}, time.Minute); err != why {
			t.Errorf("got %v", err)
		}
		begun := time.Now()
		if err := g.Enter(t.Context(), share.Owner{}, time.Minute); err != turns.ErrWaited || time.Since(begun) != time.Minute {
			t.Errorf("got %v after %s", err, time.Since(begun))
		}
		go func() {
			time.Sleep(time.Second)
			g.Leave(ada)
		}()
		if err := g.Enter(t.Context(), share.Owner{}, time.Minute); err != nil {
			t.Error(err)
		}
		g.Leave(share.Owner{}) // nobody waits any more
	})
}

// Where one owner may have all places, it has them, and all of its requests that wait get in, one after the other.
func TestGateOneOwner(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := turns.Gate{Max: 8, Whole: true, Queue: 3}
		ada := share.Of("ada", "", nil)
		for range 2 {
			var came atomic.Int32
			for range 11 {
				go func() {
					if err := g.Enter(t.Context(), ada, time.Hour); err != nil {
						t.Error(err)
					}
					came.Add(1)
				}()
			}
			for i := range int32(11) {
				want := min(8+i, 11)
				if synctest.Wait(); came.Load() != want {
					t.Errorf("%d got in, want %d", came.Load(), want)
				}
				g.Leave(ada)
			}
		}
	})
}
