package server

import (
	"context"

	"github.com/mcpgen/mcpgen/mcp"
)

// SubscriptionsListen handles subscriptions/listen. The subscription lasts until the server shuts down, the
// identity of the caller ends, or the client cancels the request. SubscriptionsListen waits for that or, if the
// transport can continue the subscription without the handler, returns a *listening as an error.
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
		return nil, busy("this client, or all clients together, have reached the limit on subscriptions")
	}
	l := &listening{server: s, call: c, owner: owner}
	opened := false
	defer func() {
		if !opened {
			l.close()
		}
	}()
	if err := l.open(ctx, p); err != nil {
		return nil, err
	}
	opened = true
	if c.req.Detach == nil || s.opts.Middleware != nil { // middleware must see the end of the request
		return l.wait(ctx)
	}
	return nil, l
}

// grant subscribes t to what its client asks for and may have, and returns what it granted.
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
		added, full := s.addSubscription(t, owner, uri)
		if full { // no other revision would be right
			break
		}
		// REQ SUB-03
		if added {
			granted.ResourceSubscriptions = append(granted.ResourceSubscriptions, uri)
		}
	}
	return granted
}
