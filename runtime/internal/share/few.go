package share

import (
	"math"
	"sync"
	"time"
)

// A Few lets pass a few of what may happen often, such as messages in a log, and counts the others. The zero Few has let
// nothing pass.
type Few struct {
	mu   sync.Mutex
	free time.Time // when nothing is reserved any more, see Reserve
	held int       // since the last one that passed
}

// Take reports whether another one may pass, of n in a period, and returns how many did not pass before it.
func (f *Few) Take(n int, period time.Duration) (held int, ok bool) {
	each, burst := Parts(n, period, n)
	f.mu.Lock()
	defer f.mu.Unlock()
	if Reserve(&f.free, time.Now(), each, burst) > 0 {
		f.held++
		return 0, false
	}
	held, f.held = f.held, 0
	return held, true
}

// Parts returns the part of time that one of n in a period takes, and how long a burst lasts, for Reserve.
func Parts(n int, period time.Duration, burst int) (each, most time.Duration) {
	each = period / time.Duration(n)
	if period%time.Duration(n) > 0 {
		each++ // rather less often than too often
	}
	most = math.MaxInt64 / 2
	if time.Duration(burst) < most/each {
		most = time.Duration(burst) * each
	}
	return each, most
}

// Reserve reserves a part of time, after which free begins: the generic cell rate algorithm. If that reached further than a
// burst lasts, it returns how long to wait.
func Reserve(free *time.Time, now time.Time, each, burst time.Duration) (wait time.Duration) {
	end := now
	if free.After(now) {
		end = *free
	}
	end = end.Add(each)
	if wait := end.Sub(now) - burst; wait > 0 {
		return wait
	}
	*free = end
	return 0
}
