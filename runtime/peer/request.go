package peer

import (
	"context"
	"errors"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Request is one that the other side sent. It implements [wire.Caller]: what is sent by it
// belongs to the request, and goes where the transport sends such messages. That ends with
// [ErrAnswered] when the handler returns.
type Request struct {
	ID     wire.ID
	Method string
	Params wire.Raw // nil if there are none
	Meta   wire.Raw // the member _meta of Params, nil if there is none
	Stream any      // where it came from; see [transport.Message]

	conn     *Conn
	batch    *batch // nil if it came alone
	size     int
	revision atomic.Uint32
	ctx      lazyContext
	cancel   atomic.Bool // the other side has cancelled it

	mu       sync.Mutex // held while something that belongs to the request is sent
	answered bool
	begun    bool // progress has been sent
	last     Progress
	lastTime time.Time
}

// Conn returns the connection that the request came by.
func (r *Request) Conn() *Conn { return r.conn }

// Size returns how many bytes the message has that Params are a part of.
func (r *Request) Size() int {
	if r.batch != nil {
		return r.batch.size
	}
	return r.size
}

// SetRevision sets the revision that the answer and what else belongs to the request is encoded
// for. The default is that of the connection.
func (r *Request) SetRevision(rev wire.Revision) { r.revision.Store(uint32(rev)) }

// Revision returns the revision that the answer is encoded for.
func (r *Request) Revision() wire.Revision {
	if rev := r.revision.Load(); rev != 0 {
		return wire.Revision(rev)
	}
	return r.conn.Revision()
}

// admit makes a request of a message, nil if the connection is closed, or says why that cannot be.
func (c *Conn) admit(ctx context.Context, stream any, m *jsonrpc.Message, size int, b *batch) (*Request, *jsonrpc.Error) {
	r := &Request{ID: m.ID, Method: m.Method, Params: m.Params, Meta: m.Meta, Stream: stream, conn: c, batch: b, size: size}
	r.ctx.parent = ctx
	c.mu.Lock()
	// REQ JRPC-04
	closing, ending, twin := c.closing, c.ending, c.requests.get(r.ID) != nil
	full := c.requests.len() >= c.opts.MaxRequests || c.held > 0 && c.held+size > c.opts.MaxBytes
	taken := !closing && !ending && !twin && !full
	// REQ JRPC-03
	used := taken && c.opts.UniqueIDs && !c.used.add(r.ID)
	if taken && !used {
		c.requests.put(r)
		c.held += size
		c.enter()
	}
	c.mu.Unlock()
	switch {
	case closing:
		return nil, nil
	// REQ JRPC-04
	case twin:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "invalid request: the id is that of another request, which has not been answered yet"}
	// REQ JRPC-03
	case used:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "invalid request: the id was that of an earlier request, and an id is good for one"}
	case ending:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the connection is about to end"}
	case full:
		c.once(slipTooMany, "requests refused, too many are at work")
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "too many requests at the same time; try again later"}
	}
	return r, nil
}

// run handles the request and answers it.
func (r *Request) run() {
	buf := getBuffer()
	out, kind := r.handle((*buf)[:0])
	r.finish(out, kind)
	putBuffer(buf, out)
}

// handle calls the handler and appends the answer to out, nothing if there is to be none. Encoding
// the result is a part of it, because that may run the handler's code, too.
func (r *Request) handle(out []byte) (answer []byte, kind jsonrpc.Kind) {
	c := r.conn
	returned := false
	defer func() {
		if returned {
			return
		}
		v := recover()
		c.panicked(r.Method, v)
		r.ctx.end(context.Canceled)
		answer = jsonrpc.AppendError(out, r.ID, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"})
		kind = jsonrpc.Failure
		if v == nil { // this goroutine is about to end
			r.finish(answer, kind)
		}
	}()
	result, err := c.handler.ServeRequest(&r.ctx, r)
	r.ctx.end(context.Canceled)
	answer, kind = out, jsonrpc.Result
	switch {
	case errors.Is(err, ErrNoResponse) || r.cancel.Load():
		kind = jsonrpc.Invalid
	case err == nil:
		if answer, err = jsonrpc.AppendResult(out, r.Revision(), r.ID, result); err != nil {
			c.opts.Logger.Error("peer: a result could not be encoded", "method", r.Method, "error", err)
		}
	}
	if err != nil && kind != jsonrpc.Invalid {
		answer, kind = jsonrpc.AppendError(out, r.ID, answerFor(r.Method, err)), jsonrpc.Failure
	}
	returned = true
	return answer, kind
}

// finish ends the request and sends its answer, if it is of a kind.
func (r *Request) finish(answer []byte, kind jsonrpc.Kind) {
	c := r.conn
	c.mu.Lock()
	c.requests.remove(r) // before the answer, after which the id may be used again
	c.held -= r.size
	c.mu.Unlock()

	r.mu.Lock()
	r.answered = true
	if kind != jsonrpc.Invalid && !r.cancel.Load() && !c.isClosed() {
		c.answer(r.ctx.parent, transport.Message{Data: answer, Stream: r.Stream, Kind: kind, ID: r.ID}, r.batch)
	}
	r.mu.Unlock()

	c.mu.Lock()
	c.leave()
	c.mu.Unlock()
}

// panicked logs a panic, whose value is v. Without one, it was runtime.Goexit that ended the
// handler and is ending this goroutine, which may have the role of the reader.
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
	if rd := c.reader.Load(); rd != nil && rd.timer != nil {
		rd.yield()
	}
}

// Notify implements [wire.Caller].
func (r *Request) Notify(ctx context.Context, m *wire.Method, params wire.Encodable) error {
	return r.NotifyAt(ctx, 0, m.Name, params)
}

// NotifyAt is Notify for a revision, that of the request if it is 0, and for methods by their names.
func (r *Request) NotifyAt(ctx context.Context, rev wire.Revision, method string, params wire.Encodable) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.notify(ctx, rev, method, params)
}

// notify is called with mu.
func (r *Request) notify(ctx context.Context, rev wire.Revision, method string, params wire.Encodable) error {
	if r.answered || r.cancel.Load() {
		return &CallError{method, ErrAnswered}
	}
	if rev == 0 {
		rev = r.Revision()
	}
	return r.conn.notify(ctx, r.Stream, wire.ID{}, rev, method, params)
}

// Call implements [wire.Caller].
func (r *Request) Call(ctx context.Context, m *wire.Method, params wire.Encodable, result wire.Decodable) error {
	return r.CallWith(ctx, m.Name, params, result, nil)
}

// CallWith is Call with options. A revision among them stands for that of the request.
func (r *Request) CallWith(ctx context.Context, method string, params wire.Encodable, result wire.Decodable, opts *CallOptions) error {
	return r.conn.call(ctx, r, method, params, result, opts)
}

// ProgressToken returns the token by which the other side asked for progress, absent if it did not.
func (r *Request) ProgressToken() wire.ID {
	if len(r.Meta) == 0 {
		return wire.ID{}
	}
	var token wire.ID
	d := wire.NewDecoder(r.Meta)
	o := d.Object(&typeMeta)
	for o.Next() {
		if o.Name == "progressToken" {
			o.Once(0)
			token = d.IDOrNull()
		} else {
			d.Skip()
		}
	}
	if d.Finish() != nil {
		return wire.ID{}
	}
	return token
}

var typeMeta = wire.Type{Members: []string{"progressToken"}}

// Progress tells the other side how far the request has come, if it asked for that. Each call must
// report more than the one before. What comes sooner than [Options.ProgressInterval] allows is
// dropped, unless it reaches the total.
func (r *Request) Progress(ctx context.Context, p Progress) error {
	token := r.ProgressToken()
	// REQ PROG-01
	if token.IsZero() {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	switch {
	// REQ PROG-06
	case r.answered || r.cancel.Load():
		return &CallError{mcp.MethodProgressNotification.Name, ErrAnswered}
	case math.IsNaN(p.Progress) || math.IsInf(p.Progress, 0):
		return &CallError{mcp.MethodProgressNotification.Name, errNotFinite}
	// REQ PROG-04
	case r.begun && p.Progress <= r.last.Progress:
		return &CallError{mcp.MethodProgressNotification.Name, errNoProgress}
	case now.Sub(r.lastTime) < r.conn.opts.ProgressInterval && !(p.Total > 0 && p.Progress >= p.Total):
		return nil
	}
	r.begun, r.last, r.lastTime = true, p, now
	return r.notify(ctx, 0, mcp.MethodProgressNotification.Name, paramsOf(token, p))
}
