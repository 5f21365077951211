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
func (s *Server) grant(ctx context.Context, c *Call, t *Subscription, want *mcp.SubscriptionFilter) (granted mcp.SubscriptionFilter, err error) {
	// REQ SUB-02, SUB-03
	if want.GetToolsListChanged() && s.offersTools() {
		t.listen(toolsList)
		granted.ToolsListChanged = new(true)
	}
	// REQ SUB-02, SUB-03
	if want.GetPromptsListChanged() && s.offersPrompts() {
		t.listen(promptsList)
		granted.PromptsListChanged = new(true)
	}
	// REQ SUB-02, SUB-03
	if want.GetResourcesListChanged() && s.offersResources() {
		t.listen(resourcesList)
		granted.ResourcesListChanged = new(true)
	}
	if want.Extra != nil {
		if granted.Extra, err = s.methods.grant(ctx, c, t, want.Extra); err != nil {
			return granted, err
		}
	}
	if !s.offersSubscriptions() {
		return granted, nil
	}
	for _, uri := range want.ResourceSubscriptions {
		if ctx.Err() != nil {
			break
		}
		if t.has(uri) {
			continue
		}
		added, full, err := s.subscribe(ctx, c, t, uri)
		if err != nil {
			continue
		}
		if full { // no other revision would be right
			break
		}
		// REQ SUB-03
		if added {
			granted.ResourceSubscriptions = append(granted.ResourceSubscriptions, uri)
		}
	}
	return granted, nil
}
