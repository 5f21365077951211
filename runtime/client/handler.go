package client

// What the server sends is handled here: requests, through 2025-11-25, each in a goroutine of its own, and
// notifications, one after another. Requests wait until the revision is negotiated, except for a ping. A change of a
// list or a resource discards what the client has cached of it, before the program hears of it.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic and
// https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions.

import (
	"context"
	"errors"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/observed"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A builtin implements the protocol's own methods that a client receives. Each is in the file of its feature.
type builtin struct {
	mcp.UnimplementedClientHandler
	client *Client
}

// incoming is the client's [transport.Handler]. It is a type of its own so that the methods for transports are not among
// those of a Client.
type incoming struct{ *Client }

// ServeRequest handles a request of the server. Since 2026-07-28 servers send none, and a client must not
// respond to one.
//
// A request that arrives during the handshake waits for its end, because the handler has to know the revision. Pings do
// not wait: they may be how the server finds out whether the client is there at all.
//
// REQ PING-01
func (c incoming) ServeRequest(ctx context.Context, r *transport.Request) (_ wire.Raw, err error) {
	if c.opts.Observer != nil {
		var end func(error)
		ctx, end = c.observeIncoming(ctx, observed.From(r))
		err = errPanic // unless the handler returns
		defer func() { end(err) }()
	}
	if r.Method == mcp.MethodPing.Name && !isClosed(c.settled) {
		return nil, nil // it may come before the handshake has ended
	}
	// The context ends with the connection, and when the server cancels the request, so it cannot wait forever.
	select {
	case <-c.settled:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if c.modern() {
		return nil, jsonrpc.ErrNoResponse
	}
	result, err := c.receive(ctx, &transport.ServerMessage{Method: r.Method, Params: r.Params, Of: about(r)})
	if err != nil || len(result) == 0 {
		return nil, err
	}
	return wire.MarshalChecked(c.Revision(), result) // middleware may have returned anything
}

// requested handles a request of the server, or one inside an input-required result, by the handler of the program or
// that of the client; methodsOf has made sure that no method has both.
func (c *Client) requested(ctx context.Context, method string, params wire.Raw) (wire.Encodable, error) {
	if handle := c.methods[method].Request; handle != nil {
		return handle(ctx, params)
	}
	if c.modern() {
		return c.inputRequested(ctx, method, params)
	}
	return c.dispatcher.Request(ctx, c.Revision(), method, params)
}

// ServeNotification handles a notification of the server.
func (c incoming) ServeNotification(ctx context.Context, r *transport.Request) (err error) {
	if c.opts.Observer != nil {
		var end func(error)
		ctx, end = c.observeIncoming(ctx, observed.From(r))
		err = errPanic // unless the handler returns
		defer func() { end(err) }()
	}
	if c.subscriptions.foreign(r.Meta) {
		return nil
	}
	_, err = c.receive(ctx, &transport.ServerMessage{Method: r.Method, Params: r.Params, Notification: true, Of: about(r)})
	return err
}

// notified handles a notification, and passes it to the program's handler. One that arrives before the handshake has ended
// may be of any revision.
func (c *Client) notified(ctx context.Context, method string, params wire.Raw) error {
	rev := wire.Any
	if isClosed(c.settled) {
		rev = c.Revision()
	}
	// A method that the revision does not have is none of the protocol, but it may be one of the program.
	err := c.dispatcher.Notification(ctx, rev, method, params)
	if err != nil && !errors.Is(err, wire.ErrUnknownMethod) {
		return err
	}
	if handle := c.methods[method].Notification; handle != nil {
		return handle(ctx, params)
	}
	return nil
}

// Ping handles ping.
func (h *builtin) Ping(context.Context, *mcp.RequestParams) (*mcp.EmptyResult, error) {
	return new(mcp.EmptyResult), nil
}

// A Change is what a notification says has changed at the server.
type Change struct {
	Tools, Prompts bool // the lists of them
	Resources      bool // the lists of resources and of their templates

	// URI is that of a resource whose contents have changed, or a part of them; empty if the change is another one.
	URI string

	// Subscription is the [Subscription.ID] that the notification was sent for, since 2026-07-28.
	Subscription wire.ID `json:",omitzero"`
}

// changed discards the cached results of methods, and calls the callback for changes, in this order: a program that lists
// again in its callback must not get what has just become stale.
func (c *Client) changed(ctx context.Context, change Change, meta *mcp.NotificationMetaObject, methods ...*wire.Method) error {
	for _, m := range methods {
		c.cache.drop(m.Name, nil)
	}
	if meta != nil {
		change.Subscription = meta.SubscriptionID
	}
	if c.opts.OnChange != nil {
		c.opts.OnChange(ctx, change)
	}
	return nil
}

// OnToolListChanged discards what the client remembers about tools.
func (h *builtin) OnToolListChanged(ctx context.Context, params *mcp.NotificationParams) error {
	h.client.tools.forget()
	return h.client.changed(ctx, Change{Tools: true}, params.Meta, &mcp.MethodListTools)
}

// OnPromptListChanged discards cached lists of prompts.
func (h *builtin) OnPromptListChanged(ctx context.Context, params *mcp.NotificationParams) error {
	return h.client.changed(ctx, Change{Prompts: true}, params.Meta, &mcp.MethodListPrompts)
}

// OnResourceListChanged discards cached lists of resources and resource templates.
func (h *builtin) OnResourceListChanged(ctx context.Context, params *mcp.NotificationParams) error {
	return h.client.changed(ctx, Change{Resources: true}, params.Meta, &mcp.MethodListResources, &mcp.MethodListResourceTemplates)
}

// OnResourceUpdated discards cached contents of the resource.
func (h *builtin) OnResourceUpdated(ctx context.Context, params *mcp.ResourceUpdatedNotificationParams) error {
	h.client.cache.dropResource(params.URI)
	return h.client.changed(ctx, Change{URI: params.URI}, params.Meta)
}
