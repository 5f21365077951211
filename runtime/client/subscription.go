package client

import (
	"context"
	"errors"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/lifetime"
	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Subscription is opened by [Client.Subscribe]. Its notifications are handled by the callbacks of [Options];
// since 2026-07-28 their metadata has the subscription's ID.
type Subscription struct {
	client *Client

	mu     sync.Mutex
	filter mcp.SubscriptionFilter // what the server agreed to

	id     wire.ID            // since 2026-07-28, of the request that stays open
	agreed wire.ID            // of the request that the server acknowledged last
	acked  chan struct{}      // closed at the first acknowledgement
	cancel context.CancelFunc // ends that request; nil through 2025-11-25

	live *lifetime.Lifetime // through 2025-11-25, the limit of the connection bounds it
	once sync.Once          // unsubscribes, through 2025-11-25
}

type subscriptions struct {
	mu      sync.Mutex
	byID    map[wire.ID]*Subscription
	awaited atomic.Int32 // how many requests wait to be acknowledged

	// Through 2025-11-25 a resource is subscribed to once, however many subscriptions include it.
	busy  sync.Mutex     // held while requests are sent and byURI is changed
	byURI map[string]int // guarded by mu, too
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
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions and
// https://modelcontextprotocol.io/specification/2025-11-25/server/resources#subscriptions.
func (c *Client) Subscribe(ctx context.Context, filter mcp.SubscriptionFilter) (*Subscription, error) {
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
		s.cancel()
		<-s.Done()
		return nil
	}
	var err error
	s.once.Do(func() {
		defer s.live.End(nil)
		if !s.live.Over() {
			err = s.client.unsubscribe(context.Background(), s.filter.ResourceSubscriptions)
		}
	})
	return err
}

// open sends subscriptions/listen, whose response arrives when the subscription ends.
//
// REQ SUB-01
func (s *Subscription) open(ctx context.Context, filter mcp.SubscriptionFilter) error {
	c := s.client
	params, err := withMeta(&mcp.MethodSubscriptionsListen,
		&mcp.SubscriptionsListenRequestParams{Notifications: filter}, c.meta.Load())
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, c.opts.timeout())
	defer stop()
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.cancel = cancel
	if !c.life.Go(func(context.Context) { s.listen(own, params) }) {
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

// listen keeps the subscription open, and subscribes again when the stream breaks.
//
// REQ SUB-11
func (s *Subscription) listen(ctx context.Context, params wire.Encodable) {
	c := s.client
	err := s.attempt(ctx, params)
	for tries := 0; s.isBroken(ctx, err) && tries < resubscribeTries; tries++ {
		if tries == 1 { // the first attempt has failed: it will take a while
			c.logger().Warn("client: a subscription broke, and subscribing again fails so far", "error", err)
		} else {
			c.logger().Debug("client: the stream of a subscription broke, and the client subscribes again", "error", err)
		}
		wait := min(resubscribeTime<<tries, resubscribeMax)
		if c.pause(ctx, wait+rand.N(wait/4)) != nil {
			break
		}
		before := s.agreedTo()
		if err = s.attempt(ctx, params); s.agreedTo() != before {
			tries = -1
		}
	}
	if ctx.Err() != nil || errors.As(err, new(*jsonrpc.CancelledError)) {
		err = nil // ended by Close, or by the server
	}
	s.cancel()
	s.live.End(err)
}

// How often a client tries to subscribe again without success, and how long it waits before the first attempt. The
// time doubles with each attempt.
const (
	resubscribeTries = 10
	resubscribeTime  = time.Second
	resubscribeMax   = 30 * time.Second
)

// isBroken reports whether the stream of the subscription has broken while there is still a connection.
func (s *Subscription) isBroken(ctx context.Context, err error) bool {
	status, refused := errors.AsType[*transport.StatusError](err)
	return ctx.Err() == nil && !s.agreedTo().IsZero() && !(refused && status.Denied()) &&
		(errors.As(err, new(*transport.RequestError)) || errors.Is(err, errNotAcknowledged))
}

// errNotAcknowledged is the error of an attempt to subscribe again.
var errNotAcknowledged = errors.New("client: the server does not acknowledge the subscription")

// attempt sends the request, and returns when its response has arrived.
func (s *Subscription) attempt(ctx context.Context, params wire.Encodable) error {
	c := s.client
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var id wire.ID
	c.subscriptions.awaited.Add(1)
	if !s.agreedTo().IsZero() {
		defer time.AfterFunc(c.opts.timeout(), func() {
			if s.agreedTo() != s.ID() {
				cancel(errNotAcknowledged)
			}
		}).Stop()
	}
	result := new(mcp.SubscriptionsListenResult)
	opts := &peer.CallOptions{
		Timeout:    -1,
		MaxTimeout: -1,
		Started: func(started wire.ID) {
			id = started
			s.mu.Lock()
			s.id = id
			s.mu.Unlock()
			c.subscriptions.add(id, s)
		},
		MayEnd: true,
	}
	err := c.through(ctx, &mcp.MethodSubscriptionsListen, params, result, func(ctx context.Context, params wire.Encodable) error {
		return c.send(ctx, mcp.MethodSubscriptionsListen.Name, params, result, opts)
	})
	c.subscriptions.remove(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	if id.IsZero() || s.agreed != id {
		c.subscriptions.awaited.Add(-1)
	}
	return err
}

// agreedTo returns the id of the request that the server acknowledged last.
func (s *Subscription) agreedTo() wire.ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.agreed
}

func (l *subscriptions) add(id wire.ID, s *Subscription) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.byID[id] = s
}

func (l *subscriptions) remove(id wire.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.byID, id)
}

func (l *subscriptions) of(id wire.ID) *Subscription {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.byID[id]
}

// uris returns the resources that are subscribed to, through 2025-11-25.
func (l *subscriptions) uris() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Sorted(maps.Keys(l.byURI))
}

// use adds n to the number of subscriptions that include a resource, and returns the sum.
func (l *subscriptions) use(uri string, n int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byURI[uri] += n; l.byURI[uri] == 0 {
		delete(l.byURI, uri)
		return 0
	}
	return l.byURI[uri]
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
	return wire.DecodeAlias(meta, &m) == nil && !m.SubscriptionID.IsZero() && l.of(m.SubscriptionID) == nil
}

// received handles acknowledgements as soon as they arrive: if the request fails right afterwards, it matters
// whether the subscription was open.
func (l *subscriptions) received(c *Client, data []byte) {
	if l.awaited.Load() == 0 {
		return
	}
	m, err := jsonrpc.Parse(data)
	if err == nil && m.Kind == jsonrpc.Notification && m.Method == mcp.MethodSubscriptionsAcknowledgedNotification.Name {
		p := new(mcp.SubscriptionsAcknowledgedNotificationParams)
		if wire.Decode(m.Params, p) == nil {
			c.dispatcher.Handler.OnSubscriptionsAcknowledged(c.life.Context(), p)
		}
	}
}

// OnSubscriptionsAcknowledged marks a subscription as open.
func (h *builtin) OnSubscriptionsAcknowledged(ctx context.Context, params *mcp.SubscriptionsAcknowledgedNotificationParams) error {
	if params.Meta == nil {
		return nil
	}
	id := params.Meta.SubscriptionID
	s := h.client.subscriptions.of(id)
	if s == nil {
		return nil
	}
	s.mu.Lock()
	again, known := !s.agreed.IsZero(), s.agreed == id
	if !known {
		s.agreed, s.filter = id, params.Notifications
		h.client.subscriptions.awaited.Add(-1)
	}
	s.mu.Unlock()
	switch {
	case known:
	case again:
		h.client.assume(ctx, &params.Notifications, &mcp.NotificationMetaObject{SubscriptionID: id})
	default:
		close(s.acked)
	}
	return nil
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

// openLegacy subscribes to the resources of the filter.
func (s *Subscription) openLegacy(ctx context.Context, filter mcp.SubscriptionFilter) error {
	c := s.client
	s.filter = c.offered(&filter)
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

func (c *Client) unsubscribe(ctx context.Context, uris []string) error {
	c.subscriptions.busy.Lock()
	defer c.subscriptions.busy.Unlock()
	return c.release(ctx, uris)
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
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-c.connected.Done():
		return nil // the next request returns the error
	}
}
