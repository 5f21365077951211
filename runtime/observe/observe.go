// Package observe lets programs watch servers and clients: an [Observer] is told about requests, notifications,
// sessions, streams and tasks. [Logger] writes them to a log, and [Numbers] counts them; the module runtime/otel
// makes traces and metrics.
//
// Middleware is for changing what happens, and an observer for watching it: it also sees what middleware does not,
// such as requests that are refused before any handler runs, the error that the other side receives, and invalid
// messages.
package observe

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// An Observer is told what a server or a client does. It is the option Observer of both. It may be called by
// several goroutines at once, and must not panic.
type Observer interface {
	// Observe is called when something begins. The context that it returns, which is ctx or derived from it, is
	// used for everything that follows, such as the handler. When it has ended, end is called, once; by then all
	// fields of o are set. End may be nil.
	Observe(ctx context.Context, o *Operation) (_ context.Context, end func())
}

// A Kind says what an [Operation] is.
type Kind uint8

const (
	Request      Kind = iota + 1 // until its response
	Notification                 // until it is handled, or sent
	Session                      // from initialize on, through 2025-11-25
	Stream                       // of server-sent events that belongs to no other request: GET, or a subscription
	Task                         // on a server, from its creation until its result is there
)

// String returns the name of the kind: "request".
func (k Kind) String() string {
	switch k {
	case Request:
		return "request"
	case Notification:
		return "notification"
	case Session:
		return "session"
	case Stream:
		return "stream"
	case Task:
		return "task"
	}
	return "unknown"
}

// An Operation is something that a server or a client does and that takes time. Fields that do not apply, or that
// are not known, are empty. Some are known only at the end. An observer may change Trace, and no other field.
type Operation struct {
	Kind     Kind
	Client   bool // a client does it, not a server
	Outgoing bool // it is sent to the other side
	HTTP     bool // over HTTP; otherwise over a pipe, or in memory

	ID      wire.ID `json:",omitzero"` // of a request that a client sends or receives, or a server receives
	Method  string  // of a request or a notification, or of the request that a task or a stream comes from
	Unknown bool    // the receiving side does not have the method

	// Name is the name of the tool or the prompt that the request is about. On a server it is empty for names that
	// the server does not have, since clients could make up any number of them.
	Name string
	URI  string // of the resource

	Address   string // of the client
	Principal string // the verified sender; known at the end
	Session   string // the id of the session, if its transport gives it one
	Task      string // the id of the task

	Revision wire.Revision // known at the end

	// Trace is the trace context that came with a request or a notification, in _meta or in HTTP headers. What an
	// observer sets for an outgoing one is sent in _meta, and in the headers of the HTTP request.
	Trace Trace

	Begun time.Time

	// Err is why it failed; nil if it did not. For a request, this is the error of the response, but the cause of the
	// cancellation if it was cancelled.
	Err error
	// ToolError says that the result of a tool has isError.
	ToolError bool

	// ParamsSize and ResultSize are the lengths of what was received for a request or a notification, and of the
	// result that was sent for it, in bytes.
	ParamsSize, ResultSize int
}

// A Trace is the trace context of an operation: W3C Trace Context and W3C Baggage.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic and SEP-414.
type Trace struct {
	Parent  string // traceparent
	State   string // tracestate
	Baggage string // baggage
}

// The outcomes of operations without an error code of JSON-RPC.
const (
	OutcomeOK        = "ok"
	OutcomeToolError = "tool_error"
	OutcomeCancelled = "cancelled"
	OutcomeTimeout   = "timeout"
	OutcomeOther     = "_OTHER" // another error
)

// Outcome says in a word how the operation ended: one of the constants, or the code of the error response, such as
// "-32602".
func (o *Operation) Outcome() string {
	if o.Err == nil {
		if o.ToolError {
			return OutcomeToolError
		}
		return OutcomeOK
	}
	if rpc, ok := errors.AsType[*jsonrpc.Error](o.Err); ok {
		return strconv.FormatInt(rpc.Code, 10)
	}
	switch {
	case errors.Is(o.Err, context.DeadlineExceeded):
		return OutcomeTimeout
	case errors.Is(o.Err, context.Canceled), errors.As(o.Err, new(*jsonrpc.DisconnectedError)):
		return OutcomeCancelled
	}
	return OutcomeOther
}

// KnownMethod returns the method, or "_OTHER" if it is unknown. The other side can make up any number of methods,
// so an observer that keeps data for each method should use this name.
func (o *Operation) KnownMethod() string {
	if o.Unknown {
		return OutcomeOther
	}
	return o.Method
}

// Observers combines several observers into one. The first is outermost.
type Observers []Observer

// Observe implements [Observer].
func (os Observers) Observe(ctx context.Context, o *Operation) (context.Context, func()) {
	ends := make([]func(), 0, len(os))
	for _, each := range os {
		var end func()
		if ctx, end = each.Observe(ctx, o); end != nil {
			ends = append(ends, end)
		}
	}
	return ctx, func() {
		for i := len(ends) - 1; i >= 0; i-- {
			ends[i]()
		}
	}
}
