// Package jsonrpc has the envelopes of JSON-RPC 2.0, as MCP uses it, and its errors.
//
// [Parse] parses a message in one pass and copies nothing. The Append functions assemble messages in a buffer of the
// caller's, without allocations.
//
// Parsing is strict: the version is exactly "2.0", member names match by exact case, there are no duplicate members, text
// is valid UTF-8, nesting is bounded by [wire.MaxDepth], and nothing follows the message. An id is a string or an integer
// of 64 bits, and 1 and "1" are different ids. Members that JSON-RPC does not define are ignored. Null means that a
// member is absent, except for the id of a request.
//
// See https://www.jsonrpc.org/specification and
// https://modelcontextprotocol.io/specification/2025-11-25/basic.
package jsonrpc

import "github.com/mcpgen/mcpgen/runtime/wire"

// A Kind is the kind of a message.
type Kind uint8

const (
	Invalid       Kind = iota // none of the others
	Request                   // has a method and an id
	Notification              // has a method and no id
	Response                  // has a result
	ErrorResponse             // has an error
	Batch                     // an array of messages; see [SplitBatch]
)

// String returns the kind's name: "request".
func (k Kind) String() string {
	switch k {
	case Request:
		return "request"
	case Notification:
		return "notification"
	case Response:
		return "response"
	case ErrorResponse:
		return "error response"
	case Batch:
		return "batch"
	}
	return "invalid message"
}

// A Message is a parsed message. Its strings and raw values share the memory of the data.
type Message struct {
	Kind Kind

	// ID is the id of a request, or of the request that a response is for. Notifications have none, and error
	// responses may have none if the other side could not read the id.
	ID wire.ID

	Method string   // of a request or a notification
	Params wire.Raw // an object; nil if there are none
	Meta   wire.Raw // the member _meta of Params, an object; nil if there is none
	Result wire.Raw // an object
	Error  *Error
}

// IsResponse reports whether the message is a response or an error response. Nothing is ever sent for one, even if it is
// malformed.
func (m *Message) IsResponse() bool { return m.Kind == Response || m.Kind == ErrorResponse }
