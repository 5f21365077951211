package server

import (
	"context"
	"runtime/debug"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Request is a request or a notification of a client as a transport received it. Params and Meta
// belong to the server from then on: nobody may change them.
type Request struct {
	ID     wire.ID // absent for a notification
	Method string
	Params wire.Raw // absent if there are none
	Meta   wire.Raw // the _meta member of Params

	// Session is what initialize opens, on a transport that has such a thing. A transport that
	// has none serves the revisions without sessions alone, or sets Revision.
	Session *Session

	// Revision is the one that the transport knows the request to follow, by a header for example.
	// Zero means that it does not know.
	Revision wire.Revision

	// Principal is who sends it, as verified by the transport: a name that does not change, such
	// as the subject of a token. Empty means nobody in particular.
	Principal string

	// Out takes what belongs to this request while it is at work. Nil takes nothing.
	Out Sender
}

// A Sender takes messages for the client. Params are encoded already.
type Sender interface {
	// Notify sends a notification.
	Notify(ctx context.Context, method string, params wire.Raw) error
	// Call sends a request, and waits for the answer: its result, or a *[jsonrpc.Error].
	Call(ctx context.Context, method string, params wire.Raw) (wire.Raw, error)
}

// Handle carries out a request and returns its result. The error is a *[jsonrpc.Error], to be sent
// as it is. The context ends when the client cancels the request or the connection breaks; then
// nobody waits for the answer.
//
// It is for transports: a connection's transport is served by [Server.Serve].
func (s *Server) Handle(ctx context.Context, r *Request) (result wire.Raw, err error) {
	if !s.running.enter() {
		return nil, jsonrpcError(codeInternal, errClosed.Error(), nil)
	}
	c := &Call{server: s, req: r, ctx: ctx}
	defer func() {
		if p := recover(); p != nil {
			s.opts.Logger.ErrorContext(ctx, "mcp: panic in a handler",
				"method", r.Method, "panic", p, "stack", string(debug.Stack()))
			result, err = nil, jsonrpcError(codeInternal, "internal error", nil)
		}
		c.endProgress()
		s.running.leave()
	}()
	if err := s.admit(c); err != nil {
		return nil, s.errorOf(ctx, c, err)
	}
	v, err := s.handler(ctx, c)
	if err == nil {
		result, err = s.encode(c, v)
	}
	if err != nil {
		return nil, s.errorOf(ctx, c, err)
	}
	return result, nil
}

// HandleNotification carries out a notification. There is no answer to one; an error is for the
// transport's log. Cancellation and progress are the transport's own business.
func (s *Server) HandleNotification(ctx context.Context, r *Request) (err error) {
	if !s.running.enter() {
		return errClosed
	}
	c := &Call{server: s, req: r, ctx: ctx}
	defer func() {
		if p := recover(); p != nil {
			s.opts.Logger.ErrorContext(ctx, "mcp: panic in a handler",
				"method", r.Method, "panic", p, "stack", string(debug.Stack()))
			err = jsonrpcError(codeInternal, "internal error", nil)
		}
		s.running.leave()
	}()
	if err := s.admitNotification(c); err != nil {
		return err
	}
	return s.notified(ctx, c)
}
