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
	h         *Handler
	id        string
	principal string

	in     chan message
	live   *lifetime.Lifetime // until the client has gone, or the session is closed
	closed atomic.Bool        // by Close
	idle   *time.Timer        // ends the session; nil if it may be idle for ever
	alive  *time.Timer        // writes the next comment; nil if there are none

	watched *webauth.Watch // ends the session when the identities of the client have ended

	writing chan struct{} // holds one while the stream is written to; guards the rest
	w       http.ResponseWriter
	rc      *http.ResponseController
	over    bool // the stream must not be written to any more
}

// maxQueued is how many messages of a session may wait.
const maxQueued = 64

// firstMessage is how long a client may take to send its first message.
const firstMessage = time.Minute

// A message is in the queue until it is received.
type message struct {
	data  []byte
	from  *transport.Origin
	owner share.Owner
	size  int // as it counts
}

// newSession returns a session that ends with ctx.
func (h *Handler) newSession(ctx context.Context, w http.ResponseWriter, id, principal string) *session {
	s := &session{h: h, id: id, principal: principal, w: w, rc: http.NewResponseController(w)}
	s.in = make(chan message, maxQueued)
	s.live = lifetime.Until(ctx)
	s.writing = make(chan struct{}, 1)
	if d := h.opts.SessionIdle; d > 0 {
		s.idle = time.AfterFunc(min(firstMessage, d), s.end)
	}
	if d := h.opts.KeepAlive; d > 0 {
		s.writing <- struct{}{} // the first comment waits until alive is set
		s.alive = time.AfterFunc(d, func() {
			if s.write(ctx, []byte(eventstream.KeepAlive)) == nil {
				s.alive.Reset(d)
			}
		})
		<-s.writing
	}
	return s
}

// SessionID implements [transport.Sessioner].
func (s *session) SessionID() string { return s.id }

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
		s.idle.Reset(s.h.opts.SessionIdle)
	}
	select {
	case s.in <- m:
		if s.hasEnded() {
			s.drop()
		}
		return nil
	case <-s.live.Done():
		return errEnded
	case <-time.After(d):
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
	s.h.front.GiveBody(m.owner, m.size)
	return transport.Message{Data: m.data, Origin: m.from}, nil
}

// drop discards the messages in the queue, when no more are received.
func (s *session) drop() {
	for {
		select {
		case m := <-s.in:
			s.h.front.GiveBody(m.owner, m.size)
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
	s.rc.SetWriteDeadline(time.Now().Add(s.h.opts.WriteTimeout))
	stop := context.AfterFunc(ctx, s.interrupt)
	_, err := s.w.Write(data)
	if err == nil {
		err = s.rc.Flush()
	}
	stop()
	if cause := context.Cause(ctx); cause != nil {
		err = cause // the deadline has passed, or is about to
	} else if err != nil && s.closed.Load() {
		err = transport.ErrClosed
	}
	if err != nil {
		s.over = true
		s.end()
		return err
	}
	s.rc.SetWriteDeadline(time.Time{})
	return nil
}

// interrupt makes a pending write fail.
func (s *session) interrupt() { s.rc.SetWriteDeadline(time.Now()) }

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
	for _, t := range []*time.Timer{s.idle, s.alive} {
		if t != nil {
			t.Stop()
		}
	}
	timer := time.AfterFunc(flushTime, s.interrupt)
	s.writing <- struct{}{}
	timer.Stop()
	s.over = true
	<-s.writing
	return nil
}
