package rate

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/internal/limits"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
)

func named(who string) share.Owner { return share.Of(who, "", nil) }

// What is given back can be taken once.
func TestRateGivesBack(t *testing.T) {
	r := New(2, time.Minute, 2)
	now, who := time.Now(), named("ada")
	take := func(want time.Duration) time.Time {
		t.Helper()
		end, wait := r.Take(who, now)
		if wait != want {
			t.Fatalf("wait %s, want %s", wait, want)
		}
		return end
	}
	first, second := take(0), take(0)
	take(30 * time.Second)
	r.GiveBack(who, first, now)
	r.GiveBack(who, second, now)
	take(0)
	take(0)
	take(30 * time.Second)
	now = now.Add(time.Hour)
	take(0)
	r.GiveBack(who, second, now) // whose time has passed
	take(0)
	take(30 * time.Second)
	r.GiveBack(named("bob"), first, now) // who has taken nothing
}

// No owner gets more than one burst and its rate, whatever the moments, nor must it wait for more than one part of time.
func TestRate(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n, burst := 1+random.IntN(10), 1+random.IntN(20)
		r := New(n, time.Second, burst)
		begun := time.Now()
		now, taken := begun, 0
		for range 500 {
			now = now.Add(time.Duration(random.Int64N(int64(time.Second) / 5)))
			switch _, wait := r.Take(named("ada"), now); {
			case wait > r.each:
				t.Fatalf("rate %d: wait %s for the next one", n, wait)
			case wait == 0:
				taken++
			}
			if most := float64(burst) + now.Sub(begun).Seconds()*float64(n); float64(taken) > most {
				t.Fatalf("rate %d, burst %d: %d in %s", n, burst, taken, now.Sub(begun))
			}
		}
		if least := now.Sub(begun).Seconds() * float64(n) / 3; float64(taken) < least {
			t.Fatalf("rate %d, burst %d: only %d in %s", n, burst, taken, now.Sub(begun))
		}
	}
}

// A rate without limit is not reached, and none overflows.
func TestRateOfMany(t *testing.T) {
	now := time.Now()
	for _, r := range []*Rate{New(math.MaxInt, time.Minute, math.MaxInt), New(1, math.MaxInt64, 1<<40), New(1<<62, time.Hour, 1<<62)} {
		for range 1000 {
			if _, wait := r.Take(share.Owner{}, now); wait > 0 && r.each < time.Hour {
				t.Fatalf("each %s: wait %s", r.each, wait)
			}
		}
	}
}

// So many owners are told apart, and none has to wait for what others took.
func TestRateIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := New(3, time.Minute, 3)
		limits.Shared(t, 3, func(who string) bool { return r.Allow(named(who)) })
		r = New(2, time.Minute, 2)
		now := time.Now()
		first, _ := r.Take(named("first"), now)
		for i := range 2 * maxRated {
			who := named(fmt.Sprint(i))
			for n, want := range []bool{true, true, false} {
				if r.Allow(who) != want {
					t.Fatalf("owner %d: %d is allowed: %t", i, n, !want)
				}
			}
		}
		r.GiveBack(named("first"), first, now) // which is forgotten
		if r.free.Len() != maxRated {
			t.Errorf("%d owners are kept", r.free.Len())
		}
		time.Sleep(time.Minute)
		if !r.Allow(named(fmt.Sprint(2*maxRated - 1))) {
			t.Error("an owner is refused after a minute")
		}
	})
}
