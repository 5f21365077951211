package transport

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Handler handles the requests and notifications of one client or server. Its methods may be called
// by several goroutines at once.
type Handler interface {
	// ServeRequest handles a request and returns its result, an object; nil is the empty one. An error that is not
	// a *[jsonrpc.Error] becomes one: method not found for [wire.ErrUnknownMethod], invalid params for a
	// *[wire.DecodeError], else an internal error with its text. [jsonrpc.ErrNoResponse] means that no response is
	// sent.
	//
	// The context ends when the request is cancelled, when the connection ends, and when ServeRequest returns.
	// After that nothing more is sent for the request.
	ServeRequest(ctx context.Context, r *Request) (wire.Raw, error)

	// ServeNotification handles a notification. Its error is logged.
	ServeNotification(ctx context.Context, r *Request) error

	// Revision returns the revision that was negotiated, [wire.Any] before that and where each request
	// names its own.
	Revision() wire.Revision
}

// A Request is a request or a notification as a transport received it. It belongs to the handler:
// nobody may change its Params and Meta.
type Request struct {
	ID     wire.ID // absent for a notification
	Method string
	Params wire.Raw // nil if there are none
	Meta   wire.Raw // the member _meta of Params; nil if there is none

	// Size is the length of the message in bytes; zero means that of Params. Keeping Params keeps the whole
	// message.
	Size int

	// Stream is the stream of the message; see [Message].
	Stream any

	// Origin says where the request comes from.
	Origin

	// Revision is the one that the transport knows the request to follow, for example by a header.
	// Zero means that the transport does not know.
	Revision wire.Revision

	// Ending is closed when the transport shuts down gracefully: subscriptions end then, with their
	// results. Nil means that it never does.
	Ending <-chan struct{}

	// Room is an empty slice to which the result may be appended, to save an allocation. It must not be used once
	// ServeRequest has returned. Nil means that there is none.
	Room []byte

	// Out sends messages that belong to the request, until its handler returns. Nil means that nothing but the
	// response can be sent.
	Out Caller
}

// An Origin says where a message comes from, as far as the transport knows.
type Origin struct {
	// Identity is the verified sender, nil if nobody has been verified. Then the sender has no scopes if
	// there is an Address or a Header, and all of them if there is neither, as over a pipe: whoever started
	// the process may do everything.
	Identity Identity

	// Principal is the name of the verified sender, which does not change: that of the Identity if there is one.
	// Empty means an anonymous sender.
	Principal string

	// Address is the network address of the sender, a host with or without a port. Senders without a principal are
	// told apart by it, where limits apply to each client.
	Address string

	// Header is the header of the HTTP request, nil if there is none.
	Header Header
}

// A Header is the header of an HTTP request. An http.Header is one.
type Header interface {
	// Values returns the values of the field of that name, which is in canonical form.
	Values(name string) []string
}

// A Caller sends notifications and requests. Their params are encoded already; nil means none.
type Caller interface {
	Notify(ctx context.Context, method string, params wire.Raw) error

	// Call sends a request and waits for its response: the result, or a *[jsonrpc.Error].
	Call(ctx context.Context, method string, params wire.Raw) (wire.Raw, error)
}
