// Package peer lets the two sides of a connection call each other: it finds the call that a response belongs to,
// runs handlers for what the other side sends, and handles cancellation, progress, time limits and batches. It does
// not know what the messages mean.
//
// # Order
//
// Messages are accepted in the order in which they arrive. Requests are handled concurrently, each as soon as it
// arrives. Notifications are handled one after another; a notification that arrived before a request or a response
// may be handled after it. Two kinds of notifications are handled here, and at once: a cancellation ends the
// context of the request's handler; progress of a call is reported by the goroutine that makes the call, in order,
// and all of it before the call returns.
//
// Messages that one goroutine sends leave in the order in which it sends them. The response to a
// request is the last message that belongs to it.
//
// # Limits
//
// Nothing waits forever, and nothing that waits takes room without a limit; see [Options]. What the other side
// sends beyond the limits is refused, or dropped if it has no response. Reading only stops while very many refusals
// wait for an other side that does not read.
//
// # Ends
//
// A request ends with its response, or with its cancellation, after which nothing more is sent for it. A call ends with
// what it returns; see call.go. A connection ends in one of these ways, and always by Close in the end:
//
//   - Close ends it at once. Calls fail with [jsonrpc.ErrClosed], which is also the cause of the contexts of handlers.
//   - Shutdown first lets the requests that are being handled have their responses, and refuses new ones.
//   - The other side closes it, or the transport breaks. Calls fail with a *[jsonrpc.DisconnectedError]; handlers get
//     DrainTime to finish.
//   - The context of Run ends. Its cause takes the place of ErrClosed.
//   - A message cannot be sent within SendTimeout. That counts as an other side that is gone.
//
// # Goroutines
//
// Run has one goroutine that waits, and at least one that reads, which also handles requests while these are fast.
// There is one for notifications and one for refusals while there are any. A call has none: it uses that of its caller.
package peer

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/inflight"
	"github.com/mcpgen/mcpgen/runtime/internal/lazyctx"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Conn is one side of a connection, or of what takes the place of one. It implements [transport.Caller]. Its
// methods may be called by several goroutines at once.
//
// Messages reach it through [Conn.Run], which reads them from a transport, or through [Conn.Accept]. A Conn has no
// goroutine unless Run or a handler is running.
type Conn struct {
	out     transport.Sender // set by New, like the next two, and not changed
	handler transport.Handler
	opts    *Options

	mute   atomic.Bool            // no responses are sent
	said   atomic.Uint32          // what has been logged; see once
	lastID atomic.Int64           // the id of the last call
	reader atomic.Pointer[reader] // while Run is at work

	// mu guards what follows. No function of the handler, of the transport or of a caller is called with mu held, and the
	// mutex of a request or a batch is locked before it, never after it.
	mu            sync.Mutex
	calls         map[int64]*call // that wait for their responses
	requests      requests        // at work
	used          usedIDs         // if Options.UniqueIDs is set
	notifications notifications
	held          int              // bytes of the requests being handled and the notifications that wait
	running       inflight.Counter // handlers and batches
	clock         *time.Timer      // ends calls that have timed out; nil before the first call
	rings         time.Time        // when the timer fires; zero if it is not set
	gone          error            // why no more calls can be made
	ending        bool             // no more requests are taken
	closed        atomic.Bool      // Close has begun; it is set with mu held, and may be read without
}

// New returns a connection that sends messages through out. The function returns the handler of the other side's
// requests and notifications.
func New(out transport.Sender, handler func(*Conn) transport.Handler, opts *Options) *Conn {
	c := &Conn{out: out, opts: opts.Complete()}
	// The function may keep c, but must not use it yet: there is no handler that could name the revision.
	c.handler = handler(c)
	return c
}

// revision returns the revision that messages are encoded for, and which decides about batches.
func (c *Conn) revision() wire.Revision { return c.handler.Revision() }

// SetResponding sets whether the connection responds to requests and invalid messages, as it does by default. Since
// revision 2026-07-28 a client never sends a response.
func (c *Conn) SetResponding(on bool) { c.mute.Store(!on) }

// Run reads messages from r and handles them until the other side ends the connection, the connection is closed, or
// ctx ends. Before it returns it closes the connection and waits for the handlers, as long as [Options.DrainTime]
// says; if the input has ended, it first gives them that time to finish their work. The contexts of handlers have
// the values of ctx.
//
// The error is nil if the other side or Close ended the connection gracefully, the cause of
// ctx if that ended, and otherwise a *[jsonrpc.DisconnectedError].
func (c *Conn) Run(ctx context.Context, r transport.Receiver) error {
	stop := context.AfterFunc(ctx, func() { c.close(context.Cause(ctx)) })
	defer stop()
	rd := newReader(ctx, c, r)
	// Before anything is read: whoever refuses a message, or waits for one, looks for the reader here.
	c.reader.Store(rd)
	go rd.read()
	if err, ended := rd.wait(rd.closed); ended {
		// The other side has ended its sending, and may still read. Handlers get time to finish their work, with their
		// contexts intact, before Close ends them.
		c.disconnected(err)
		c.drain()
		c.Close()
	} else {
		grace, cancel := context.WithTimeout(context.Background(), closeTime)
		defer cancel()
		rd.wait(grace.Done()) // Close makes transports return
	}
	if n := c.drain(); n > 0 {
		c.opts.Logger.Warn("peer: handlers go on after the end of their contexts", "handlers", n)
	}
	c.mu.Lock()
	gone, _ := c.gone.(*jsonrpc.DisconnectedError)
	c.mu.Unlock()
	switch {
	case context.Cause(ctx) != nil:
		return context.Cause(ctx)
	case gone == nil || gone.Err == io.EOF:
		return nil
	}
	return gone
}

// closeTime is how long Run waits for a transport that was closed to return.
const closeTime = 5 * time.Second

// Refuse handles an invalid message. If it is a response, the call that waits for it fails.
func (c *Conn) Refuse(m *jsonrpc.Message, err error) {
	if m.IsResponse() {
		c.responseReceived(m, err)
	}
}

// Close ends the connection: calls that wait for their responses fail, the contexts of handlers end, the transport
// is closed. It does not wait for handlers; Run does. Closing again does nothing.
func (c *Conn) Close() error { return c.close(jsonrpc.ErrClosed) }

// close ends the connection for a reason, which calls return and the contexts of handlers have as their cause. The order
// matters: after closed is set nothing new is accepted, so that failCalls and the ends of the contexts reach all that is
// there; the transport comes last, without mu, because closing it may wait for what is being sent.
func (c *Conn) close(cause error) error {
	c.mu.Lock()
	if c.closed.Load() {
		c.mu.Unlock()
		return nil
	}
	c.closed.Store(true)
	if rd := c.reader.Load(); rd != nil { // one that begins later looks at closed
		close(rd.closed)
		rd.refusals.room.Broadcast()
	}
	// Notifications that wait for their turn are dropped; the one that is being handled ends as requests do.
	c.failCalls(cause)
	c.notifications.list = nil
	if n := c.notifications.current; n != nil {
		n.ctx.End(c.gone)
	}
	c.requests.each(func(r *request) { r.ctx.End(c.gone) })
	c.mu.Unlock()
	return c.out.Close()
}

// isClosed reports whether Close has begun. What follows from that, such as the error of a transport, is no news.
func (c *Conn) isClosed() bool { return c.closed.Load() }

// Shutdown closes the connection gracefully: it accepts no more requests, and closes the connection when all
// requests being handled have their responses. If ctx ends first, it closes at once, and returns the cause.
func (c *Conn) Shutdown(ctx context.Context) error {
	c.mu.Lock()
	// Only newRequest looks at it. Responses and notifications still arrive, as handlers may wait for them.
	c.ending = true
	idle := c.running.Idle()
	c.mu.Unlock()
	var err error
	if idle != nil {
		select {
		case <-idle:
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
	}
	c.Close()
	return err
}

// disconnected records that nothing more will arrive. Calls fail, but handlers go on: what they have to say may still be
// sent, if only the other side's sending has ended.
func (c *Conn) disconnected(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failCalls(&jsonrpc.DisconnectedError{Err: err})
}

// drain waits for the handlers, at most for DrainTime, and returns how many are still running.
func (c *Conn) drain() int {
	c.mu.Lock()
	idle := c.running.Idle()
	c.mu.Unlock()
	if idle != nil {
		select {
		case <-idle:
		case <-time.After(c.opts.DrainTime):
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.running.Len()
}

// fits reports whether a message may be kept while it is handled or waits for that. It is called with mu held.
func (c *Conn) fits(size int) bool { return c.held == 0 || c.held+size <= c.opts.MaxBytes }

// send sends a message. It fails after Options.SendTimeout, with the reason why the connection has ended if it has.
func (c *Conn) send(ctx context.Context, m transport.Message) error {
	err := c.sendIn(&lazyctx.Context{Parent: ctx, Timeout: c.opts.SendTimeout}, m)
	if err != nil && !c.isClosed() && ctx.Err() != nil {
		return endOf(ctx)
	}
	return err
}

// sendIn sends a message with a context that has a timeout, and then ends the context. A message that could not be sent
// in time ends the connection: part of it may be on its way, and an other side that does not read would make all senders
// wait in turn.
func (c *Conn) sendIn(bounded *lazyctx.Context, m transport.Message) error {
	err := c.out.Send(bounded, m)
	bounded.End(nil)
	if err == nil {
		return nil
	}
	if bounded.TimedOut() {
		c.close(&jsonrpc.DisconnectedError{Err: errStuck})
	}
	if c.isClosed() {
		c.mu.Lock()
		defer c.mu.Unlock()
		// close sets closed and gone under one lock, so there is a reason.
		return c.gone
	}
	return err
}

// A mistake of the other side, which is logged the first time: the other side decides how many there are, and must not
// decide how long the log becomes.
type mistake uint32

const (
	invalidMessage mistake = 1 << iota
	invalidResponse
	unknownResponse
	lateResponse
	invalidCancellation
	invalidProgress
	invalidAcknowledgement
	tooManyNotifications
	tooManyRequests
	tooLongMessage
)

// once logs a mistake if it is the first of its kind on this connection.
func (c *Conn) once(m mistake, msg string, args ...any) {
	if c.said.Or(uint32(m))&uint32(m) == 0 {
		level := slog.LevelWarn
		if m == lateResponse {
			level = slog.LevelDebug
		}
		c.opts.Logger.Log(context.Background(), level, "peer: "+msg+" (said once)", args...)
	}
}
