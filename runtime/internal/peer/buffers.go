package peer

import "sync"

// buffers holds buffers for encoding messages. They can be reused after Send, since transports copy messages.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// keepBuffer is the largest capacity of a buffer that is used again.
const keepBuffer = 1 << 20

func getBuffer() *[]byte { return buffers.Get().(*[]byte) }

func putBuffer(b *[]byte, used []byte) {
	if cap(used) <= keepBuffer {
		*b = used // the next user begins at its start
		buffers.Put(b)
	}
}
