package sse

import (
	"log/slog"
	"net/http"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/webauth"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// An Authorizer verifies who sends requests. Its methods may be called by several goroutines at once. It is the
// same as that of package streamable.
type Authorizer interface {
	// Authorize returns the sender of a request, or nil for an anonymous sender, which has no scopes. An error
	// refuses the request. It is called for the stream, also every minute while that is open, and for each message.
	Authorize(r *http.Request) (transport.Identity, error)

	// Refuse writes the response to a request that was refused: err is from Authorize, or a
	// *[transport.ScopeError]. Body is a JSON-RPC error response, which may be written as it is.
	Refuse(w http.ResponseWriter, r *http.Request, err error, body []byte)
}

// identify determines the sender of a request. If there is an error, it writes the response.
func (h *Handler) identify(w http.ResponseWriter, r *http.Request) (webauth.Sender, bool) {
	sender, err := h.guard.Sender(r)
	switch {
	case err == nil:
		return sender, true
	case h.opts.Auth == nil && err != webauth.ErrFailed:
		h.refusals.Log(slog.LevelInfo, r, err)
		w.Header().Set("WWW-Authenticate", "Bearer")
		h.refuse(w, err.Error(), http.StatusUnauthorized)
	default:
		h.guard.Refuse(w, r, err, webauth.Unauthorized(err))
	}
	return sender, false
}

// permit reports whether the sender of a message has the scopes that it requires. If not, it writes the response.
func (h *Handler) permit(w http.ResponseWriter, r *http.Request, from *transport.Origin, m *jsonrpc.Message, body []byte) bool {
	if m.Kind != jsonrpc.Batch && !h.endpoint.Scoped(m.Method) {
		return true
	}
	as := &transport.Request{Origin: *from}
	for _, rev := range h.endpoint.Revisions() {
		if rev < mcp.V2026_07_28 {
			as.Revision = rev // that of the session may be another, but scopes are the same in all
		}
	}
	_, err := webauth.Check(r.Context(), h.endpoint, as, m, body, h.maxBatch)
	if err == nil {
		return true
	}
	e := &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}
	id := m.ID
	if m.Kind == jsonrpc.Batch {
		id = wire.ID{}
	}
	// REQ AUTH11-14
	h.guard.Refuse(w, r, err, jsonrpc.AppendError(nil, id, e))
	return false
}
