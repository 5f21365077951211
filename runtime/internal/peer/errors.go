package peer

import (
	"errors"

	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// answerFor returns the error object to send for a request of the method, if its handler returned err.
func answerFor(method string, err error) *jsonrpc.Error {
	var rpc *jsonrpc.Error
	var decode *wire.DecodeError
	switch {
	case errors.As(err, &rpc):
		return rpc
	// REQ JRPC-19
	case errors.Is(err, wire.ErrUnknownMethod):
		return &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: "method not found: " + excerpt.Of(method)}
	// REQ JRPC-20
	case errors.As(err, &decode):
		return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "invalid params: " + decode.Error()}
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
}
