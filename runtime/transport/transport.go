// Package transport defines transports, which carry messages between the two sides of a connection, and handlers,
// which handle them. The transports themselves are in the packages below it.
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
// A custom transport needs the three methods Receive, Send and Close, and no knowledge of the protocol. The example
// of this package, in example_conn_test.go, is a transport over a network connection. Package
// [github.com/mcpgen/mcpgen/runtime/transport/transporttest] tests whether the methods are right.
//
// Whoever sends messages without an [Origin] may do everything, as over a pipe. A transport that others can connect to
// therefore sets the Origin of what it receives.
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
	// At the end of the connection it returns io.EOF if the other side ended it gracefully, [ErrClosed] after
	// Close, and otherwise an error that says what failed. After a *[MessageError] or a *[RequestError], and only
	// then, it can be called again. If ctx ends, it returns the [context.Cause] of ctx, and the transport may be
	// unusable from then on.
	Receive(ctx context.Context) (Message, error)
}

// A Sender sends messages.
type Sender interface {
	// Send sends a message. When it returns, the data belongs to the caller again, although the message
	// may still be on its way out of this process.
	//
	// Messages that one goroutine sends, one after the other, arrive in that order, unless they belong to different
	// streams. If the other side does not read, Send waits until ctx ends at the latest; the error is then the
	// [context.Cause] of ctx. After Close the error is [ErrClosed]. The end of ctx does not affect the message once
	// Send has returned.
	Send(ctx context.Context, m Message) error

	// Close ends the connection. Messages that were sent are still delivered if that is possible within a short
	// time. Close returns within a limited time, and pending calls of Receive and Send return, too. Closing again
	// does nothing and returns nil.
	Close() error
}

// A Message is one JSON-RPC message on its way, or in revision 2025-03-26 a batch of them.
type Message struct {
	Data []byte // the JSON text, without line breaks

	// Stream says what a message belongs to, in a way that only the transport understands: a response, and whatever
	// else is sent for a request, has the stream of the request. It is nil if all messages share one stream; over
	// HTTP each request has its own. A message that is sent without a stream belongs to no request of the other
	// side. For a message that a client receives in the HTTP response to one of its requests, Stream may be the
	// [wire.ID] of that request.
	Stream any

	// Origin says where a received message comes from; nil if the transport does not know.
	Origin *Origin

	// Kind and ID are set for messages that are sent, so that a transport need not parse them. ID is the id of a
	// request or a response, or of the request that a notification cancels; a transport in which each request has
	// its own exchange can close that instead. Other notifications and batches have none.
	Kind jsonrpc.Kind
	ID   wire.ID

	// RetryAfter is the RetryAfter of the [RefusedError] to which the message is the response: the time after which
	// the request may be sent again. Over HTTP it is a header. Zero means that there is none.
	RetryAfter time.Duration

	// Mirrored has the arguments of a request that a [PerRequest] transport repeats in headers, by header name.
	// Other transports ignore it.
	Mirrored map[string]string
}

// PerRequest is implemented by transports without a connection, which send each request in its own exchange, as
// HTTP does, with headers beside the message. A single request can fail, which Receive reports by a
// *[RequestError], and since revision 2026-07-28 a request is cancelled by closing its exchange.
type PerRequest interface {
	Transport
	// PerRequest reports whether the transport works this way. It is false for a transport that wraps one with a
	// connection.
	PerRequest() bool
}

// A Sessioner is a transport over HTTP that knows the id of its session. Observers use it.
type Sessioner interface {
	Transport
	// SessionID returns the id of the session that is open; empty if there is none, or it has no id.
	SessionID() string
}

// ErrClosed is the error of a transport that was closed by its Close method.
var ErrClosed = errors.New("transport: closed")

// A MessageError reports that a message was too long to be received. The transport continues with the next one.
type MessageError struct {
	Limit int64  // how many bytes a message may have; this one has more
	Head  []byte // how the message begins
}

func (e *MessageError) Error() string {
	return "transport: a message is longer than the limit of " + strconv.FormatInt(e.Limit, 10) + " bytes"
}

// A RequestError reports that there will be no response to a request, because its exchange has failed. Other
// requests are not affected.
type RequestError struct {
	// ID is the id of the request. If it is absent, the error concerns messages that belong to no request, and Err
	// is [ErrSessionExpired] or [ErrMissed].
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

// ErrMissed says that messages that belong to no request may have been lost.
var ErrMissed = errors.New("transport: messages may have been lost")
