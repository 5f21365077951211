package testenv

import (
	"strings"
	"testing"
	"time"
)

// TestNoGoroutinesLeft waits for goroutines that end, and tells of those that do not.
func TestNoGoroutinesLeft(t *testing.T) {
	t.Run("they end", func(t *testing.T) {
		NoGoroutinesLeft(t)
		asked := make(chan struct{})
		t.Cleanup(func() { close(asked) }) // before it looks
		for range 3 {
			go func() { <-asked }()
		}
	})
	t.Run("some are left", func(t *testing.T) {
		asked := make(chan struct{})
		defer close(asked)
		got := &outcome{TB: t}
		noGoroutinesLeft(got, time.Millisecond)
		for range 3 { // one more may be on its way out, of another test
			go waitFor(asked)
		}
		got.cleanUp()
		if !got.failed || !strings.HasPrefix(got.said, "goroutines are left, ") || !strings.Contains(got.said, "testenv.waitFor") {
			t.Errorf("failed %t, said %s", got.failed, got.said)
		}
	})
}

func waitFor(asked chan struct{}) { <-asked }
