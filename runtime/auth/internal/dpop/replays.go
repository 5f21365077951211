package dpop

import (
	"crypto/sha256"
	"errors"
	"sync"
	"time"
)

// replays remembers proofs for as long as they could be accepted again. Those that end in the same minute are
// forgotten together.
type replays struct {
	mu      sync.Mutex
	max     int
	n       int
	minutes map[int64]map[[16]byte]struct{} // by the minute in which they end
	swept   int64                           // the minute in which the ended ones were last forgotten
}

func newReplays(max int) *replays {
	return &replays{max: max, minutes: map[int64]map[[16]byte]struct{}{}}
}

var errReplay = errors.New("dpop: jti: the proof was used before")

// add remembers the id of a proof by a key until it ends. It fails if the proof is remembered already.
func (r *replays) add(thumbprint, id string, now, end time.Time) error {
	sum := sha256.Sum256([]byte(thumbprint + " " + id)) // a thumbprint has no space
	key := [16]byte(sum[:])
	r.mu.Lock()
	defer r.mu.Unlock()
	r.forget(now.Unix() / 60)
	for _, minute := range r.minutes {
		if _, ok := minute[key]; ok {
			return errReplay
		}
	}
	if r.n >= r.max {
		return ErrBusy
	}
	m := end.Unix() / 60
	if r.minutes[m] == nil {
		r.minutes[m] = map[[16]byte]struct{}{}
	}
	r.minutes[m][key] = struct{}{}
	r.n++
	return nil
}

// forget discards proofs that ended before the given minute.
func (r *replays) forget(now int64) {
	if now == r.swept {
		return
	}
	r.swept = now
	for m, minute := range r.minutes {
		if m < now {
			r.n -= len(minute)
			delete(r.minutes, m)
		}
	}
}
