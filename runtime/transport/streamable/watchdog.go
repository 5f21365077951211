package streamable

import (
	"net/http"
	"sync"
	"time"
)

// A watchdog bounds how long reading from connections, or writing to them, may take. It does what a deadline of each
// connection would do, at a fraction of the cost: hardly anything ever takes too long, and one timer notices what does.
type watchdog struct {
	after time.Duration // if it is not positive, nothing takes too long
	stop  func(*http.ResponseController)

	mu          sync.Mutex
	first, last *watched // those that began first
	free        *watched
	timer       *time.Timer // nil if it is not set
}

// A watched is an operation that may take too long.
type watched struct {
	w          http.ResponseWriter
	due        time.Time
	stopped    bool
	prev, next *watched
}

// longAgo is a deadline that has passed.
var longAgo = time.Unix(1, 0)

func stopReading(rc *http.ResponseController) { rc.SetReadDeadline(longAgo) }
func stopWriting(rc *http.ResponseController) { rc.SetWriteDeadline(longAgo) }

// begin watches what is done with the connection of a response, until end is called.
func (d *watchdog) begin(w http.ResponseWriter) *watched {
	if d.after <= 0 {
		return nil
	}
	due := time.Now().Add(d.after)
	d.mu.Lock()
	defer d.mu.Unlock()
	one := d.free
	if one == nil {
		one = new(watched)
	} else {
		d.free = one.next
	}
	*one = watched{w: w, due: due, prev: d.last}
	if d.last != nil {
		d.last.next = one
	} else {
		d.first = one
	}
	d.last = one
	if d.timer == nil {
		d.timer = time.AfterFunc(d.after, d.ring)
	}
	return one
}

// end ends what begin began, and reports whether it took too long.
func (d *watchdog) end(one *watched) (late bool) {
	if one == nil {
		return false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	late = one.stopped
	if !late {
		d.unlink(one)
	}
	*one = watched{next: d.free}
	d.free = one
	return late
}

func (d *watchdog) unlink(one *watched) {
	if one.prev != nil {
		one.prev.next = one.next
	} else {
		d.first = one.next
	}
	if one.next != nil {
		one.next.prev = one.prev
	} else {
		d.last = one.prev
	}
}

// ring stops what has taken too long. It holds mu all the while, since nobody else may use a connection whose deadline
// is set.
func (d *watchdog) ring() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.timer = nil
	for d.first != nil {
		one := d.first
		if left := time.Until(one.due); left > 0 {
			d.timer = time.AfterFunc(left, d.ring)
			return
		}
		d.unlink(one)
		one.stopped = true
		d.stop(http.NewResponseController(one.w))
	}
}
