package streamable

import (
	"net/http"
	"sync"
	"time"
)

// A watchdog bounds how long reads from and writes to connections may take. It does what a deadline on each
// connection would do, at a fraction of the cost: operations rarely take too long, and one timer finds those that
// do.
type watchdog struct {
	after time.Duration // if it is not positive, nothing takes too long
	stop  func(*http.ResponseController)

	mu    sync.Mutex
	begun queue[*watched]
	free  queue[*watched]
	timer *time.Timer // nil if it is not set
}

// A watched is an operation that may take too long.
type watched struct {
	w       http.ResponseWriter
	due     time.Time
	stopped bool
	place   link[*watched]
}

// longAgo is a deadline that has passed.
var longAgo = time.Unix(1, 0)

func stopReading(rc *http.ResponseController) { rc.SetReadDeadline(longAgo) }
func stopWriting(rc *http.ResponseController) { rc.SetWriteDeadline(longAgo) }

// begin watches an operation on the connection of a response, until end is called.
func (d *watchdog) begin(w http.ResponseWriter) *watched {
	if d.after <= 0 {
		return nil
	}
	due := time.Now().Add(d.after)
	d.mu.Lock()
	defer d.mu.Unlock()
	var one *watched
	if free := d.free.first; free != nil {
		one = free.item
		free.remove()
	} else {
		one = new(watched)
	}
	one.w, one.due = w, due
	d.begun.add(&one.place, one)
	if d.timer == nil {
		d.timer = time.AfterFunc(d.after, d.ring)
	}
	return one
}

// end ends the operation that begin began, and reports whether it took too long.
func (d *watchdog) end(one *watched) (late bool) {
	if one == nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	late = one.stopped
	one.place.remove()
	*one = watched{}
	d.free.add(&one.place, one)
	return late
}

// ring stops operations that have taken too long. It holds mu all the while, since no other goroutine may use a
// connection whose deadline is set.
func (d *watchdog) ring() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.timer = nil
	for first := d.begun.first; first != nil; first = d.begun.first {
		one := first.item
		if left := time.Until(one.due); left > 0 {
			d.timer = time.AfterFunc(left, d.ring)
			return
		}
		first.remove()
		one.stopped = true
		d.stop(http.NewResponseController(one.w))
	}
}
