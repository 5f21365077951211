package front

import (
	"net/http"
	"strconv"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/outlet"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Headers are shared by all responses; package net/http only reads their values.
var (
	headerJSON = []string{"application/json"}
	headerText = []string{"text/plain; charset=utf-8"}
	headerZero = []string{"0"}
)

// Invalid returns the error for a request that is not valid.
func Invalid(msg string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: msg}
}

// Unavailable returns the error for a request that may be sent again later.
func Unavailable(msg string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: msg}
}

// Refuse responds with an error. As text, only what has no data is written.
func (f *Front) Refuse(w http.ResponseWriter, status int, id wire.ID, e *jsonrpc.Error) {
	if (status == http.StatusServiceUnavailable || status == http.StatusTooManyRequests) && w.Header().Get("Retry-After") == "" {
		w.Header().Set("Retry-After", "1")
	}
	if f.opts.Text && e.Data == nil {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		f.respond(w, status, headerText, []byte(e.Message+"\n"), make([]string, 1))
		return
	}
	f.JSON(w, status, jsonrpc.AppendError(nil, id, e), make([]string, 1))
}

// TurnAway responds with an error to a request whose body has not been read.
func (f *Front) TurnAway(w http.ResponseWriter, r *http.Request, status int, e *jsonrpc.Error) {
	f.LeaveBody(w, r)
	f.Refuse(w, status, wire.ID{}, e)
}

// NotAllowed responds to a request whose method is not one of those that are allowed.
func (f *Front) NotAllowed(w http.ResponseWriter, allow string) {
	w.Header().Set("Allow", allow)
	f.Refuse(w, http.StatusMethodNotAllowed, wire.ID{}, Invalid("this endpoint takes "+allow))
}

// RefuseScopes responds to a request whose sender lacks scopes.
//
// REQ AUTH11-14
func (f *Front) RefuseScopes(w http.ResponseWriter, r *http.Request, id wire.ID, err error) {
	f.Guard.Refuse(w, r, err, jsonrpc.AppendError(nil, id, Invalid(err.Error())))
}

// JSON responds with a JSON text. Length is room for a header.
func (f *Front) JSON(w http.ResponseWriter, status int, body []byte, length []string) error {
	return f.respond(w, status, headerJSON, body, length)
}

// respond writes a whole response.
func (f *Front) respond(w http.ResponseWriter, status int, contentType []string, body []byte, length []string) error {
	header := w.Header()
	header["Content-Type"] = contentType
	length[0] = strconv.Itoa(len(body))
	header["Content-Length"] = length
	if status != http.StatusOK {
		w.WriteHeader(status)
	}
	return outlet.Write(w, f.opts.WriteTimeout, body)
}

// Status responds without a body.
func (f *Front) Status(w http.ResponseWriter, status int) {
	if status != http.StatusNoContent {
		w.Header()["Content-Length"] = headerZero
	}
	w.WriteHeader(status)
	outlet.Write(w, f.opts.WriteTimeout, nil)
}
