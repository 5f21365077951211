package client

// A subscription asks a server to notify of changes. Since 2026-07-28 it is a request, subscriptions/listen, that stays open;
// one goroutine sends it, and sends it again when its stream breaks, until the server or Close ends it. Through 2025-11-25
// servers notify of changes of lists unasked, and a resource is subscribed to once for all Subscriptions of a Client. What
// notifications say is handled elsewhere, as if nobody had asked; only those for a request that is over are ignored.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions and
// https://modelcontextprotocol.io/specification/2025-11-25/server/resources#subscriptions.

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/lifetime"
	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Subscription is opened by [Client.Subscribe]. Its notifications are handled by [Options].OnChange; since 2026-07-28
// they have the subscription's ID.
type Subscription struct {
	client *Client
	live   *lifetime.Lifetime // through 2025-11-25, the limit of the connection bounds it
	once   sync.Once          // unsubscribes, through 2025-11-25

	cancel context.CancelFunc // ends the request, since 2026-07-28
	acked  chan struct{}      // closed at the first acknowledgement

	mu     sync.Mutex             // guards what follows
	id     wire.ID                // of the request, since 2026-07-28
	filter mcp.SubscriptionFilter // what the server agreed to
}

// subscriptions is what a Client keeps of its Subscriptions.
type subscriptions struct {
	open sync.Map // since 2026-07-28, the ids of the requests; the values do not matter

	// Through 2025-11-25 a resource is subscribed to once, however many subscriptions include it.
	busy sync.Mutex     // held while requests are sent and uses is changed
	mu   sync.Mutex     // guards uses; it is held for a moment only, unlike busy
	uses map[string]int // of resources, by their URIs
}

// Subscribe asks the server for notifications about changes of lists and resources. It returns when the
// server has agreed to all or a part of the filter; see [Subscription.Filter]. The context is not used after
// that. The subscription lasts until [Subscription.Close], or until the server or the connection ends it.
//
// Since 2026-07-28, a server that shuts down gracefully ends its subscriptions: [Subscription.Done] is closed without an
// error, and the caller may subscribe again once the server is back.
//
// Over HTTP the stream of a subscription may break. The client then subscribes again, and keeps trying for
// some minutes. Notifications may have been lost, so afterwards the callbacks are called as if everything
// in the filter had changed.
//
// Through 2025-11-25 there is a request for each resource, and servers notify of changes of lists without
// being asked.
func (c *Client) Subscribe(ctx context.Context, filter mcp.SubscriptionFilter) (*Subscription, error) {
	if err := c.ready(); err != nil {
		return nil, err
	}
	s := &Subscription{client: c, acked: make(chan struct{}), live: lifetime.New(ctx)}
	open := s.open
	if !c.modern() {
		s.live, open = lifetime.Until(c.connected.Context()), s.openLegacy
	}
	if err := open(ctx, filter); err != nil {
		s.live.End(nil)
		return nil, err
	}
	return s, nil
}

// ID returns the subscription's id, which is in the metadata of its notifications. It changes when the
// client subscribes again, and is absent through 2025-11-25.
func (s *Subscription) ID() wire.ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id
}

// Filter returns what the server agreed to notify of.
func (s *Subscription) Filter() mcp.SubscriptionFilter {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.filter
}

// Done returns a channel that is closed when the subscription has ended.
func (s *Subscription) Done() <-chan struct{} { return s.live.Done() }

// Err returns why the subscription has ended. It is nil if Close or the server ended it gracefully, or if it
// has not ended yet. After an error, Subscribe may be called again.
func (s *Subscription) Err() error { return s.live.Err() }

// Close ends the subscription. It may be called more than once.
func (s *Subscription) Close() error {
	if s.client.modern() {
		// The goroutine of listen ends live, once its request is over.
		s.cancel()
		<-s.Done()
		return nil
	}
	var err error
	s.once.Do(func() {
		defer s.live.End(nil)
		// If the connection has ended, there is nothing to unsubscribe from. The filter does not change after openLegacy.
		if l := &s.client.subscriptions; !s.live.Over() {
			l.busy.Lock()
			defer l.busy.Unlock()
			err = s.client.release(context.Background(), s.filter.ResourceSubscriptions)
		}
	})
	return err
}

// open begins to listen, and waits for the first acknowledgement. The goroutine has the values of ctx, but does not end with
// it: the subscription lasts longer than the call that opens it.
func (s *Subscription) open(ctx context.Context, filter mcp.SubscriptionFilter) error {
	c := s.client
	params, err := withMeta(&mcp.MethodSubscriptionsListen,
		&mcp.SubscriptionsListenRequestParams{Notifications: filter}, c.meta.Load())
	if err != nil {
		return err
	}
	// Close cancels it, and the request with it, which tells the server that the subscription is over.
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.cancel = cancel
	if !c.background(func(context.Context) { s.listen(own, params) }) {
		cancel()
		return jsonrpc.ErrClosed
	}
	select {
	case <-s.acked:
		return nil
	case <-s.Done():
		return s.Err() // nil if the server has ended it already
	case <-ctx.Done():
		s.Close()
		return &jsonrpc.CallError{Method: mcp.MethodSubscriptionsListen.Name, Err: context.Cause(ctx)}
	}
}

// How often a client tries to subscribe again without success, and how long it waits before the first attempt. The
// time doubles with each attempt.
const (
	resubscribeTries = 10
	resubscribeTime  = time.Second
	resubscribeMax   = 30 * time.Second
)

// listen keeps the subscription open, and subscribes again when the stream breaks.
//
// REQ SUB-11
func (s *Subscription) listen(ctx context.Context, params wire.Encodable) {
	c := s.client
	err := errPanic // unless attempt returns
	defer func() {
		s.cancel()
		s.live.End(err)
	}()
	for tries := 0; ; tries++ {
		var acked bool
		if acked, err = s.attempt(ctx, params); acked {
			tries = 0 // it was open, so the attempts count anew
		}
		if !s.isBroken(ctx, err) || tries == resubscribeTries {
			break
		}
		if tries == 1 { // the first attempt has failed: it will take a while
			c.logger().Warn("client: a subscription broke, and subscribing again fails so far", "error", err)
		} else {
			c.logger().Debug("client: the stream of a subscription broke, and the client subscribes again", "error", err)
		}
		// The random part keeps the clients of a server that was restarted from coming all at once.
		wait := min(resubscribeTime<<tries, resubscribeMax)
		if c.pause(ctx, wait+rand.N(wait/4)) != nil {
			break
		}
	}
	if ctx.Err() != nil || errors.As(err, new(*jsonrpc.CancelledError)) {
		err = nil // ended by Close, or by the server
	}
}

// isBroken reports whether the stream of a subscription that was open has broken while there is still a connection. It has
// not if the server refuses the client: to ask again would not help.
func (s *Subscription) isBroken(ctx context.Context, err error) bool {
	status, refused := errors.AsType[*transport.StatusError](err)
	return ctx.Err() == nil && isClosed(s.acked) && !(refused && status.Denied()) &&
		(errors.As(err, new(*transport.RequestError)) || errors.Is(err, errNotAcknowledged))
}

// errNotAcknowledged is the error of an attempt to subscribe.
var errNotAcknowledged = errors.New("the server does not acknowledge the subscription")

// attempt sends the request, and returns when its response has arrived, and whether it was acknowledged before. The request
// may stay open forever, so it has no timeout; its acknowledgement has one. The first acknowledgement lets Subscribe
// return. A later one means that the stream was broken for a while, in which changes may have been missed.
func (s *Subscription) attempt(ctx context.Context, params wire.Encodable) (acked bool, err error) {
	c := s.client
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	late := time.AfterFunc(c.opts.listenTimeout(), func() { cancel(errNotAcknowledged) })
	defer late.Stop()
	// What still arrives for this request is ignored from then on, see foreign.
	defer func() { c.subscriptions.open.Delete(s.ID()) }()
	result := new(mcp.SubscriptionsListenResult)
	opts := &peer.CallOptions{
		Timeout:    -1,
		MaxTimeout: -1,
		Started: func(id wire.ID) {
			s.mu.Lock()
			s.id = id
			s.mu.Unlock()
			c.subscriptions.open.Store(id, true)
		},
		// Called by the goroutine that sends the request, like Started.
		Acknowledged: func(p *mcp.SubscriptionsAcknowledgedNotificationParams) {
			late.Stop()
			acked = true
			s.mu.Lock()
			s.filter = p.Notifications
			s.mu.Unlock()
			if isClosed(s.acked) {
				c.assume(ctx, &p.Notifications, &mcp.NotificationMetaObject{SubscriptionID: s.ID()})
			} else {
				close(s.acked)
			}
		},
	}
	err = c.through(ctx, &mcp.MethodSubscriptionsListen, params, result, func(ctx context.Context, params wire.Encodable) error {
		return c.send(ctx, mcp.MethodSubscriptionsListen.Name, params, result, opts)
	})
	return acked, err
}

// foreign reports whether a notification belongs to a subscription that the client does not have, or has no
// longer.
//
// REQ STDIO-15
func (l *subscriptions) foreign(meta wire.Raw) bool {
	if len(meta) == 0 {
		return false
	}
	var m mcp.NotificationMetaObject
	return wire.DecodeAlias(meta, &m) == nil && !m.SubscriptionID.IsZero() && !l.has(m.SubscriptionID)
}

// has reports whether a subscription with an id is open.
func (l *subscriptions) has(id wire.ID) bool {
	_, has := l.open.Load(id)
	return has
}

// uris returns the resources that are subscribed to, through 2025-11-25.
func (l *subscriptions) uris() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Sorted(maps.Keys(l.uses))
}

// use adds n to the number of subscriptions that include a resource, and returns the sum.
func (l *subscriptions) use(uri string, n int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.uses[uri] += n; l.uses[uri] == 0 {
		delete(l.uses, uri)
		return 0
	}
	return l.uses[uri]
}

// assume handles notifications, with their metadata, as if everything in the filter had changed.
func (c *Client) assume(ctx context.Context, filter *mcp.SubscriptionFilter, meta *mcp.NotificationMetaObject) {
	for _, list := range []struct {
		wanted *bool
		method *wire.Method
	}{
		{filter.ToolsListChanged, &mcp.MethodToolListChangedNotification},
		{filter.PromptsListChanged, &mcp.MethodPromptListChangedNotification},
		{filter.ResourcesListChanged, &mcp.MethodResourceListChangedNotification},
	} {
		if list.wanted != nil && *list.wanted {
			c.inject(ctx, list.method, &mcp.NotificationParams{Meta: meta})
		}
	}
	for _, uri := range filter.ResourceSubscriptions {
		c.inject(ctx, &mcp.MethodResourceUpdatedNotification, &mcp.ResourceUpdatedNotificationParams{Meta: meta, URI: uri})
	}
}

// openLegacy subscribes to the resources of the filter, those of them that no other subscription of the client has. It is
// done or undone as a whole; busy keeps two subscriptions from deciding about the same resource at the same time.
func (s *Subscription) openLegacy(ctx context.Context, filter mcp.SubscriptionFilter) error {
	c := s.client
	// Nobody else has s yet, so mu is not needed.
	s.filter = c.offered(&filter)
	// The server has no subscriptions to resources: of the filter, at most the lists remain.
	if c.check(&mcp.MethodSubscribe) != nil {
		return nil
	}
	c.subscriptions.busy.Lock()
	defer c.subscriptions.busy.Unlock()
	uris := slices.Compact(slices.Sorted(slices.Values(filter.ResourceSubscriptions)))
	for i, uri := range uris {
		if c.subscriptions.use(uri, 0) == 0 {
			if _, err := c.calls.Subscribe(ctx, &mcp.SubscribeRequestParams{URI: uri}); err != nil {
				return errors.Join(err, c.release(context.WithoutCancel(ctx), uris[:i]))
			}
		}
		c.subscriptions.use(uri, 1)
	}
	s.filter.ResourceSubscriptions = uris
	return nil
}

// offered returns the part of a filter that names lists for which the server declares notifications of changes.
func (c *Client) offered(filter *mcp.SubscriptionFilter) mcp.SubscriptionFilter {
	ifDeclared := func(wanted *bool, capability string) *bool {
		if wanted != nil && *wanted && c.declared.has(capability) {
			return wanted
		}
		return nil
	}
	return mcp.SubscriptionFilter{
		ToolsListChanged:     ifDeclared(filter.ToolsListChanged, mcp.ServerCapabilityToolsListChanged),
		PromptsListChanged:   ifDeclared(filter.PromptsListChanged, mcp.ServerCapabilityPromptsListChanged),
		ResourcesListChanged: ifDeclared(filter.ResourcesListChanged, mcp.ServerCapabilityResourcesListChanged),
	}
}

// release removes a use of each resource, and unsubscribes from those without another. The caller holds busy.
func (c *Client) release(ctx context.Context, uris []string) error {
	var errs []error
	for _, uri := range uris {
		if c.subscriptions.use(uri, -1) > 0 {
			continue
		}
		if _, err := c.calls.Unsubscribe(ctx, &mcp.UnsubscribeRequestParams{URI: uri}); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// pause waits for a time, or until ctx or the connection ends.
func (c *Client) pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-c.connected.Done():
		return nil // the next request returns the error
	}
}
