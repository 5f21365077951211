package server

import (
	"context"
	"errors"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// ServeRequest implements [transport.Handler] for requests without a session: those of revisions since
// 2026-07-28, and those whose transport names a revision. The error is a *[jsonrpc.Error], a
// *[transport.RefusedError], or a *[transport.ScopeError]; with the last one nothing has been sent before.
//
// It is for transports. [Server.Serve] serves a connection, and [Server.Caller] calls a server from within
// the program.
func (s *Server) ServeRequest(ctx context.Context, r *transport.Request) (wire.Raw, error) {
	return s.serve(ctx, nil, r)
}

// ServeNotification implements [transport.Handler].
func (s *Server) ServeNotification(ctx context.Context, r *transport.Request) error {
	return s.serveNotification(ctx, nil, r)
}

// Revision implements [transport.Handler]: each request names its own.
func (s *Server) Revision() wire.Revision { return wire.Any }

// ServeRequest implements [transport.Handler].
func (ss *Session) ServeRequest(ctx context.Context, r *transport.Request) (wire.Raw, error) {
	return ss.server.serve(ctx, ss, r)
}

// ServeNotification implements [transport.Handler].
func (ss *Session) ServeNotification(ctx context.Context, r *transport.Request) error {
	return ss.server.serveNotification(ctx, ss, r)
}

// serve handles a request, whose session may be nil.
func (s *Server) serve(ctx context.Context, ss *Session, r *transport.Request) (wire.Raw, error) {
	c := s.newCall(ctx, ss, r)
	if s.opts.Observer != nil {
		return s.respondObserved(ctx, c)
	}
	return s.respond(ctx, c)
}

// respond is serve inside the observer.
func (s *Server) respond(ctx context.Context, c *Call) (result wire.Raw, err error) {
	if !s.running.enter() {
		return nil, refused(jsonrpcError(codeInternal, errClosed.Error(), nil))
	}
	defer func() {
		// REQ JRPC-21
		if p := recover(); p != nil {
			s.logPanic(ctx, c.req, newPanicError(p))
			// REQ LOG-07
			result, err = nil, jsonrpcError(codeInternal, "internal error", nil)
		}
		c.endProgress()
		s.running.leave()
	}()
	ctx = c.identify(ctx)
	if err := s.resolve(c); err != nil {
		return nil, refused(s.errorOf(ctx, c, err))
	}
	if s.scoped.Load() {
		if _, err := s.authorize(ctx, c); err != nil {
			return nil, err
		}
	}
	v, err := s.handler(ctx, c)
	if err == nil {
		if c.observed != nil {
			c.observeResult(v)
		}
		result, err = s.encode(c, v)
	}
	if err != nil {
		return nil, s.errorOf(ctx, c, err)
	}
	return result, nil
}

// refused returns the error of a request that no handler has seen.
func refused(err error) error {
	if rpc, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return &transport.RefusedError{Err: rpc}
	}
	return err
}

// serveNotification handles a notification, other than cancellations and progress, which transports handle.
func (s *Server) serveNotification(ctx context.Context, ss *Session, r *transport.Request) error {
	c := s.newCall(ctx, ss, r)
	if s.opts.Observer != nil {
		return s.receiveObserved(ctx, c)
	}
	return s.receive(ctx, c)
}

// receive is serveNotification inside the observer.
func (s *Server) receive(ctx context.Context, c *Call) (err error) {
	if !s.running.enter() {
		return errClosed
	}
	defer func() {
		if p := recover(); p != nil {
			s.logPanic(ctx, c.req, newPanicError(p))
			err = jsonrpcError(codeInternal, "internal error", nil)
		}
		s.running.leave()
	}()
	ctx = c.identify(ctx)
	if err := s.resolveNotification(c); err != nil {
		return err
	}
	err = s.notified(ctx, c)
	if _, panicked := errors.AsType[*PanicError](err); panicked {
		return jsonrpcError(codeInternal, "internal error", nil)
	}
	return err
}

func (s *Server) newCall(ctx context.Context, ss *Session, r *transport.Request) *Call {
	c := &Call{server: s, session: ss, req: r, ctx: ctx}
	if s.send != nil {
		r.Out = s.sender(r.Out, c, nil)
	}
	return c
}
