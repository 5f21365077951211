package peer

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// cancelledParams are the params of notifications/cancelled.
type cancelledParams struct {
	id     wire.ID // absent if there is none, which revision 2025-11-25 allows
	reason string
}

var typeCancelled = wire.Type{Name: "CancelledNotificationParams", Members: []string{"requestId", "reason"}}

func (p *cancelledParams) EncodeWire(e *wire.Encoder) {
	if !e.Begin(&typeCancelled, p != nil) {
		return
	}
	e.Key("requestId")
	e.ID(p.id)
	if p.reason != "" {
		e.Key("reason")
		e.String(p.reason)
	}
	e.End(&typeCancelled, nil)
}

func (p *cancelledParams) DecodeWire(d *wire.Decoder) {
	*p = cancelledParams{}
	o := d.Object(&typeCancelled)
	for o.Next() {
		switch o.Name {
		case "requestId":
			o.Once(0)
			p.id = d.IDOrNull()
		case "reason":
			o.Once(1)
			p.reason = d.StringOrNull()
		default:
			d.Skip()
		}
	}
}

// cancelled takes a notification that a request is cancelled. What it does not fit is ignored: a
// request may have been answered in the meantime.
func (c *Conn) cancelled(params wire.Raw) {
	var p cancelledParams
	err := wire.DecodeAlias(params, &p)
	if err != nil || p.id.IsZero() {
		c.once(slipCancel, "cancellation ignored, it names no request", "error", err)
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.requests.get(p.id); r != nil {
		// REQ LIFE-12
		if r.Method != methodInitialize {
			r.cancel.Store(true)
			r.ctx.end(&CancelledError{p.reason})
		}
		return
	}
	if id, ok := p.id.Int(); ok {
		// REQ CANC-02
		if call := c.calls[id]; call != nil && call.mayEnd {
			delete(c.calls, id)
			call.finish(nil, &CancelledError{p.reason})
		}
	}
}

// cancelCall tells the other side that nobody waits for the answer any more. It does not keep the
// caller waiting, who has waited in vain already.
func (c *Conn) cancelCall(r *Request, p *call) {
	var stream any
	rev := c.Revision()
	if r != nil {
		stream, rev = r.Stream, r.Revision()
	}
	id := wire.IntID(p.id)
	go func() {
		err := c.notify(context.Background(), stream, id, rev, methodCancelled, &cancelledParams{id, p.err.Error()})
		if err != nil && !c.isClosed() {
			c.opts.Logger.Warn("peer: a call could not be cancelled", "method", p.method, "error", err)
		}
	}()
}
