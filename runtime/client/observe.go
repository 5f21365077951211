package client

// An observer learns of each message, inside the middleware: of requests with their ids and outcomes, of notifications,
// and of sessions. It may add its trace context to the metadata. Without an observer nothing is made for it.
//
// See SEP-414.

import (
	"cmp"
	"context"
	"errors"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/observed"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/observe"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// send sends a request to the server, and tells the observer of it. Opts may be nil. All requests go through it, also those
// of the negotiation. The trace context that the observer sets is added to the metadata last, when the params have been
// through all middleware.
func (c *Client) send(ctx context.Context, method string, params wire.Encodable, result wire.Decodable, opts *peer.CallOptions) error {
	if c.opts.Observer == nil {
		return c.conn.CallWith(ctx, method, params, result, opts)
	}
	o := c.outgoing(observe.Request, method, params)
	ctx, end := observed.Begin(ctx, c.opts.Observer, o)
	defer end()
	// A copy, which gets the trace and the function below: opts is the caller's, who may use them again.
	with := option.Of(opts)
	with.Meta = observed.Meta(&o.Trace)
	started := with.Started
	with.Started = func(id wire.ID) {
		if o.ID = id; started != nil {
			started(id)
		}
	}
	err := c.conn.CallWith(ctx, method, params, result, &with)
	if o.Err = err; method == mcp.MethodSubscriptionsListen.Name && errors.Is(err, context.Canceled) {
		o.Err = nil // that is how a subscription ends
	}
	o.ToolError = err == nil && method == mcp.MethodCallTool.Name && isToolError(result)
	// Only now: the request may have been the one that opened the session.
	o.Session, o.Revision = c.sessionID(), cmp.Or(with.Revision, c.Revision())
	return err
}

// notify sends a notification to the server, and tells the observer of it.
func (c *Client) notify(ctx context.Context, rev wire.Revision, method string, params wire.Encodable) error {
	if c.opts.Observer == nil {
		return c.conn.NotifyAt(ctx, rev, method, params)
	}
	// There is no revision yet when the handshake ends, so the caller says which one the notification is encoded for.
	o := c.outgoing(observe.Notification, method, params)
	o.Revision = rev
	ctx, end := observed.Begin(ctx, c.opts.Observer, o)
	defer end()
	if meta := observed.Meta(&o.Trace); meta != nil {
		params, o.Err = withTrace(rev, params, meta)
	}
	if o.Err == nil {
		o.Err = c.conn.NotifyAt(ctx, rev, method, params)
	}
	return o.Err
}

// withTrace returns the params of a notification, encoded, with more metadata.
func withTrace(rev wire.Revision, params wire.Encodable, meta wire.Raw) (wire.Raw, error) {
	var text wire.Raw
	if params != nil {
		var err error
		if text, err = wire.MarshalChecked(rev, params); err != nil {
			return nil, err
		}
	}
	return jsonrpc.AddMeta(text, meta)
}

// outgoing describes what the client sends.
func (c *Client) outgoing(kind observe.Kind, method string, params wire.Encodable) *observe.Operation {
	// A transport is a Sessioner only over HTTP.
	o := &observe.Operation{
		Kind: kind, Client: true, Outgoing: true, HTTP: c.sessioner != nil, Method: method,
		Session: c.sessionID(), Revision: c.Revision(),
	}
	switch p := params.(type) {
	case *mcp.CallToolRequestParams:
		o.Name = p.Name
	case *mcp.GetPromptRequestParams:
		o.Name = p.Name
	case *mcp.ReadResourceRequestParams:
		o.URI = p.URI
	case *mcp.SubscribeRequestParams:
		o.URI = p.URI
	case *mcp.UnsubscribeRequestParams:
		o.URI = p.URI
	case wire.Raw:
		observed.SetTarget(o, p)
	}
	return o
}

// isToolError reports whether the result of a call says that the tool has failed.
func isToolError(result wire.Decodable) bool {
	switch r := result.(type) {
	case *wire.Raw:
		tool := new(mcp.CallToolResult)
		return wire.DecodeAlias(*r, tool) == nil && tool.GetIsError()
	case interface{ Unwrap() wire.Decodable }:
		return isToolError(r.Unwrap())
	}
	return toolResult(result).GetIsError()
}

// observeIncoming tells the observer of a request or a notification that the server has sent. The caller must call
// end with the error of the handler.
func (c *Client) observeIncoming(ctx context.Context, o *observe.Operation) (context.Context, func(err error)) {
	o.Unknown = !c.has(o.Method)
	o.Client, o.HTTP, o.Session, o.Revision = true, c.sessioner != nil, c.sessionID(), c.Revision()
	ctx, end := observed.Begin(ctx, c.opts.Observer, o)
	return ctx, func(err error) {
		if o.Err = err; ctx.Err() != nil {
			o.Err = context.Cause(ctx)
		}
		end()
	}
}

// has reports whether a method is one of the protocol or has a handler of its own. A server can make up any number of other
// names, which observers count as one.
func (c *Client) has(method string) bool {
	_, own := c.methods[method]
	return own || mcp.ClientMethod(method) != nil
}

// sessionID returns the id of the session, empty if its transport gives it none.
func (c *Client) sessionID() string {
	if c.sessioner == nil {
		return ""
	}
	return c.sessioner.SessionID()
}

// observeSession tells the observer that the client has opened a session, perhaps to replace one that the server
// has ended.
func (c *Client) observeSession(ctx context.Context) {
	if c.opts.Observer == nil {
		return
	}
	c.observeSessionEnd(transport.ErrSessionExpired) // that of the session before, if there was one
	o := &observe.Operation{
		Kind: observe.Session, Client: true, HTTP: c.sessioner != nil, Session: c.sessionID(), Revision: c.Revision(),
	}
	_, end := observed.Begin(context.WithoutCancel(ctx), c.opts.Observer, o)
	c.mu.Lock()
	c.sessionEnd = func(err error) { o.Err = err; end() }
	c.mu.Unlock()
	// If the connection has ended before sessionEnd was set, nobody else calls it.
	if c.connected.Over() {
		c.observeSessionEnd(c.err)
	}
}

// observeSessionEnd tells the observer why the session has ended. It does nothing if there is none.
func (c *Client) observeSessionEnd(err error) {
	// It is taken out under mu, since the end of the connection and a renewal may come at once, and only one may call it. It is
	// called without mu: it is a function of the program.
	c.mu.Lock()
	end := c.sessionEnd
	c.sessionEnd = nil
	c.mu.Unlock()
	if end != nil {
		end(err)
	}
}
