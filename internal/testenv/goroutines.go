package testenv

import (
	"runtime"
	"testing"
	"time"
)

// leaveTime is how long goroutines may take to end which need nothing any more but the processor.
const leaveTime = 30 * time.Second

// NoGoroutinesLeft fails the test if there are more goroutines at its end than there are now. What was
// registered with t.Cleanup before is cleaned up after that, and may have goroutines until then. Of a
// test that has failed it asks nothing more.
func NoGoroutinesLeft(t testing.TB) {
	t.Helper()
	noGoroutinesLeft(t, leaveTime)
}

func noGoroutinesLeft(t testing.TB, within time.Duration) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		t.Helper()
		for deadline := time.Now().Add(within); runtime.NumGoroutine() > before && !t.Failed(); time.Sleep(time.Millisecond) {
			if time.Now().After(deadline) {
				stacks := make([]byte, 1<<20)
				t.Errorf("goroutines are left, %d more than before:\n%s",
					runtime.NumGoroutine()-before, stacks[:runtime.Stack(stacks, true)])
				return
			}
		}
	})
}
