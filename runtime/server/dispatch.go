package server

import (
	"context"
	"fmt"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A method is looked up in this order: what the program or an extension has added for the revision; the lists, whose pages are
// kept encoded; and what the protocol has, by the generated dispatcher, which decodes the params and calls the method of
// builtin that has the method's name. A method of the protocol whose capability the server does not declare does not exist.

// A Handler handles requests of any method. The result is a type of package mcp, or a [wire.Raw]. The result of a
// list is always a [wire.Raw], because pages are kept encoded. Another one, which a handler has encoded itself or middleware
// returns in place of a result, is decoded as the result that the revision has for the method, and sent as that is.
//
// Of an error the client receives the *[jsonrpc.Error] that it wraps: text around that stays in this process. A
// *[PanicError] becomes an internal error without details, and any other error one with its text, unless the protocol
// has something better for it. A *[transport.RefusedError] keeps its time.
type Handler func(ctx context.Context, c *Call) (wire.Encodable, error)

// A Middleware wraps the next handler of what clients send: requests and, if [Call.IsNotification] says so,
// notifications, which have no result and whose error is only logged. It may look at the call, respond itself, or call
// next and look at the result. What a tool returned as an error is a result by then, unless it is one of the protocol, and
// a panic is a *[PanicError]. It sees only requests that have the revision and the scopes that they need, and neither
// cancellations nor progress, which the connection handles: [Options].Watch sees everything.
type Middleware func(next Handler) Handler

// A NotificationHandler handles notifications of a custom method. Its error is only logged.
type NotificationHandler func(ctx context.Context, c *Call) error

// setHandlers wraps the functions that handle requests and notifications in the middleware. Panics are contained inside it, so
// that middleware sees them as errors; without middleware nobody would, and the recover of ServeRequest is enough.
func (s *Server) setHandlers() {
	s.handler, s.notified = s.dispatch, s.dispatchNotification
	if len(s.opts.Middleware) == 0 {
		return
	}
	h := s.contain(func(ctx context.Context, c *Call) (wire.Encodable, error) {
		if c.IsNotification() {
			return s.dispatchNotification(ctx, c)
		}
		return s.dispatch(ctx, c)
	})
	for i := len(s.opts.Middleware) - 1; i >= 0; i-- { // the first is outermost
		h = s.opts.Middleware[i](h)
	}
	s.handler, s.notified = h, h
}

// dispatch is the innermost handler of requests. It handles custom methods, methods of extensions, and those of the
// protocol.
//
// REQ EXT-03, JRPC-19, TOOL-02, PRM-02, RES-02
func (s *Server) dispatch(ctx context.Context, c *Call) (wire.Encodable, error) {
	name := c.req.Method
	if m := s.methods.request(name, c.rev); m != nil {
		if err := c.mayUse(m.extension); err != nil {
			return nil, err
		}
		return m.handle(ctx, c)
	}
	// A method that the protocol does not have is unknown to the dispatcher.
	if m := mcp.ServerMethod(name); m != nil && !s.offers(m.ServerCapability) {
		return nil, methodNotFound(name)
	}
	switch name { // the lists are kept encoded, so they have no typed results
	case mcp.MethodListTools.Name:
		return s.listTools(ctx, c)
	case mcp.MethodListPrompts.Name:
		return s.listPrompts(ctx, c)
	case mcp.MethodListResources.Name:
		return s.listResources(ctx, c)
	case mcp.MethodListResourceTemplates.Name:
		return s.listTemplates(ctx, c)
	}
	d := mcp.ServerDispatcher{Handler: builtin{call: c}, Alias: true}
	return d.Request(ctx, c.rev, name, c.req.Params)
}

// dispatchNotification is the innermost handler of notifications. It returns no result.
func (s *Server) dispatchNotification(ctx context.Context, c *Call) (wire.Encodable, error) {
	if h := s.methods.notification(c.req.Method); h != nil {
		return nil, h(ctx, c)
	}
	d := mcp.ServerDispatcher{Handler: builtin{call: c}, Alias: true}
	err := d.Notification(ctx, c.rev, c.req.Method, c.req.Params)
	if err == wire.ErrUnknownMethod {
		return nil, fmt.Errorf("notification %q is unknown in %s", excerpt.Of(c.req.Method), c.rev)
	}
	return nil, err
}

// A builtin handles the protocol's own methods. Each is in the file of its feature. The dispatcher has decoded the params, whose
// raw values are parts of the request: what outlives the call must be copied.
type builtin struct {
	mcp.UnimplementedServerHandler
	call *Call
}
