package server

import (
	"context"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/observed"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/observe"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// observe tells the observer that a call begins. It returns a function to call when the call has ended, or nil if
// there is no observer.
func (c *Call) observe(ctx context.Context) (context.Context, func(wire.Raw, error)) {
	by := c.server.opts.Observer
	if by == nil {
		return ctx, nil
	}
	o := c.server.operation(c)
	ctx, end := observed.Begin(ctx, by, o)
	c.ctx, c.observed = ctx, o
	return ctx, func(result wire.Raw, err error) {
		o.Principal, o.Revision, o.ResultSize = c.req.Principal, c.rev, len(result)
		switch o.Err = err; {
		case o.Kind == observe.Notification || ctx.Err() == nil:
		case c.listens():
			o.Err = nil // no error: this is how a client ends a subscription
		default:
			o.Err = context.Cause(ctx)
		}
		end()
	}
}

// operation describes what a call is. Only tools and prompts that exist have names.
func (s *Server) operation(c *Call) *observe.Operation {
	o := observed.From(c.req)
	o.Unknown = !s.has(o.Method)
	if o.Session = c.session.ID(); o.Name == "" {
		return o
	}
	name := o.Name
	o.Name = ""
	switch o.Method {
	case mcp.MethodCallTool.Name:
		if t := s.tools.get(name); t != nil {
			o.Name = t.def.Name
		}
	case mcp.MethodGetPrompt.Name:
		if p := s.prompts.get(name); p != nil {
			o.Name = p.def.Name
		}
	}
	return o
}

// has reports whether a method is one of the protocol's or was added.
func (s *Server) has(method string) bool {
	if mcp.ServerMethod(method) != nil {
		return true
	}
	_, custom := s.methods.request(method)
	return custom || s.methods.notification(method) != nil
}

// observeResult notes whether a tool has failed.
func (c *Call) observeResult(v wire.Encodable) {
	if r, ok := v.(*mcp.CallToolResult); ok {
		c.observed.ToolError = r.GetIsError()
	}
}

// sendObserved is send with the observer around it.
func (s *Server) sendObserved(ctx context.Context, m *Outgoing) (result wire.Raw, err error) {
	o := &observe.Operation{Kind: observe.Request, Outgoing: true, Method: m.Method, Session: m.Session.ID()}
	if m.Notification {
		o.Kind = observe.Notification
	}
	switch {
	case m.Call != nil:
		r := m.Call.req
		o.HTTP, o.Address, o.Principal, o.Revision = r.Header != nil, r.Address, r.Principal, m.Call.rev
	case m.Session != nil:
		o.Revision = m.Session.Revision()
		o.HTTP = o.Session != ""
	}
	observed.SetTarget(o, m.Params)
	ctx, end := observed.Begin(ctx, s.opts.Observer, o)
	defer end()
	with := *m
	if with.Params, err = jsonrpc.AddMeta(m.Params, observed.Meta(&o.Trace)); err == nil {
		result, err = send(ctx, &with)
	}
	o.Err = err
	return result, err
}

// observeOpening tells the observer that a call has opened the session. Its end is that of the session.
func (ss *Session) observeOpening(ctx context.Context, c *Call) {
	by := c.server.opts.Observer
	if by == nil {
		return
	}
	o := &observe.Operation{
		Kind: observe.Session, HTTP: c.req.Header != nil, Session: ss.id, Address: c.Address(), Principal: c.Principal(), Revision: ss.Revision(),
	}
	_, end := observed.Begin(ctx, by, o)
	if !ss.ended.CompareAndSwap(nil, &end) {
		end() // the session was closed meanwhile
	}
}

var hasEndedAlready = func() {}

// observeEnd tells the observer that the session has ended, if it was open.
func (ss *Session) observeEnd() {
	if ss.endpoint.server.opts.Observer == nil {
		return
	}
	if end := ss.ended.Swap(&hasEndedAlready); end != nil {
		(*end)()
	}
}

// observe tells the observer that a task begins.
func (t *liveTask) observe(ctx context.Context, c *Call) context.Context {
	by := c.server.opts.Observer
	if by == nil {
		return ctx
	}
	o := c.server.operation(c)
	o.Kind, o.ID, o.Task, o.Revision, o.Trace = observe.Task, wire.ID{}, t.id, c.rev, observe.Trace{}
	t.observed = o
	ctx, t.observedEnd = observed.Begin(ctx, by, o)
	return ctx
}

// observeEnd tells the observer how a task has ended.
func (t *liveTask) observeEnd(err error, toolError bool) {
	if t.observed == nil {
		return
	}
	t.observedOver.Do(func() {
		t.observed.Err, t.observed.ToolError = err, toolError
		t.observedEnd()
	})
}
