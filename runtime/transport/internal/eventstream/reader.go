package eventstream

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"time"
)

// ErrTooLarge is wrapped by the error about an event that is larger than the reader's limit.
var ErrTooLarge = errors.New("eventstream: event too large")

// DefaultLimit is the limit of a reader that is given none: 16 MiB an event.
const DefaultLimit = 16 << 20

// The buffer of a reader starts small, since most streams are idle most of the time.
const firstBuffer = 2 << 10

// maxID is how long an ID may be. It is kept, and sent back with each attempt to go on.
const maxID = 4 << 10

// lineOverhead is what a line may have beside the data that the limit counts: the field's name.
const lineOverhead = 16

// Reader reads the events of a stream. It is for one goroutine.
type Reader struct {
	r     io.Reader
	limit int
	err   error // of r
	final error // what Next returns from now on

	buf     []byte // bytes read and not consumed: buf[start:end]
	start   int
	end     int
	begun   bool // the byte order mark is behind
	afterCR bool // the last line ended in CR: an LF right now belongs to it

	// The event that is being read.
	kind    string
	data    []byte
	hasData bool
	retry   time.Duration

	id     string // the ID that takes effect with the next blank line
	lastID string
	wait   time.Duration // what the stream said last about reconnecting
	told   bool          // it said something
}

// NewReader returns a reader of r that refuses events whose data, or any one line of which, is longer
// than limit bytes. A limit of 0 or less means DefaultLimit.
func NewReader(r io.Reader, limit int) *Reader {
	if limit <= 0 {
		limit = DefaultLimit
	}
	return &Reader{r: r, limit: limit}
}

// Next returns the next event that has data; its bytes are the caller's to keep. Whatever has none
// only changes what LastEventID and Retry say, and comments and unknown fields do nothing.
//
// The error is io.EOF at the end of the stream, where an event without its closing blank line is
// dropped; an error that wraps ErrTooLarge; or the error of the underlying reader. All are final.
func (r *Reader) Next() (Event, error) {
	for r.final == nil {
		line, err := r.line()
		if err == nil && len(line) > 0 {
			err = r.field(line)
		}
		if err != nil {
			r.final = err
			break
		}
		if len(line) > 0 {
			continue
		}
		r.lastID = r.id
		event := Event{ID: r.id, Type: r.kind, Data: r.data, Retry: r.retry}
		dispatch := r.hasData
		r.kind, r.data, r.hasData, r.retry = "", nil, false, 0
		if dispatch {
			return event, nil
		}
	}
	return Event{}, r.final
}

// LastEventID returns the ID that the stream set last, with or without data. Empty means none. One of
// more than 4 KiB is ignored, like one that holds the character U+0000.
func (r *Reader) LastEventID() string { return r.lastID }

// Retry returns how long the stream wants its reader to wait before it connects again, and whether it
// said so at all.
func (r *Reader) Retry() (time.Duration, bool) { return r.wait, r.told }

// field takes one line that is not blank.
func (r *Reader) field(line []byte) error {
	name, value, _ := bytes.Cut(line, []byte{':'})
	value = bytes.TrimPrefix(value, []byte{' '})
	switch string(name) {
	case "data":
		if r.hasData {
			r.data = append(r.data, '\n')
		}
		r.hasData = true
		if len(r.data)+len(value) > r.limit {
			return r.tooLarge()
		}
		r.data = append(r.data, value...)
	case "event":
		r.kind = string(value)
	case "id":
		if bytes.IndexByte(value, 0) < 0 && len(value) <= maxID {
			r.id = string(value)
		}
	case "retry":
		if wait, ok := milliseconds(value); ok {
			r.retry, r.wait, r.told = wait, wait, true
		}
	}
	return nil
}

// line returns the next line without what ends it. The bytes are valid until the next call.
func (r *Reader) line() ([]byte, error) {
	seen := 0 // bytes known to have no end of a line
	for {
		pending := r.buf[r.start:r.end]
		if !r.begun {
			if mark := "\ufeff"; len(pending) >= len(mark) {
				pending = bytes.TrimPrefix(pending, []byte(mark))
				r.start = r.end - len(pending)
				r.begun = true
			} else if len(pending) > 0 && string(pending) != mark[:len(pending)] {
				r.begun = true
			}
		}
		if r.afterCR && len(pending) > 0 {
			r.afterCR = false
			if pending[0] == '\n' {
				r.start++
				pending = pending[1:]
			}
		}
		if r.begun {
			if end := lineEnd(pending[seen:]); end >= 0 {
				end += seen
				r.afterCR = pending[end] == '\r'
				r.start += end + 1
				return pending[:end], r.checkLine(end)
			}
			seen = len(pending)
			if err := r.checkLine(seen); err != nil {
				return nil, err
			}
		}
		if r.err != nil {
			return nil, r.err
		}
		r.fill()
	}
}

func (r *Reader) checkLine(length int) error {
	if length > r.limit+lineOverhead {
		return r.tooLarge()
	}
	return nil
}

func (r *Reader) tooLarge() error {
	return fmt.Errorf("%w: it has more than the %d bytes allowed", ErrTooLarge, r.limit)
}

// fill reads once, after it has made room.
func (r *Reader) fill() {
	if r.start > 0 {
		copy(r.buf, r.buf[r.start:r.end])
		r.end -= r.start
		r.start = 0
	}
	if r.end == len(r.buf) {
		grown := make([]byte, max(firstBuffer, 2*len(r.buf)))
		copy(grown, r.buf[:r.end])
		r.buf = grown
	}
	// Readers may return nothing and no error, but not for ever.
	for range 100 {
		n, err := r.r.Read(r.buf[r.end:])
		r.end += n
		if err != nil {
			r.err = err
		}
		if n > 0 || err != nil {
			return
		}
	}
	r.err = io.ErrNoProgress
}

// milliseconds reads a value that has digits and nothing else. What is too large to be a duration is
// the longest one.
func milliseconds(value []byte) (time.Duration, bool) {
	const longest = math.MaxInt64 / time.Millisecond
	var n time.Duration
	for _, c := range value {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = min(n*10+time.Duration(c-'0'), longest)
	}
	return n * time.Millisecond, len(value) > 0
}
