package stdio

// The mutex of a writer is never held during a write. Whoever writes has set busy, and owns the buffer that is being
// written; what is sent meanwhile goes into the other one. The order of the messages is that in which send was called.

import (
	"context"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/stdio/internal/pipes"
)

// FlushTime is how long closing waits for the other side to read what was sent.
const FlushTime = 500 * time.Millisecond

const (
	// keepBuffer is the largest capacity of a buffer that is used again: as much as may wait by default, and as
	// much again for the message that exceeds it. If it were less, a buffer would have to grow for every burst of
	// long responses.
	keepBuffer = 2 << 20

	// gatherUpTo and gatherFor bound how many bytes are gathered before they are written, and for how long.
	gatherUpTo = 64 << 10
	gatherFor  = 500 * time.Microsecond
)

// A writer writes messages as lines. A message that is sent alone is written at once, by its sender. Messages that
// are sent while more input is available are gathered, and written before the transport waits for input, or after a
// short time: with 64 requests at a time that takes a third of the processor time of writing each alone
// (BenchmarkStdio of package peer, November 2026). Messages that are sent during a write are written by a goroutine,
// which ends when there is nothing left to write.
type writer struct {
	w         io.WriteCloser
	now       pipes.NowWriter // nil if w cannot write without waiting
	max       int             // bytes that may wait
	moreInput *atomic.Bool    // more requests are available, so more responses will follow soon

	mu      sync.Mutex
	buf     []byte        // waiting
	spare   []byte        // a buffer to use next
	busy    bool          // a goroutine is writing, or about to
	room    chan struct{} // closed when there is room again; nil if nothing waits for it
	idle    chan struct{} // closed when nothing is left to write; nil if nobody waits for it
	err     error         // of an earlier write, or because of closing
	closing bool
	timer   *time.Timer // writes what is gathered
	armed   bool        // the timer is running
}

func (w *writer) init(out io.WriteCloser, most int, moreInput *atomic.Bool) {
	w.w, w.max, w.moreInput = out, most, moreInput
	w.now, _ = out.(pipes.NowWriter)
}

// send appends a message to the buffer, as soon as there is room, and sees to it that somebody writes the buffer: whoever
// writes already, or else a goroutine if a write may have to wait, or else the timer if more will follow soon, or else
// the caller.
//
// REQ STDIO-03, STDIO-05
func (w *writer) send(ctx context.Context, data []byte) error {
	w.mu.Lock()
	for len(w.buf) >= w.max && w.err == nil {
		if err := w.wait(ctx); err != nil {
			return err
		}
	}
	if w.err != nil {
		err := w.err
		w.mu.Unlock()
		return err
	}
	w.buf = append(append(w.buf, data...), '\n')
	if w.busy {
		w.mu.Unlock()
		return nil
	}
	if w.now == nil {
		w.busy = true
		w.mu.Unlock()
		go w.flush()
		return nil
	}
	defer w.mu.Unlock()
	if w.moreInput.Load() && len(w.buf) < min(gatherUpTo, w.max) {
		w.arm()
		return nil
	}
	w.busy = true
	return w.writeNow()
}

// arm makes sure that gathered messages are written soon. It is called with mu held.
func (w *writer) arm() {
	switch {
	case w.armed:
		return
	case w.timer == nil:
		w.timer = time.AfterFunc(gatherFor, func() { w.writeGathered(true) })
	default:
		w.timer.Reset(gatherFor)
	}
	w.armed = true
}

// writeGathered writes what is gathered. It does not wait.
func (w *writer) writeGathered(late bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if late {
		w.armed = false
	}
	if !w.busy && len(w.buf) > 0 && w.err == nil {
		w.busy = true
		w.writeNow() // the next sender gets the error
	}
}

// wait waits until there may be room. The caller holds mu. When wait returns, mu is held unless there is an error.
func (w *writer) wait(ctx context.Context) error {
	if w.room == nil {
		w.room = make(chan struct{})
	}
	room := w.room
	w.mu.Unlock()
	select {
	case <-room:
		w.mu.Lock()
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// writeNow writes as much of buf as it can without waiting, and leaves the rest to a goroutine. The caller, which
// has set busy, holds mu.
func (w *writer) writeNow() error {
	out := w.buf
	w.buf, w.spare = w.spare[:0], nil
	w.mu.Unlock()
	n, err := w.now.WriteNow(out)
	w.mu.Lock()
	if err != nil {
		w.fail(err)
		return w.err
	}
	if n < len(out) { // put the rest before what was added in the meantime
		later := w.buf
		w.buf = append(out[:copy(out, out[n:])], later...)
		w.keep(later)
	} else {
		w.keep(out)
	}
	if len(w.buf) > 0 {
		go w.flush()
		return nil
	}
	w.rest()
	return nil
}

// flush writes until nothing is left.
func (w *writer) flush() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.buf) > 0 {
		out := w.buf
		w.buf, w.spare = w.spare[:0], nil
		w.wake(&w.room)
		w.mu.Unlock()
		_, err := w.w.Write(out)
		w.mu.Lock()
		if err != nil {
			w.fail(err)
			return
		}
		w.keep(out)
	}
	w.rest()
}

// keep keeps a buffer for later messages.
func (w *writer) keep(out []byte) {
	if cap(out) <= keepBuffer {
		w.spare = out[:0]
	}
}

// rest resets busy after a write, and wakes goroutines that wait for that.
func (w *writer) rest() {
	w.busy = false
	w.wake(&w.room)
	w.wake(&w.idle)
}

// fail records an error and discards what was to be written.
func (w *writer) fail(err error) {
	if w.err == nil {
		w.err = &transport.BrokenError{Err: err}
	}
	w.buf = nil
	w.rest()
}

func (w *writer) wake(c *chan struct{}) {
	if *c != nil {
		close(*c)
		*c = nil
	}
}

// close writes what is left, for at most FlushTime, and closes the stream.
func (w *writer) close() error {
	w.mu.Lock()
	if w.closing {
		w.mu.Unlock()
		return nil
	}
	w.closing = true
	if w.err == nil {
		w.err = transport.ErrClosed
	}
	w.wake(&w.room)
	if !w.busy {
		w.busy = true
		go w.flush()
	}
	idle := make(chan struct{})
	w.idle = idle
	w.mu.Unlock()
	select {
	case <-idle:
	case <-time.After(FlushTime):
	}
	return w.w.Close()
}
