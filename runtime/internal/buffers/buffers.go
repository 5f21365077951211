// Package buffers lends buffers in which messages are encoded.
package buffers

import "sync"

var free = sync.Pool{New: func() any { return new([]byte) }}

// most is the largest capacity of a buffer that is lent again.
const most = 1 << 20

// Get lends a buffer. What is in it has no meaning.
func Get() *[]byte { return free.Get().(*[]byte) }

// Put takes a buffer back. Used is what it has become; nobody may use that afterwards.
func Put(b *[]byte, used []byte) {
	if cap(used) <= most {
		*b = used // the next user begins at its start
		free.Put(b)
	}
}
