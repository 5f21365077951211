// Package transport says what carries messages between the two sides of MCP. Its sub-packages are
// the carriers.
package transport

import (
	"context"
	"errors"
	"strconv"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Transport carries whole messages over one connection, or over what takes the place of one.
//
// A transport of your own needs these three methods; the protocol itself stays as it is. Package
// [github.com/mcpgen/mcpgen/runtime/transport/transporttest] tests whether they are right.
//
// Send and Close may be called by any goroutine at any time; Receive is called by one goroutine at a
// time.
type Transport interface {
	Receiver
	Sender
}

// A Receiver hands over what arrives.
type Receiver interface {
	// Receive returns the next message. The data belongs to the caller from then on: the transport
	// never looks at it again.
	//
	// At the end it returns io.EOF if the other side ended the connection in an orderly way,
	// [ErrClosed] after Close, and other errors that say what broke. The exceptions are a
	// *[MessageError] and a *[RequestError], after which it can be called again. If ctx ends, it
	// returns the context's error, and the transport may be unusable from then on.
	Receive(ctx context.Context) (Message, error)
}

// A Sender sends messages.
type Sender interface {
	// Send sends a message. When it returns, the data belongs to the caller again. The message may
	// not have left this process by then; it will, without another call.
	//
	// Messages that one goroutine sends, one after the other, arrive in that order, unless they
	// belong to different streams. If the other side does not read, Send waits, until ctx ends at
	// the latest. The context has no meaning for the message once Send has returned.
	Send(ctx context.Context, m Message) error

	// Close ends the connection. Messages that were sent are still delivered as far as that is
	// possible soon. It returns after a bounded time and makes calls of Receive and Send return, too.
	// Closing again does nothing and returns nil.
	Close() error
}

// A Message is one JSON-RPC message on its way, or in revision 2025-03-26 a batch of them.
type Message struct {
	Data []byte // the JSON text, without line breaks

	// Stream is where a message belongs, in terms of the transport: it comes with each message that
	// is received, and goes with each that answers it or is sent for it. A transport with a single
	// channel leaves it nil; with HTTP it stands for the exchange that the request opened. A message
	// that is sent without a stream belongs to no request of the other side.
	Stream any

	// Origin says more about a message that is received; nil if the transport knows nothing more.
	Origin *Origin

	// Kind and ID are set for messages that are sent, so that a transport need not parse them. ID is
	// that of the request which the message is, answers, or, as a notification, cancels: where a
	// request has a connection of its own, that may be closed instead. It is absent for other
	// notifications and for batches.
	Kind jsonrpc.Kind
	ID   wire.ID

	// Mirrored are arguments of a request that an [Exchanger] repeats in headers, by the names of
	// these. Others ignore them.
	Mirrored map[string]string
}

// An Exchanger is a transport that opens an exchange of its own for each request that it sends, with
// headers beside the message: it is HTTP. A request can fail alone there, which Receive reports by a
// *[RequestError], and from revision 2026-07-28 on it is cancelled by closing its exchange.
type Exchanger interface {
	Transport
	// Exchanges reports whether it is one: a transport around another may not know before.
	Exchanges() bool
}

// ErrClosed is the error of a transport that was closed on this side.
var ErrClosed = errors.New("transport: closed")

// A MessageError is about a single message that could not be received. The transport goes on with
// the next.
type MessageError struct {
	Limit int64  // how many bytes a message may have; this one has more
	Head  []byte // how the message begins
}

func (e *MessageError) Error() string {
	return "transport: a message is longer than the limit of " + strconv.FormatInt(e.Limit, 10) + " bytes"
}

// A RequestError says that a request which was sent will not be answered, because of what became of
// its exchange. The transport goes on with the others.
type RequestError struct {
	// ID is that of the request. It is absent if the error is about what belongs to no request, and
	// is then one of [ErrSessionExpired] and [ErrMissed].
	ID wire.ID
	// Err says why. It is a *[jsonrpc.Error] exactly if the other side answered with it, but not in
	// a way that names the request.
	Err error
}

func (e *RequestError) Error() string { return e.Err.Error() }

func (e *RequestError) Unwrap() error { return e.Err }

// A BrokenError is the error of a [Sender] by which nothing can be sent any more, though something may
// still be received. What is sent later has the same error.
type BrokenError struct{ Err error }

func (e *BrokenError) Error() string { return e.Err.Error() }

func (e *BrokenError) Unwrap() error { return e.Err }

// ErrSessionExpired says that the other side has ended the session. A request with this error was
// refused because of it, and nobody has begun to carry it out.
var ErrSessionExpired = errors.New("transport: the server has ended the session")

// ErrMissed says that the other side may have sent messages, belonging to no request, that got lost.
var ErrMissed = errors.New("transport: messages may have been lost")
