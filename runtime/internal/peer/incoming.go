package peer

// What arrives is accepted in the order of its arrival: by Accept from a transport that has its own way of reading, by
// received from the goroutine that reads for Run. Accepting takes little time. It ends with the message being refused,
// handed to the call that waits for it, put into the queue of notifications, or made a request that is left to run.
//
// What is not a valid message gets an error response where JSON-RPC wants one, even if its id could not be read. For what
// looks like a response or a notification there never is one: two sides that responded to each other's mistakes would
// not stop.
//
// See https://www.jsonrpc.org/specification and https://modelcontextprotocol.io/specification/2025-11-25/basic.

import (
	"context"
	"errors"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/buffers"
	"github.com/mcpgen/mcpgen/runtime/internal/lazyctx"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Task is what remains to do for a message: handling a request, or those of a batch, and sending the response.
type Task interface {
	// Run handles what remains. The contexts of handlers have the values of ctx, and end with it.
	Run(ctx context.Context)
}

// Accept accepts one message, not a batch, that Run has not read; as has what the transport knows about it. Accept
// does what takes little time at once, and returns the rest as a Task, which the caller must run, or nil if the
// message is not a request. For notifications, only the values of ctx count, except with Options.Alone. Accept may be
// called by several goroutines.
//
// If a request is refused, because its id is that of another request or there are too many requests, Accept sends
// nothing: the caller must respond with the error, a *[jsonrpc.Error].
func (c *Conn) Accept(ctx context.Context, as *transport.Request, m *jsonrpc.Message) (Task, error) {
	if m.Kind != jsonrpc.Request {
		if c.isClosed() {
			return nil, jsonrpc.ErrClosed
		}
		c.take(ctx, as, m, nil, as.Size, nil)
		return nil, nil
	}
	r, refusal := c.newRequest(as, m, as.Size, nil)
	switch {
	case refusal != nil:
		return nil, refusal
	case r == nil:
		return nil, jsonrpc.ErrClosed
	}
	return r, nil
}

// AcceptBatch is Accept for a batch, whose responses are sent together, including those to invalid messages.
func (c *Conn) AcceptBatch(ctx context.Context, as *transport.Request, data []byte) (Task, error) {
	if c.isClosed() {
		return nil, jsonrpc.ErrClosed
	}
	return c.acceptBatch(ctx, as, data), nil
}

// received is Accept for data that Run has read, which may not even be a message. It is called in the order of
// arrival.
//
// REQ BATCH-01
func (c *Conn) received(ctx context.Context, in transport.Message) Task {
	as := transport.Request{Size: len(in.Data), Stream: in.Stream}
	if in.Origin != nil {
		as.Origin = *in.Origin
	}
	m, err := jsonrpc.Parse(in.Data)
	if m.Kind == jsonrpc.Batch && mcp.HasBatches(c.revision()) {
		return c.acceptBatch(ctx, &as, in.Data)
	}
	// A nil *request must not be returned as a Task, which would not be nil.
	if r := c.take(ctx, &as, &m, err, as.Size, nil); r != nil {
		return r
	}
	return nil
}

// take accepts one message, which may be invalid. As has what the transport knows about it, and size is its share
// of the bytes that arrived. Error responses go into the batch, if there is one.
func (c *Conn) take(ctx context.Context, as *transport.Request, m *jsonrpc.Message, err error, size int, b *batch) *request {
	if err != nil {
		c.refuse(ctx, as.Stream, m, err, b)
		return nil
	}
	switch m.Kind {
	case jsonrpc.Request:
		r, err := c.newRequest(as, m, size, b)
		if err != nil {
			c.responseError(ctx, as.Stream, m.ID, err, b)
		}
		return r
	case jsonrpc.Notification:
		// In a batch the notification does not delay the requests that follow it.
		alone := c.opts.Alone && b == nil
		switch m.Method {
		case mcp.MethodCancelledNotification.Name:
			c.cancelled(m.Params)
		case mcp.MethodProgressNotification.Name:
			if !c.progressed(m.Params) {
				c.enqueue(ctx, as, m, size, alone)
			}
		case mcp.MethodSubscriptionsAcknowledgedNotification.Name:
			c.acknowledged(m.Params)
		default:
			c.enqueue(ctx, as, m, size, alone)
		}
	default:
		c.responseReceived(m, nil)
	}
	return nil
}

// refuse handles an invalid message.
//
// REQ JRPC-11, JRPC-06
func (c *Conn) refuse(ctx context.Context, stream any, m *jsonrpc.Message, err error, b *batch) {
	switch {
	case m.IsResponse():
		c.responseReceived(m, err)
	case m.Kind == jsonrpc.Notification:
		c.once(invalidMessage, "invalid notification ignored", "method", m.Method, "error", err)
	default:
		var e *jsonrpc.Error
		if !errors.As(err, &e) {
			e = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "invalid request: " + err.Error()}
		}
		id := m.ID
		if e.Code == jsonrpc.CodeParseError {
			id = wire.ID{} // what is not JSON has no id that one could trust
		}
		c.once(invalidMessage, "invalid message refused", "error", err)
		c.responseError(ctx, stream, id, e, b)
	}
}

// refuseUnread handles a message of which only the beginning was read, because it is longer than the transport allows. If
// the beginning has the id, the sender learns which request is refused; a call whose response is too long fails.
func (c *Conn) refuseUnread(ctx context.Context, e *transport.MessageError) {
	m, _ := jsonrpc.Parse(e.Head)
	if m.Kind == jsonrpc.Invalid && strings.HasPrefix(m.Method, "notifications/") {
		m.Kind = jsonrpc.Notification // no id has been read, and most likely none follows
	}
	c.once(tooLongMessage, "message ignored", "error", e)
	c.refuse(ctx, nil, &m, e, nil)
}

// responseError sends an error response to a request, or to a message that may have been meant as one.
func (c *Conn) responseError(ctx context.Context, stream any, id wire.ID, e *jsonrpc.Error, b *batch) {
	buf := buffers.Get()
	out := jsonrpc.AppendError((*buf)[:0], id, e)
	if b != nil {
		b.add(id, out)
	} else {
		c.sendRefusal(ctx, transport.Message{Data: out, Stream: stream, Kind: jsonrpc.ErrorResponse, ID: id})
	}
	buffers.Put(buf, out)
}

// respond sends a response that has no request with a context of its own, such as that to a batch.
func (c *Conn) respond(ctx context.Context, m transport.Message) {
	c.respondIn(&lazyctx.Context{Parent: ctx}, m)
}

// respondIn sends a response with the context in, which costs nothing unless the transport waits. It is sent even if
// the context of its request, the parent of in, has ended: the request was accepted, so it has a response.
func (c *Conn) respondIn(in *lazyctx.Context, m transport.Message) {
	if c.mute.Load() {
		return
	}
	in.Timeout, in.Detached = c.opts.SendTimeout, true
	err := c.sendIn(in, m)
	if err == nil || c.isClosed() {
		return
	}
	if errors.As(err, new(*transport.BrokenError)) { // more requests would make no sense
		c.close(&jsonrpc.DisconnectedError{Err: err})
		return
	}
	c.opts.Logger.Warn("peer: a response could not be sent", "id", m.ID.String(), "error", err)
}
