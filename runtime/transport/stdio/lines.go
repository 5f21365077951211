package stdio

// Lines are bounded before they are kept: of a line that is too long only its beginning is reported, so that its sender
// can be told which request was refused, and the rest is skipped as it arrives.

import (
	"bytes"
	"io"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/transport"
)

const (
	bufferSize = 32 << 10
	headSize   = 4 << 10 // how much of a line that is too long is kept
)

// lines reads lines. Each line gets its own slice, because messages outlive the buffer.
type lines struct {
	r    io.Reader
	max  int         // length of a line
	more atomic.Bool // whether there is input that has been read and not been returned
	wait func()      // called before the reader is asked for more, when more is false

	buf        []byte
	start, end int // of what has been read and not been returned
	seen       int // up to here there is no line feed
	skipping   bool
	err        error // of the reader; it comes after what is in buf
}

// next returns the next line that is not blank, without its end.
func (l *lines) next() ([]byte, error) {
	for {
		from, to := l.start, l.end
		switch i := bytes.IndexByte(l.buf[l.seen:l.end], '\n'); {
		case i >= 0:
			to = l.seen + i
			l.start, l.seen = to+1, to+1
		case l.err != nil && l.start == l.end:
			return nil, l.err
		case l.err != nil:
			l.start, l.seen = to, to
		default:
			l.seen = l.end
			if err := l.enough(); err != nil {
				return nil, err
			}
			l.fill()
			continue
		}
		if l.skipping {
			l.skipping = false
			continue
		}
		line := bytes.TrimSuffix(l.buf[from:to], []byte{'\r'})
		if isBlank(line) {
			continue
		}
		l.more.Store(l.start < l.end)
		if len(line) > l.max {
			return nil, l.tooLong(line)
		}
		return l.take(line), nil
	}
}

// take returns a line, which is part of the buffer, in a slice that the caller may keep.
func (l *lines) take(line []byte) []byte {
	if len(line) < bufferSize || len(line) < l.end/2 {
		return bytes.Clone(line)
	}
	// Most of the buffer goes with the line, in place of being copied.
	rest := l.buf[l.start:l.end]
	l.buf = make([]byte, max(bufferSize, len(rest)))
	l.end = copy(l.buf, rest)
	l.start, l.seen = 0, 0
	return line[:len(line):len(line)]
}

func isBlank(line []byte) bool {
	for _, c := range line {
		if c != ' ' && c != '\t' && c != '\r' {
			return false
		}
	}
	return true
}

func (l *lines) tooLong(line []byte) error {
	return &transport.MessageError{Limit: int64(l.max), Head: bytes.Clone(line[:min(len(line), headSize)])}
}

// enough drops the line that is being read when it becomes too long, and returns the error for it once.
func (l *lines) enough() error {
	if !l.skipping && l.end-l.start <= l.max+len("\r") {
		return nil
	}
	var err error
	if !l.skipping {
		err = l.tooLong(l.buf[l.start:l.end])
	}
	l.skipping = true
	l.start, l.seen, l.end = 0, 0, 0
	return err
}

// fill reads more input, and appends it to the buffer.
func (l *lines) fill() {
	l.more.Store(false)
	if l.start > 0 {
		l.end = copy(l.buf, l.buf[l.start:l.end])
		l.start, l.seen = 0, l.end
	}
	switch {
	case l.end == 0 && len(l.buf) != bufferSize: // none yet, or one that grew for a long line
		l.buf = make([]byte, bufferSize)
	case l.end == len(l.buf):
		bigger := make([]byte, 2*len(l.buf))
		copy(bigger, l.buf)
		l.buf = bigger
	}
	if l.wait != nil {
		l.wait()
	}
	for range 100 {
		n, err := l.r.Read(l.buf[l.end:])
		l.end += n
		l.err = err
		if n > 0 || err != nil {
			return
		}
	}
	l.err = io.ErrNoProgress
}
