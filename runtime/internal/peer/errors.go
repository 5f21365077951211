package peer

import (
	"errors"

	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// errorFor returns the error object to send for a request of the method, if its handler returned err. A handler chooses it
// with a *[jsonrpc.Error]; what the params could not be decoded as is the sender's mistake; anything else is an internal
// error with the text of err, so handlers must not put secrets into errors.
//
// REQ JRPC-19, JRPC-20
func errorFor(method string, err error) *jsonrpc.Error {
	// The order counts: an error of a program may wrap that of a decoder, and then the code that it has chosen is right.
	var rpc *jsonrpc.Error
	var decode *wire.DecodeError
	switch {
	case errors.As(err, &rpc): // of an error that wraps it, the rest is not sent
		return rpc
	case errors.Is(err, wire.ErrUnknownMethod):
		return &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found: " + excerpt.Of(method)}
	case errors.As(err, &decode):
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "invalid params: " + decode.Error()}
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
}
