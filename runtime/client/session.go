package client

import (
	"context"
	"errors"
	"fmt"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A renewal opens a session again that the server has ended, which servers may do over HTTP up to
// 2025-11-25.
type renewal struct {
	done chan struct{}
	err  error // set before done is closed
}

// inSession sends something, and again in a new session if the server refuses it because it has
// ended the one before. What it has not refused is never sent again.
func (c *Client) inSession(ctx context.Context, method string, send func() error) error {
	err := c.inThisSession(ctx, method, send)
	if errors.Is(err, errRenewed) {
		return send()
	}
	return err
}

// errRenewed is the error for what was not sent again in a new session, because it belongs to the one
// before.
var errRenewed = errors.New("the server has ended the session, and its cursors with it: begin again without one")

// inThisSession is inSession for what only the session knows that there is. It does not send it again
// in the new one, but returns errRenewed.
func (c *Client) inThisSession(ctx context.Context, method string, send func() error) error {
	seen := c.session()
	err := send()
	// REQ SESS-08
	if !errors.Is(err, transport.ErrSessionExpired) {
		return err
	}
	if failed := c.renew(ctx, seen); failed != nil {
		return &jsonrpc.CallError{Method: method, Err: fmt.Errorf("the server has ended the session, and does not open another: %w", failed)}
	}
	return &jsonrpc.CallError{Method: method, Err: errRenewed}
}

// session returns the number of the session that is open.
func (c *Client) session() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sessions
}

// renew opens the session again, unless that was done since seen was looked up. Several callers
// share one attempt, which goes on when one of them gives up.
func (c *Client) renew(ctx context.Context, seen int) error {
	c.mu.Lock()
	if c.sessions != seen {
		c.mu.Unlock()
		return nil
	}
	if c.life.Err() != nil {
		c.mu.Unlock()
		return jsonrpc.ErrClosed
	}
	r := c.renewal
	if r == nil {
		r = &renewal{done: make(chan struct{})}
		c.renewal = r
		c.tasks.Go(func() { c.carryOut(r) })
	}
	c.mu.Unlock()
	select {
	case <-r.done:
		return r.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (c *Client) carryOut(r *renewal) {
	r.err = c.reinitialize(c.life)
	if r.err == nil {
		c.restore(c.life)
	}
	c.mu.Lock()
	if r.err == nil {
		c.sessions++
	}
	c.renewal = nil
	different := errors.As(r.err, new(*VersionError))
	if different {
		c.lost = r.err
	}
	c.mu.Unlock()
	close(r.done)
	switch {
	case different: // what was agreed on holds no longer
		c.conn.Close()
	case r.err == nil:
		c.missed(c.life)
	}
}

// reinitialize opens a session in the revision that was agreed on.
func (c *Client) reinitialize(ctx context.Context) error {
	r, err := c.handshake(ctx, c.rev)
	if err != nil {
		return named(mcp.MethodInitialize.Name, err)
	}
	if r.ProtocolVersion != c.rev.String() {
		return &VersionError{Wanted: []wire.Revision{c.rev}, Supported: []string{r.ProtocolVersion}}
	}
	return c.initialized(ctx, c.rev)
}

// restore tells the server what the session before it knew.
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

func (c *Client) restoreBy(ctx context.Context, m *wire.Method, params wire.Encodable) {
	result := new(mcp.EmptyResult)
	err := c.through(ctx, m, params, result, func(ctx context.Context, params wire.Encodable) error {
		return c.conn.CallWith(ctx, m.Name, params, result, nil)
	})
	if err != nil && c.life.Err() == nil {
		c.logger().Warn("client: the new session is not as the one before", "error", err)
	}
}

// missed behaves as if the server had told about changes of everything that it tells about, because
// it may have done so while nobody could hear it.
func (c *Client) missed(ctx context.Context) {
	for _, m := range []*wire.Method{
		&mcp.MethodToolListChangedNotification,
		&mcp.MethodPromptListChangedNotification,
		&mcp.MethodResourceListChangedNotification,
	} {
		if c.declared.has(m.ServerCapability) {
			c.pretend(ctx, m, &mcp.NotificationParams{})
		}
	}
	for _, uri := range c.subscriptions.uris() {
		c.pretend(ctx, &mcp.MethodResourceUpdatedNotification, &mcp.ResourceUpdatedNotificationParams{URI: uri})
	}
}

// pretend takes a notification as if the server had sent it.
func (c *Client) pretend(ctx context.Context, m *wire.Method, params wire.Encodable) {
	raw, err := wire.Marshal(c.rev, params)
	if err == nil && ctx.Err() == nil {
		c.conn.Deliver(c.values, new(transport.Request), &jsonrpc.Message{Kind: jsonrpc.Notification, Method: m.Name, Params: raw})
	}
}

// A watcher receives messages, and what a transport has to say that concerns no single request.
type watcher struct {
	transport.Receiver
	client *Client
}

// Receive implements [transport.Receiver].
func (w watcher) Receive(ctx context.Context) (transport.Message, error) {
	m, err := w.Receiver.Receive(ctx)
	if err == nil {
		w.client.subscriptions.received(w.client, m.Data)
	}
	if e, ok := errors.AsType[*transport.RequestError](err); ok && e.ID.IsZero() && w.client.isSettled() {
		w.client.disturbed(e.Err)
	}
	return m, err
}

// disturbed does what must follow from such news.
func (c *Client) disturbed(err error) {
	seen := c.session()
	c.spawn(func() {
		switch {
		case errors.Is(err, transport.ErrSessionExpired):
			if err := c.renew(c.life, seen); err != nil && c.life.Err() == nil {
				c.logger().Warn("client: the server has ended the session, and does not open another", "error", err)
			}
		case errors.Is(err, transport.ErrMissed):
			c.missed(c.life)
		}
	})
}
