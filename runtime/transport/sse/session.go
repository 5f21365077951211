package sse

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/eventstream"
)

// A session is a client's connection, as the server sees it: a stream to the client, and a queue of
// what comes from it. It is a [transport.Transport].
type session struct {
	opts   *Options
	from   *transport.Origin
	bodies *share.Room // of what waits

	in     chan message
	closed chan struct{}
	once   sync.Once
	idle   *time.Timer // closes the session; nil if it may be idle for ever

	mu   sync.Mutex // held while the stream is written to
	w    http.ResponseWriter
	rc   *http.ResponseController
	over bool // the stream must not be written to any more
}

// A message waits to be taken.
type message struct {
	data  []byte
	owner share.Owner
	size  int // as it counts
}

func newSession(o *Options, w http.ResponseWriter, from *transport.Origin, bodies *share.Room) *session {
	s := &session{opts: o, from: from, bodies: bodies, w: w, rc: http.NewResponseController(w)}
	s.in = make(chan message, o.MaxQueued)
	s.closed = make(chan struct{})
	if o.SessionIdle > 0 {
		s.idle = time.AfterFunc(min(firstMessage, o.SessionIdle), s.end)
	}
	return s
}

// watch ends the session with ctx, and keeps its stream alive until then. The function that it
// returns ends that.
func (s *session) watch(ctx context.Context) (stop func()) {
	context.AfterFunc(ctx, s.end)
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
				s.write([]byte(eventstream.KeepAlive))
			case <-s.closed:
				return
			}
		}
	}()
	return func() {
		s.end()
		<-done
	}
}

// end ends the session. The stream may still be written to.
func (s *session) end() { s.once.Do(func() { close(s.closed) }) }

var (
	errBusy  = errors.New("sse: too many messages wait")
	errEnded = errors.New("sse: the session has ended")
)

// take enters a message into the queue. If that is full, it waits for no longer than d.
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
	case <-s.closed:
		return errEnded
	case <-timer.C:
	case <-ctx.Done():
	}
	return errBusy
}

func (s *session) hasEnded() bool {
	select {
	case <-s.closed:
		return true
	default:
		return false
	}
}

// Receive implements [transport.Receiver].
func (s *session) Receive(ctx context.Context) (transport.Message, error) {
	select {
	case m := <-s.in:
		s.bodies.Give(m.owner, m.size)
		return transport.Message{Data: m.data, Origin: s.from}, nil
	case <-s.closed:
		return transport.Message{}, io.EOF
	case <-ctx.Done():
		return transport.Message{}, context.Cause(ctx)
	}
}

// drop forgets what waits when nothing is received any more.
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

// Send implements [transport.Sender].
func (s *session) Send(_ context.Context, m transport.Message) error {
	return s.write(eventstream.AppendEvent(nil, eventstream.Event{Type: "message", Data: m.Data}))
}

// write writes to the stream. A client that does not read in time loses its session.
func (s *session) write(data []byte) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return errEnded
	}
	s.rc.SetWriteDeadline(time.Now().Add(s.opts.WriteTimeout))
	_, err := s.w.Write(data)
	if err == nil {
		err = s.rc.Flush()
	}
	if err != nil {
		s.over = true
		s.end()
		return err
	}
	s.rc.SetWriteDeadline(time.Time{})
	return nil
}

// Close implements [transport.Sender].
func (s *session) Close() error {
	s.end()
	if s.idle != nil {
		s.idle.Stop()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.over = true
	return nil
}

// owner returns who has to share what a message takes.
func owner(from *transport.Origin) share.Owner { return share.Of(from.Principal, from.Address, nil) }
