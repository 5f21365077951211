package stdio

import (
	"io"
	"os"
	"sync"
	"time"
)

// wakeable returns a stream like in whose Close wakes a waiting Read. A file in blocking mode, as standard streams
// usually are, needs help: another way to wait for input; or, if it is a pipe or a socket, non-blocking mode; or
// else a goroutine that waits in place of the reader, if need be until the process ends.
func wakeable(in io.ReadCloser) io.ReadCloser {
	f, ok := in.(*os.File)
	if !ok || f.SetReadDeadline(time.Time{}) == nil {
		return in
	}
	if w := waiting(f); w != nil {
		return w
	}
	if polled := poll(f); polled != nil {
		return polled
	}
	return &pump{file: f, ask: make(chan struct{}), chunks: make(chan chunk), done: make(chan struct{})}
}

// quick returns a stream like out that can write without waiting, if the system has one.
func quick(out io.WriteCloser) io.WriteCloser {
	f, isFile := out.(*os.File)
	if isFile && f.SetWriteDeadline(time.Time{}) != nil {
		polled := poll(f)
		if polled == nil {
			return out
		}
		out = polled
	}
	return writesNow(out)
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
	buf := make([]byte, bufferSize)
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
