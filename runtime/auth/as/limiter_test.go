package as

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"
)

// TestLimiterIsBounded tells so many addresses apart; all others share one limit.
func TestLimiterIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLimiter(2)
		for i := range maxAddresses {
			if !l.allow(fmt.Sprint(i)) {
				t.Fatal("a new address was refused")
			}
		}
		for i := range 3 {
			if got := l.allow(fmt.Sprint("other", i)); got != (i < 2) {
				t.Errorf("the address %d without room: %t", i, got)
			}
		}
		if !l.allow("1") || l.allow("1") {
			t.Error("an address that was known has another limit than before")
		}
		time.Sleep(time.Minute)
		if !l.allow("new") || len(l.addresses) != 1 {
			t.Errorf("there are %d addresses after a minute", len(l.addresses))
		}
	})
}
