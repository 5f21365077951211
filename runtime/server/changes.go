package server

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Changes are told to those who may have them: sessions, and from 2026-07-28 on the requests that
// listen. Each of them is a target. A target keeps what it has to say as a set, so however fast
// things change and however slow a client is, it holds no more than one notification of a kind.

// A listKind is a list whose changes are told, or several.
type listKind uint8

const (
	toolsList listKind = 1 << iota
	promptsList
	resourcesList
)

const (
	// notifyDelay is how long a change waits for others of its kind.
	notifyDelay = 10 * time.Millisecond
	// sendTimeout is how long a client may take to accept a notification.
	sendTimeout = 10 * time.Second
	// maxSubscriptions and maxSubscribed, in bytes, bound what one client can make the server remember.
	maxSubscriptions = 10_000
	maxSubscribed    = 1 << 20
)

// changes knows the targets.
type changes struct {
	mu          sync.Mutex
	subscribers map[*subscriber]struct{}
}

// add adds a target, unless it is closed already.
func (ch *changes) add(t *subscriber) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	if t.isClosed() {
		return
	}
	if ch.subscribers == nil {
		ch.subscribers = make(map[*subscriber]struct{})
	}
	ch.subscribers[t] = struct{}{}
}

func (ch *changes) remove(t *subscriber) {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	delete(ch.subscribers, t)
}

func (ch *changes) all() []*subscriber {
	ch.mu.Lock()
	defer ch.mu.Unlock()
	list := make([]*subscriber, 0, len(ch.subscribers))
	for t := range ch.subscribers {
		list = append(list, t)
	}
	return list
}

// stop ends all targets.
func (ch *changes) stop() {
	for _, t := range ch.all() {
		ch.remove(t)
		t.close()
	}
}

func (ch *changes) listChanged(kind listKind) {
	for _, t := range ch.all() {
		t.mark(kind, "")
	}
}

// ResourceUpdated tells those who subscribed to a resource that it has changed.
func (s *Server) ResourceUpdated(uri string) {
	for _, t := range s.changes.all() {
		// REQ SUB-02
		if t.subscribed(uri) {
			t.mark(0, uri)
		}
	}
}

// ToolsChanged tells those who may know that the list of tools has changed, other than by adding
// and removing: because [Options.Visible] decides otherwise now.
func (s *Server) ToolsChanged() { s.changes.listChanged(toolsList) }

// PromptsChanged is [Server.ToolsChanged] for prompts.
func (s *Server) PromptsChanged() { s.changes.listChanged(promptsList) }

// ResourcesChanged is [Server.ToolsChanged] for resources and templates.
func (s *Server) ResourcesChanged() { s.changes.listChanged(resourcesList) }

// subscribe checks whether the caller of c may subscribe to a resource.
func (s *Server) subscribe(ctx context.Context, c *Call, uri string) error {
	if err := checkURI(uri); err != nil {
		return jsonrpcError(codeInvalidParams, err.Error(), &uriData{uri})
	}
	if s.reader(ctx, c, uri) == nil {
		return resourceNotFound(c.rev, uri)
	}
	if s.opts.OnSubscribe != nil {
		return s.opts.OnSubscribe(ctx, c, uri)
	}
	return nil
}

func (s *Server) unsubscribed(uri string) {
	if s.opts.OnUnsubscribe != nil {
		s.opts.OnUnsubscribe(uri)
	}
}

// A subscriber is somebody who is told changes.
type subscriber struct {
	out     transport.Caller
	session *Session                    // that it belongs to, nil for a request that listens
	meta    *mcp.NotificationMetaObject // of its notifications

	mu          sync.Mutex
	rev         wire.Revision
	lists       listKind            // the ones that it wants
	uris        map[string]struct{} // the resources that it wants
	bytes       int                 // of them
	reservation *reservation        // nil as long as there is none
	paused      bool                // nothing may go out yet
	closed      bool
	changed     listKind            // what is to be told
	updated     map[string]struct{} // likewise, resources
	tasks       taskChanges
	pending     bool               // a flush will be
	flushed     chan struct{}      // closed when the flush that is under way is done, nil if none is
	cancel      context.CancelFunc // of that flush
}

// open sets what a session may have: the notifications that its capabilities promise.
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

// mark notes a change, to be told soon.
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

// resume lets out what a held target has to tell.
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

// close ends the target and returns what it was subscribed to. After it nothing goes out.
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

// flush tells what has changed.
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

// notify sends a notification. If it cannot be sent, the connection is broken or its client does
// not read; both are the transport's business.
func (t *subscriber) notify(ctx context.Context, method string, params wire.Encodable) {
	if ctx.Err() != nil {
		return
	}
	if raw, err := wire.Marshal(t.rev, params); err == nil {
		t.out.Notify(ctx, method, raw)
	}
}
