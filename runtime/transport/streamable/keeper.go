package streamable

import (
	"context"
	"net/http"
	"sync"
	"time"
)

// A handler serves each of its sessions from memory: calls, streams and what the server asks meet there. So a session
// has one handler at a time. What makes a session last longer than its handler, or reach it from anywhere, is not known
// to the handler. It knows two things instead: a session can be written down (KeptSession.State), and continued from what was
// written, by the same handler or another one. Who keeps what was written, and decides which handler continues a session,
// is a [Keeper].
//
// A session that was continued must not be taken for what it was before. Its handler numbers streams, and requests to the
// client, from where no earlier one has come (continuedShift), refuses the ids of requests that were handled before, and
// answers for calls that were lost with their process (endLostCall). What may have changed meanwhile the client is
// notified of.

// A Keeper keeps the sessions of a handler, so that they outlive it, or that several handlers can serve them, each session
// by one of them at a time: see [Options.Sessions]. Package cluster/shared has one that keeps them in a store; a program
// whose load balancer can be told which process has a session needs less.
//
// The methods may be called by several goroutines at once, but for one session Save and End follow one another, and Find
// is not called while the handler serves the session, or calls Find for it. An error that is not an [ElsewhereError] is
// logged, and refuses the request with status 503: the client may send it again.
type Keeper interface {
	// Open is called when a client opens a session. It returns the session's id: visible ASCII that nobody can guess, such
	// as [rand.Text] makes. If the session is refused after all, neither Save nor End is called for it. The error says that
	// no session can be opened at the moment.
	Open(ctx context.Context) (id string, err error)

	// Save keeps what [KeptSession.State] returns in place of what it returned before. It is called when a session has been
	// opened or continued, when a request has changed its state, before the client has the response, and when the
	// handler shuts down. Most requests change nothing.
	//
	// After an error the client learns nothing that may not be true in another handler: a session that was opened or
	// continued just now does not exist, and for others Save is called again for the next request. If the error is an
	// [ElsewhereError], the handler gives the session up.
	Save(ctx context.Context, s *KeptSession) error

	// Find is called for a request of a session that the handler does not serve, or may no longer serve. It returns what
	// was saved last, or nil if there is no such session. From what it returns the handler continues the session, and calls
	// Save before it handles the request. The error is an [ElsewhereError] if another handler serves the session.
	Find(ctx context.Context, id string) (*SavedSession, error)

	// Holds reports whether the handler may still serve a session. It is called for each request and each event, and must
	// not block; the first time before Save, for a session that Open has named or Find has returned. The handler may serve
	// that one, unless another handler has found it since: the Mark of [SavedSession] tells them apart. After Holds has returned
	// false, the handler calls nothing but Find, when a request arrives. To have the session given up without a request, call
	// [KeptSession.Release].
	Holds(s *KeptSession) bool

	// End is called when a session ends, because its client says so, or has not used it for too long, or because another
	// one takes its place; and when it could not be opened because Save failed, which may have kept it all the same. After
	// an error it may go on: if the client has ended it, that has the error. After an [ElsewhereError], the handler gives it up.
	End(ctx context.Context, s *KeptSession) error
}

// A SavedSession is what a [Keeper] has of a session.
type SavedSession struct {
	State []byte // returned by [KeptSession.State]
	Mark  any    // returned by [KeptSession.Mark], when the handler has continued the session
}

// An ElsewhereError is the error of a [Keeper] for a session that another handler serves.
type ElsewhereError struct {
	// Handler serves the request in place of the handler that has the error: it passes the request on to the other one, or
	// has it sent there. It receives the request as it arrived, when its sender has been verified and its body has been
	// read. If it is nil, the request is refused with status 503.
	Handler http.Handler
}

func (*ElsewhereError) Error() string {
	return "the session is served by another process; try again later"
}

// A KeptSession is a session of a handler, as its [Keeper] sees it. Its methods may be called by several goroutines at once.
type KeptSession struct {
	live      *liveSession // set by newSession
	continued int64        // how often the session was continued

	saving sync.Mutex // held while the keeper saves or ends the session; guards the next four
	tried  bool       // Keeper.Save was called
	saved  uint32     // the version of the state that was saved last; 0 if none was
	ended  bool       // Keeper.End has succeeded
	moved  bool       // another handler has the session

	mu   sync.Mutex // guards mark; saving does not, since it is held while the keeper's methods set marks
	mark any
}

// ID returns the id of the session.
func (s *KeptSession) ID() string { return s.live.id }

// Mark returns what [KeptSession.SetMark] or [Keeper.Find] have left with the session, for the keeper itself; nil at first.
func (s *KeptSession) Mark() any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.mark
}

// SetMark sets what Mark returns.
func (s *KeptSession) SetMark(mark any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.mark = mark
}

// Idle returns how long the session lasts while nobody uses it, see [Options.SessionIdle]; not positive for ever. A keeper
// keeps the state for twice as long after it was saved. For sessions in use, it saves the state again in time.
func (s *KeptSession) Idle() time.Duration { return s.live.h.opts.SessionIdle }

// Release makes the handler give the session up. Its streams break and its calls are lost, but it has not ended: the
// client comes back, and reaches whoever has the session then.
func (s *KeptSession) Release() { s.live.h.sessions.giveUp(s.live) }
