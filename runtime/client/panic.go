package client

// Functions of the program may panic, or end their goroutine by runtime.Goexit. What the goroutine of a call runs, such as
// its middleware, is the caller's to recover from. All else is contained: what a handler is asked for fails, and what the
// client does by itself ends as after any other error, so that nobody waits in vain.

import (
	"context"
	"errors"
	"runtime/debug"

	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// errPanic takes the place of an error where a function of the program did not return. The log says more; the server, which
// may see this, learns nothing else.
var errPanic = errors.New("internal error")

// background calls f in a goroutine of the client, with the context of its life, and returns false instead if that is over.
// What f has to do in any case it defers.
func (c *Client) background(f func(ctx context.Context)) bool {
	return c.life.Go(func(ctx context.Context) {
		defer func() {
			if v := recover(); v != nil {
				c.panicked(ctx, "", v)
			}
		}()
		f(ctx)
	})
}

// receive handles what the server sends, in the middleware. If a handler panics, the error is errPanic.
func (c *Client) receive(ctx context.Context, m *transport.ServerMessage) (result wire.Raw, err error) {
	defer func() {
		if v := recover(); v != nil {
			c.panicked(ctx, m.Method, v)
			result, err = nil, errPanic
		}
	}()
	return c.receiveFunc(ctx, m)
}

// panicked logs a panic with value v.
func (c *Client) panicked(ctx context.Context, method string, v any) {
	c.logger().ErrorContext(ctx, "client: panic in a function of the program", "method", method, "panic", v, "stack", string(debug.Stack()))
}
