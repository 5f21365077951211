// Package eventreader reads streams of server-sent events, as a client does. Package eventstream is what a server writes.
package eventreader

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/mcpgen/mcpgen/runtime/transport/internal/eventstream"
)

// ErrTooLarge is wrapped by the error for an event that is larger than the reader's limit.
var ErrTooLarge = errors.New("eventreader: event too large")

// DefaultLimit is the default limit of a reader: 16 MiB for an event.
const DefaultLimit = 16 << 20

// The buffer of a reader starts small, since most streams are idle most of the time.
const firstBuffer = 2 << 10

// maxID is how long an ID may be. The client keeps it, and sends it with each attempt to resume.
const maxID = 4 << 10

// lineOverhead is what a line may have in addition to the data that the limit counts: the name of the field.
const lineOverhead = 16

// Reader reads the events of a stream. It is for one goroutine.
type Reader struct {
	lines *bufio.Scanner
	limit int
	final error // what Next returns from now on

	// The state of split.
	begun   bool // the byte order mark has been read
	afterCR bool // the last line ended in CR: an LF right now belongs to it
	seen    int  // how many bytes are known to have no line break

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

// New returns a reader that refuses events whose data, or any one line of which, is longer
// than limit bytes. A limit of 0 or less means DefaultLimit.
func New(from io.Reader, limit int) *Reader {
	if limit <= 0 {
		limit = DefaultLimit
	}
	r := &Reader{lines: bufio.NewScanner(from), limit: limit}
	r.lines.Buffer(make([]byte, 0, firstBuffer), 2*lineOverhead+limit) // more than split allows, whose error is returned
	r.lines.Split(r.split)
	return r
}

// Next returns the next event that has data; its bytes belong to the caller. An event without data only changes
// what LastEventID and Retry return; comments and unknown fields have no effect.
//
// The error is io.EOF at the end of the stream, where an event without its closing blank line is
// dropped; an error that wraps ErrTooLarge; or the error of the underlying reader. All are final.
func (r *Reader) Next() (eventstream.Event, error) {
	for r.final == nil {
		if !r.lines.Scan() {
			r.final = cmp.Or(r.lines.Err(), io.EOF)
			break
		}
		if line := r.lines.Bytes(); len(line) > 0 {
			r.final = r.field(line)
			continue
		}
		r.lastID = r.id
		event := eventstream.Event{ID: r.id, Type: r.kind, Data: r.data, Retry: r.retry}
		dispatch := r.hasData
		r.kind, r.data, r.hasData, r.retry = "", nil, false, 0
		if dispatch {
			return event, nil
		}
	}
	return eventstream.Event{}, r.final
}

// LastEventID returns the ID that the stream set last, with or without data. Empty means none. An ID of more than 4
// KiB, or with the character U+0000, is ignored.
func (r *Reader) LastEventID() string { return r.lastID }

// Retry returns how long the stream wants its reader to wait before it connects again, and whether the stream has
// said so.
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

// split is a [bufio.SplitFunc] for lines, which it returns without their ends. A line that ends in CR is complete
// at once, whether or not an LF follows.
func (r *Reader) split(data []byte, _ bool) (advance int, line []byte, err error) {
	const mark = "\ufeff"
	if !r.begun {
		if len(data) < len(mark) && string(data) == mark[:len(data)] {
			return 0, nil, nil
		}
		r.begun = true
		if bytes.HasPrefix(data, []byte(mark)) {
			advance = len(mark)
		}
	}
	if r.afterCR && len(data) > 0 {
		r.afterCR = false
		if data[0] == '\n' {
			advance = 1
		}
	}
	data = data[advance:]
	end := eventstream.LineEnd(data[r.seen:])
	if end < 0 {
		r.seen = len(data)
		return advance, nil, r.checkLine(r.seen)
	}
	end += r.seen
	r.seen = 0
	r.afterCR = data[end] == '\r'
	return advance + end + 1, data[:end], r.checkLine(end)
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

// milliseconds parses a value that consists of digits alone. A value that is too large for a duration becomes the
// longest duration.
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
