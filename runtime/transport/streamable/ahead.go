package streamable

import (
	"io"
	"net/http"

	"github.com/mcpgen/mcpgen/runtime/transport/internal/front"
)

// ReadAhead reads the beginning of the body of a request, at most n bytes, for a handler that passes the request on to
// another process. It is bounded as requests that h serves are: [Options.MaxRequests], [Options.MaxBytes], and
// [Options.ReadTimeout]. A client is its address, since its principal is not known. Release, which must be called, gives
// back the room of the request. If the request is refused, ReadAhead responds, and ok is false.
func (h *Handler) ReadAhead(w http.ResponseWriter, r *http.Request, n int64) (body []byte, release func(), ok bool) {
	ahead := *r
	ahead.Body, ahead.ContentLength = io.NopCloser(io.LimitReader(r.Body, n)), min(r.ContentLength, n)
	in := &front.Incoming{R: &ahead}
	if !h.front.Admit(w, in) {
		return nil, nil, false
	}
	if r.Method == http.MethodPost && !h.front.Read(w, in) {
		h.front.Dismiss(in)
		return nil, nil, false
	}
	return in.Body, func() { h.front.Dismiss(in) }, true
}
