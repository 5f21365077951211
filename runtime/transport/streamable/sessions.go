package streamable

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/queue"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
)

// Through 2025-11-25, the response to initialize begins a session, and has its id in the header Mcp-Session-Id. Every later
// request of the client names the session in the same header (sessionFor in legacy.go checks it), also the GET that opens a
// stream for what belongs to no request. The session ends with a DELETE; or here, when nobody has used it for long, when its
// place is needed, or when the handler shuts down. After that it is as unknown as one that never was, and as it always is to
// any principal but the one that opened it: its requests get status 404, which tells a client to begin a new session.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#session-management

// sessions holds the open sessions. Unused sessions are in two queues, ordered by the time at which they end: new
// sessions, in which nothing has followed initialize, and all others. One timer rings when the first of them ends, or earlier.
type sessions struct {
	h *Handler

	mu        sync.Mutex
	all       map[string]*liveSession
	owners    map[share.Owner]*sessionOwner
	new, idle queue.Queue[*liveSession]
	timer     *time.Timer // nil if there are no idle ones
	closed    bool
	finding   map[string]chan struct{} // by id; closed when find has succeeded or failed
}

// A sessionOwner holds the sessions of one client.
type sessionOwner struct {
	owner share.Owner
	count int // of those in the table; guarded by sessions.mu
}

// newIdle is how long a session lasts in which nothing follows initialize.
const newIdle = time.Minute

var (
	errTooManySessions = errors.New("there are too many sessions; try again later")
	errEnding          = errors.New("the server is shutting down; try again later")
)

// open makes a session, marked as in use. If the owner, or all owners together, have as many as they may have, it
// replaces an idle one. The session is in the table before initialize is handled, because the client may send its next
// request as soon as it has the id; if initialize fails, handle removes it.
func (t *sessions) open(ctx context.Context, principal string, owner share.Owner) (*liveSession, error) {
	id, kept := "", (*KeptSession)(nil)
	if k := t.h.opts.Sessions; k == nil {
		id = rand.Text()
	} else {
		var err error
		if id, err = k.Open(ctx); err != nil {
			return nil, t.h.keeperFailed(ctx, err)
		}
		kept = new(KeptSession)
	}
	s := t.h.newSession(id, principal, kept)
	s.isNew = true
	if err := t.enter(s, owner); err != nil {
		return nil, err
	}
	return s, nil
}

// enter adds a session to the table, marked as in use.
func (t *sessions) enter(s *liveSession, owner share.Owner) error {
	t.mu.Lock()
	if t.closed {
		t.mu.Unlock()
		return errEnding
	}
	if t.all == nil {
		t.all, t.owners = make(map[string]*liveSession), make(map[share.Owner]*sessionOwner)
	}
	of := t.owners[owner]
	if of == nil {
		of = &sessionOwner{owner: owner}
	}
	displaced, ok := t.displace(of)
	if !ok {
		t.mu.Unlock()
		return errTooManySessions
	}
	s.users, s.owner = 1, of
	t.all[s.id] = s
	// After displace, which removes an owner that has lost its last session.
	t.owners[owner] = of
	of.count++
	t.mu.Unlock()
	if displaced != nil {
		// Without mu: the store and the keeper may take their time.
		displaced.end()
	}
	return nil
}

// displace removes the session that a new session of an owner replaces, nil if there is room without that. It
// reports whether there is room now. It is called with mu held. An owner that has its share loses one of its own. When
// all together have too many, whoever has most loses one: so a client with few sessions keeps them, whatever others do.
func (t *sessions) displace(of *sessionOwner) (*liveSession, bool) {
	o := &t.h.opts
	var s *liveSession
	switch {
	case of.count >= of.owner.Part(o.MaxSessions):
		s = t.leastUsed(func(other *sessionOwner) bool { return other == of })
	case len(t.all) >= o.MaxSessions:
		s = t.leastUsed(func(*sessionOwner) bool { return true })
	default:
		return nil, true
	}
	if s == nil {
		return nil, false
	}
	t.drop(s)
	return s, true
}

// leastUsed returns the least recently used idle session of the owner that has most, among those that may lose one. New
// sessions come first.
func (t *sessions) leastUsed(from func(*sessionOwner) bool) (least *liveSession) {
	for _, q := range []*queue.Queue[*liveSession]{&t.new, &t.idle} {
		for s := range q.All() {
			if from(s.owner) && (least == nil || s.owner.count > least.owner.count) {
				least = s
			}
		}
	}
	return least
}

// drop removes a session from the table, and from the queue that it may be in. It is called with mu held, and does not end
// the session, since that calls the peer, the store and the keeper, which may take their time: the caller ends it without mu.
func (t *sessions) drop(s *liveSession) {
	s.idle.Remove()
	// It was removed before, perhaps by another request, or has been continued anew.
	if t.all[s.id] != s {
		return
	}
	delete(t.all, s.id)
	if s.owner.count--; s.owner.count == 0 {
		delete(t.owners, s.owner.owner)
	}
}

// use returns the session with that id if it belongs to the principal, else nil. The caller must call release.
//
// REQ SEC-10, SEC-11, SESS-07
func (t *sessions) use(id, principal string) *liveSession {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.all[id]
	if s == nil || s.principal != principal || s.isLost() {
		return nil
	}
	s.users++
	s.idle.Remove()
	s.isNew = false
	return s
}

// hold is use for a caller that already uses the session.
func (t *sessions) hold(s *liveSession) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s.users++
}

// release ends a use of a session. When nobody uses it any more, its time begins to run.
func (t *sessions) release(s *liveSession) {
	t.mu.Lock()
	defer t.mu.Unlock()
	// A session that is not in the table has ended, or is for one request: no time runs for it.
	if s.users--; s.users > 0 || t.all[s.id] != s {
		return
	}
	q, lasts := &t.idle, t.h.opts.SessionIdle
	if s.isNew {
		q, lasts = &t.new, min(lasts, newIdle)
	}
	q.Add(&s.idle, s)
	// It stays in the queue, from which it can be replaced.
	if lasts < 0 {
		return
	}
	s.expires = time.Now().Add(lasts)
	if t.timer == nil {
		t.timer = time.AfterFunc(min(lasts, newIdle), t.expire)
	}
}

// expire ends the sessions whose time is up, and sets the timer for the first of those that remain, but for not longer than a
// new session lasts: so none that is released meanwhile ends before it rings. Each queue is in the order of the times, since
// all that are in it last equally long.
func (t *sessions) expire() {
	var ended []*liveSession
	t.mu.Lock()
	if t.closed { // the timer fired before close could stop it
		t.mu.Unlock()
		return
	}
	now, next, waits := time.Now(), newIdle, false
	for _, q := range []*queue.Queue[*liveSession]{&t.new, &t.idle} {
		s, any := q.First()
		for ; any && !s.expires.After(now); s, any = q.First() {
			ended = append(ended, s)
			t.drop(s)
		}
		if any {
			next, waits = min(next, s.expires.Sub(now)), true
		}
	}
	if waits {
		t.timer.Reset(next)
	} else {
		t.timer = nil
	}
	t.mu.Unlock()
	for _, s := range ended {
		s.end()
	}
}

// remove ends a session.
func (t *sessions) remove(s *liveSession) {
	t.mu.Lock()
	t.drop(s)
	t.mu.Unlock()
	s.end()
}

// close ends all sessions, at least in this process, and no more can be opened. It waits for clients that do not
// read, but only until ctx ends.
func (t *sessions) close(ctx context.Context) {
	t.mu.Lock()
	all := t.all
	t.all, t.owners, t.closed = nil, nil, true
	t.new, t.idle = queue.Queue[*liveSession]{}, queue.Queue[*liveSession]{}
	if t.timer != nil {
		t.timer.Stop()
		t.timer = nil
	}
	t.mu.Unlock()
	var wg sync.WaitGroup
	if t.h.opts.Sessions != nil { // others continue them
		wg.Go(func() { abandonAll(context.WithoutCancel(ctx), all) })
	} else {
		for _, s := range all {
			wg.Go(s.end)
		}
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
	}
}
