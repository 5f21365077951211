package webguard

import (
	"net/http"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/internal/mcpheader"
)

// Cross-origin resource sharing: https://fetch.spec.whatwg.org/#http-cors-protocol. Cookies and other credentials
// that a browser would add by itself are never allowed; a page that has a token sends it.

// exposed lists the headers of responses that pages may read.
const exposed = mcpheader.SessionID + ", " + mcpheader.ProtocolVersion + ", Retry-After, WWW-Authenticate"

// sendable lists the headers that pages may send, in addition to those whose names begin with mcp-.
var sendable = []string{"accept", "authorization", "baggage", "content-type", "dpop", "last-event-id", "traceparent", "tracestate"}

// allows reports whether pages of another origin may use the server.
func (g *Guard) allows(origin string) bool {
	return slices.Contains(g.Origins, "*") || containsFold(g.Origins, origin)
}

// allow lets pages of an origin read the response.
func (g *Guard) allow(response http.Header, origin string) {
	if slices.Contains(g.Origins, "*") {
		origin = "*"
	} else {
		response.Add("Vary", "Origin")
	}
	response.Set("Access-Control-Allow-Origin", origin)
	response.Set("Access-Control-Expose-Headers", exposed)
}

// Undo takes back what Check has set in the header of a response that another handler is to write.
func (g *Guard) Undo(response http.Header) {
	response.Del("Access-Control-Allow-Origin")
	response.Del("Access-Control-Expose-Headers")
}

// IsPreflight reports whether a request is one by which a browser asks what a page of another origin may do.
func IsPreflight(r *http.Request) bool {
	return r.Method == http.MethodOptions && r.Header.Get("Origin") != "" && r.Header.Get("Access-Control-Request-Method") != ""
}

// Preflight sets the headers of the response to a preflight request that Check has accepted.
func (g *Guard) Preflight(response http.Header, r *http.Request) {
	var names []string
	for _, list := range r.Header["Access-Control-Request-Headers"] {
		for name := range strings.SplitSeq(list, ",") {
			name = strings.ToLower(strings.TrimSpace(name))
			if slices.Contains(sendable, name) || strings.HasPrefix(name, "mcp-") {
				names = append(names, name)
			}
		}
	}
	response.Del("Access-Control-Expose-Headers")
	response.Set("Access-Control-Allow-Methods", g.Methods)
	if names != nil {
		response.Set("Access-Control-Allow-Headers", strings.Join(names, ", "))
	}
	response.Set("Access-Control-Max-Age", "600")
}
