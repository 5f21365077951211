package share

import (
	"sync"
	"time"
)

// A Few lets pass a few of what may happen often, such as messages in a log, and counts the others. The zero Few has let
// nothing pass.
type Few struct {
	mu   sync.Mutex
	free time.Time // see Rate
	held int       // since the last one that passed
}

// Take reports whether another one may pass, of n in a period, and returns how many did not pass before it.
func (f *Few) Take(n int, period time.Duration) (held int, ok bool) {
	each, burst := parts(n, period, n)
	f.mu.Lock()
	defer f.mu.Unlock()
	if reserve(&f.free, time.Now(), each, burst) > 0 {
		f.held++
		return 0, false
	}
	held, f.held = f.held, 0
	return held, true
}
