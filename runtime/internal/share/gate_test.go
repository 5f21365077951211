package share_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/share"
)

// An owner has its part of the places and of the queue, and those who wait take turns.
func TestGate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := share.Gate{Max: 4, Percent: 50, Queue: 8, Share: 25}
		var entered []string
		come := func(names string) {
			for name := range strings.FieldsSeq(names) {
				go func() {
					if err := g.Enter(t.Context(), share.Of(name, "", nil), time.Hour); err == nil {
						entered = append(entered, name)
					} else {
						entered = append(entered, name+": "+err.Error())
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
			if got := strings.Join(entered, ", "); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
			entered = nil
		}
		come("ada ada ada ada ada bob") // two of ada inside, two wait, and there is no room for another
		expect("ada, ada, ada: " + share.ErrFull.Error() + ", bob")
		come("eve zoe bob zoe")
		expect("eve")
		leave("eve") // the turn is that of ada, who has her part
		expect("zoe")
		leave("ada")
		expect("ada")
		leave("zoe")
		expect("bob")
		leave("bob")
		expect("zoe")
		leave("ada")
		expect("ada")
		leave("ada")
		leave("ada")
		leave("bob")
		leave("zoe")
		come("eve eve ada ada")
		expect("eve, eve, ada, ada")
		leave("eve")
		leave("eve")
		leave("ada")
		leave("ada")
	})
}

// Whoever gives up, or has waited for too long, leaves its place in the queue to others.
func TestGateGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := share.Gate{Max: 1, Percent: 100, Queue: 1, Share: 100}
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
		if err := g.Enter(t.Context(), share.Owner{}, time.Minute); err != share.ErrWaited || time.Since(begun) != time.Minute {
			t.Errorf("got %v after %s", err, time.Since(begun))
		}
		go func() {
			time.Sleep(time.Second)
			g.Leave(ada)
		}()
		if err := g.Enter(t.Context(), share.Owner{}, time.Minute); err != nil {
			t.Error(err)
		}
	})
}
