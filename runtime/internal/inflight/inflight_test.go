package inflight

import "testing"

func TestCounter(t *testing.T) {
	var c Counter
	if c.Idle() != nil {
		t.Error("nothing is handled, and there is something to wait for")
	}
	for range 2 { // it can be used again
		c.Enter()
		c.Enter()
		first, second := c.Idle(), c.Idle()
		if first != second || c.Len() != 2 {
			t.Errorf("got %d, and channels that differ", c.Len())
		}
		c.Leave()
		select {
		case <-first:
			t.Error("one is still handled, and the channel is closed")
		default:
		}
		c.Leave()
		<-first
		if c.Idle() != nil || c.Len() != 0 {
			t.Errorf("got %d, and something to wait for", c.Len())
		}
	}
	c.Enter() // nobody waits
	c.Leave()
}
