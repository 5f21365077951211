package server

import (
	"context"
	"sync"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// respondKey is the key of the function that responds to a request for a subscription, in the context of its handler, if the
// subscription is to continue without the handler.
type respondKey struct{}

// Listen handles a request for a subscription, whose response stays open. It returns when the subscription is open, or
// refused; so nothing has to wait for its end. Respond is called once, before or after that, with what ServeRequest would
// have returned: when the subscription is refused, when the server ends it, or by end. End ends it: with nil as the server
// does, with its result, and else with the reason why nobody waits for that.
//
// Where the server has middleware, which must see the end of the request, a goroutine waits, and Listen returns at once.
func (e *Endpoint) Listen(ctx context.Context, r *transport.Request, respond func(result wire.Raw, err error)) (end func(reason error)) {
	if e.server.opts.Middleware == nil {
		result, err := e.ServeRequest(context.WithValue(ctx, respondKey{}, respond), r)
		if l, ok := err.(*listening); ok {
			return l.end
		}
		respond(result, err)
		return func(error) {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	ending, once := make(chan struct{}), sync.Once{}
	r.Ending = ending
	go func() {
		defer cancel(nil)
		respond(e.ServeRequest(ctx, r))
	}()
	return func(reason error) {
		if reason != nil {
			cancel(reason)
			return
		}
		once.Do(func() { close(ending) })
	}
}

// SubscriptionsListen handles subscriptions/listen. The subscription lasts until the server shuts down, the
// identity of the caller ends, or the client cancels the request. SubscriptionsListen waits for that or, if
// [Endpoint.Listen] has called it, returns a *listening as an error.
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
	if l.respond, _ = ctx.Value(respondKey{}).(func(wire.Raw, error)); l.respond == nil {
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
