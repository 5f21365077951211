package client

// Middleware sees what the client sends and receives. All that is sent goes through it, whoever asked for it; without
// middleware that costs one comparison. What the server sends comes through Client.receive: a request of a session, one
// inside an input-required result, and a notification. Its innermost function is Client.handle, which finds the handler.
// Extensions add their middleware next to the connection, so that the program's sees calls as the program makes them.

import (
	"context"
	"slices"

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

// A Middleware wraps the next SendFunc. It may change the params of a call, return without calling next, call
// next again, or look at the result.
type Middleware func(next SendFunc) SendFunc

// about returns what a message of the server belongs to: the id of the client's request, nil if the transport does not
// say.
func about(r *transport.Request) any {
	if id, ok := r.Stream.(wire.ID); ok {
		return id
	}
	return nil
}

// setHandlers wraps what the client sends and receives in the middleware. It leaves sendFunc nil if there is none, so
// that a call makes nothing for it.
func (c *Client) setHandlers() {
	send, receive := slices.Clone(c.opts.Send), c.opts.Receive
	// In the order of the options: of two extensions the first one sees a call first, and a message of the server last.
	for _, x := range c.opts.Extensions {
		if x.Join == nil {
			continue
		}
		s, r := x.Join(c)
		if s != nil {
			send = append(send, s) // the last is innermost, and next to the connection
		}
		if r != nil {
			receive = append([]transport.Middleware{r}, receive...) // the first is outermost, and next to the connection
		}
	}
	if len(send) > 0 {
		c.sendFunc = func(ctx context.Context, call *Call) error {
			if call.send != nil { // from Client.through
				return call.send(ctx, call.Params)
			}
			return c.call(ctx, call.Method, call.Params, call.Result)
		}
		for _, m := range slices.Backward(send) { // the first is outermost
			c.sendFunc = m(c.sendFunc)
		}
	}
	c.receiveFunc = transport.Wrap(c.handle, receive)
}

// through sends, through the middleware, what is not sent by Client.call.
func (c *Client) through(ctx context.Context, m *wire.Method, params wire.Encodable, result wire.Decodable,
	send func(ctx context.Context, params wire.Encodable) error) error {
	if c.sendFunc == nil {
		return send(ctx, params)
	}
	return c.sendFunc(ctx, &Call{m, params, result, send})
}

// handle handles what the server sends, after the middleware. A nil result is the empty one.
func (c *Client) handle(ctx context.Context, m *transport.ServerMessage) (wire.Raw, error) {
	if m.Notification {
		return nil, c.notified(ctx, m.Method, m.Params)
	}
	result, err := c.requested(ctx, m.Method, m.Params)
	if err != nil || result == nil {
		return nil, err
	}
	return wire.Marshal(c.Revision(), result)
}
