package client

import (
	"context"
	"slices"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Call is a request that a client sends. The client handles input-required results and renewed
// sessions inside of it, so a call can take several messages; a result from the cache takes none.
type Call struct {
	Method *wire.Method
	Params wire.Encodable // nil if there are none

	// Result is what the result is decoded into: a result of package mcp, a *[wire.Box] with one of
	// several results, a *[wire.Raw], or whatever the caller of [Client.Call] supplied.
	Result wire.Decodable

	send func(ctx context.Context, params wire.Encodable) error // nil for Client.call
}

// A Sender sends a request and decodes its result.
type Sender func(ctx context.Context, c *Call) error

// A CallMiddleware makes a Sender out of the next one. It may change the params of a call, return
// without calling next, call it again, and look at the result.
type CallMiddleware func(next Sender) Sender

// A Request is a request or a notification that a client receives. It may also be a request inside an
// input-required result, which is how servers ask for input since 2026-07-28.
type Request struct {
	Method       string
	Params       wire.Raw // nil if there are none
	Notification bool
}

// A Handler handles what a client receives. The result of a request is one of package mcp, or a
// [wire.Raw]; nil is the empty one. A notification has none. The errors are those of
// [transport.Handler].
type Handler func(ctx context.Context, r *Request) (wire.Encodable, error)

// A Middleware makes a Handler out of the next one. It may look at the request, handle it itself, or call
// next and look at the result. A notification that is not passed to next has no effect on the client.
type Middleware func(next Handler) Handler

// wrap builds the chains of middleware. A chain without middleware is nil, so that nothing is spent on it.
func (c *Client) wrap() {
	if len(c.opts.CallMiddleware) > 0 {
		c.sender = func(ctx context.Context, call *Call) error {
			if call.send != nil {
				return call.send(ctx, call.Params)
			}
			return c.call(ctx, call.Method, call.Params, call.Result)
		}
		for _, m := range slices.Backward(c.opts.CallMiddleware) {
			c.sender = m(c.sender)
		}
	}
	if len(c.opts.Middleware) > 0 {
		c.handler = func(ctx context.Context, r *Request) (wire.Encodable, error) {
			if r.Notification {
				return nil, c.notified(ctx, r.Method, r.Params)
			}
			return c.requested(ctx, r.Method, r.Params)
		}
		for _, m := range slices.Backward(c.opts.Middleware) {
			c.handler = m(c.handler)
		}
	}
}

// through sends a request by a function of its own, with the middleware around it.
func (c *Client) through(ctx context.Context, m *wire.Method, params wire.Encodable, result wire.Decodable,
	send func(ctx context.Context, params wire.Encodable) error) error {
	if c.sender == nil {
		return send(ctx, params)
	}
	return c.sender(ctx, &Call{m, params, result, send})
}

// handleRequest handles a request of the server, with the middleware around it.
func (c *Client) handleRequest(ctx context.Context, method string, params wire.Raw) (wire.Encodable, error) {
	if c.handler == nil {
		return c.requested(ctx, method, params)
	}
	return c.handler(ctx, &Request{Method: method, Params: params})
}

// handleNotification handles a notification of the server, with the middleware around it.
func (c *Client) handleNotification(ctx context.Context, method string, params wire.Raw) error {
	if c.handler == nil {
		return c.notified(ctx, method, params)
	}
	_, err := c.handler(ctx, &Request{Method: method, Params: params, Notification: true})
	return err
}
