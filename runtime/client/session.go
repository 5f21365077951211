package client

// Through 2025-11-25 a server may end a session, over HTTP. The client then opens another one, once for all calls that
// notice, restores in it the log level and the subscriptions, and assumes that everything has changed. A message that
// the server has refused for that reason is sent again; no other one is.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management.

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A renewal opens a new session after the server has ended one.
type renewal struct {
	done chan struct{}
	err  error // set before done is closed
}

// inSession calls send, and calls it again in a new session if the server refused the message because it
// had ended the session. No other message is sent twice.
func (c *Client) inSession(ctx context.Context, method string, send func() error) error {
	err := c.inThisSession(ctx, method, send)
	if errors.Is(err, errRenewed) {
		return send()
	}
	return err
}

// errRenewed is the error for a cursor of a session that has ended.
var errRenewed = errors.New("the server has ended the session, and its cursors are not valid any more: start over without one")

// inThisSession calls send for a request that only has a meaning in one session, such as one with a cursor. If the server
// has ended that, it opens a new one, and returns errRenewed.
func (c *Client) inThisSession(ctx context.Context, method string, send func() error) error {
	seen := c.session()
	err := send()
	if !errors.Is(err, transport.ErrSessionExpired) {
		return err
	}
	// The number was read before the message was sent: if another call has renewed the session meanwhile, that is enough.
	if failed := c.renew(ctx, seen); failed != nil {
		return &jsonrpc.CallError{Method: method, Err: fmt.Errorf("the server has ended the session, and a new one could not be opened: %w", failed)}
	}
	return &jsonrpc.CallError{Method: method, Err: errRenewed}
}

// session returns the number of the open session.
func (c *Client) session() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sessions
}

// renew opens a new session, unless that has been done since the caller saw session number seen. Callers share one
// attempt, which continues when the context of one of them ends.
func (c *Client) renew(ctx context.Context, seen int) error {
	c.mu.Lock()
	if c.sessions != seen {
		c.mu.Unlock()
		return nil
	}
	r := c.renewal
	if r == nil {
		r = &renewal{done: make(chan struct{})}
		// It needs mu, so it cannot be over before it is recorded here.
		if c.background(func(ctx context.Context) { c.runRenewal(ctx, r) }) {
			c.renewal = r
		}
	}
	c.mu.Unlock()
	// Close has begun, so perhaps nobody renews the session.
	if c.life.Over() {
		return jsonrpc.ErrClosed
	}
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// runRenewal opens the session and tells those who wait. Before that it restores the level and the subscriptions, so that a
// call in the new session finds it as it left the old one; and after that it handles the changes that may have been
// missed, since callbacks may make calls, which would wait for the renewal. A server that no longer speaks the revision
// is another server: the client, which has told its program the revision, closes the connection.
func (c *Client) runRenewal(ctx context.Context, r *renewal) {
	r.err = errPanic // unless reinitialize returns
	defer c.renewed(ctx, r)
	if r.err = c.reinitialize(ctx); r.err == nil {
		c.observeSession(ctx)
		c.restore(ctx)
	}
}

// renewed ends a renewal.
func (c *Client) renewed(ctx context.Context, r *renewal) {
	c.mu.Lock()
	if r.err == nil {
		c.sessions++ // before done is closed: who has waited sees the new number
	}
	c.renewal = nil
	incompatible := errors.As(r.err, new(*VersionError))
	if incompatible {
		c.lost = r.err
	}
	c.mu.Unlock()
	close(r.done)
	switch {
	case incompatible: // the server has changed since Connect
		// Not Client.Close, which would wait for this goroutine.
		c.conn.Close()
	case r.err == nil:
		c.assumeChanges(ctx)
	}
}

// reinitialize opens a session in the negotiated revision.
func (c *Client) reinitialize(ctx context.Context) error {
	r, err := c.handshake(ctx, c.Revision())
	if err != nil {
		return named(mcp.MethodInitialize.Name, err)
	}
	if r.ProtocolVersion != c.Revision().String() {
		return &VersionError{Wanted: []wire.Revision{c.Revision()}, Supported: []string{r.ProtocolVersion}}
	}
	return c.initialized(ctx, c.Revision())
}

// restore sets the log level and the subscriptions of the previous session.
func (c *Client) restore(ctx context.Context) {
	c.mu.Lock()
	level := c.level
	c.mu.Unlock()
	if level != "" {
		c.restoreBy(ctx, &mcp.MethodSetLevel, &mcp.SetLevelRequestParams{Level: level})
	}
	for _, uri := range c.subscriptions.uris() {
		c.restoreBy(ctx, &mcp.MethodSubscribe, &mcp.SubscribeRequestParams{URI: uri})
	}
}

// restoreBy sends a request of a renewal. It does not go through call, which would wait for the renewal. If it fails the
// session is of use all the same.
func (c *Client) restoreBy(ctx context.Context, m *wire.Method, params wire.Encodable) {
	result := new(mcp.EmptyResult)
	err := c.through(ctx, m, params, result, func(ctx context.Context, params wire.Encodable) error {
		return c.send(ctx, m.Name, params, result, nil)
	})
	if err != nil && !c.life.Over() {
		c.logger().Warn("client: the log level or a subscription was not restored in the new session", "method", m.Name, "error", err)
	}
}

// assumeChanges handles notifications as if all that the server notifies of had changed: notifications may
// have been lost while there was no stream.
func (c *Client) assumeChanges(ctx context.Context) {
	yes := new(true)
	all := c.offered(&mcp.SubscriptionFilter{ToolsListChanged: yes, PromptsListChanged: yes, ResourcesListChanged: yes})
	all.ResourceSubscriptions = c.subscriptions.uris()
	c.assume(ctx, &all, nil)
}

// inject handles a notification as if the server had sent it: it takes its turn in the queue, and goes through the
// middleware, so that nothing but its origin is different.
func (c *Client) inject(ctx context.Context, m *wire.Method, params wire.Encodable) {
	raw, err := wire.Marshal(c.Revision(), params)
	// Accept only adds it to the queue, and does not wait for its handler.
	if err == nil && ctx.Err() == nil {
		c.conn.Accept(c.life.Context(), new(transport.Request), &jsonrpc.Message{Kind: jsonrpc.Notification, Method: m.Name, Params: raw})
	}
}

// A watcher wraps a transport. It handles errors that do not concern a single request, such as that of the stream for what
// the server sends unasked: nobody waits for that, and so nobody else would notice that the session has ended.
type watcher struct {
	transport.Receiver
	client *Client
}

// Receive implements [transport.Receiver].
func (w watcher) Receive(ctx context.Context) (transport.Message, error) {
	m, err := w.Receiver.Receive(ctx)
	if e, ok := errors.AsType[*transport.RequestError](err); ok && e.ID.IsZero() && isClosed(w.client.settled) {
		w.client.transportFailed(e.Err)
	}
	// The connection ignores the error, since no call has an absent id, and goes on reading.
	return m, err
}

// transportFailed recovers from an error of a transport in the background: it is called by the goroutine that reads, without
// which a new session could not be opened.
func (c *Client) transportFailed(err error) {
	// Now, and not in the goroutine, which may begin when the session is a new one already.
	seen := c.session()
	c.background(func(ctx context.Context) {
		switch {
		case errors.Is(err, transport.ErrSessionExpired):
			if err := c.renew(ctx, seen); err != nil && ctx.Err() == nil {
				c.logger().Warn("client: the server has ended the session, and a new one could not be opened", "error", err)
			}
		case errors.Is(err, transport.ErrMissed):
			c.assumeChanges(ctx)
		}
	})
}
