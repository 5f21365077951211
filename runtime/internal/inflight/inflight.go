// Package inflight counts what is being handled, so that a shutdown can wait for its end.
package inflight

// A Counter counts what is being handled. The zero value counts nothing. It is guarded by a mutex of its owner.
type Counter struct {
	n    int
	idle chan struct{} // closed when n is 0 again; nil if nobody waits for it
}

// Len returns how many there are.
func (c *Counter) Len() int { return c.n }

// Enter counts one more.
func (c *Counter) Enter() { c.n++ }

// Leave counts one less.
func (c *Counter) Leave() {
	if c.n--; c.n == 0 && c.idle != nil {
		close(c.idle)
		c.idle = nil
	}
}

// Idle returns a channel that is closed when there are none any more. It is nil if there are none.
func (c *Counter) Idle() <-chan struct{} {
	if c.n > 0 && c.idle == nil {
		c.idle = make(chan struct{})
	}
	return c.idle
}
