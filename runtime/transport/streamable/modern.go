package streamable

import (
	"context"
	"errors"
	"net/http"
	"sync"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/buffers"
	"github.com/mcpgen/mcpgen/runtime/internal/lazyctx"
	"github.com/mcpgen/mcpgen/runtime/internal/mcpheader"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/front"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Since 2026-07-28 a request belongs to no session: it is handled and forgotten. There is nothing to correlate, as
// a server sends no requests; closing the response cancels the request. So there is no peer, and the handler calls the server
// itself. What the server finds wrong before the tool runs has an HTTP status of its own; an error of the tool has status 200.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http

// postModern serves a POST of the era without sessions. A batch is not valid there, so it has an error like any other body
// that is no message.
//
// REQ H26-04
func (h *Handler) postModern(w http.ResponseWriter, in *incoming) {
	m := &in.Msg
	switch {
	case in.Err != nil:
		h.refuseMessage(w, in)
	case m.IsResponse():
		h.front.Refuse(w, http.StatusBadRequest, wire.ID{}, front.Invalid("a response: since 2026-07-28 there is no request that it could belong to"))
	case m.Kind == jsonrpc.Notification:
		h.notifyModern(w, in)
	default:
		h.callModern(w, in)
	}
}

// A modernCall is a request without a session that is being handled. It implements [transport.Caller]: what is sent
// through it belongs to the request.
type modernCall struct {
	response
	request transport.Request
	ctx     lazyctx.Context // of the handler: it ends with the HTTP request

	answering sync.WaitGroup // until a subscription has its response
}

// Notify implements [transport.Caller]. The first notification makes the response a stream. It belongs to the request, so
// it needs no name of one.
//
// REQ H26-12
func (c *modernCall) Notify(ctx context.Context, method string, params wire.Raw) error {
	if c.ctx.Err() != nil { // the client has closed the response
		return context.Cause(&c.ctx)
	}
	var p wire.Encodable
	// A nil wire.Raw would make p an interface that is not nil.
	if params != nil {
		p = params
	}
	buf := buffers.Get()
	data, err := jsonrpc.AppendNotification((*buf)[:0], wire.Any, method, p, nil)
	if err == nil {
		err = c.sendBefore(ctx, data)
	}
	buffers.Put(buf, data)
	return err
}

// Call implements [transport.Caller]. Since 2026-07-28 a server sends no requests.
func (*modernCall) Call(context.Context, string, wire.Raw) (wire.Raw, error) {
	return nil, server.ErrCannotAsk
}

// cancel implements [canceller].
func (c *modernCall) cancel(cause error) { c.ctx.End(cause) }

// finish ends the request.
func (c *modernCall) finish() {
	// The order matters: the response asks whether the client has gone, and after that the context ends in any case.
	c.response.finish(c.ctx.Err() != nil)
	c.ctx.End(context.Canceled)
	c.request.Header = nil // a task may keep the call, through its context
	c.h.finish(&c.response)
}

// notifyModern handles a notification. The protocol has none in this direction, but extensions may.
//
// REQ H26-05
func (h *Handler) notifyModern(w http.ResponseWriter, in *incoming) {
	m := &in.Msg
	if err := mcpheader.Check(in.R.Header, m.Method, m.Params, false); err != nil {
		h.front.Refuse(w, http.StatusBadRequest, wire.ID{}, &jsonrpc.Error{Code: mcp.CodeHeaderMismatch, Message: "header mismatch: " + err.Error()})
		return
	}
	if !h.begin(nil) {
		h.front.Refuse(w, http.StatusServiceUnavailable, wire.ID{}, front.Unavailable(errEnding.Error()))
		return
	}
	defer h.finish(nil)
	err := h.endpoint.ServeNotification(in.R.Context(), &transport.Request{
		Method: m.Method, Params: m.Params, Meta: m.Meta, Origin: in.Origin(), Revision: mcp.Modern,
	})
	if err != nil {
		h.opts.Logger.DebugContext(in.R.Context(), "streamable: notification ignored", "method", m.Method, "error", err)
	}
	h.front.Status(w, http.StatusAccepted)
}

// callModern serves a request: in the goroutine of net/http, whose context ends when the client closes the response, and
// with it the context of the handler. The result is encoded behind the envelope of the response, in one buffer, which is
// written at once.
//
// REQ H26-08, JRPC-14, H26-12
func (h *Handler) callModern(w http.ResponseWriter, in *incoming) {
	m := &in.Msg
	listens := m.Method == mcp.MethodSubscriptionsListen.Name
	call := &modernCall{
		response: response{
			stream: stream{h: h}, w: w, id: m.ID,
			json: in.json, events: in.events && listens || h.mayStream(in),
		},
		request: transport.Request{
			ID: m.ID, Method: m.Method, Params: m.Params, Meta: m.Meta, Size: cap(in.Body),
			Origin: in.Origin(), Ending: h.ending,
		},
		ctx: lazyctx.Context{Parent: in.R.Context()},
	}
	call.alone = call
	if len(h.legacy) > 0 || in.version != "" {
		call.request.Revision = mcp.Modern // its rules apply even if the request does not name it
	}
	if !listens { // a subscription ends by itself, with its result
		call.watched = h.front.Guard.NewWatch(in.R, &in.Sender, nil)
	}
	// What is refused here has not begun, so there is nothing to finish.
	switch {
	// JSONOnly does not apply to subscriptions, so only the client's Accept is in the way.
	case listens && !call.events:
		h.front.Refuse(w, http.StatusNotAcceptable, m.ID, front.Invalid("a subscription is a stream; Accept must list text/event-stream"))
		return
	case !h.begin(&call.response):
		h.front.Refuse(w, http.StatusServiceUnavailable, m.ID, front.Unavailable(errEnding.Error()))
		return
	case call.events:
		call.request.Out = call
	}
	if listens {
		h.listen(w, in, call)
		return
	}
	defer call.finish()
	buf := buffers.Get()
	begun := jsonrpc.BeginResult((*buf)[:0], m.ID)
	// The server may append the result here, so that it need not be copied behind the envelope.
	call.request.Room = begun[len(begun):]
	result, err := h.endpoint.ServeRequest(&call.ctx, &call.request)
	call.request.Room = nil
	if in.R.Context().Err() == context.Canceled { // and not the deadline of middleware, of which the client must learn
		return // the client has closed the response
	}
	if scope, ok := err.(*transport.ScopeError); ok { // only the authorizer knows how to ask for more
		call.answerBy(func() { h.front.RefuseScopes(w, in.R, m.ID, scope) })
		return
	}
	call.respondIn(buf, begun, result, err)
}

// respond sends the response.
func (c *modernCall) respond(result wire.Raw, err error) {
	buf := buffers.Get()
	c.respondIn(buf, jsonrpc.BeginResult((*buf)[:0], c.id), result, err)
}

// respondIn sends the response, which it assembles in a buffer. Out is the beginning of the buffer with the envelope, behind
// which ServeRequest may have put the result already; an error begins anew. It gives the buffer back.
func (c *modernCall) respondIn(buf *[]byte, out []byte, result wire.Raw, err error) {
	status := http.StatusOK
	if err == nil {
		out, err = jsonrpc.EndResult(out, result)
	}
	if err != nil {
		e, refused := errorOf(err)
		status = modernStatus(e.Code, refused != nil)
		if refused != nil && c.noteRefusal(refused.RetryAfter) {
			status = http.StatusTooManyRequests
		}
		out = jsonrpc.AppendError((*buf)[:0], c.id, e)
	}
	c.answer(&c.ctx, status, err != nil, out)
	buffers.Put(buf, out)
}

// errorOf returns the error object for the response, and the refusal behind it, nil if there is none.
func errorOf(err error) (*jsonrpc.Error, *transport.RefusedError) {
	if refused, ok := errors.AsType[*transport.RefusedError](err); ok {
		return refused.Err, refused
	}
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		return e, nil
	}
	return front.Unavailable(err.Error()), nil
}

// modernStatus returns the HTTP status of an error. Intermediaries act on it, so it says whose fault the error is: 404 for a
// method that does not exist, 400 for what the client can mend, 503 for what passes. An error of a handler that ran is a
// response like a result, with 200; refused says that none ran.
//
// REQ H26-14, CAP-08, H26-15, META-18
func modernStatus(code int64, refused bool) int {
	switch {
	case code == mcp.CodeMethodNotFound:
		return http.StatusNotFound
	case mcp.HasCodeSince(mcp.Modern, code): // a wrong header, an unknown version, a missing capability
		return http.StatusBadRequest
	case refused && code == mcp.CodeInternalError:
		return http.StatusServiceUnavailable
	case refused:
		return http.StatusBadRequest
	}
	return http.StatusOK
}
