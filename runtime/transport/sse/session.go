package sse

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/lifetime"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/eventstream"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/webauth"
)

// A session is a client's connection, as the server sees it: a stream to the client, and a queue of messages from
// it. It is a [transport.Transport].
type session struct {
	opts      *Options
	principal string
	id        string
	bodies    *share.Room // of what waits

	in     chan message
	live   *lifetime.Lifetime // until the client has gone, or the session is closed
	closed atomic.Bool        // by Close
	idle   *time.Timer        // ends the session; nil if it may be idle for ever

	watched *webauth.Watch // ends the session when the identities of the client have ended

	writing chan struct{} // holds one while the stream is written to; guards the rest
	w       http.ResponseWriter
	rc      *http.ResponseController
	over    bool // the stream must not be written to any more
}

// A message is in the queue until it is received.
type message struct {
	data  []byte
	from  *transport.Origin
	owner share.Owner
	size  int // as it counts
}

// newSession returns a session that ends with ctx.
func newSession(ctx context.Context, o *Options, w http.ResponseWriter, principal string, bodies *share.Room) *session {
	s := &session{opts: o, principal: principal, bodies: bodies, w: w, rc: http.NewResponseController(w)}
	s.in = make(chan message, maxQueued)
	s.live = lifetime.Until(ctx)
	s.writing = make(chan struct{}, 1)
	if o.SessionIdle > 0 {
		s.idle = time.AfterFunc(min(firstMessage, o.SessionIdle), s.end)
	}
	return s
}

// SessionID implements [transport.Sessioner].
func (s *session) SessionID() string { return s.id }

// watch keeps the stream alive until the session ends. The function that it returns ends the session.
func (s *session) watch(ctx context.Context) (stop func()) {
	if s.opts.KeepAlive <= 0 {
		return func() {}
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		ticker := time.NewTicker(s.opts.KeepAlive)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				s.write(ctx, []byte(eventstream.KeepAlive))
			case <-s.live.Done():
				return
			}
		}
	}()
	return func() {
		s.end()
		<-done
	}
}

var (
	errBusy  = errors.New("sse: too many messages wait")
	errEnded = errors.New("sse: the session has ended")
)

// take adds a message to the queue. If the queue is full, it waits for at most d.
func (s *session) take(ctx context.Context, m message, d time.Duration) error {
	if s.hasEnded() {
		return errEnded
	}
	if s.idle != nil {
		s.idle.Reset(s.opts.SessionIdle)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case s.in <- m:
		if s.hasEnded() {
			s.drop()
		}
		return nil
	case <-s.live.Done():
		return errEnded
	case <-timer.C:
	case <-ctx.Done():
	}
	return errBusy
}

func (s *session) hasEnded() bool { return s.live.Over() }

// end ends the session. The stream may still be written to.
func (s *session) end() { s.live.End(nil) }

// Receive implements [transport.Receiver].
func (s *session) Receive(ctx context.Context) (transport.Message, error) {
	if s.closed.Load() {
		return transport.Message{}, transport.ErrClosed
	}
	select {
	case m := <-s.in:
		return s.received(m)
	case <-s.live.Done():
	case <-ctx.Done():
		return transport.Message{}, context.Cause(ctx)
	}
	select {
	case m := <-s.in: // what was sent is received although the session has ended
		return s.received(m)
	default:
		if s.closed.Load() {
			return transport.Message{}, transport.ErrClosed
		}
		return transport.Message{}, io.EOF
	}
}

func (s *session) received(m message) (transport.Message, error) {
	s.bodies.Give(m.owner, m.size)
	return transport.Message{Data: m.data, Origin: m.from}, nil
}

// drop discards the messages in the queue, when no more are received.
func (s *session) drop() {
	for {
		select {
		case m := <-s.in:
			s.bodies.Give(m.owner, m.size)
		default:
			return
		}
	}
}

// Send implements [transport.Sender]. If ctx ends while the client does not read, the session ends, because part of
// the event may have been sent.
func (s *session) Send(ctx context.Context, m transport.Message) error {
	return s.write(ctx, eventstream.AppendEvent(nil, eventstream.Event{Type: "message", Data: m.Data}))
}

// write writes to the stream. A client that does not read in time loses its session.
func (s *session) write(ctx context.Context, data []byte) error {
	select {
	case s.writing <- struct{}{}:
		defer func() { <-s.writing }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	if s.over {
		return s.whyOver()
	}
	s.rc.SetWriteDeadline(time.Now().Add(s.opts.WriteTimeout))
	stop := context.AfterFunc(ctx, s.interrupt)
	_, err := s.w.Write(data)
	if err == nil {
		err = s.rc.Flush()
	}
	if !stop() && err == nil {
		err = context.Cause(ctx) // the deadline has passed, or is about to
	}
	if err != nil {
		s.over = true
		s.end()
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case s.closed.Load():
			return transport.ErrClosed
		}
		return err
	}
	s.rc.SetWriteDeadline(time.Time{})
	return nil
}

// interrupt makes a pending write fail.
func (s *session) interrupt() { s.rc.SetWriteDeadline(time.Unix(1, 0)) }

func (s *session) whyOver() error {
	if s.closed.Load() {
		return transport.ErrClosed
	}
	return errEnded
}

// flushTime is how long Close waits for a client to read what is being sent.
const flushTime = 500 * time.Millisecond

// Close implements [transport.Sender].
func (s *session) Close() error {
	s.closed.Store(true)
	s.end()
	if s.idle != nil {
		s.idle.Stop()
	}
	timer := time.AfterFunc(flushTime, s.interrupt)
	s.writing <- struct{}{}
	timer.Stop()
	s.over = true
	<-s.writing
	return nil
}

// owner returns the client whose share a message counts against.
func owner(from *transport.Origin) share.Owner { return share.Of(from.Principal, from.Address, nil) }
