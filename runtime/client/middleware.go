package client

// Middleware sees what the client sends and receives. All that is sent goes through it, whoever asked for it; without
// middleware there is one comparison. Extensions add theirs next to the connection.

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

// setHandlers wraps what the client sends and receives in the middleware. Without middleware the function is nil,
// so that it costs nothing.
func (c *Client) setHandlers() {
	send, receive := slices.Clone(c.opts.Send), c.opts.Receive
	for _, x := range c.opts.Extensions {
		if x.Join == nil {
			continue
		}
		s, r := x.Join(c)
		if s != nil {
			send = append(send, s)
		}
		if r != nil {
			receive = append([]transport.Middleware{r}, receive...)
		}
	}
	if len(send) > 0 {
		c.sendFunc = func(ctx context.Context, call *Call) error {
			if call.send != nil {
				return call.send(ctx, call.Params)
			}
			return c.call(ctx, call.Method, call.Params, call.Result)
		}
		for _, m := range slices.Backward(send) { // the first is outermost
			c.sendFunc = m(c.sendFunc)
		}
	}
	if len(receive) > 0 {
		c.receive = transport.Wrap(c.handle, receive)
	}
}

// through sends, through the middleware, what is not sent by Client.call.
func (c *Client) through(ctx context.Context, m *wire.Method, params wire.Encodable, result wire.Decodable,
	send func(ctx context.Context, params wire.Encodable) error) error {
	if c.sendFunc == nil {
		return send(ctx, params)
	}
	return c.sendFunc(ctx, &Call{m, params, result, send})
}

// handle is the innermost function that handles what the server sends.
func (c *Client) handle(ctx context.Context, m *transport.ServerMessage) (wire.Raw, error) {
	if m.Notification {
		return nil, c.notified(ctx, m.Method, m.Params)
	}
	result, err := c.requested(ctx, m.Method, m.Params)
	if err != nil || result == nil {
		return nil, err
	}
	return wire.Marshal(c.rev, result)
}

// handleRequest passes a request of the server through the middleware to its handler. A nil result is the empty one.
func (c *Client) handleRequest(ctx context.Context, method string, params wire.Raw, about any) (wire.Encodable, error) {
	if c.receive == nil {
		return c.requested(ctx, method, params)
	}
	result, err := c.receive(ctx, &transport.ServerMessage{Method: method, Params: params, Of: about})
	if err != nil || len(result) == 0 {
		return nil, err
	}
	return result, nil
}

// handleNotification passes a notification of the server through the middleware to its handler.
func (c *Client) handleNotification(ctx context.Context, r *transport.Request) error {
	if c.subscriptions.foreign(r.Meta) {
		return nil
	}
	if c.receive == nil {
		return c.notified(ctx, r.Method, r.Params)
	}
	_, err := c.receive(ctx, &transport.ServerMessage{Method: r.Method, Params: r.Params, Notification: true, Of: about(r)})
	return err
}
