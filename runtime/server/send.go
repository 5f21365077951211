package server

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// An Outgoing is a request or a notification that the server sends to a client.
type Outgoing struct {
	Method       string
	Params       wire.Raw // nil if there are none
	Notification bool     // there is no response

	// Call is the call that the message belongs to, nil if there is none.
	Call *Call
	// Session is the session of the client, nil if there is none.
	Session *Session

	out transport.Caller
}

// A SendFunc sends a request and returns the result of its response, or sends a notification and returns
// nil.
type SendFunc func(ctx context.Context, m *Outgoing) (wire.Raw, error)

// A SendMiddleware wraps the next SendFunc. It may change the message, send nothing, or look at the result. It does
// not see requests for input since 2026-07-28, which are part of a result and so pass through a [Middleware], nor
// the cancellations that transports send themselves.
type SendMiddleware func(next SendFunc) SendFunc

// send is the innermost SendFunc.
func send(ctx context.Context, m *Outgoing) (wire.Raw, error) {
	if m.Notification {
		return nil, m.out.Notify(ctx, m.Method, m.Params)
	}
	return m.out.Call(ctx, m.Method, m.Params)
}

// sender returns a Caller that sends through out, wrapped in the middleware. Call and session may be nil.
func (s *Server) sender(out transport.Caller, c *Call, ss *Session) transport.Caller {
	if s.send == nil || out == nil {
		return out
	}
	return &sender{server: s, out: out, call: c, session: ss}
}

// A sender is a [transport.Caller] with middleware around it.
type sender struct {
	server  *Server
	out     transport.Caller
	call    *Call
	session *Session
}

// Notify implements [transport.Caller].
func (s *sender) Notify(ctx context.Context, method string, params wire.Raw) error {
	_, err := s.send(ctx, &Outgoing{Method: method, Params: params, Notification: true})
	return err
}

// Call implements [transport.Caller].
func (s *sender) Call(ctx context.Context, method string, params wire.Raw) (wire.Raw, error) {
	return s.send(ctx, &Outgoing{Method: method, Params: params})
}

// send sends a message. It may run outside of any handler, so that a panic would end the process.
func (s *sender) send(ctx context.Context, m *Outgoing) (result wire.Raw, err error) {
	defer func() {
		if p := recover(); p != nil {
			s.server.panicked(ctx, p, "mcp: panic in a middleware", "method", m.Method)
			result, err = nil, jsonrpcError(codeInternal, "internal error", nil)
		}
	}()
	m.out, m.Call, m.Session = s.out, s.call, s.session
	if s.call != nil {
		m.Session = s.call.Session()
	}
	return s.server.send(ctx, m)
}
