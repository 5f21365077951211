// Package transport defines what carries messages between the two sides of a connection, and what handles
// them. The transports themselves are in the packages below it.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/transports
package transport

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Transport carries whole messages over one connection, or over what takes the place of one.
//
// A transport of your own needs the three methods Receive, Send and Close; the protocol itself stays as it
// is. The example of this package is one over a network connection. Package
// [github.com/mcpgen/mcpgen/runtime/transport/transporttest] tests whether the methods are right.
//
// Send and Close may be called by any goroutine at any time; Receive is called by one goroutine at a
// time.
type Transport interface {
	Receiver
	Sender
}

// A Receiver returns the messages that arrive.
type Receiver interface {
	// Receive returns the next message. From then on the data belongs to the caller.
	//
	// At the end it returns io.EOF if the other side ended the connection gracefully,
	// [ErrClosed] after Close, and other errors that say what broke. The exceptions are a
	// *[MessageError] and a *[RequestError], after which it can be called again. If ctx ends, it
	// returns [context.Cause] of it, and the transport may be unusable from then on.
	Receive(ctx context.Context) (Message, error)
}

// A Sender sends messages.
type Sender interface {
	// Send sends a message. When it returns, the data belongs to the caller again, although the message
	// may still be on its way out of this process.
	//
	// Messages that one goroutine sends, one after the other, arrive in that order, unless they
	// belong to different streams. If the other side does not read, Send waits, until ctx ends at
	// the latest; the error is then [context.Cause] of it. After Close the error is [ErrClosed]. The
	// context has no meaning for the message once Send has returned.
	Send(ctx context.Context, m Message) error

	// Close ends the connection. Messages that were sent are still delivered as far as that is
	// possible soon. It returns within a limited time, and calls of Receive and Send return, too.
	// Closing again does nothing and returns nil.
	Close() error
}

// A Message is one JSON-RPC message on its way, or in revision 2025-03-26 a batch of them.
type Message struct {
	Data []byte // the JSON text, without line breaks

	// Stream says what a message belongs to, in a way that only the transport understands: a response, and
	// whatever else is sent for a request, has the stream of the request. It is nil where all messages
	// share one stream; over HTTP each request has its own. A message that is sent without one belongs to no
	// request of the other side. What a client receives in the HTTP response to one of its requests may have the
	// [wire.ID] of that request here.
	Stream any

	// Origin says where a received message comes from; nil if the transport does not know.
	Origin *Origin

	// Kind and ID are set for messages that are sent, so that a transport need not parse them. ID is
	// that of a request or a response, or of the request that a notification cancels: where each request
	// has an exchange of its own, that can be closed instead. Other notifications and batches have none.
	Kind jsonrpc.Kind
	ID   wire.ID

	// RetryAfter is the time after which a refused request may be sent again, if the message is its response: that of
	// its [RefusedError]. Over HTTP it is a header. Zero means that there is none.
	RetryAfter time.Duration

	// Mirrored has the arguments of a request that an [Exchanger] repeats in headers, by the names of the
	// headers. Other transports ignore it.
	Mirrored map[string]string
}

// An Exchanger is a transport that sends each request in an exchange of its own, as HTTP does, with headers
// beside the message. A request can fail alone there, which Receive reports by a *[RequestError], and since revision 2026-07-28 it is cancelled by closing its exchange.
type Exchanger interface {
	Transport
	// Exchanges reports whether it is one: a transport around another may not know before.
	Exchanges() bool
}

// A Sessioner is a transport over HTTP that knows the id of its session. It is for observers.
type Sessioner interface {
	Transport
	// SessionID returns the id of the session that is open; empty if there is none, or it has no id.
	SessionID() string
}

// ErrClosed is the error of a transport that was closed by its Close method.
var ErrClosed = errors.New("transport: closed")

// A MessageError reports that a message was too long to be received. The transport goes on with the next.
type MessageError struct {
	Limit int64  // how many bytes a message may have; this one has more
	Head  []byte // how the message begins
}

func (e *MessageError) Error() string {
	return "transport: a message is longer than the limit of " + strconv.FormatInt(e.Limit, 10) + " bytes"
}

// A RequestError reports that there will be no response to a request, because its exchange has failed. The
// transport goes on with the others.
type RequestError struct {
	// ID is that of the request. It is absent if the error is about what belongs to no request, and
	// is then one of [ErrSessionExpired] and [ErrMissed].
	ID wire.ID
	// Err says why. It is a *[jsonrpc.Error] if the other side sent it in an error response without the id
	// of the request.
	Err error
}

func (e *RequestError) Error() string { return e.Err.Error() }

func (e *RequestError) Unwrap() error { return e.Err }

// A BrokenError reports that nothing can be sent any more, although something may still be received. Later
// calls of Send return the same error.
type BrokenError struct{ Err error }

func (e *BrokenError) Error() string { return e.Err.Error() }

func (e *BrokenError) Unwrap() error { return e.Err }

// ErrSessionExpired says that the other side has ended the session. A request with this error was
// refused for that reason, and has not been handled.
var ErrSessionExpired = errors.New("transport: the server has ended the session")

// ErrMissed says that messages which belong to no request may have been lost.
var ErrMissed = errors.New("transport: messages may have been lost")
