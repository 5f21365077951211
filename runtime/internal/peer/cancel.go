package peer

import (
	"context"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// See https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/cancellation

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
	if r := c.requests[p.RequestID]; r != nil {
		if r.Method != mcp.MethodInitialize.Name {
			r.cancel.Store(true)
			r.ctx.End(&jsonrpc.CancelledError{Reason: p.Reason})
		}
		return
	}
	if id, ok := p.RequestID.Int(); ok {
		if call := c.calls[id]; call != nil && call.listens {
			delete(c.calls, id)
			call.finish(nil, &jsonrpc.CancelledError{Reason: p.Reason})
		}
	}
}

// cancelCall tells the other side, in the background, that the response is no longer needed. The caller has waited
// long enough.
func (c *Conn) cancelCall(r *request, p *call) {
	var stream any
	if r != nil {
		stream = r.Stream
	}
	id := wire.IntID(p.id)
	go func() {
		err := c.notify(context.Background(), stream, id, c.revision(), mcp.MethodCancelledNotification.Name,
			&mcp.CancelledNotificationParams{RequestID: id, Reason: p.err.Error()})
		if err != nil && !c.isClosed() {
			c.opts.Logger.Warn("peer: a call could not be cancelled", "method", p.method, "error", err)
		}
	}()
}
