package client

import (
	"cmp"
	"context"
	"errors"
	"io"
	"slices"
	"sync"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/peer"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Subscription is a wish to be told about changes. The notifications come to the callbacks of
// the options; since 2026-07-28 their metadata has the subscription's id.
type Subscription struct {
	client *Client

	mu     sync.Mutex
	filter mcp.SubscriptionFilter // what the server agreed to

	id     wire.ID // since 2026-07-28, of the request that stays open
	acked  chan struct{}
	cancel context.CancelFunc // ends that request; up to 2025-11-25, the watch on the connection

	once sync.Once
	done chan struct{}
	err  error // why it ended; set before done is closed
}

type subscriptions struct {
	mu   sync.Mutex
	byID map[wire.ID]*Subscription

	// Up to 2025-11-25 a resource is subscribed to once, however many subscriptions have it.
	busy  sync.Mutex // held while the server is told
	byURI map[string]int
}

// Subscribe asks to be told about changes of lists and resources. It returns when the server has
// agreed to all or a part of it; see [Subscription.Filter]. The subscription lasts until
// [Subscription.Close], or until the server or the connection ends it; ctx is for the beginning
// alone.
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

// ID returns the subscription's id in the metadata of its notifications, absent up to 2025-11-25.
func (s *Subscription) ID() wire.ID { return s.id }

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
		s.err = peer.ErrClosed
		if s.client.life.Err() == nil {
			s.err = &peer.DisconnectedError{Err: cmp.Or(s.client.err, io.EOF)}
		}
		close(s.done)
	})
}

// open sends subscriptions/listen, which is answered when the subscription ends.
func (s *Subscription) open(ctx context.Context, filter mcp.SubscriptionFilter) error {
	c := s.client
	params, err := withMeta(&mcp.MethodSubscriptionsListen,
		&mcp.SubscriptionsListenRequestParams{Notifications: filter}, c.meta.Load())
	if err != nil {
		return err
	}
	if limit := c.opts.timeout(); limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
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
		return &peer.CallError{Method: mcp.MethodSubscriptionsListen.Name, Err: context.Cause(ctx)}
	}
}

func (s *Subscription) listen(ctx context.Context, params wire.Encodable) {
	c := s.client
	err := c.conn.CallWith(ctx, mcp.MethodSubscriptionsListen.Name, params, new(mcp.SubscriptionsListenResult), &peer.CallOptions{
		Timeout:    -1,
		MaxTimeout: -1,
		Started: func(id wire.ID) {
			s.id = id
			c.subscriptions.add(s)
		},
		MayEnd: true,
	})
	c.subscriptions.remove(s)
	if ctx.Err() != nil || errors.As(err, new(*peer.CancelledError)) {
		err = nil // ended by Close, or by the server
	}
	s.cancel()
	s.err = err
	close(s.done)
}

func (l *subscriptions) add(s *Subscription) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byID == nil {
		l.byID = map[wire.ID]*Subscription{}
	}
	l.byID[s.id] = s
}

func (l *subscriptions) remove(s *Subscription) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byID[s.id] == s {
		delete(l.byID, s.id)
	}
}

func (l *subscriptions) of(id wire.ID) *Subscription {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.byID[id]
}

// foreign reports whether a notification belongs to a subscription that the client does not have
// any more.
func (l *subscriptions) foreign(meta *mcp.NotificationMetaObject) bool {
	return meta != nil && !meta.SubscriptionID.IsZero() && l.of(meta.SubscriptionID) == nil
}

// OnSubscriptionsAcknowledged begins a subscription.
func (h *handler) OnSubscriptionsAcknowledged(_ context.Context, params *mcp.SubscriptionsAcknowledgedNotificationParams) error {
	if params.Meta == nil {
		return nil
	}
	s := h.client.subscriptions.of(params.Meta.SubscriptionID)
	if s == nil {
		return nil
	}
	s.once.Do(func() {
		s.mu.Lock()
		s.filter = params.Notifications
		s.mu.Unlock()
		close(s.acked)
	})
	return nil
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
		if c.subscriptions.byURI[uri] == 0 {
			if _, err := c.ServerCalls.Subscribe(ctx, &mcp.SubscribeRequestParams{URI: uri}); err != nil {
				return errors.Join(err, c.release(context.WithoutCancel(ctx), uris[:i]))
			}
		}
		if c.subscriptions.byURI == nil {
			c.subscriptions.byURI = map[string]int{}
		}
		c.subscriptions.byURI[uri]++
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
		c.subscriptions.byURI[uri]--
		if c.subscriptions.byURI[uri] > 0 {
			continue
		}
		delete(c.subscriptions.byURI, uri)
		if _, err := c.Unsubscribe(ctx, &mcp.UnsubscribeRequestParams{URI: uri}); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
