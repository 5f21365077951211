package client

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Call is a request or a notification that a client sends. It may take several requests, if the server
// asks for input or has ended the session, or none, if the result is in the cache.
type Call struct {
	Method *wire.Method
	Params wire.Encodable // nil if there are none

	// Result is what the result is decoded into: a result of package mcp, a *[wire.Box] with one of
	// several, a *[wire.Raw], or what the caller of [Client.Call] supplied. It is nil for a notification.
	Result wire.Decodable

	send func(ctx context.Context, params wire.Encodable) error // nil for Client.call
}

// A SendFunc sends a request and decodes its result, or sends a notification.
type SendFunc func(ctx context.Context, c *Call) error

// A SendMiddleware wraps the next SendFunc. It may change the params of a call, return without calling next, call
// next again, or look at the result.
type SendMiddleware func(next SendFunc) SendFunc

// A Request is a request or a notification that a client receives. Since 2026-07-28 requests come inside
// input-required results.
type Request struct {
	Method string
	Params wire.Raw // nil if there are none

	// About is the id of the client's request in whose HTTP response the message arrived; see [WithStarted]. It is zero
	// if the message arrived on its own, or the transport does not know.
	About wire.ID `json:",omitzero"`
}

// about returns the id of the client's request that a message of the server belongs to, zero if the transport does not
// say.
func about(r *transport.Request) wire.ID {
	id, _ := r.Stream.(wire.ID)
	return id
}

// A Handler handles requests of any method. The result is a type of package mcp, or a [wire.Raw]; nil is
// the empty one. The errors are those of [transport.Handler].
type Handler func(ctx context.Context, r *Request) (wire.Encodable, error)

// A Middleware wraps the next Handler. It may look at the request, respond itself, or call next and look at the
// result. It does not see a ping that arrives before the handshake has ended.
type Middleware func(next Handler) Handler

// A NotificationHandler handles notifications. Its error is only logged.
type NotificationHandler func(ctx context.Context, r *Request) error

// A NotificationMiddleware is a [Middleware] for notifications. It does not see cancellations and the
// progress of calls, which the connection handles. A notification that it does not pass to next has no
// effect: a list that has changed stays in the cache, for example.
type NotificationMiddleware func(next NotificationHandler) NotificationHandler

// setHandlers wraps what the client sends and receives in the middleware. Without middleware the function is nil,
// so that it costs nothing.
func (c *Client) setHandlers() {
	if o := &c.opts; len(o.SendMiddleware) > 0 {
		c.sendFunc = around(o.SendMiddleware, func(ctx context.Context, call *Call) error {
			if call.send != nil {
				return call.send(ctx, call.Params)
			}
			return c.call(ctx, call.Method, call.Params, call.Result)
		})
	}
	if o := &c.opts; len(o.Middleware) > 0 {
		c.handler = around(o.Middleware, func(ctx context.Context, r *Request) (wire.Encodable, error) {
			return c.requested(ctx, r.Method, r.Params)
		})
	}
	if o := &c.opts; len(o.NotificationMiddleware) > 0 {
		c.notificationHandler = around(o.NotificationMiddleware, func(ctx context.Context, r *Request) error {
			return c.notified(ctx, r.Method, r.Params)
		})
	}
}

// around returns a function wrapped in middleware, the first of which is outermost.
func around[F any, M ~func(F) F](middleware []M, f F) F {
	for i := len(middleware) - 1; i >= 0; i-- {
		f = middleware[i](f)
	}
	return f
}

// through sends, through the middleware, what is not sent by Client.call.
func (c *Client) through(ctx context.Context, m *wire.Method, params wire.Encodable, result wire.Decodable,
	send func(ctx context.Context, params wire.Encodable) error) error {
	if c.sendFunc == nil {
		return send(ctx, params)
	}
	return c.sendFunc(ctx, &Call{m, params, result, send})
}

// handleRequest handles a request of the server, inside the middleware.
func (c *Client) handleRequest(ctx context.Context, method string, params wire.Raw, about wire.ID) (wire.Encodable, error) {
	if c.handler == nil {
		return c.requested(ctx, method, params)
	}
	return c.handler(ctx, &Request{method, params, about})
}

// handleNotification handles a notification of the server, inside the middleware.
func (c *Client) handleNotification(ctx context.Context, r *transport.Request) error {
	if c.notificationHandler == nil {
		return c.notified(ctx, r.Method, r.Params)
	}
	return c.notificationHandler(ctx, &Request{r.Method, r.Params, about(r)})
}
