package peer

import "sync"

// buffers are what messages are encoded into. A transport has its own copy of a message when it
// has sent it.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// keepBuffer is the most that a buffer may hold to be used again.
const keepBuffer = 1 << 20

func getBuffer() *[]byte { return buffers.Get().(*[]byte) }

func putBuffer(b *[]byte, used []byte) {
	if cap(used) <= keepBuffer {
		*b = used // whoever gets it begins at its start
		buffers.Put(b)
	}
}
