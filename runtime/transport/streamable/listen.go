package streamable

import (
	"context"
	"net/http"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/observed"
	"github.com/mcpgen/mcpgen/runtime/observe"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Since 2026-07-28 a subscription is a request whose response is a stream that stays open. The server opens it and sends
// on it; when it is open, nothing waits for its end: the response is parked, if it can be, and the handler of the HTTP
// request returns. A subscription ends by its client, which closes the connection, or else with its result: when the
// server or the handler shuts down, or when its sender may no longer have it.

// listen serves a subscription.
func (h *Handler) listen(w http.ResponseWriter, in *incoming, call *modernCall) {
	_, ended := observed.Begin(in.R.Context(), h.opts.Observer, &observe.Operation{
		Kind: observe.Stream, HTTP: true, Method: call.request.Method, Address: in.Address, Principal: in.Sender.Principal, Revision: mcp.Modern,
	})
	// What begins the stream is the acknowledgement, which Listen sends. It may call respond before it returns.
	call.parks = in.R
	call.ctx.Detached = true // it ends with the subscription
	call.answering.Add(1)
	end := h.endpoint.Listen(&call.ctx, &call.request, func(result wire.Raw, err error) {
		defer call.answering.Done()
		if scope, ok := err.(*transport.ScopeError); ok {
			call.answerBy(func() { h.front.RefuseScopes(call.w, call.parks, call.id, scope) })
		} else {
			call.respond(result, err)
		}
		call.outlet.Close() // even if it was never opened
	})
	// Under one lock: either endListens finds end, or ending is true here.
	h.mu.Lock()
	call.end = end
	ending := h.IsEnding()
	h.mu.Unlock()
	if ending {
		go end(nil)
	}
	watched := h.front.Guard.Watch(in.R, &in.Sender, func() { end(nil) })
	h.stayOpen(in, &call.outlet, func() {
		end(context.Canceled) // does nothing if the server ended it
		call.answering.Wait() // respond writes to what finish gives up
		watched.Stop()
		ended()
		call.finish()
	})
	call.mu.Lock()
	defer call.mu.Unlock()
	call.w, call.parks = nil, nil // or their buffers would stay in memory
}

// endListens ends the subscriptions, each in a goroutine, since its client may not read. It is called with mu held.
func (h *Handler) endListens(reason error) {
	for x := range h.running.All() {
		if x.end != nil {
			go x.end(reason)
		}
	}
}
