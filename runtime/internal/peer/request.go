package peer

// A request takes three steps. newRequest accepts it, or says why not; that is done in the order of arrival, so that a
// cancellation finds the request that it follows. Run calls the handler, and encodes the result in a buffer that was
// begun with the envelope, so that a result is not copied. finish removes the request, then sends the response: as soon
// as the peer has the response it may use the id again.
//
// Nothing here limits how long a handler takes; package limit does, if a tool wants it. The time limits of requests that are
// sent are in call.go.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic#requests.

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/mcpgen/mcpgen/runtime/internal/buffers"
	"github.com/mcpgen/mcpgen/runtime/internal/lazyctx"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A request is a request that is being handled. It implements [transport.Caller]: messages that are sent through it
// belong to the request, and go where the transport sends such messages. After the handler has returned, sending
// fails with [jsonrpc.ErrRequestDone].
type request struct {
	transport.Request

	conn    *Conn
	batch   *batch          // nil if it came alone
	size    int             // of the message, without the rest of its batch
	ctx     lazyctx.Context // of the handler; like the next field a part of the request, to save an allocation
	sending lazyctx.Context // of the response
	cancel  atomic.Bool     // the peer has cancelled it

	mu        sync.Mutex // held while something that belongs to the request is sent
	responded bool       // or is about to be; then nothing more is sent that belongs to it
}

// OnlyResponse is the Out of a request for which only the response can be sent.
var OnlyResponse transport.Caller = onlyResponse{}

type onlyResponse struct{ transport.Caller }

// newRequest returns the request in a message, nil if the connection is closed, or an error that says why it is
// refused. All is decided and recorded under one lock, so that of two requests with one id only one is accepted. An id is
// remembered as used only if its request was accepted: the same request may be sent again after it was refused for want
// of room.
//
// REQ JRPC-04, JRPC-03
func (c *Conn) newRequest(as *transport.Request, m *jsonrpc.Message, size int, b *batch) (*request, *jsonrpc.Error) {
	r := &request{Request: *as, conn: c, batch: b, size: size}
	r.ID, r.Method, r.Params, r.Meta = m.ID, m.Method, m.Params, m.Meta
	// Anything else is the transport's own way of sending, and stays.
	switch as.Out {
	case nil:
		r.Out = r
	case OnlyResponse:
		r.Out = nil
	}
	c.mu.Lock()
	closing, ending, twin := c.isClosed(), c.ending, c.requests.get(r.ID) != nil
	full := c.requests.len() >= c.opts.MaxRequests || !c.fits(size)
	taken := !closing && !ending && !twin && !full
	used := taken && c.opts.UniqueIDs && !c.used.add(r.ID)
	if taken && !used {
		c.requests.put(r)
		c.held += size
		c.running.Enter()
	}
	c.mu.Unlock()
	switch {
	case closing:
		return nil, nil
	case twin:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "invalid request: the id is that of another request, which has no response yet"}
	case used:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "invalid request: the id was that of an earlier request, and an id is good for one"}
	case ending:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the connection is shutting down"}
	case full:
		c.once(tooManyRequests, "requests refused, too many are being handled")
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "too many requests at the same time; try again later"}
	}
	return r, nil
}

// Run implements [Task]: it handles the request and sends its response. A handler that panics, or ends its goroutine by
// runtime.Goexit, is an internal error for the other side, without a word about it, and goes to the log.
func (r *request) Run(ctx context.Context) {
	c := r.conn
	// If the request has been cancelled before it runs, its context has ended already, without a parent.
	r.ctx.Parent = ctx
	buf := buffers.Get()
	m, returned := transport.Message{Data: (*buf)[:0], Kind: jsonrpc.Response}, false
	defer func() {
		if !returned {
			c.panicked(r.Method, recover())
			r.ctx.End(context.Canceled)
			m.Data = jsonrpc.AppendError((*buf)[:0], r.ID, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"})
			m.Kind = jsonrpc.ErrorResponse
		}
		r.finish(ctx, m)
		buffers.Put(buf, m.Data)
	}()
	m.Data = jsonrpc.BeginResult(m.Data, r.ID)
	// The result is appended behind the envelope, in the same buffer. No handler may use it once ServeRequest has returned.
	r.Room = m.Data[len(m.Data):]
	result, err := c.handler.ServeRequest(&r.ctx, &r.Request)
	r.Room = nil
	r.ctx.End(context.Canceled)
	switch {
	case errors.Is(err, jsonrpc.ErrNoResponse):
		// For finish, which sends nothing then.
		m.Kind = jsonrpc.Invalid
	case err == nil:
		if m.Data, err = jsonrpc.EndResult(m.Data, result); err != nil {
			c.opts.Logger.Error("peer: a result could not be encoded", "method", r.Method, "error", err)
		}
	}
	if err != nil && m.Kind != jsonrpc.Invalid {
		if refused, ok := errors.AsType[*transport.RefusedError](err); ok && refused.RetryAfter > 0 {
			m.RetryAfter = refused.RetryAfter
			c.freeID(r.ID)
		}
		m.Data, m.Kind = jsonrpc.AppendError((*buf)[:0], r.ID, errorFor(r.Method, err)), jsonrpc.ErrorResponse
	}
	returned = true
}

// freeID undoes what newRequest has remembered: it lets the other side use an id again, after its request was refused and may be sent again.
func (c *Conn) freeID(id wire.ID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used.remove(id)
}

// finish ends the request and sends its response, unless its kind is Invalid, or the request was cancelled: then the other
// side expects none. It waits for what is being sent that belongs to the request, and nothing follows the response.
func (r *request) finish(ctx context.Context, m transport.Message) {
	c := r.conn
	c.mu.Lock()
	c.requests.remove(r) // before the response, after which the id may be used again
	c.held -= r.size
	c.mu.Unlock()

	// A handler may have left goroutines behind that send for this request. Whoever holds mu sends before the response;
	// all others find responded set, and send nothing.
	r.mu.Lock()
	r.responded = true
	switch m.Stream, m.ID = r.Stream, r.ID; {
	case m.Kind == jsonrpc.Invalid || r.cancel.Load() || c.isClosed():
	case r.batch != nil:
		r.batch.add(m.ID, m.Data)
	default:
		r.sending.Parent = ctx
		c.respondIn(&r.sending, m)
	}
	r.mu.Unlock()
	r.Header = nil // a task may keep the request, through its context

	c.mu.Lock()
	c.running.Leave()
	c.mu.Unlock()
}

// panicked logs a panic with value v. If v is nil, the handler called runtime.Goexit, which is ending this
// goroutine; it may have the role of the reader.
func (c *Conn) panicked(method string, v any) {
	stack := make([]byte, 64<<10)
	stack = stack[:runtime.Stack(stack, false)]
	if v != nil {
		c.opts.Logger.Error("peer: panic in a handler", "method", method, "panic", v, "stack", string(stack))
		return
	}
	c.opts.Logger.Error("peer: a handler called runtime.Goexit", "method", method, "stack", string(stack))
	c.yield()
}

// yield makes sure that messages are read while the caller waits.
func (c *Conn) yield() {
	if rd := c.reader.Load(); rd != nil {
		rd.yield()
	}
}

// Notify implements [transport.Caller].
func (r *request) Notify(ctx context.Context, method string, params wire.Raw) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.responded || r.cancel.Load() {
		return &jsonrpc.CallError{Method: method, Err: jsonrpc.ErrRequestDone}
	}
	return r.conn.notify(ctx, r.Stream, wire.ID{}, wire.Any, method, params)
}

// Call implements [transport.Caller]. It has no time limit but that of ctx.
func (r *request) Call(ctx context.Context, method string, params wire.Raw) (result wire.Raw, err error) {
	err = r.conn.call(ctx, r, method, params, &result, &CallOptions{Timeout: -1, MaxTimeout: -1})
	return result, err
}
