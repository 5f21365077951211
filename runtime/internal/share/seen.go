package share

import (
	"crypto/sha256"
	"sync"
	"time"
)

// A Seen remembers ids until they end, so that none is accepted twice. An id takes about 40 bytes, and the first of an
// owner in a minute about 150 more.
type Seen struct {
	room Room

	mu      sync.Mutex
	minutes map[int64]*seenMinute // by the minute in which they end, since they are forgotten together
	swept   int64                 // the minute in which those that had ended were last forgotten
}

type seenMinute struct {
	ids map[[16]byte]struct{}
	by  map[Owner]int
}

// NewSeen returns a Seen for at most that many ids, of which one owner may have a quarter.
func NewSeen(most int) *Seen {
	return &Seen{room: Room{Max: most}, minutes: make(map[int64]*seenMinute)}
}

// Add remembers an id, and reports whether it was new, and whether there was room for it.
func (s *Seen) Add(o Owner, id string, now, end time.Time) (first, room bool) {
	sum := sha256.Sum256([]byte(id))
	key := [16]byte(sum[:])
	s.mu.Lock()
	defer s.mu.Unlock()
	s.forget(now.Unix() / 60)
	for _, minute := range s.minutes {
		if _, ok := minute.ids[key]; ok {
			return false, true
		}
	}
	if !s.room.Take(o, 1) {
		return true, false
	}
	m := max(end.Unix(), now.Unix()) / 60
	if s.minutes[m] == nil {
		s.minutes[m] = &seenMinute{make(map[[16]byte]struct{}), make(map[Owner]int)}
	}
	s.minutes[m].ids[key] = struct{}{}
	s.minutes[m].by[o]++
	return true, true
}

// forget discards ids that ended before the given minute.
func (s *Seen) forget(now int64) {
	if now == s.swept {
		return
	}
	s.swept = now
	for m, minute := range s.minutes {
		if m < now {
			for o, n := range minute.by {
				s.room.Give(o, n)
			}
			delete(s.minutes, m)
		}
	}
}
