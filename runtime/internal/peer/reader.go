package peer

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
)

// A reader reads for Run. One goroutine at a time has the role of the reader. It runs the tasks that it finds
// itself; if one takes longer than patience, another goroutine takes over the role. So a request that arrives alone
// never waits for a goroutine to wake up, and fast handlers need no goroutine. With a goroutine for each request the server
// of BenchmarkStdio takes 2.5 to 4 times the processor time, with one request at a time and with 64 (November 2026). The message after a slow request has to wait, but only once: while
// handlers are slow, the role is handed over at once.
type reader struct {
	conn *Conn
	from transport.Receiver
	read func()     // takes over the role; a field, so that starting it does not allocate
	end  chan error // receives the error with which reading has ended

	closed chan struct{} // closed when Conn.Close begins, for wait, which no mutex could wake

	refusals refusals // guarded by Conn.mu

	mu    sync.Mutex  // guards what follows
	busy  bool        // the goroutine with the role is running a task; the first to be done gets the role
	since time.Time   // when that began
	slow  bool        // the last task took long, so hand over at once
	timer *time.Timer // says when to hand over the role
	armed bool        // timer is running
}

// patience is how long a task may take before another goroutine continues to read.
//
// It is long compared with a fast handler, so that the role rarely changes, and short compared with what a person or a
// network notices.
const patience = time.Millisecond

// newReader returns a reader for one Run of the connection. Nothing reads until its function read is started.
func newReader(ctx context.Context, c *Conn, from transport.Receiver) *reader {
	rd := &reader{conn: c, from: from, end: make(chan error, 1), closed: make(chan struct{})}
	rd.refusals.room.L = &c.mu
	rd.read = rd.loop(ctx)
	rd.timer = time.NewTimer(time.Hour)
	rd.timer.Stop() // until the first task
	return rd
}

// wait waits until reading has ended, or stop is closed; ended is false then. Meanwhile it starts the goroutine
// that takes over the role, so that it and its handlers inherit the profiler labels of the caller.
func (rd *reader) wait(stop <-chan struct{}) (err error, ended bool) {
	for {
		select {
		case err := <-rd.end:
			return err, true
		case <-stop:
			return nil, false
		case <-rd.timer.C:
			rd.late()
		}
	}
}

// loop returns a function that reads as long as it has the role. Ctx is the parent of the contexts of handlers. What is
// wrong with one message, or lost for one call, ends nothing; any other error of the transport is the end, of which wait
// learns.
func (rd *reader) loop(ctx context.Context) func() {
	c := rd.conn
	return func() {
		for {
			if c.isClosed() { // perhaps the transport is not yet
				rd.end <- jsonrpc.ErrClosed
				return
			}
			// The end of ctx closes the transport.
			m, err := rd.from.Receive(context.Background())
			if err != nil {
				if lost, ok := errors.AsType[*transport.RequestError](err); ok {
					c.lost(lost)
					continue
				}
				if single, ok := errors.AsType[*transport.MessageError](err); ok {
					c.refuseUnread(ctx, single)
					continue
				}
				rd.end <- err
				return
			}
			if t := c.received(ctx, m); t != nil && !rd.run(ctx, t) {
				return
			}
		}
	}
}

// run runs a task and reports whether the caller still has the role. While requests were slow until now, it gives the
// role away before it begins; otherwise it keeps the role, and busy says that late or yield may take it from it.
func (rd *reader) run(ctx context.Context, t Task) bool {
	// The time of each task is taken, which costs less than a timer for each: late looks at it when the one timer fires.
	rd.mu.Lock()
	rd.since = time.Now()
	if rd.slow {
		// Whoever takes the role sets rd.since for its own tasks.
		since := rd.since
		rd.mu.Unlock()
		go rd.read()
		t.Run(ctx)
		// Much less than patience, so that a task that takes about as long does not change it each time.
		if time.Since(since) < patience/4 {
			rd.mu.Lock()
			rd.slow = false
			rd.mu.Unlock()
		}
		return false
	}
	rd.busy = true
	if !rd.armed {
		rd.arm(patience)
	}
	rd.mu.Unlock()

	t.Run(ctx)

	rd.mu.Lock()
	defer rd.mu.Unlock()
	// If another goroutine has taken over the role and is running a task, too, this one takes the role back, and
	// the other one will end.
	has := rd.busy
	rd.busy = false
	return has
}

// arm makes the timer fire after d. It is called with mu held.
func (rd *reader) arm(d time.Duration) {
	rd.armed = true
	rd.timer.Reset(d)
}

// late is called when the timer has fired. The timer is not restarted for each task, so late checks whether one has
// been running for too long.
func (rd *reader) late() {
	rd.mu.Lock()
	defer rd.mu.Unlock()
	rd.armed = false
	if !rd.busy {
		return
	}
	if left := patience - time.Since(rd.since); left > 0 {
		rd.arm(left)
		return
	}
	rd.slow = true
	rd.busy = false
	go rd.read()
}

// yield hands over the role at once if a task is running. It is called before waiting for a message that has yet to
// be read: a handler that makes a call would otherwise wait for a response that nobody reads. Whoever calls it may have
// lost the role already, and another goroutine may be running a task; then that one is relieved, which does no harm.
func (rd *reader) yield() {
	rd.mu.Lock()
	defer rd.mu.Unlock()
	if rd.busy {
		rd.busy = false
		go rd.read()
	}
}
