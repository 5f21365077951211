package streamable

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/accesslog"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/webguard"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// address returns the address that a request comes from.
func (h *Handler) address(r *http.Request) string {
	if h.opts.Address != nil {
		return h.opts.Address(r)
	}
	return r.RemoteAddr
}

// admit makes room for a request whose sender is known. If there is none, it writes the response. Otherwise the
// caller must call dismiss.
func (h *Handler) admit(w http.ResponseWriter, in *incoming) bool {
	in.address = h.address(in.r)
	accesslog.NoteSender(w, in.sender.Principal, in.address)
	in.owner = share.Of(in.sender.Principal, in.address, nil)
	if h.opts.Admit != nil {
		if refused := h.opts.Admit(in.origin()); refused != nil {
			h.leaveBody(w, in.r)
			h.refusals.Log(slog.LevelInfo, in.r, refused)
			w.Header().Set("Retry-After", webguard.RetryAfter(refused.RetryAfter))
			h.refuse(w, http.StatusTooManyRequests, wire.ID{}, refused.Err)
			return false
		}
	}
	return h.takeIn(w, in)
}

// takeIn takes the room of a request. If there is none, it responds. Dismiss follows it otherwise.
func (h *Handler) takeIn(w http.ResponseWriter, in *incoming) bool {
	if !h.requests.Take(in.owner, 1) {
		h.leaveBody(w, in.r)
		h.refuse(w, http.StatusServiceUnavailable, wire.ID{}, unavailable("there are too many requests at the same time; try again later"))
		return false
	}
	return true
}

// dismiss gives back the room of a request, unless another function will.
func (h *Handler) dismiss(in *incoming) {
	if !in.moved {
		h.giveBack(in.owner, in.held)
	}
}

// giveBack gives back the room of a request, and that of its body.
func (h *Handler) giveBack(owner share.Owner, held int) {
	h.requests.Give(owner, 1)
	if held > 0 {
		h.bodies.Give(owner, held)
	}
}

// leaveBody is called when the body of a request will not be read. Over HTTP/1 it makes the connection end with the
// response, since otherwise package net/http would wait for the body before it responds. Over other versions
// net/http may wait, but not for long.
func (h *Handler) leaveBody(w http.ResponseWriter, r *http.Request) {
	if r.ContentLength == 0 {
		return
	}
	if r.ProtoMajor == 1 {
		w.Header().Set("Connection", "close")
	}
	if d := h.opts.ReadTimeout; d > 0 {
		http.NewResponseController(w).SetReadDeadline(time.Now().Add(d))
	}
}
