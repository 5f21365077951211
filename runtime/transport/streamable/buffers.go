package streamable

import "sync"

// buffers holds buffers for writing responses. The ResponseWriter copies what is written.
var buffers = sync.Pool{New: func() any { return new([]byte) }}

// keepBuffer is the largest capacity of a buffer that is used again.
const keepBuffer = 1 << 20

func getBuffer() *[]byte { return buffers.Get().(*[]byte) }

func putBuffer(b *[]byte, used []byte) {
	if cap(used) <= keepBuffer {
		*b = used[:0]
		buffers.Put(b)
	}
}
