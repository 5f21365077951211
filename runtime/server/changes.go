package server

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Changes are sent to sessions and, since 2026-07-28, in response to subscriptions/listen. Each session and each
// such request is a subscriber. It keeps what it has to send as a set, so that at most one notification of each
// kind waits, however fast things change and however slow a client is.

// A listKind is a list that can change, or a set of such lists.
type listKind uint8

const (
	toolsList listKind = 1 << iota
	promptsList
	resourcesList
)

const (
	// notifyDelay is how long a change waits for others of its kind.
	notifyDelay = 10 * time.Millisecond
	// sendTimeout is how long a client may take to receive notifications.
	sendTimeout = 10 * time.Second
	// maxSubscriptions bounds how many resources one client can subscribe to, and maxSubscribed the bytes of their
	// URIs.
	maxSubscriptions = 10_000
	maxSubscribed    = 1 << 20
)

// addSubscriber adds a subscriber, unless it is closed already.
func (s *Server) addSubscriber(t *subscriber) {
	s.subscribers.add(t)
	if t.isClosed() {
		s.subscribers.remove(t)
	}
}

// listChanged notifies clients that lists have changed.
func (s *Server) listChanged(kind listKind) {
	if kind == 0 {
		return
	}
	for _, t := range s.subscribers.all() {
		t.mark(kind, "")
	}
	s.tell(Change{Tools: kind&toolsList != 0, Prompts: kind&promptsList != 0, Resources: kind&resourcesList != 0})
}

// ResourceUpdated notifies the clients that subscribe to a resource that it has changed.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/server/resources#subscriptions
func (s *Server) ResourceUpdated(uri string) {
	for _, t := range s.subscribers.all() {
		// REQ SUB-02
		if t.subscribed(uri) {
			t.mark(0, uri)
		}
	}
	s.tell(Change{Updated: []string{uri}})
}

// Changed notifies clients of a change other than by adding and removing items: because [Options].Filters decide
// differently now, or [Options].Define, which is asked again, says something else, or because of a change in another
// process.
func (s *Server) Changed(c Change) {
	switch kind := c.lists(); {
	case c.Elsewhere:
	case s.opts.Define != nil:
		s.renew(kind)
	default:
		s.forget(kind)
	}
	s.notifyOf(c)
	s.tell(c)
}

// forget discards what is kept of lists.
func (s *Server) forget(kind listKind) {
	if kind&toolsList != 0 {
		s.tools.forget()
	}
	if kind&promptsList != 0 {
		s.prompts.forget()
	}
	if kind&resourcesList != 0 {
		s.resources.forget()
		s.templates.forget()
	}
}

// renew makes the items of lists anew.
func (s *Server) renew(kind listKind) {
	var err error
	if kind&toolsList != 0 {
		err = s.tools.renew()
	}
	if kind&promptsList != 0 {
		err = errors.Join(err, s.prompts.renew())
	}
	if kind&resourcesList != 0 {
		err = errors.Join(err, s.resources.renew(), s.templates.renew())
	}
	if err != nil {
		s.log().Error("mcp: an item stays as it was defined before", "error", err)
	}
}

// subscribe returns an error if the caller of c may not subscribe to a resource.
func (s *Server) subscribe(ctx context.Context, c *Call, uri string) error {
	if err := checkURI(uri); err != nil {
		return jsonrpcError(codeInvalidParams, err.Error(), &uriData{uri})
	}
	read, scopes, err := s.reader(ctx, c, uri)
	if read == nil {
		return cmp.Or(err, resourceNotFound(c.rev, uri))
	}
	if err := c.require(scopes); err != nil {
		return err
	}
	if s.opts.OnSubscribe != nil {
		return s.opts.OnSubscribe(ctx, c, uri)
	}
	return nil
}

// closeSubscriber closes a subscriber and ends its subscriptions.
func (s *Server) closeSubscriber(t *subscriber) {
	uris := t.close()
	s.subscribers.remove(t) // after that, see addSubscriber
	for _, uri := range uris {
		s.unsubscribed(uri)
	}
}

// addSubscription adds a subscription that was accepted. If it cannot, the subscription has ended: full reports
// whether there was no room; if there was, t already has the subscription or is closed.
func (s *Server) addSubscription(t *subscriber, owner share.Owner, uri string) (added, full bool) {
	if added, full = t.subscribe(&s.kept, owner, uri); !added {
		s.unsubscribed(uri)
	}
	return added, full
}

func (s *Server) unsubscribed(uri string) {
	if s.opts.OnUnsubscribe != nil {
		s.opts.OnUnsubscribe(uri)
	}
}

// A subscriber receives notifications of changes. It is a session, or a subscriptions/listen request.
type subscriber struct {
	out     transport.Caller
	session *Session                    // nil for a subscriptions/listen request
	meta    *mcp.NotificationMetaObject // of its notifications

	mu          sync.Mutex
	rev         wire.Revision
	lists       listKind            // that it subscribes to
	uris        map[string]struct{} // of resources that it subscribes to
	bytes       int                 // length of uris
	reservation *reservation        // nil until something is kept
	paused      bool                // nothing may be sent yet
	closed      bool
	changed     listKind            // lists that have changed since the last notification
	updated     map[string]struct{} // likewise, URIs of resources
	tasks       taskChanges
	pending     bool               // flush is scheduled
	flushed     chan struct{}      // closed when the running flush is done; nil if none runs
	cancel      context.CancelFunc // of the running flush
}

// open subscribes a session to what its capabilities promise.
func (t *subscriber) open(rev wire.Revision, caps *mcp.ServerCapabilities) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.rev != 0 {
		return
	}
	t.rev = rev
	if caps.Tools.GetListChanged() {
		t.lists |= toolsList
	}
	if caps.Prompts.GetListChanged() {
		t.lists |= promptsList
	}
	if caps.Resources.GetListChanged() {
		t.lists |= resourcesList
	}
}

func (t *subscriber) subscribed(uri string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, ok := t.uris[uri]
	return ok
}

func (t *subscriber) subscribe(room *share.Room, owner share.Owner, uri string) (added, full bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.uris[uri]; ok || t.closed {
		return false, false
	}
	if len(t.uris) == maxSubscriptions || t.bytes+len(uri) > maxSubscribed || !t.reserve(room, owner, len(uri)+entryBytes) {
		return false, true
	}
	if t.uris == nil {
		t.uris = make(map[string]struct{})
	}
	t.uris[uri] = struct{}{}
	t.bytes += len(uri)
	return true, false
}

func (t *subscriber) unsubscribe(uri string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, ok := t.uris[uri]
	if ok {
		delete(t.uris, uri)
		t.bytes -= len(uri)
		t.unreserve(len(uri) + entryBytes)
	}
	return ok
}

// mark records a change, of which the client will be notified soon.
func (t *subscriber) mark(kind listKind, uri string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	// REQ SUB-02
	if t.closed || kind&t.lists == 0 && uri == "" {
		return
	}
	// REQ SUB-02
	t.changed |= kind & t.lists
	if uri != "" {
		if t.updated == nil {
			t.updated = make(map[string]struct{})
		}
		t.updated[uri] = struct{}{}
	}
	t.schedule()
}

func (t *subscriber) schedule() {
	// REQ SUB-03
	due := !t.pending && !t.paused && !t.closed && t.flushed == nil && (t.changed != 0 || len(t.updated) > 0 || len(t.tasks.changed) > 0)
	if due {
		t.pending = true
		time.AfterFunc(notifyDelay, t.flush)
	}
}

// resume starts to send what a paused subscriber has recorded.
func (t *subscriber) resume() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.paused = false
	t.schedule()
}

func (t *subscriber) isClosed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.closed
}

// close closes the subscriber and returns what it was subscribed to. Nothing is sent afterwards.
func (t *subscriber) close() (uris []string) {
	t.mu.Lock()
	t.closed = true
	if t.reservation != nil {
		t.unreserve(t.reservation.bytes)
	}
	t.tasks.subscribed = nil
	for uri := range t.uris {
		uris = append(uris, uri)
	}
	t.uris = nil
	flushed := t.flushed
	if flushed != nil {
		t.cancel()
	}
	t.mu.Unlock()
	if flushed != nil {
		<-flushed
	}
	return uris
}

// flush sends notifications of what has changed.
func (t *subscriber) flush() {
	t.mu.Lock()
	t.pending = false
	if t.closed {
		t.mu.Unlock()
		return
	}
	changed, updated, news := t.changed, t.updated, t.tasks.take()
	t.changed, t.updated = 0, nil
	t.flushed = make(chan struct{})
	var ctx context.Context
	ctx, t.cancel = context.WithTimeout(context.Background(), sendTimeout)
	t.mu.Unlock()

	t.send(ctx, changed, updated)
	t.sendTasks(ctx, news)

	t.mu.Lock()
	t.cancel()
	close(t.flushed)
	t.flushed = nil
	t.schedule()
	t.mu.Unlock()
}

func (t *subscriber) send(ctx context.Context, changed listKind, updated map[string]struct{}) {
	// REQ META-15
	list := &mcp.NotificationParams{Meta: t.meta}
	if changed&toolsList != 0 {
		t.notify(ctx, mcp.MethodToolListChangedNotification.Name, list)
	}
	if changed&promptsList != 0 {
		t.notify(ctx, mcp.MethodPromptListChangedNotification.Name, list)
	}
	if changed&resourcesList != 0 {
		t.notify(ctx, mcp.MethodResourceListChangedNotification.Name, list)
	}
	for _, uri := range slices.Sorted(maps.Keys(updated)) {
		// REQ META-15
		t.notify(ctx, mcp.MethodResourceUpdatedNotification.Name,
			&mcp.ResourceUpdatedNotificationParams{Meta: t.meta, URI: uri})
	}
}

// notify sends a notification. It ignores errors: the connection is broken or the client does not read, and the
// transport handles both.
func (t *subscriber) notify(ctx context.Context, method string, params wire.Encodable) {
	if ctx.Err() == nil {
		notify(ctx, t.out, t.rev, method, params)
	}
}
