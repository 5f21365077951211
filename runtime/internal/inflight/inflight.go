// Package inflight counts what is being handled, so that a shutdown can wait for its end.
package inflight

// A Counter counts what is being handled. The zero value counts nothing. It is guarded by a mutex of its owner.
type Counter struct {
	n    int
	idle chan struct{} // closed when n is 0 again; nil if nobody waits for it
}

// Len returns how many requests, or whatever else the owner counts, are being handled.
func (c *Counter) Len() int { return c.n }

// Enter is called when one begins to be handled.
func (c *Counter) Enter() { c.n++ }

// Leave is called when one has been handled.
func (c *Counter) Leave() {
	if c.n--; c.n == 0 && c.idle != nil {
		close(c.idle)
		c.idle = nil
	}
}

// Idle returns a channel that is closed when nothing is being handled any more. It is nil if nothing is.
func (c *Counter) Idle() <-chan struct{} {
	if c.n > 0 && c.idle == nil {
		c.idle = make(chan struct{})
	}
	return c.idle
}
