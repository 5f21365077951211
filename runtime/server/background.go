package server

import (
	"cmp"
	"context"
	"errors"
	"maps"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A handler may have to outlive its request. It runs on with a Call of its own, in which what would go
// to the client that waits goes to a [Background] instead: requests for input, progress, and the end. What
// the handler does is the same in both, and so is what becomes of its result.

// A Background is what a call that outlives its request has in place of a client that waits for it: see [Call.Continue].
// Its methods may be called by several goroutines.
type Background interface {
	// Ask returns the client's response to a request for input, for which it waits in every revision. Ctx ends with the
	// call at the latest. If the response is not what [CheckInput] accepts, the handler gets an *[InputError].
	Ask(ctx context.Context, r *InputRequest) (wire.Raw, error)
	// Report receives progress that is not discarded. A total of 0 means that it is not known.
	Report(done, total float64, message string)
	// Done receives, once and last, what the client would have received: a result, which may say that the tool has failed,
	// or an error.
	Done(result wire.Raw, toolFailed bool, err *jsonrpc.Error)
}

// An InputRequest is a request for input that the client declares to support.
type InputRequest struct {
	Key    string           // which no other of the call has
	Method string           // "elicitation/create"
	Params wire.Raw         // in the revision of the call
	Input  mcp.InputRequest // the same, as a part of results since 2026-07-28
}

// Continue runs f in the background with a Call of its own, which outlives the request: it has no Header, and sends only
// what a session can receive, with meta, an object, added to the metadata of each message. By receives its requests for input, its
// progress and its end. [Server.Shutdown] ends the context of f, and waits until by is done. Ctx is not that of the
// request, which ends: see [context.WithoutCancel]. If the server is shutting down already, Continue returns an error,
// and f does not run.
func (c *Call) Continue(ctx context.Context, by Background, meta wire.Raw, f func(ctx context.Context, c *Call) (*mcp.CallToolResult, error)) error {
	s := c.server
	ctx, cancel := context.WithCancelCause(ctx)
	end := func() { cancel(errClosed) }
	if !s.outliving.add(&end) {
		end()
		return jsonrpcError(codeInternal, errClosed.Error(), nil)
	}
	s.running.enter(true)
	in := c.outliving(ctx, by, meta) // now, while c is valid
	go func() {
		defer s.running.leave() // last: Shutdown waits for what Done does
		defer cancel(nil)
		defer s.outliving.remove(&end)
		s.outlive(ctx, in, f)
	}()
	return nil
}

// outliving returns the Call for what outlives the request of c. It sends through the session, since the response of the request
// will have ended; without a session it sends nothing.
func (c *Call) outliving(ctx context.Context, by Background, meta wire.Raw) *Call {
	req := *c.req
	req.Out, req.Header = nil, nil
	if ss := c.Session(); ss != nil {
		req.Out = &annotated{ss.subscription.out, meta}
	}
	in := &Call{server: c.server, session: c.session, req: &req, rev: c.rev, head: c.head, ctx: ctx, background: by}
	// It goes on where c is: keys that c has used are taken, and what Once has done stays done.
	c.input.mu.Lock()
	defer c.input.mu.Unlock()
	in.input.keys = maps.Clone(c.input.keys)
	in.input.results = maps.Clone(c.input.results)
	return in
}

// outlive runs f, and calls Done of the Background of c, also if f panics or ends its goroutine.
func (s *Server) outlive(ctx context.Context, c *Call, f func(ctx context.Context, c *Call) (*mcp.CallToolResult, error)) {
	var result wire.Raw
	toolFailed, rpc := false, &jsonrpc.Error{Code: codeInternal, Message: "internal error"} // unless f returns
	defer func() {
		c.endProgress()
		s.guard("Background.Done", func() { c.background.Done(result, toolFailed, rpc) })
	}()
	defer func() {
		if p := recover(); p != nil {
			s.panicked(ctx, p, inHandler, "method", c.req.Method)
		}
	}()
	r, err := f(ctx, c)
	if err != nil {
		if ctx.Err() != nil {
			err = context.Cause(ctx) // which says why, such as a shutdown
		}
		r, err = s.toolError(c, err)
	}
	if err == nil {
		r = s.degradeToolResult(ctx, c.rev, cmp.Or(r, &mcp.CallToolResult{}))
		toolFailed = r.GetIsError()
		result, err = s.encode(c, r, nil)
	}
	rpc = nil
	if err != nil {
		errors.As(s.errorOf(ctx, c, err), &rpc)
	}
}

// askBackground asks for input, as long as neither ctx nor the call has ended.
func (c *Call) askBackground(ctx context.Context, r *InputRequest) (wire.Raw, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(c.ctx, func() { cancel(context.Cause(c.ctx)) })()
	return c.background.Ask(ctx, r)
}

// Background returns what the call runs with if it outlives its request, else nil.
func (c *Call) Background() Background { return c.background }

// An annotated caller adds metadata to all that it sends, which says what it belongs to: that of [Call.Continue].
type annotated struct {
	transport.Caller
	meta wire.Raw
}

// Notify implements [transport.Caller].
func (a *annotated) Notify(ctx context.Context, method string, params wire.Raw) error {
	params, err := jsonrpc.AddMeta(params, a.meta)
	if err != nil {
		return err
	}
	return a.Caller.Notify(ctx, method, params)
}

// Call implements [transport.Caller].
func (a *annotated) Call(ctx context.Context, method string, params wire.Raw) (wire.Raw, error) {
	params, err := jsonrpc.AddMeta(params, a.meta)
	if err != nil {
		return nil, err
	}
	return a.Caller.Call(ctx, method, params)
}
