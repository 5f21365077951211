package share

import (
	"testing"
	"testing/synctest"
	"time"
)

// A few pass at once and then at their rate, and what did not pass is told once.
func TestFew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f Few
		take := func(held int, ok bool) {
			t.Helper()
			if gotHeld, got := f.Take(2, time.Second); gotHeld != held || got != ok {
				t.Errorf("got %d, %t, want %d, %t", gotHeld, got, held, ok)
			}
		}
		take(0, true)
		take(0, true)
		take(0, false)
		take(0, false)
		time.Sleep(time.Second / 2)
		take(2, true)
		take(0, false)
		time.Sleep(time.Hour)
		take(1, true)
		take(0, true)
		take(0, false)
	})
}
