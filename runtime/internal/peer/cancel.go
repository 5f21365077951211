package peer

import (
	"context"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Either side may withdraw a request that it has sent. The receiver ends the context of the handler and sends no response;
// the sender waits for none. Both may happen at the same time as the response is sent, so that each side ignores what comes
// for a request that is over. Over HTTP, since 2026-07-28, a client closes the exchange instead, which its transport does
// when it is given this notification.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/cancellation and
// https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http.

// cancelled handles a notification that a request is cancelled. It ignores ids of other requests: the response may
// have been sent in the meantime.
//
// REQ LIFE-12, CANC-02
func (c *Conn) cancelled(params wire.Raw) {
	var p mcp.CancelledNotificationParams
	err := wire.DecodeAlias(params, &p)
	if err != nil || p.RequestID.IsZero() { // revision 2025-11-25 allows that there is none
		c.once(invalidCancellation, "cancellation ignored, it names no request", "error", err)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.requests.get(p.RequestID); r != nil {
		// initialize must not be cancelled. The flag is set first: a handler that returns because its context has ended
		// must find no response to send.
		if r.Method != mcp.MethodInitialize.Name {
			r.cancel.Store(true)
			r.ctx.End(&jsonrpc.CancelledError{Reason: p.Reason})
		}
		return
	}
	if id, ok := p.RequestID.Int(); ok {
		// A call of ours, which only a subscription lets its server cancel. Both sides choose their ids, but since
		// 2026-07-28 a server sends no requests, so no id is that of a request and of a subscription.
		if call := c.calls[id]; call != nil && call.listens {
			delete(c.calls, id)
			call.finish(nil, &jsonrpc.CancelledError{Reason: p.Reason})
		}
	}
}

// cancelCall notifies the other side, in the background, that the response is no longer needed: whoever gives up has
// waited long enough, and must not wait for an other side that does not read.
func (c *Conn) cancelCall(r *request, p *call) {
	var stream any
	if r != nil {
		stream = r.Stream
	}
	// The context of the caller has ended, so the notification has none of its values; SendTimeout bounds it all the same.
	id := wire.IntID(p.id)
	go func() {
		err := c.notify(context.Background(), stream, id, c.revision(), mcp.MethodCancelledNotification.Name,
			&mcp.CancelledNotificationParams{RequestID: id, Reason: p.err.Error()})
		if err != nil && !c.isClosed() {
			c.opts.Logger.Warn("peer: a call could not be cancelled", "method", p.method, "error", err)
		}
	}()
}
