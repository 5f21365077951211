// Package jsonrpc has the envelopes of JSON-RPC 2.0, as MCP uses it, and its errors.
//
// [Parse] takes a message apart in one pass and copies nothing; the Append functions put messages
// together in a buffer of the caller's, without allocations.
//
// Parsing is strict: the version is exactly "2.0", member names match by exact case and stand
// once, text is valid UTF-8, nesting is bounded by [wire.MaxDepth], nothing follows the message.
// An id is a string or an integer of 64 bits, and 1 and "1" are different ids. Members that
// JSON-RPC does not know are ignored. A null stands for an absent member, except for the id of a
// request.
package jsonrpc

import "github.com/mcpgen/mcpgen/runtime/wire"

// A Kind says what a message is.
type Kind uint8

const (
	Invalid       Kind = iota // none of the others
	Request                   // has a method and an id
	Notification              // has a method and no id
	Response                  // answers a request
	ErrorResponse             // answers a request with an error
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
		return "result"
	case ErrorResponse:
		return "error"
	case Batch:
		return "batch"
	}
	return "invalid message"
}

// A Message is a message taken apart. All of its strings and raw values are parts of the data that
// was parsed.
type Message struct {
	Kind Kind

	// ID is the id of a request, or of the request that is answered. It is absent for notifications,
	// and may be for errors: the other side could not read it.
	ID wire.ID

	Method string   // of a request or a notification
	Params wire.Raw // an object, nil if there are none
	Meta   wire.Raw // the member _meta of Params, an object, nil if there is none
	Result wire.Raw // an object
	Error  *Error
}

// IsResponse reports whether the message is a response. Nothing is ever sent in reply to one, even if
// it is malformed.
func (m *Message) IsResponse() bool { return m.Kind == Response || m.Kind == ErrorResponse }
