package server

import (
	"context"
	"errors"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// This is the way of a request through the server, whatever transport it came by:
//
//	newCall     makes the Call, by which handlers and middleware see the request
//	watch       calls Options.Watch, which returns what is called at the end
//	identify    calls Options.Identity, if the transport does not know the sender
//	resolve     determines the revision, and checks metadata and headers
//	authorize   compares the scopes of the sender with those of what the request names
//	handler     runs the middleware, and inside it dispatch
//	encode      writes the result as the revision has it
//	errorOf     makes any error one that the revision has
//
// What is wrong before the handler is a *[transport.RefusedError], to which HTTP gives a status (in a session only 429, since
// the status of a session's responses is 200); an error of the handler is a response like any other. A panic on the way is
// logged and becomes an internal error without details.
//
// A notification goes the same way, but needs no scopes, and its error is only logged.

// ServeRequest implements [transport.Handler]. The error is a *[jsonrpc.Error], a *[transport.RefusedError], or a
// *[transport.ScopeError]; in the last case nothing has been sent before.
//
// REQ JRPC-21, LOG-07
func (e *endpoint) ServeRequest(ctx context.Context, r *transport.Request) (result wire.Raw, err error) {
	s := e.server
	// The buffer is the transport's, for this response alone: what the call leaves behind must not use it.
	room := r.Room
	r.Room = nil
	c := e.newCall(ctx, r)
	err = errInternal // unless the handler returns
	defer c.end(&result, &err)
	ctx = c.watch(ctx)
	if !c.counted { // only now, since Watch sees what is refused, too
		return nil, refused(jsonrpcError(codeInternal, errClosed.Error(), nil))
	}
	ctx = c.identify(ctx)
	if err := s.resolve(c); err != nil {
		return nil, refused(s.errorOf(ctx, c, err))
	}
	// Before middleware, and while nothing has been sent: over HTTP a lack of scopes is a status.
	if s.mayRequire(r.Method) {
		if _, err := s.authorize(ctx, c); err != nil {
			return nil, err
		}
	}
	v, err := s.handler(ctx, c)
	if err == nil {
		if r, ok := v.(*mcp.CallToolResult); ok {
			c.failed = r.GetIsError() // for Watch, see ToolFailed
		}
		result, err = s.encode(c, v, room)
	}
	if err != nil {
		return nil, s.errorOf(ctx, c, err)
	}
	return result, nil
}

// ServeNotification implements [transport.Handler]. Transports handle cancellations and progress themselves.
func (e *endpoint) ServeNotification(ctx context.Context, r *transport.Request) (err error) {
	s := e.server
	c := e.newCall(ctx, r)
	err = errInternal // unless the handler returns
	defer c.end(new(wire.Raw), &err)
	ctx = c.watch(ctx)
	if !c.counted {
		return errClosed
	}
	ctx = c.identify(ctx)
	if err := s.resolveNotification(c); err != nil {
		return err
	}
	_, err = s.notified(ctx, c)
	// With middleware a panic is an error here, which contain has logged.
	if _, panicked := errors.AsType[*PanicError](err); panicked {
		return errInternal
	}
	return err
}

// end ends a call, however its handler has ended. It must itself be what ServeRequest and ServeNotification defer: recover works
// nowhere else. In this order: a panic becomes an error, progress ends, Watch sees what the client will receive, and Shutdown
// goes on.
func (c *Call) end(result *wire.Raw, err *error) {
	s := c.server
	if p := recover(); p != nil {
		s.panicked(c.ctx, p, inHandler, "method", c.req.Method)
		*result, *err = nil, errInternal
	}
	if c.outlives {
		return // what ends it does the rest
	}
	if c.counted {
		defer s.running.leave()
	}
	c.endProgress()
	c.tellWatch(*result, *err)
}

// newCall returns the Call of a request, which is counted until it ends. From then on, what is sent for the request goes through
// [Options].Send.
func (e *endpoint) newCall(ctx context.Context, r *transport.Request) *Call {
	c := e.callFor(ctx, r)
	c.counted = e.server.running.enter(e.within != nil)
	return c
}

// callFor returns the Call of a request that is not counted, because there is none, or it is not handled here.
func (e *endpoint) callFor(ctx context.Context, r *transport.Request) *Call {
	c := &Call{server: e.server, session: e.session, within: e.within, req: r, ctx: ctx}
	r.Out = e.server.sender(r.Out, c)
	return c
}

// watch calls [Options].Watch.
func (c *Call) watch(ctx context.Context) context.Context {
	if f := c.server.opts.Watch; f != nil {
		c.ctx, c.watched = f(ctx, c)
	}
	return c.ctx
}

// tellWatch tells what [Options].Watch returned that the call has ended.
func (c *Call) tellWatch(result wire.Raw, err error) {
	if ended := c.watched; ended != nil {
		c.server.guard("Watch", func() { ended(result, err) })
	}
}

// refused returns the error for a request that no handler has seen.
func refused(err error) error {
	if rpc, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return &transport.RefusedError{Err: rpc}
	}
	return err
}

// Scopes returns the scopes that a request requires, and a *[transport.ScopeError] if its sender lacks some of them.
// It is for transports that must know before they accept the request; ServeRequest checks them in any case.
func (e *endpoint) Scopes(ctx context.Context, r *transport.Request) (scopes []string, err error) {
	defer func() {
		if recover() != nil { // serving the request will report the error
			scopes, err = nil, nil
		}
	}()
	c := e.callFor(ctx, new(*r)) // of a copy, because a Call changes its request
	ctx = c.identify(ctx)
	if e.server.resolve(c) != nil { // likewise
		return nil, nil
	}
	return e.server.authorize(ctx, c)
}
