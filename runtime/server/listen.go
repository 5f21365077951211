package server

import (
	"context"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The response to subscriptions/listen stays open, perhaps for days, and most of the time nothing is sent. Where the transport
// can, it is served without a goroutine: [Endpoint.Listen] gives a listening along, the handler opens it and returns, and
// what ends it later - the client, the server, the end of the caller's identity - sends the result. What such a handler
// returns is not sent.
//
// The handler waits where middleware must see the end, and where all messages share one connection.

// listeningKey is the key of the listening in the context of a handler that need not wait.
type listeningKey struct{}

// Listen handles a request for a subscription, whose response stays open. It returns when the subscription is open, or
// refused; so nothing has to wait for its end. Respond is called once, before or after that, with what ServeRequest would
// have returned: when the subscription is refused, when the server ends it, or by end. End ends it: with nil as the server
// does, with its result, and else with the reason why nobody waits for that.
//
// Where the server has middleware, which must see the end of the request, a goroutine waits, and Listen returns at once.
func (e *Endpoint) Listen(ctx context.Context, r *transport.Request, respond func(result wire.Raw, err error)) (end func(reason error)) {
	if len(e.server.opts.Middleware) == 0 {
		l := &listening{respond: respond}
		result, err := e.ServeRequest(context.WithValue(ctx, listeningKey{}, l), r)
		if l.opened {
			return l.end
		}
		respond(result, err)
		return func(error) {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	ending, once := make(chan struct{}), sync.Once{}
	r.Ending = ending // in place of that of the transport, which calls end
	go func() {
		defer cancel(nil)
		var result wire.Raw
		var err error = errInternal // unless the handler returns
		defer func() { respond(result, err) }()
		result, err = e.ServeRequest(ctx, r)
	}()
	return func(reason error) {
		if reason != nil {
			cancel(reason)
			return
		}
		once.Do(func() { close(ending) }) // end may be called again
	}
}

// SubscriptionsListen handles subscriptions/listen. The subscription lasts until the server shuts down, the
// identity of the caller ends, or the client cancels the request. SubscriptionsListen waits for that, unless
// [Endpoint.Listen] has called it.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions
func (b builtin) SubscriptionsListen(ctx context.Context, p *mcp.SubscriptionsListenRequestParams) (*mcp.SubscriptionsListenResult, error) {
	c := b.call
	s := c.server
	if c.req.Out == nil {
		return nil, errNoSender
	}
	l, continues := ctx.Value(listeningKey{}).(*listening)
	if !continues {
		l = new(listening)
	}
	l.server, l.call = s, c
	l.subscription = &Subscription{
		server: s,
		out:    c.req.Out,
		meta:   &mcp.NotificationMetaObject{SubscriptionID: c.req.ID},
		rev:    c.rev,
		paused: true, // until the acknowledgement is sent
	}
	l.subscription.charge(c.owner()) // without mu: nobody else has it yet
	if !l.subscription.reserve(listenBytes) {
		return nil, busy("this client, or all clients together, have reached the limit on subscriptions")
	}
	// Here if open fails, or the program panics in it; later, wait or end closes it.
	defer func() {
		if !l.opened {
			s.closeSubscription(l.subscription)
		}
	}()
	if err := l.open(ctx, p); err != nil {
		return nil, err
	}
	l.opened = true
	if !continues {
		return l.wait(ctx)
	}
	l.start()
	return l.result(), nil // Listen ignores it
}

// grant subscribes t to what its client asks for and may have, and returns what it granted. What is left out is no error: the
// acknowledgement says what remains, and a client whose scopes have changed subscribes again.
//
// REQ SUB-02, SUB-03
func (s *Server) grant(ctx context.Context, c *Call, t *Subscription, want *mcp.SubscriptionFilter) (granted mcp.SubscriptionFilter, err error) {
	if want.GetToolsListChanged() && s.offers(mcp.ServerCapabilityTools) {
		t.listen(toolsList)
		granted.ToolsListChanged = new(true)
	}
	if want.GetPromptsListChanged() && s.offers(mcp.ServerCapabilityPrompts) {
		t.listen(promptsList)
		granted.PromptsListChanged = new(true)
	}
	if want.GetResourcesListChanged() && s.offers(mcp.ServerCapabilityResources) {
		t.listen(resourcesList)
		granted.ResourcesListChanged = new(true)
	}
	if want.Extra != nil {
		if granted.Extra, err = s.methods.grant(ctx, c, t, want.Extra); err != nil {
			return granted, err
		}
	}
	if !s.offers(mcp.ServerCapabilityResourcesSubscribe) {
		return granted, nil
	}
	for _, uri := range want.ResourceSubscriptions {
		if ctx.Err() != nil { // nobody receives the acknowledgement
			break
		}
		if t.has(uri) { // it was named twice
			continue
		}
		added, full, err := s.subscribe(ctx, c, t, uri)
		if err != nil {
			continue
		}
		if full { // the acknowledgement says for what there was room
			break
		}
		if added {
			granted.ResourceSubscriptions = append(granted.ResourceSubscriptions, uri)
		}
	}
	return granted, nil
}

// A listening is a subscription from its request to its result. With respond, it continues when its handler has returned.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions.
type listening struct {
	server       *Server
	call         *Call
	subscription *Subscription
	opened       bool                             // and acknowledged; set before end can be called
	respond      func(result wire.Raw, err error) // nil if the handler waits
	shutdown     func()                           // ends it when the server shuts down

	mu     sync.Mutex  // guards what follows
	over   bool        // end was called
	expiry *time.Timer // nil if the identity of the caller does not end
}

// open subscribes to what the client asks for and may have, and acknowledges it.
//
// REQ META-15, SUB-03
func (l *listening) open(ctx context.Context, p *mcp.SubscriptionsListenRequestParams) error {
	s, c, t := l.server, l.call, l.subscription
	s.addSubscription(t) // before anything is granted, so that no change is missed
	granted, err := s.grant(ctx, c, t, &p.Notifications)
	if err != nil {
		return err
	}
	ack, err := wire.Marshal(c.rev, &mcp.SubscriptionsAcknowledgedNotificationParams{Meta: t.meta, Notifications: granted})
	if err != nil {
		return err
	}
	if err := t.out.Notify(ctx, mcp.MethodSubscriptionsAcknowledgedNotification.Name, ack); err != nil {
		return err
	}
	t.resume()
	return nil
}

// wait waits for the end of the subscription.
func (l *listening) wait(ctx context.Context) (*mcp.SubscriptionsListenResult, error) {
	defer l.server.closeSubscription(l.subscription)
	var expired <-chan time.Time
	if at := l.call.expires(); !at.IsZero() {
		timer := time.NewTimer(time.Until(at))
		defer timer.Stop()
		expired = timer.C
	}
	select {
	case <-ctx.Done(): // by the client, or because the connection is broken; the others are ends by the server
		return nil, ctx.Err()
	case <-expired:
	case <-l.call.req.Ending:
	case <-l.server.running.ending:
	}
	return l.result(), nil
}

// result returns the result of a subscription that the server ends.
//
// REQ META-15
func (l *listening) result() *mcp.SubscriptionsListenResult {
	return &mcp.SubscriptionsListenResult{Meta: mcp.SubscriptionsListenResultMetaObject{
		SubscriptionID: l.call.req.ID,
		ServerInfo:     option.Of(l.server.meta).ServerInfo,
	}}
}

// start lets the subscription continue without its handler: from now on end ends the call, and not ServeRequest. The request that
// is kept for that loses what nothing will read any more: an open subscription may last for days.
func (l *listening) start() {
	l.mu.Lock()
	defer l.mu.Unlock()
	s, r := l.server, l.call.req
	l.call.outlives = true
	if len(s.opts.Send) == 0 { // middleware no longer needs these, and they take up room
		r.Params, r.Meta, r.Header = nil, nil, nil
		l.call.head, l.call.meta = head{}, nil
	}
	if at := l.call.expires(); !at.IsZero() {
		l.expiry = time.AfterFunc(time.Until(at), func() { l.end(nil) })
	}
	l.shutdown = func() { go l.end(nil) } // without waiting for a client that does not read
	if !s.outliving.add(&l.shutdown) {
		l.shutdown()
	}
}

// end ends a subscription that continued without its handler. It sends the result unless reason says why nobody
// waits for it.
func (l *listening) end(reason error) {
	l.mu.Lock()
	again := l.over
	l.over = true
	expiry := l.expiry
	l.mu.Unlock()
	if again {
		return
	}
	if expiry != nil {
		expiry.Stop()
	}
	s := l.server
	defer s.running.leave()
	s.outliving.remove(&l.shutdown)
	s.closeSubscription(l.subscription) // before the result, after which nothing may be sent
	var result wire.Raw
	err := reason
	if err == nil {
		result, err = s.encode(l.call, l.result(), nil)
	}
	if reason != nil {
		l.call.tellWatch(nil, nil) // no error: this is how a client ends a subscription
	} else {
		l.call.tellWatch(result, err)
	}
	l.respond(result, err)
}
