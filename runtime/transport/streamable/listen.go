package streamable

import (
	"context"
	"net/http"

	"github.com/mcpgen/mcpgen/runtime/internal/observed"
	"github.com/mcpgen/mcpgen/runtime/observe"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/accesslog"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/webauth"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// listen serves a subscription, since 2026-07-28, whose response is a stream that stays open.
func (h *Handler) listen(w http.ResponseWriter, in *incoming, call *modernCall) {
	_, end := observed.Begin(in.r.Context(), h.opts.Observer, &observe.Operation{
		Kind: observe.Stream, HTTP: true, Method: call.request.Method, Address: in.address, Principal: in.sender.Principal, Revision: firstModern,
	})
	if h.guard.MayEnd(&in.sender) {
		watched, stop := h.watchListen(in, call)
		defer stop()
		ended := end
		end = func() {
			watched.Stop()
			ended()
		}
	}
	call.output.leaves = h.mayDetach(w, in.r)
	call.request.Detach = call.detacher(w, in, end)
	result, err := h.endpoint.ServeRequest(&call.ctx, &call.request)
	if err == transport.ErrDetached {
		in.moved = true
		return
	}
	defer call.finish()
	defer end()
	// REQ H26-12
	if in.r.Context().Err() != nil {
		return // the client has closed the response
	}
	if scope, ok := err.(*transport.ScopeError); ok {
		call.answerBy(func() { h.refuseScopes(w, in.r, call.id, scope) })
		return
	}
	call.respond(result, err)
}

// detacher returns the Detach function of the call, which lets the call continue after its handler and that of the
// HTTP request have returned; nil if it cannot. End is called when the call has ended.
func (c *modernCall) detacher(w http.ResponseWriter, in *incoming, end func()) func(func(error)) func(wire.Raw, error) {
	if !c.output.leaves {
		return nil
	}
	h, r, owner, held := c.h, in.r, in.owner, in.held
	return func(over func(error)) func(wire.Raw, error) {
		if !c.ctx.SetDetached(true) {
			return nil
		}
		record := accesslog.Record(w, h.opts.AccessLog, r, "")
		detached := c.stream.detach(&c.output, r, func() {
			c.ctx.End(context.Canceled)
			over(context.Canceled) // does nothing if the server ended the stream
			end()
			record()
			c.finish()
			h.giveBack(owner, held)
		})
		if !detached {
			c.ctx.SetDetached(false)
			return nil
		}
		c.mu.Lock()
		c.w = nil // or its buffers would stay in memory
		c.mu.Unlock()
		h.mu.Lock()
		defer h.mu.Unlock()
		if c.shut = over; h.IsEnding() || c.revoked {
			go over(nil)
		}
		return c.respond
	}
}

// watchListen ends a subscription, with its result, when its sender may no longer have it. Stop is called when the handler
// of the HTTP request returns.
func (h *Handler) watchListen(in *incoming, call *modernCall) (watched *webauth.Watch, stop func()) {
	waiting, cancel := context.WithCancel(context.Background())
	revoked, ending := make(chan struct{}), make(chan struct{})
	call.request.Ending = ending
	go func() {
		select {
		case <-h.ending:
		case <-revoked:
		case <-waiting.Done():
			return
		}
		close(ending)
	}()
	return h.guard.Watch(in.r, &in.sender, nil, func() {
		h.mu.Lock()
		call.revoked = true
		shut := call.shut
		h.mu.Unlock()
		close(revoked)
		if shut != nil {
			shut(nil)
		}
	}), cancel
}

// endListens ends the subscriptions that no longer have a handler, each in a goroutine, since its client may not
// read. It is called with mu held.
func (h *Handler) endListens(reason error) {
	for k := h.running.first; k != nil; k = k.next {
		if shut := k.item.shut; shut != nil {
			go shut(reason)
		}
	}
}
