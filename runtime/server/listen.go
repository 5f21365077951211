package server

import (
	"context"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// SubscriptionsListen handles subscriptions/listen. It returns when the server shuts down, the identity of the
// caller ends, or the client cancels the request; the subscription lasts as long.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
func (b builtin) SubscriptionsListen(ctx context.Context, p *mcp.SubscriptionsListenRequestParams) (*mcp.SubscriptionsListenResult, error) {
	c := b.call
	s := c.server
	if c.req.Out == nil {
		return nil, errNoSender
	}
	owner := c.owner()
	if !s.listens.Take(owner, 1) {
		return nil, busy("this client, or all clients together, have as many subscriptions as they may have")
	}
	defer s.listens.Give(owner, 1)
	// REQ META-15, SUB-03
	t := &subscriber{
		out:    c.req.Out,
		meta:   &mcp.NotificationMetaObject{SubscriptionID: c.req.ID},
		rev:    c.rev,
		paused: true, // until the acknowledgement is sent
	}
	tasks, err := s.grantTasks(ctx, c, t, &p.Notifications)
	if err != nil {
		return nil, err
	}
	granted := s.grant(ctx, c, t, &p.Notifications)
	granted.Extra = tasks
	s.changes.add(t)
	s.markTasks(ctx, c, t)
	defer func() {
		s.changes.remove(t)
		for _, uri := range t.close() {
			s.unsubscribed(uri)
		}
	}()

	ack, err := wire.Marshal(c.rev, &mcp.SubscriptionsAcknowledgedNotificationParams{Meta: t.meta, Notifications: granted})
	if err != nil {
		return nil, err
	}
	// REQ SUB-03
	if err := t.out.Notify(ctx, mcp.MethodSubscriptionsAcknowledgedNotification.Name, ack); err != nil {
		return nil, err
	}
	t.resume()

	var expired <-chan time.Time
	if at := c.expires(); !at.IsZero() {
		timer := time.NewTimer(time.Until(at))
		defer timer.Stop()
		expired = timer.C
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-expired:
	case <-c.req.Ending:
	case <-s.running.end():
	}
	// REQ META-15
	return &mcp.SubscriptionsListenResult{Meta: mcp.SubscriptionsListenResultMetaObject{
		SubscriptionID: c.req.ID,
		ServerInfo:     s.named(),
	}}, nil
}

// grant subscribes t to what its client wants and may have, and returns that.
func (s *Server) grant(ctx context.Context, c *Call, t *subscriber, want *mcp.SubscriptionFilter) (granted mcp.SubscriptionFilter) {
	// REQ SUB-02, SUB-03
	if want.GetToolsListChanged() && s.offersTools() {
		t.lists |= toolsList
		granted.ToolsListChanged = new(true)
	}
	// REQ SUB-02, SUB-03
	if want.GetPromptsListChanged() && s.offersPrompts() {
		t.lists |= promptsList
		granted.PromptsListChanged = new(true)
	}
	// REQ SUB-02, SUB-03
	if want.GetResourcesListChanged() && s.offersResources() {
		t.lists |= resourcesList
		granted.ResourcesListChanged = new(true)
	}
	if !s.offersSubscriptions() {
		return granted
	}
	owner := c.owner()
	for _, uri := range want.ResourceSubscriptions {
		if ctx.Err() != nil {
			break
		}
		if t.subscribed(uri) || s.subscribe(ctx, c, uri) != nil {
			continue
		}
		switch added, full := t.subscribe(&s.kept, owner, uri); {
		case full: // no other one would fit
			s.unsubscribed(uri)
			return granted
		case !added:
			s.unsubscribed(uri)
			continue
		}
		// REQ SUB-03
		granted.ResourceSubscriptions = append(granted.ResourceSubscriptions, uri)
	}
	return granted
}
