package jsonrpc

import (
	"strconv"

	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The error codes of JSON-RPC. Those of MCP are in the generated package.
const (
	CodeParseError     = -32700 // not JSON
	CodeInvalidRequest = -32600 // JSON, but not a valid message
	CodeMethodNotFound = -32601 // a method that is unknown or not available
	CodeInvalidParams  = -32602 // params that do not fit the method
	CodeInternalError  = -32603 // an unexpected failure
)

// An Error is the error object of an error response. A handler returns one to choose what the other side receives. A call
// returns one if and only if the other side has sent it, so that errors of this side, such as a timeout, are never
// mistaken for one.
type Error struct {
	Code    int64
	Message string   // one sentence for people
	Data    wire.Raw // any value; nil if there is none
}

// Error returns the message and the code: "unknown tool (-32602)".
func (e *Error) Error() string {
	return excerpt.Cut(e.Message, excerpt.MaxMessage) + " (" + strconv.FormatInt(e.Code, 10) + ")"
}

// Is reports whether target is an *Error with the same code, so that errors.Is(err, jsonrpc.ErrMethodNotFound) tells
// errors apart.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Code == e.Code
}

// Errors to compare with, by [errors.Is]. They must not be changed.
var (
	ErrParse          = &Error{Code: CodeParseError, Message: "parse error"}
	ErrInvalidRequest = &Error{Code: CodeInvalidRequest, Message: "invalid request"}
	ErrMethodNotFound = &Error{Code: CodeMethodNotFound, Message: "method not found"}
	ErrInvalidParams  = &Error{Code: CodeInvalidParams, Message: "invalid params"}
	ErrInternal       = &Error{Code: CodeInternalError, Message: "internal error"}
)

var typeError = wire.Type{Name: "error", Members: []string{"code", "message", "data"}, Required: 2}

// EncodeWire writes the error object.
//
// REQ JRPC-10
func (e *Error) EncodeWire(enc *wire.Encoder) {
	if !enc.Begin(&typeError, e != nil) {
		return
	}
	enc.Key("code")
	enc.Int(e.Code)
	enc.Key("message")
	enc.String(e.Message)
	if len(e.Data) > 0 {
		enc.Key("data")
		enc.Raw(e.Data)
	}
	enc.End(&typeError, nil)
}

// DecodeWire reads the error object.
//
// REQ JRPC-10
func (e *Error) DecodeWire(d *wire.Decoder) {
	*e = Error{}
	var extra wire.Extra
	o := d.Object(&typeError)
	for o.Next() {
		switch o.Name {
		case "code":
			o.Once(0)
			e.Code = d.Int()
		case "message":
			o.Once(1)
			e.Message = d.String()
		case "data":
			o.Once(2)
			e.Data = d.Raw()
		default:
			o.Extra(&extra)
		}
	}
}
