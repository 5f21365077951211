package server

import (
	"context"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/logs"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The methods in this file exist only through 2025-11-25. They open a session and change what it keeps: since 2026-07-28 each
// request says what they say. Where a transport has no session, initialize and ping are handled all the same, and
// nothing is kept.

// Initialize handles initialize, and opens the session if the transport has one. A client that requests a revision which is not
// served is offered the newest one that is; whether it can follow that, the client decides. From the moment that the session is
// open, changes are recorded for it, and sent once the client has said that it is ready.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle
//
// REQ LIFE-07, LIFE-02
func (b builtin) Initialize(ctx context.Context, p *mcp.InitializeRequestParams) (*mcp.InitializeResult, error) {
	c := b.call
	s := c.server
	n, err := newNegotiated(s.newestLegacy(), p)
	if err != nil {
		return nil, err
	}
	if rev, err := wire.ParseRevision(p.ProtocolVersion); err == nil && rev < mcp.Modern && s.serves(rev) {
		n.revision = rev
	}
	c.rev = n.revision // that of the result, and of what it declares
	caps := s.capabilities(c, c.session != nil)
	if ss := c.session; ss != nil {
		// Of two initialize requests at the same time one opens the session.
		if !ss.negotiated.CompareAndSwap(nil, n) {
			return nil, jsonrpcError(codeInvalidRequest, "the session is open already", nil)
		}
		if err := ss.subscription.introduce(c, len(n.data)); err != nil {
			ss.negotiated.Store(nil) // the client may try again
			return nil, err
		}
		ss.version.Add(1)
		ss.subscription.open(n.revision, &caps) // before it is added: until then it subscribes to no lists
		s.addSubscription(&ss.subscription)     // the client is notified of later changes once it is ready
		ss.opened(ctx, c)
	}
	return &mcp.InitializeResult{
		ProtocolVersion: n.revision.String(),
		Capabilities:    caps,
		ServerInfo:      s.info,
		Instructions:    s.opts.Instructions,
	}, nil
}

// OnInitialized handles notifications/initialized: from now on the client receives notifications.
func (b builtin) OnInitialized(ctx context.Context, _ *mcp.NotificationParams) error {
	ss := b.call.session
	if ss == nil || ss.Revision() == 0 || !ss.ready.CompareAndSwap(false, true) { // only the first one counts
		return nil
	}
	ss.subscription.resume()
	ss.version.Add(1)
	if s := b.call.server; s.opts.OnInitialized != nil {
		s.opts.OnInitialized(ctx, ss)
	}
	return nil
}

// Ping handles ping.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping
func (b builtin) Ping(context.Context, *mcp.RequestParams) (*mcp.EmptyResult, error) {
	return &mcp.EmptyResult{}, nil
}

// SetLevel handles logging/setLevel. Without a session it succeeds, and nothing is kept.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/logging
func (b builtin) SetLevel(_ context.Context, p *mcp.SetLevelRequestParams) (*mcp.EmptyResult, error) {
	if !p.Level.Valid() {
		return nil, unknownLevel(p.Level)
	}
	if ss := b.call.session; ss != nil {
		ss.level.Store(int32(logs.Rank(p.Level)))
		ss.version.Add(1)
	}
	return &mcp.EmptyResult{}, nil
}

// Subscribe handles resources/subscribe. Subscribing twice is no error and counts once.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/server/resources#subscriptions
func (b builtin) Subscribe(ctx context.Context, p *mcp.SubscribeRequestParams) (*mcp.EmptyResult, error) {
	c := b.call
	ss := c.session
	if ss == nil {
		return nil, jsonrpcError(codeNotFound, "subscribing requires a session", nil)
	}
	t := c.Subscription()
	if t.has(p.URI) { // so that OnSubscribe is called once
		return &mcp.EmptyResult{}, nil
	}
	uri := strings.Clone(p.URI) // which does not keep the whole request
	_, full, err := c.server.subscribe(ctx, c, t, uri)
	if err != nil {
		return nil, err
	}
	if full {
		return nil, jsonrpcError(codeInvalidParams, "the session has reached the limit on subscriptions", nil)
	}
	ss.version.Add(1)
	return &mcp.EmptyResult{}, nil
}

// Unsubscribe handles resources/unsubscribe. It ignores resources that the client does not subscribe to, and does not end the
// topics of extensions.
func (b builtin) Unsubscribe(_ context.Context, p *mcp.UnsubscribeRequestParams) (*mcp.EmptyResult, error) {
	if ss := b.call.session; ss != nil && !isNoURI(p.URI) && ss.subscription.remove(p.URI) {
		ss.version.Add(1)
		b.call.server.unsubscribed(p.URI)
	}
	return &mcp.EmptyResult{}, nil
}
