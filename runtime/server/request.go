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

	// Size is how many bytes the message takes that Params are a part of; zero means that it is no
	// more than Params. A task holds on to all of it.
	Size int

	// Session is what initialize opens, on a transport that has such a thing. A transport that
	// has none serves the revisions without sessions alone, or sets Revision.
	Session *Session

	// Revision is the one that the transport knows the request to follow, by a header for example.
	// Zero means that it does not know.
	Revision wire.Revision

	// Refused is set by [Server.Handle] if the request is at fault itself, or came too late: its
	// error is not about what it asks for, which has not been looked at. HTTP has a status for that.
	Refused bool

	// Principal is who sends it, as verified by the transport: a name that does not change, such
	// as the subject of a token. Empty means nobody in particular.
	Principal string

	// Address is where it comes from, a host with or without a port. Those who name no principal share
	// by it what [Options.Share] is about.
	Address string

	// Headers are those of the HTTP request, if it came by one. Since 2026-07-28 they are held
	// against it.
	Headers Headers

	// Ending is closed when the transport wants to end in good order: subscriptions end then, with
	// their results. Nil is never.
	Ending <-chan struct{}

	// Out takes what belongs to this request while it is at work. Nil takes nothing.
	Out Sender
}

// Principal returns who is behind a request of that context, as far as [Options.Principal] knows, for
// a transport that does not know itself; empty for nobody in particular.
func (s *Server) Principal(ctx context.Context) string {
	if s.opts.Principal == nil {
		return ""
	}
	return s.opts.Principal(ctx)
}

// A Describer is a stream of messages, see [transport.Message], whose transport knows more about a
// request than the message says. Describe completes the request before it is carried out.
type Describer interface{ Describe(r *Request) }

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
	return s.carryOut(&Call{server: s, req: r, ctx: ctx})
}

// carryOut carries out the request of a call.
func (s *Server) carryOut(c *Call) (result wire.Raw, err error) {
	ctx, r := c.ctx, c.req
	if !s.running.enter() {
		r.Refused = true
		return nil, jsonrpcError(codeInternal, errClosed.Error(), nil)
	}
	defer func() {
		// REQ JRPC-21
		if p := recover(); p != nil {
			s.log().ErrorContext(ctx, "mcp: panic in a handler",
				"method", r.Method, "panic", p, "stack", string(debug.Stack()))
			// REQ LOG-07
			result, err = nil, jsonrpcError(codeInternal, "internal error", nil)
		}
		c.endProgress()
		s.running.leave()
	}()
	if err := s.admit(c); err != nil {
		r.Refused = true
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
			s.log().ErrorContext(ctx, "mcp: panic in a handler",
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
