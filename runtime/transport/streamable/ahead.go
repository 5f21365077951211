package streamable

import (
	"io"
	"net/http"

	"github.com/mcpgen/mcpgen/runtime/internal/share"
)

// ReadAhead reads the beginning of the body of a request, at most n bytes, for a handler that passes the request on to
// another process. It is bounded as requests that h serves are: [Options.MaxRequests], [Options.MaxBytes], and
// [Options.ReadTimeout]. A client is its address, since its principal is not known. Release, which must be called, gives
// back the room of the request. If the request is refused, ReadAhead responds, and ok is false.
func (h *Handler) ReadAhead(w http.ResponseWriter, r *http.Request, n int64) (body []byte, release func(), ok bool) {
	in := &incoming{r: r, address: h.address(r)}
	in.owner = share.Of("", in.address, nil)
	if !h.takeIn(w, in) {
		return nil, nil, false
	}
	if body, ok = h.readInTime(w, in, io.LimitReader(r.Body, n), min(r.ContentLength, n), n); !ok {
		h.dismiss(in)
		return nil, nil, false
	}
	return body, func() { h.dismiss(in) }, true
}
