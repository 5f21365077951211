package server

import (
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Changes are sent to sessions and, since 2026-07-28, in response to subscriptions/listen. Each session and each such
// request has a Subscription. It keeps what it has to send as a set, in which each list and each topic is once, so that
// however fast things change and however slow a client is, at most one notification of each waits.
//
// A change schedules a flush, 10 milliseconds later, and joins one that is scheduled already. A flush takes the whole set and
// sends it without the lock; what changes meanwhile makes the next one. So at most one flush of a subscription runs, one client
// never waits for another, and the order of two changes of the same thing does not matter, because they are one.
//
// What is kept for a client that has not proved who it is has a bound, [Options].MaxKept, of which each sender has a share.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/subscriptions

const (
	// notifyDelay is how long a change waits for others of its kind.
	notifyDelay = 10 * time.Millisecond
	// sendTimeout is how long a client may take to receive notifications.
	sendTimeout = 10 * time.Second
	// maxSubscriptions bounds how many topics one client can subscribe to, and maxSubscribed the bytes of their texts.
	maxSubscriptions = 10_000
	maxSubscribed    = 1 << 20
)

// A Subscription is what a client is notified of between its requests: through 2025-11-25 that of its session, since then
// that of a subscriptions/listen request. Its topics are the URIs of resources, and texts with a blank in them, which are
// those of extensions: "com.example/builds 7".
//
// A client stops by ending its request or its session. Where a method of an extension lets it stop before, through
// 2025-11-25, the method sends it a last [Notification]. Nobody learns when a topic has no subscribers left:
// [Server.Subscribed] says so.
type Subscription struct {
	server  *Server
	out     transport.Caller
	session *Session                    // nil for a subscriptions/listen request
	meta    *mcp.NotificationMetaObject // of its notifications

	mu          sync.Mutex              // guards what follows; it is not held while a notification is sent
	rev         wire.Revision           // 0 until the session is open; then it stays
	lists       listKind                // that it subscribes to
	topics      map[string]struct{}     // likewise
	bytes       int                     // length of topics
	reservation *reservation            // nil until something is kept
	paused      bool                    // nothing may be sent yet
	closed      bool                    // nothing is added and nothing sent any more
	changed     listKind                // lists that have changed since the last notification
	news        map[string]Notification // likewise, the latest of each topic
	pending     bool                    // flush is scheduled
	flushed     chan struct{}           // closed when the running flush is done; nil if none runs
	cancel      context.CancelFunc      // ends the running flush
}

// A Notification tells clients of something that has changed.
type Notification struct {
	Method string         // empty if clients need not know
	Params wire.Encodable // without what the metadata says about the subscription; nil if there are none
	Last   bool           // the topic will not change any more: the subscription to it ends
}

// Subscription returns what its client is notified of between requests, nil where a client has no session.
func (c *Call) Subscription() *Subscription {
	ss := c.Session()
	if ss == nil {
		return nil
	}
	t := &ss.subscription
	t.mu.Lock()
	defer t.mu.Unlock()
	t.charge(c.owner())
	return t
}

// Add subscribes to a topic, and reports whether it did: not if it is subscribed to already, or if the subscription has
// ended or reached a limit.
func (t *Subscription) Add(topic string) bool {
	added, _ := t.add(topic)
	return added
}

// add subscribes to a topic, and reports whether it did, or else whether there was no room.
func (t *Subscription) add(topic string) (added, full bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.topics[topic]; ok || t.closed {
		return false, false
	}
	if len(t.topics) == maxSubscriptions || t.bytes+len(topic) > maxSubscribed || !t.reserve(len(topic)+entryBytes) {
		return false, true
	}
	if t.topics == nil {
		t.topics = make(map[string]struct{})
	}
	t.topics[topic] = struct{}{}
	t.bytes += len(topic)
	return true, false
}

// remove ends the subscription to a topic, and reports whether there was one.
func (t *Subscription) remove(topic string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.drop(topic)
}

// drop ends the subscription to a topic, and reports whether there was one. The caller holds mu.
func (t *Subscription) drop(topic string) bool {
	_, ok := t.topics[topic]
	if ok {
		delete(t.topics, topic)
		t.bytes -= len(topic)
		t.unreserve(len(topic) + entryBytes)
		delete(t.news, topic)
	}
	return ok
}

// has reports whether it subscribes to a topic.
func (t *Subscription) has(topic string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, ok := t.topics[topic]
	return ok
}

// uris returns the topics that are resources, in order.
func (t *Subscription) uris() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return urisOf(t.topics)
}

// urisOf returns the topics that are resources, in order.
func urisOf(topics map[string]struct{}) []string {
	if len(topics) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(topics)), isNoURI)
}

// isNoURI reports whether a topic is one of an extension: no URI has a blank.
func isNoURI(topic string) bool { return strings.Contains(topic, " ") }

// Send sends the client a notification of a topic, if it is subscribed to, as [Server.Publish] does.
//
// REQ SUB-02
func (t *Subscription) Send(topic string, n Notification) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, ok := t.topics[topic]; !ok || t.closed {
		return
	}
	if n.Last {
		t.drop(topic)
	}
	if n.Method == "" {
		return
	}
	if t.news == nil {
		t.news = make(map[string]Notification)
	}
	t.news[topic] = n
	t.schedule()
}

// Publish notifies the clients that subscribe to a topic. Of several notifications of a topic within 10 milliseconds, and
// of those for a client that reads slowly, only the last is sent.
func (s *Server) Publish(topic string, n Notification) {
	for _, t := range s.subscriptions.all() {
		t.Send(topic, n)
	}
}

// Subscribed reports whether a client subscribes to a topic.
func (s *Server) Subscribed(topic string) bool {
	return slices.ContainsFunc(s.subscriptions.all(), func(t *Subscription) bool { return t.has(topic) })
}

// listen subscribes to lists.
func (t *Subscription) listen(lists listKind) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.lists |= lists
}

// open opens the subscription of a session, to the lists for which caps declares listChanged, unless it is open.
func (t *Subscription) open(rev wire.Revision, caps *mcp.ServerCapabilities) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.rev != 0 { // it is open already
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

// mark records that lists have changed, of which the client will be notified soon.
//
// REQ SUB-02
func (t *Subscription) mark(lists listKind) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if lists &= t.lists; t.closed || lists == 0 {
		return
	}
	t.changed |= lists
	t.schedule()
}

// schedule makes flush run soon, if there is something to send. The caller holds mu. While a flush runs, none is scheduled: it
// calls schedule itself when it is done.
//
// REQ SUB-03
func (t *Subscription) schedule() {
	due := !t.pending && !t.paused && !t.closed && t.flushed == nil && (t.changed != 0 || len(t.news) > 0)
	if due {
		t.pending = true
		time.AfterFunc(notifyDelay, t.flush)
	}
}

// resume starts to send what a paused subscription has recorded.
func (t *Subscription) resume() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.paused = false
	t.schedule()
}

// isClosed reports whether nothing is sent any more.
func (t *Subscription) isClosed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.closed
}

// close closes the subscription and returns the resources that it subscribed to. Nothing is sent afterwards: it ends a flush that
// runs, and waits for it.
func (t *Subscription) close() (uris []string) {
	t.mu.Lock()
	t.closed = true
	// All that was taken, for topics and by introduce.
	if r := t.reservation; r != nil && r.bytes > 0 {
		t.unreserve(r.bytes)
	}
	uris = urisOf(t.topics)
	t.topics = nil
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
func (t *Subscription) flush() {
	t.mu.Lock()
	t.pending = false
	if t.closed {
		t.mu.Unlock()
		return
	}
	changed, news := t.changed, t.news // what changes from now on is for the next flush
	t.changed, t.news = 0, nil
	t.flushed = make(chan struct{})
	// The context is that of no request: changes belong to none.
	var ctx context.Context
	ctx, t.cancel = context.WithTimeout(context.Background(), sendTimeout)
	t.mu.Unlock()
	defer func() { // also if what sends ends this goroutine, since close waits
		t.mu.Lock()
		defer t.mu.Unlock()
		t.cancel()
		close(t.flushed)
		t.flushed = nil
		t.schedule()
	}()
	for _, list := range []struct {
		kind   listKind
		method string
	}{
		{toolsList, mcp.MethodToolListChangedNotification.Name},
		{promptsList, mcp.MethodPromptListChangedNotification.Name},
		{resourcesList, mcp.MethodResourceListChangedNotification.Name},
	} {
		if changed&list.kind != 0 {
			t.notify(ctx, list.method, new(mcp.NotificationParams))
		}
	}
	for _, topic := range slices.Sorted(maps.Keys(news)) {
		n := news[topic]
		t.server.guard("Notification.Params", func() { t.notify(ctx, n.Method, n.Params) }) // which encode themselves
	}
}

// notify sends a notification. It ignores errors: the connection is broken or the client does not read, and the
// transport handles both.
//
// REQ META-15
func (t *Subscription) notify(ctx context.Context, method string, params wire.Encodable) {
	raw, err := encodeParams(t.rev, params)
	if err == nil && t.meta != nil {
		var meta wire.Raw
		if meta, err = wire.Marshal(t.rev, t.meta); err == nil {
			raw, err = jsonrpc.AddMeta(raw, meta)
		}
	}
	switch {
	case err != nil:
		t.server.Log().ErrorContext(ctx, "mcp: a notification cannot be sent", "method", method, "error", err)
	case ctx.Err() == nil:
		t.out.Notify(ctx, method, raw)
	}
}

// A reservation is the room that a subscription uses for what its client sent. It counts against [Options].MaxKept.
type reservation struct {
	owner share.Owner
	bytes int
}

// charge makes an owner pay for what is kept, if nobody does yet. The caller holds mu.
func (t *Subscription) charge(owner share.Owner) {
	if t.reservation == nil { // else the one that was charged first, who gets the room back
		t.reservation = &reservation{owner: owner}
	}
}

// reserve takes room for so many bytes and reports whether there was enough. The caller holds mu. Somebody has been charged
// before: see charge.
func (t *Subscription) reserve(bytes int) bool {
	if !t.server.kept.Take(t.reservation.owner, bytes) {
		return false
	}
	t.reservation.bytes += bytes
	return true
}

// unreserve gives room back. The caller holds mu.
func (t *Subscription) unreserve(bytes int) {
	t.server.kept.Give(t.reservation.owner, bytes)
	t.reservation.bytes -= bytes
}

const (
	entryBytes  = 128     // what each topic counts in addition to its text
	listenBytes = 6 << 10 // what an open request for subscriptions counts, about as much as it takes with its stream
)

// smallIntroduction is how many bytes of a client's description of itself do not count: many sessions keep nothing
// else.
const smallIntroduction = 1 << 10

// introduce takes room for a client's description of itself.
func (t *Subscription) introduce(c *Call, bytes int) error {
	if bytes <= smallIntroduction {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.charge(c.owner())
	// A subscription that is closed would never give the room back.
	if !t.closed && !t.reserve(bytes) {
		return busy("the sessions and subscriptions of this client, or of all clients together, have reached the limit on what they keep")
	}
	return nil
}
