package server

import (
	"context"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// What servers send goes through [Options].Send: what belongs to a call, such as progress, log messages and requests for input,
// and what belongs to a session. Responses do not: middleware of handlers sees these.
//
// A panic of such middleware is contained here, because it may run where no handler does: in the timer of a subscription.

// sender returns a Caller that sends through out what belongs to a call or a session, inside [Options].Send.
func (s *Server) sender(out transport.Caller, of any) transport.Caller {
	if len(s.opts.Send) == 0 || out == nil { // nil stays nil, which says that nothing can be sent
		return out
	}
	return &sender{server: s, out: out, of: of}
}

// A sender is a [transport.Caller] with middleware around it.
type sender struct {
	server *Server
	out    transport.Caller
	of     any // a *Call or a *Session

	once sync.Once // most calls send nothing
	next transport.MessageFunc
}

// Notify implements [transport.Caller].
func (s *sender) Notify(ctx context.Context, method string, params wire.Raw) error {
	_, err := s.send(ctx, &transport.ServerMessage{Method: method, Params: params, Notification: true, Of: s.of})
	return err
}

// Call implements [transport.Caller].
func (s *sender) Call(ctx context.Context, method string, params wire.Raw) (wire.Raw, error) {
	return s.send(ctx, &transport.ServerMessage{Method: method, Params: params, Of: s.of})
}

// send sends a message. It may run outside of any handler, so that a panic would end the process.
func (s *sender) send(ctx context.Context, m *transport.ServerMessage) (result wire.Raw, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.server.panicked(ctx, p, "mcp: panic in a middleware", "method", m.Method)
			result, err = nil, errInternal
		}
	}()
	s.once.Do(func() { s.next = transport.Wrap(s.pass, s.server.opts.Send) })
	return s.next(ctx, m)
}

// pass is the innermost MessageFunc.
func (s *sender) pass(ctx context.Context, m *transport.ServerMessage) (wire.Raw, error) {
	if m.Notification {
		return nil, s.out.Notify(ctx, m.Method, m.Params)
	}
	return s.out.Call(ctx, m.Method, m.Params)
}
