package stdio

import (
	"runtime"
	"testing"
	"time"
)

// checkGoroutines fails the test if there are more goroutines at its end than there were before.
func checkGoroutines(t *testing.T) {
	t.Helper()
	before := runtime.NumGoroutine()
	t.Cleanup(func() {
		for range 200 {
			if runtime.NumGoroutine() <= before {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		buf := make([]byte, 1<<20)
		t.Errorf("%d goroutines, there were %d:\n%s", runtime.NumGoroutine(), before, buf[:runtime.Stack(buf, true)])
	})
}
