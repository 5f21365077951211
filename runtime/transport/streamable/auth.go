package streamable

import (
	"net/http"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/webauth"
)

// An Authorizer verifies the senders of requests. Its methods must be safe for concurrent use.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/authorization
type Authorizer interface {
	// Authorize returns the sender of a request, or nil for an anonymous sender, which has no scopes. An error
	// refuses the request. Authorize is called for each request, also within a session, and every minute for a request
	// whose response is an open stream, without its body.
	Authorize(r *http.Request) (transport.Identity, error)

	// Refuse writes the response to a refused request. Err comes from Authorize or is a *[transport.ScopeError].
	// Body is a JSON-RPC error response, which may be written as it is.
	Refuse(w http.ResponseWriter, r *http.Request, err error, body []byte)
}

// Named returns the Authorizer of a program that knows the senders of requests by itself, such as by a secret that they
// share. Name returns a name that does not change, or "" for an anonymous sender. Such senders have no scopes. The
// response to an error has status 401 and its text.
func Named(name func(*http.Request) (string, error)) Authorizer { return webauth.Named(name) }

// An identity may end while a response is open. The response then ends, too: in a session it is suspended, and the client may
// resume it with another identity of the same principal and with the same scopes; without one, the request is cancelled.

// permit returns the scopes that a request or a batch in the session requires. If the sender lacks some of them, it
// writes the response, before the request counts as received, so that the client can send it again.
func (s *liveSession) permit(w http.ResponseWriter, in *incoming) (scopes []string, ok bool) {
	// Most requests end here. What is in a batch only Permit looks at.
	if in.Msg.Kind != jsonrpc.Batch && !s.h.endpoint.Scoped(in.Msg.Method) {
		return nil, true
	}
	return s.h.front.Permit(w, &in.Incoming, s.handler(), s.request(in), s.h.sessionLimits.MaxBatch)
}

// maxSuffix is how many bytes of scopes the name of a stream may have, since the ids of its events contain it.
const maxSuffix = 512

// scopesSuffix returns the end of the name of a stream: the scopes that a client needs to resume it, each after a
// quotation mark, which no scope contains. If they are too long there is only the mark.
func scopesSuffix(scopes []string) string {
	if len(scopes) == 0 {
		return ""
	}
	s := `"` + strings.Join(scopes, `"`)
	if len(s) > maxSuffix {
		return `"`
	}
	return s
}

// streamScopes returns the scopes in the name of a stream, or false if they were too long for it.
func streamScopes(name string) ([]string, bool) {
	_, scopes, found := strings.Cut(name, `"`)
	switch {
	case !found:
		return nil, true
	case scopes == "":
		return nil, false
	}
	return strings.Split(scopes, `"`), true
}
