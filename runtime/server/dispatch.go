package server

import (
	"context"
	"fmt"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Handler handles requests of any method. The result is a type of package mcp, or a [wire.Raw]; that
// of a list is always the latter, because pages are kept encoded.
type Handler func(ctx context.Context, c *Call) (wire.Encodable, error)

// A Middleware makes a handler out of the next one. It may look at the call, respond itself, or call
// next and look at the result.
type Middleware func(next Handler) Handler

// A NotificationHandler handles notifications. Its error is only logged.
type NotificationHandler func(ctx context.Context, c *Call) error

// A NotificationMiddleware is a [Middleware] for notifications. It does not see cancellations and
// progress, which the connection handles.
type NotificationMiddleware func(next NotificationHandler) NotificationHandler

// route returns the handler of a request: a custom method, that of an extension, or one of the protocol.
// The error says why there is none.
func (s *Server) route(c *Call) (Handler, error) {
	name := c.req.Method
	m, custom := s.methods.request(name)
	// REQ EXT-03
	if custom && (m.extension == nil || c.rev >= m.extension.Since) {
		return m.handle, c.mayUse(m.extension)
	}
	// REQ JRPC-19
	if !s.offers(name) {
		return nil, methodNotFound(name)
	}
	switch name {
	// REQ TOOL-02
	case mcp.MethodListTools.Name:
		return s.lists.tools, nil
	// REQ PRM-02
	case mcp.MethodListPrompts.Name:
		return s.lists.prompts, nil
	// REQ RES-02
	case mcp.MethodListResources.Name:
		return s.lists.resources, nil
	case mcp.MethodListResourceTemplates.Name:
		return s.lists.templates, nil
	}
	return s.typed, nil
}

// lists are the handlers of the lists, whose results are kept encoded.
type lists struct{ tools, prompts, resources, templates Handler }

// setHandlers puts the middleware around what handles requests and notifications, and sends them.
func (s *Server) setHandlers() {
	s.lists = lists{s.listTools, s.listPrompts, s.listResources, s.listTemplates}
	s.typed = func(ctx context.Context, c *Call) (wire.Encodable, error) {
		d := mcp.ServerDispatcher{Handler: builtin{call: c}, Alias: true}
		return d.Request(ctx, c.rev, c.req.Method, c.req.Params)
	}
	s.handler = around(s.opts.Middleware, Handler(s.dispatch))
	s.notified = around(s.opts.NotificationMiddleware, NotificationHandler(s.dispatchNotification))
	if s.opts.SendMiddleware != nil {
		s.send = around(s.opts.SendMiddleware, SendFunc(send))
	}
}

// around returns a handler with middleware around it, the first of it outermost.
func around[H any, M ~func(H) H](middleware []M, h H) H {
	for i := len(middleware) - 1; i >= 0; i-- {
		h = middleware[i](h)
	}
	return h
}

// dispatch is the innermost handler of requests.
func (s *Server) dispatch(ctx context.Context, c *Call) (wire.Encodable, error) {
	h, err := s.route(c)
	if err != nil {
		return nil, err
	}
	return h(ctx, c)
}

// dispatchNotification is the innermost handler of notifications.
func (s *Server) dispatchNotification(ctx context.Context, c *Call) error {
	if h := s.methods.notification(c.req.Method); h != nil {
		return h(ctx, c)
	}
	d := mcp.ServerDispatcher{Handler: builtin{call: c}, Alias: true}
	err := d.Notification(ctx, c.rev, c.req.Method, c.req.Params)
	if err == wire.ErrUnknownMethod {
		return fmt.Errorf("notification %q is unknown in %s", excerpt.Of(c.req.Method), c.rev)
	}
	return err
}

// A builtin handles the protocol's own methods. Each is in the file of its feature.
type builtin struct {
	mcp.UnimplementedServerHandler
	call *Call
}
