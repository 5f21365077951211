package streamable

import (
	"net/http"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/mcpheader"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Since 2026-07-28 a request stands alone: it is carried out, answered, and forgotten. There is
// nothing to correlate, as a server asks nothing; closing the response cancels the request.

func (h *Handler) postModern(w http.ResponseWriter, in *incoming) {
	m := &in.msg
	switch {
	case in.err != nil:
		h.refuseMessage(w, in)
	// REQ H26-04
	case m.IsResponse():
		h.refuse(w, http.StatusBadRequest, wire.ID{}, invalid("an answer: since 2026-07-28 there is no request that it could belong to"))
	case !h.begin():
		h.refuse(w, http.StatusServiceUnavailable, m.ID, unavailable(errEnding.Error()))
	default:
		defer h.finish()
		if m.Kind == jsonrpc.Notification {
			h.notifyModern(w, in)
		} else {
			h.callModern(w, in)
		}
	}
}

// mayStream reports whether the answer to a request may be a stream.
func (h *Handler) mayStream(in *incoming) bool {
	// REQ H26-06, HTTP-12
	return in.events && (!h.opts.JSONOnly || !in.json)
}

// refuseMessage answers a message that is no valid one.
func (h *Handler) refuseMessage(w http.ResponseWriter, in *incoming) {
	e, ok := in.err.(*jsonrpc.Error)
	if !ok {
		e = invalid(in.err.Error())
	}
	h.refuse(w, http.StatusBadRequest, in.id(), e)
}

// notifyModern takes a notification. The protocol has none for this direction, but extensions may.
func (h *Handler) notifyModern(w http.ResponseWriter, in *incoming) {
	m := &in.msg
	// REQ H26-05
	if err := mcpheader.Check(in.r.Header, m.Method, m.Params, false); err != nil {
		h.refuse(w, http.StatusBadRequest, wire.ID{}, &jsonrpc.Error{Code: mcp.CodeHeaderMismatch, Message: "header mismatch: " + err.Error()})
		return
	}
	err := h.server.ServeNotification(in.r.Context(), &transport.Request{
		Method: m.Method, Params: m.Params, Meta: m.Meta, Origin: in.origin(), Revision: firstModern,
	})
	if err != nil {
		h.opts.Logger.DebugContext(in.r.Context(), "streamable: notification ignored", "method", m.Method, "error", err)
	}
	// REQ H26-05
	h.writeStatus(w, http.StatusAccepted)
}

func (h *Handler) callModern(w http.ResponseWriter, in *incoming) {
	m := &in.msg
	listens := m.Method == mcp.MethodSubscriptionsListen.Name
	x := &reply{
		Context: in.r.Context(), feed: feed{h: h}, w: w,
		json: in.json, events: in.events && listens || h.mayStream(in),
		request: transport.Request{
			ID: m.ID, Method: m.Method, Params: m.Params, Meta: m.Meta, Size: cap(in.body),
			Origin: in.origin(), Ending: h.ending,
		},
	}
	if len(h.legacy) > 0 || in.version != "" {
		x.request.Revision = firstModern // its rules hold even if the request does not name it
	}
	switch {
	case x.events:
		// REQ H26-08, JRPC-14
		x.request.Out = modernSender{x}
	case listens:
		h.refuse(w, http.StatusNotAcceptable, m.ID, invalid("a subscription is a stream; Accept must list text/event-stream"))
		return
	}
	defer x.finish()
	result, err := h.server.ServeRequest(x, &x.request)
	// REQ H26-12
	if x.Context.Err() != nil {
		return // the client has closed the response
	}
	buf := getBuffer()
	out, status := (*buf)[:0], http.StatusOK
	if err == nil {
		out, err = jsonrpc.AppendResult(out, wire.Any, m.ID, result)
	}
	if err != nil {
		e, refused := errorOf(err)
		status = modernStatus(e.Code, refused)
		out = jsonrpc.AppendError(out, m.ID, e)
	}
	x.answer(x, status, err != nil, out)
	putBuffer(buf, out)
}

// errorOf returns the error that answers a request, and whether the request was refused.
func errorOf(err error) (e *jsonrpc.Error, refused bool) {
	switch err := err.(type) {
	case *jsonrpc.Error:
		return err, false
	case *transport.RefusedError:
		return err.Err, true
	}
	return unavailable(err.Error()), false
}

// modernStatus returns the HTTP status of an error.
func modernStatus(code int64, refused bool) int {
	switch code {
	// REQ H26-14
	case mcp.CodeMethodNotFound:
		return http.StatusNotFound
	// REQ CAP-08, H26-15
	case mcp.CodeHeaderMismatch, mcp.CodeMissingRequiredClientCapability, mcp.CodeUnsupportedProtocolVersion:
		return http.StatusBadRequest
	}
	switch {
	case refused && code == mcp.CodeInternalError:
		return http.StatusServiceUnavailable
	// REQ META-18
	case refused:
		return http.StatusBadRequest
	}
	return http.StatusOK
}
