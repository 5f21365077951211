package streamable

import (
	"context"
	"net/http"

	"github.com/mcpgen/mcpgen/runtime/internal/observed"
	"github.com/mcpgen/mcpgen/runtime/observe"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/accesslog"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Since 2026-07-28 a subscription is a request whose response is a stream that stays open. The server opens it and sends
// on it; when it is open, nothing waits for its end: the response is parked, if it can be, and the handler of the HTTP
// request returns. A subscription ends by its client, which closes the connection, or else with its result: when the
// server or the handler shuts down, or when its sender may no longer have it.

// listen serves a subscription.
func (h *Handler) listen(w http.ResponseWriter, in *incoming, call *modernCall) {
	_, ended := observed.Begin(in.R.Context(), h.endpoint.Observer(), &observe.Operation{
		Kind: observe.Stream, HTTP: true, Method: call.request.Method, Address: in.Address, Principal: in.Sender.Principal, Revision: firstModern,
	})
	call.parks = in.R
	call.answering.Add(1)
	end := h.endpoint.Listen(&call.ctx, &call.request, func(result wire.Raw, err error) {
		defer call.answering.Done()
		if scope, ok := err.(*transport.ScopeError); ok {
			call.answerBy(func() { h.front.RefuseScopes(call.w, call.parks, call.id, scope) })
		} else {
			call.respond(result, err)
		}
	})
	h.mu.Lock()
	call.end = end
	ending := h.IsEnding()
	h.mu.Unlock()
	if ending {
		go end(nil)
	}
	watched := h.front.Guard.Watch(in.R, &in.Sender, nil, func() { end(nil) })
	gone := func() {
		end(context.Canceled) // does nothing if the server ended it
		watched.Stop()
		ended()
	}
	if call.park(w, in, gone) {
		return
	}
	stop := context.AfterFunc(in.R.Context(), func() { end(context.Canceled) })
	call.answering.Wait()
	stop()
	gone()
	call.finish()
}

// park lets the call continue after the handler of the HTTP request has returned, and reports whether it could. If so, gone
// is called when the response has ended.
func (c *modernCall) park(w http.ResponseWriter, in *incoming, gone func()) bool {
	if !c.ctx.SetDetached(true) {
		return false
	}
	h, owner, held := c.h, in.Owner, in.Held
	record := accesslog.Record(w, h.opts.AccessLog, in.R, "")
	in.Moved = c.outlet.Park(func() {
		c.ctx.End(context.Canceled)
		gone()
		record()
		c.finish()
		h.front.GiveBack(owner, held)
	})
	if !in.Moved {
		c.ctx.SetDetached(false)
		return false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.w, c.parks = nil, nil // or its buffers would stay in memory
	return true
}

// endListens ends the subscriptions, each in a goroutine, since its client may not read. It is called with mu held.
func (h *Handler) endListens(reason error) {
	for k := h.running.first; k != nil; k = k.next {
		if end := k.item.end; end != nil {
			go end(reason)
		}
	}
}
