// Package pipes reads and writes the files of a connection over stdio: standard streams, or the pipes of a child. A read ends
// when the file is closed, and a write takes what there is room for and does not wait. That takes the system's help, as files
// in blocking mode, which standard streams usually are, have neither.
//
// What is here beyond that is here because it was measured (bench, workload 1b, one and eight requests at a time): see the
// comments of Wakeable and of growPipe.
package pipes

import (
	"io"
	"os"
	"sync"
	"time"
)

// Wakeable returns a stream like in whose Close wakes a waiting Read. A file in blocking mode, as standard streams
// usually are, needs help: another way to wait for input; or, if it is a pipe or a socket, non-blocking mode; or
// else a goroutine that waits in place of the reader, if need be until the process ends.
func Wakeable(in io.ReadCloser) io.ReadCloser {
	f, ok := in.(*os.File)
	if !ok || f.SetReadDeadline(time.Time{}) == nil {
		return in
	}
	if w := waiting(f); w != nil {
		return w
	}
	if polled := Poll(f); polled != nil {
		return polled
	}
	return NewPump(f)
}

// A NowWriter writes what it can without waiting.
type NowWriter interface {
	// WriteNow returns how many bytes were written. Fewer than all and no error means that the rest would have to wait.
	WriteNow(b []byte) (int, error)
}

// Quick returns a stream like out that is a [NowWriter], if the system has one.
func Quick(out io.WriteCloser) io.WriteCloser {
	f, isFile := out.(*os.File)
	if isFile && f.SetWriteDeadline(time.Time{}) != nil {
		polled := Poll(f)
		if polled == nil {
			return out
		}
		out = polled
	}
	return writesNow(out)
}

// NewPump returns a stream that reads a file in a goroutine, for files whose reads nothing wakes.
func NewPump(f *os.File) io.ReadCloser {
	return &pump{file: f, ask: make(chan struct{}), chunks: make(chan chunk), done: make(chan struct{})}
}

// A pump reads a file ahead, one chunk at a time.
type pump struct {
	file   *os.File
	start  sync.Once
	stop   sync.Once
	ask    chan struct{} // a reader wants the next chunk
	chunks chan chunk
	done   chan struct{}
	rest   []byte // of the last chunk
}

// chunkSize is how many bytes a chunk has at most.
const chunkSize = 32 << 10

type chunk struct {
	data []byte
	err  error
}

func (p *pump) Read(b []byte) (int, error) {
	if len(p.rest) > 0 {
		return p.hand(b, chunk{data: p.rest})
	}
	p.start.Do(func() { go p.run() })
	select {
	case p.ask <- struct{}{}:
	case <-p.done:
		return 0, os.ErrClosed
	}
	select {
	case c := <-p.chunks:
		return p.hand(b, c)
	case <-p.done:
		return 0, os.ErrClosed
	}
}

func (p *pump) hand(b []byte, c chunk) (int, error) {
	n := copy(b, c.data)
	p.rest = c.data[n:]
	return n, c.err
}

func (p *pump) run() {
	buf := make([]byte, chunkSize)
	for {
		select {
		case <-p.ask:
		case <-p.done:
			return
		}
		n, err := p.file.Read(buf)
		select {
		case p.chunks <- chunk{buf[:n], err}:
		case <-p.done:
			return
		}
	}
}

func (p *pump) Close() error {
	var err error
	p.stop.Do(func() {
		close(p.done)
		err = p.file.Close() // takes effect when the read that waits has ended
	})
	return err
}
