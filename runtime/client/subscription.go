package client

import (
	"cmp"
	"context"
	"errors"
	"io"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Subscription is a wish to be told about changes. The notifications come to the callbacks of
// the options; since 2026-07-28 their metadata has the subscription's id.
type Subscription struct {
	client *Client

	mu     sync.Mutex
	filter mcp.SubscriptionFilter // what the server agreed to

	id     wire.ID            // since 2026-07-28, of the request that stays open
	agreed wire.ID            // of the request that the server has agreed to
	acked  chan struct{}      // closed when it has the first time
	cancel context.CancelFunc // ends that request; up to 2025-11-25, the watch on the connection

	once sync.Once
	done chan struct{}
	err  error // why it ended; set before done is closed
}

type subscriptions struct {
	mu      sync.Mutex
	byID    map[wire.ID]*Subscription
	awaited atomic.Int32 // how many requests wait for being acknowledged

	// Up to 2025-11-25 a resource is subscribed to once, however many subscriptions have it.
	busy  sync.Mutex     // held while the server is told, and byURI is changed
	byURI map[string]int // changed with mu, too
}

// Subscribe asks to be told about changes of lists and resources. It returns when the server has
// agreed to all or a part of it; see [Subscription.Filter]. The subscription lasts until
// [Subscription.Close], or until the server or the connection ends it; ctx is for the beginning
// alone.
//
// Over HTTP a subscription can break off by itself. It is then begun again, for some minutes if the
// server cannot be reached. Since changes may have been missed by then, the callbacks are called for
// all that the server told about.
//
// Up to 2025-11-25 resources are subscribed to one by one, and servers tell about changes of lists
// without being asked.
func (c *Client) Subscribe(ctx context.Context, filter mcp.SubscriptionFilter) (*Subscription, error) {
	s := &Subscription{client: c, acked: make(chan struct{}), done: make(chan struct{})}
	open := s.open
	if !c.modern() {
		open = s.openLegacy
	}
	if err := open(ctx, filter); err != nil {
		return nil, err
	}
	return s, nil
}

// ID returns the subscription's id in the metadata of its notifications, absent up to 2025-11-25. It
// is another one after the subscription was begun again.
func (s *Subscription) ID() wire.ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id
}

// Filter returns what the server agreed to. What is missing from it, the server does not tell.
func (s *Subscription) Filter() mcp.SubscriptionFilter {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.filter
}

// Done is closed when the subscription has ended.
func (s *Subscription) Done() <-chan struct{} { return s.done }

// Err returns why the subscription has ended: nil if Close did it or the server, in good order, or
// if it has not ended yet. After an error, Subscribe may be called again.
func (s *Subscription) Err() error {
	select {
	case <-s.done:
		return s.err
	default:
		return nil
	}
}

// Close ends the subscription. It may be called more than once.
func (s *Subscription) Close() error {
	s.cancel()
	if s.client.modern() {
		<-s.done
		return nil
	}
	var err error
	s.once.Do(func() {
		defer close(s.done)
		err = s.client.unsubscribe(context.Background(), s.filter.ResourceSubscriptions)
	})
	return err
}

// watch makes a subscription up to 2025-11-25 end with the connection.
func (s *Subscription) watch() {
	stop := context.AfterFunc(s.client.connected, s.lose)
	s.cancel = func() { stop() }
}

// lose ends a subscription up to 2025-11-25 because the connection has ended.
func (s *Subscription) lose() {
	s.once.Do(func() {
		s.err = jsonrpc.ErrClosed
		if s.client.life.Err() == nil {
			s.err = &jsonrpc.DisconnectedError{Err: cmp.Or(s.client.err, io.EOF)}
		}
		close(s.done)
	})
}

// open sends subscriptions/listen, which is answered when the subscription ends.
func (s *Subscription) open(ctx context.Context, filter mcp.SubscriptionFilter) error {
	c := s.client
	params, err := withMeta(&mcp.MethodSubscriptionsListen,
		// REQ SUB-01
		&mcp.SubscriptionsListenRequestParams{Notifications: filter}, c.meta.Load())
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, c.opts.timeout())
	defer stop()
	life, cancel := context.WithCancel(context.WithoutCancel(ctx))
	s.cancel = cancel
	if err := c.spawn(func() { s.listen(life, params) }); err != nil {
		cancel()
		return err
	}
	select {
	case <-s.acked:
		return nil
	case <-s.done:
		return s.err // nil if the server has ended it at once
	case <-ctx.Done():
		s.Close()
		return &jsonrpc.CallError{Method: mcp.MethodSubscriptionsListen.Name, Err: context.Cause(ctx)}
	}
}

// listen keeps the subscription up until it ends for good.
func (s *Subscription) listen(ctx context.Context, params wire.Encodable) {
	c := s.client
	err := s.attempt(ctx, params)
	for tries := 0; s.isLost(ctx, err) && tries < resubscribeTries; tries++ {
		c.logger().Debug("client: a subscription broke off and is begun again", "error", err)
		wait := min(resubscribeTime<<tries, resubscribeMax)
		if pause(ctx, wait+rand.N(wait/4)) != nil {
			break
		}
		before := s.agreedTo()
		// REQ SUB-11
		if err = s.attempt(ctx, params); s.agreedTo() != before {
			tries = -1
		}
	}
	if ctx.Err() != nil || errors.As(err, new(*jsonrpc.CancelledError)) {
		err = nil // ended by Close, or by the server
	}
	s.cancel()
	s.err = err
	close(s.done)
}

// How often a subscription that broke off is begun again in vain, and how long to wait before: the
// time is doubled with each attempt.
const (
	resubscribeTries = 10
	resubscribeTime  = time.Second
	resubscribeMax   = 30 * time.Second
)

// isLost reports whether the subscription has broken off, but its connection has not.
func (s *Subscription) isLost(ctx context.Context, err error) bool {
	status, refused := errors.AsType[*transport.StatusError](err)
	return ctx.Err() == nil && !s.agreedTo().IsZero() && !(refused && status.Denied()) &&
		(errors.As(err, new(*transport.RequestError)) || errors.Is(err, errNotAcknowledged))
}

// errNotAcknowledged is why an attempt to begin a subscription again was given up.
var errNotAcknowledged = errors.New("client: the server does not acknowledge the subscription")

// attempt sends the request, whose answer ends the subscription.
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
		return c.conn.CallWith(ctx, mcp.MethodSubscriptionsListen.Name, params, result, opts)
	})
	c.subscriptions.remove(id)
	s.mu.Lock()
	defer s.mu.Unlock()
	if id.IsZero() || s.agreed != id {
		c.subscriptions.awaited.Add(-1)
	}
	return err
}

// agreedTo returns the id of the request that the server agreed to last.
func (s *Subscription) agreedTo() wire.ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.agreed
}

// pause waits for a time, or until ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (l *subscriptions) add(id wire.ID, s *Subscription) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byID == nil {
		l.byID = map[wire.ID]*Subscription{}
	}
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

// uris returns the resources that are subscribed to up to 2025-11-25.
func (l *subscriptions) uris() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Sorted(maps.Keys(l.byURI))
}

// use adds to the number of subscriptions that have a resource, and returns what it is then.
func (l *subscriptions) use(uri string, n int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byURI == nil {
		l.byURI = map[string]int{}
	}
	if l.byURI[uri] += n; l.byURI[uri] == 0 {
		delete(l.byURI, uri)
		return 0
	}
	return l.byURI[uri]
}

// foreign reports whether a notification belongs to a subscription that the client does not have
// any more.
//
// REQ STDIO-15
func (l *subscriptions) foreign(meta *mcp.NotificationMetaObject) bool {
	return meta != nil && !meta.SubscriptionID.IsZero() && l.of(meta.SubscriptionID) == nil
}

// received looks for an acknowledgement before others do: the request may fail right after it, and it
// makes a difference whether the subscription had begun.
func (l *subscriptions) received(c *Client, data []byte) {
	if l.awaited.Load() == 0 {
		return
	}
	m, err := jsonrpc.Parse(data)
	if err == nil && m.Kind == jsonrpc.Notification && m.Method == mcp.MethodSubscriptionsAcknowledgedNotification.Name {
		p := new(mcp.SubscriptionsAcknowledgedNotificationParams)
		if wire.Decode(m.Params, p) == nil {
			c.dispatcher.Handler.OnSubscriptionsAcknowledged(c.values, p)
		}
	}
}

// OnSubscriptionsAcknowledged begins a subscription, for the first time or again.
func (h *handler) OnSubscriptionsAcknowledged(ctx context.Context, params *mcp.SubscriptionsAcknowledgedNotificationParams) error {
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
		s.missed(ctx, id, &params.Notifications)
	default:
		close(s.acked)
	}
	return nil
}

// missed behaves as if the server had told about changes of all that it has agreed to.
func (s *Subscription) missed(ctx context.Context, id wire.ID, filter *mcp.SubscriptionFilter) {
	c := s.client
	meta := &mcp.NotificationMetaObject{SubscriptionID: id}
	for _, list := range []struct {
		told   *bool
		method *wire.Method
	}{
		{filter.ToolsListChanged, &mcp.MethodToolListChangedNotification},
		{filter.PromptsListChanged, &mcp.MethodPromptListChangedNotification},
		{filter.ResourcesListChanged, &mcp.MethodResourceListChangedNotification},
	} {
		if list.told != nil && *list.told {
			c.pretend(ctx, list.method, &mcp.NotificationParams{Meta: meta})
		}
	}
	for _, uri := range filter.ResourceSubscriptions {
		c.pretend(ctx, &mcp.MethodResourceUpdatedNotification, &mcp.ResourceUpdatedNotificationParams{Meta: meta, URI: uri})
	}
}

// openLegacy subscribes to the resources of the filter.
func (s *Subscription) openLegacy(ctx context.Context, filter mcp.SubscriptionFilter) error {
	c := s.client
	s.filter = mcp.SubscriptionFilter{
		ToolsListChanged:     c.tells(filter.ToolsListChanged, "tools.listChanged"),
		PromptsListChanged:   c.tells(filter.PromptsListChanged, "prompts.listChanged"),
		ResourcesListChanged: c.tells(filter.ResourcesListChanged, "resources.listChanged"),
	}
	if c.check(&mcp.MethodSubscribe) != nil {
		s.watch()
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
	s.watch()
	return nil
}

// tells returns what was asked for if the server does it.
func (c *Client) tells(asked *bool, capability string) *bool {
	if asked != nil && *asked && c.declared.has(capability) {
		return asked
	}
	return nil
}

func (c *Client) unsubscribe(ctx context.Context, uris []string) error {
	c.subscriptions.busy.Lock()
	defer c.subscriptions.busy.Unlock()
	return c.release(ctx, uris)
}

// release gives up a use of each resource, and tells the server about those that nobody uses any
// more. The caller holds busy.
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
