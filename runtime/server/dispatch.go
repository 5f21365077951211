package server

import (
	"context"
	"fmt"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Handler answers a request of any method. The result is one of package mcp, or a [wire.Raw]; the
// lists come as the latter, because they are kept encoded.
type Handler func(ctx context.Context, c *Call) (wire.Encodable, error)

// A Middleware makes a handler out of the next one. It may look at the call, answer it, or pass it
// on and look at the answer.
type Middleware func(next Handler) Handler

// A NotificationHandler takes a notification. Its error goes to the transport's log.
type NotificationHandler func(ctx context.Context, c *Call) error

// features has the handlers of the protocol's own methods: those of each feature stand with it.
type features struct {
	mcp.UnimplementedServerHandler
	call *Call
}

// dispatch is the innermost handler.
func (s *Server) dispatch(ctx context.Context, c *Call) (wire.Encodable, error) {
	method := c.req.Method
	if h, ok := s.methods.request(method); ok {
		return h(ctx, c)
	}
	if h, ok, err := s.extensions.request(c); ok || err != nil {
		if err != nil {
			return nil, err
		}
		return h(ctx, c)
	}
	// REQ JRPC-19
	if !s.offers(method) {
		return nil, methodNotFound(method)
	}
	switch method { // the lists are kept encoded, so they have no typed results
	// REQ TOOL-02
	case mcp.MethodListTools.Name:
		return s.listTools(ctx, c)
	// REQ PRM-02
	case mcp.MethodListPrompts.Name:
		return s.listPrompts(ctx, c)
	// REQ RES-02
	case mcp.MethodListResources.Name:
		return s.listResources(ctx, c)
	case mcp.MethodListResourceTemplates.Name:
		return s.listTemplates(ctx, c)
	}
	d := mcp.ServerDispatcher{Handler: features{call: c}, Alias: true}
	return d.Request(ctx, c.rev, method, c.req.Params)
}

// notified takes a notification.
func (s *Server) notified(ctx context.Context, c *Call) error {
	if h, ok := s.methods.notification(c.req.Method); ok {
		return h(ctx, c)
	}
	d := mcp.ServerDispatcher{Handler: features{call: c}, Alias: true}
	err := d.Notification(ctx, c.rev, c.req.Method, c.req.Params)
	if err == wire.ErrUnknownMethod {
		return fmt.Errorf("notification %q is unknown in %s", excerpt.Of(c.req.Method), c.rev)
	}
	return err
}

// methods are the custom requests and notifications.
type methods struct {
	mu            sync.RWMutex
	requests      map[string]Handler
	notifications map[string]NotificationHandler
}

func (m *methods) request(name string) (Handler, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	h, ok := m.requests[name]
	return h, ok
}

func (m *methods) notification(name string) (NotificationHandler, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	h, ok := m.notifications[name]
	return h, ok
}

// own reports whether the server itself handles a message of the protocol. Requests about tasks can be
// those of an extension.
func own(method string) bool {
	m := mcp.ServerMethod(method)
	return m != nil && (m.Notification || !isOrIn(m.ServerCapability, mcp.ServerCapabilityTasks))
}

// isOrIn reports whether a capability is another or a part of it.
func isOrIn(capability, of string) bool {
	rest, ok := strings.CutPrefix(capability, of)
	return ok && (rest == "" || rest[0] == '.')
}

// AddMethod makes the server answer requests of another method than the protocol's own, in every
// revision. It replaces an earlier handler of that method.
func (s *Server) AddMethod(method string, h Handler) error {
	switch {
	case method == "" || h == nil:
		return fmt.Errorf("server: AddMethod: a method needs a name and a handler")
	case own(method):
		return fmt.Errorf("server: AddMethod: the server answers %q itself; use a middleware", method)
	}
	m := &s.methods
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.requests == nil {
		m.requests = make(map[string]Handler)
	}
	m.requests[method] = h
	return nil
}

// AddNotification makes the server take notifications of another method than the protocol's own.
// It replaces an earlier handler of that method.
func (s *Server) AddNotification(method string, h NotificationHandler) error {
	switch {
	case method == "" || h == nil:
		return fmt.Errorf("server: AddNotification: a notification needs a name and a handler")
	case own(method):
		return fmt.Errorf("server: AddNotification: the server takes %q itself", method)
	}
	m := &s.methods
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.notifications == nil {
		m.notifications = make(map[string]NotificationHandler)
	}
	m.notifications[method] = h
	return nil
}
