// Package shared lets several processes, or one process after another, serve the same clients: it is built around the
// handlers of package streamable, which know nothing of it, and on a [store.Store] and the leases of its members.
//
//	member, err := store.Join(ctx, db, nil)
//	sessions := shared.NewSessions(member, db, nil)
//	h := streamable.NewHandler(server, sessions.Options(nil))
//
// Modules cluster/nats and cluster/sqlite have stores for it.
package shared

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/cluster/store"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
)

// Events is a [streamable.EventStore] that several processes share. After Forget, Append fails in a process that served the
// session earlier, for as long as events are kept. Package sharedtest tests whether a store does what this says.
type Events interface {
	streamable.EventStore

	// Fence is called when this process begins to serve a session that another one has served. From then on, Append fails
	// in the other process, which may only have been paused. Number is greater each time; a number that is not greater
	// than all earlier ones is an error, also after Forget, for as long as events are kept.
	Fence(ctx context.Context, session string, number int64) error
}

// SessionsOptions configures [Sessions].
type SessionsOptions struct {
	// Elsewhere returns the handler of requests whose session the process with that lease serves. If it is nil, they are
	// refused with status 503.
	Elsewhere func(lease string) http.Handler
}

// Sessions is a [streamable.Keeper] that keeps sessions in the store of a member.
//
// The record of a session names the lease of the process that serves it, from memory. Calls write no record: it changes
// with the state, which is rare, and a lease is renewed for the process, not for each session. When a lease has ended,
// because its process has left, died, or does not reach the store, any other process may serve its sessions: it writes its
// own lease into the record, at the revision that it has read, so only one succeeds. From then on, what the process
// before it writes is refused, to the record and to the events.
type Sessions struct {
	member    *store.Member
	events    Events
	elsewhere func(lease string) http.Handler

	mu      sync.Mutex
	here    map[string]*streamable.KeptSession // by id
	holders map[string]holder                  // of sessions of other processes that were used last
	tending bool
}

var _ streamable.Keeper = (*Sessions)(nil)

// A holder is the process that has a session, as far as is known.
type holder struct {
	lease string
	until time.Time // when to look again
}

// maxHolders is how many sessions of other processes are remembered.
const maxHolders = 10_000

// A record is a session in the store.
type record struct {
	Holder string          `json:"holder"` // the name of a lease
	State  json.RawMessage `json:"state"`
}

// A mark is what Sessions know about a session that this process serves.
type mark struct {
	lease *store.Lease

	mu       sync.Mutex // held while the record is written
	revision uint64     // of the record; 0 if there is none
	fenced   bool       // nobody else can append events
	saved    time.Time
	gone     bool // another process has the session
}

var (
	errNoLease = errors.New("shared: this process has no lease at the moment")
	errRecord  = errors.New("shared: the record of a session is not one that a process has written")
)

func key(id string) string { return "session." + id }

// NewSessions returns a keeper of sessions in the store of a member, with events that the processes share. Opts may be nil.
func NewSessions(m *store.Member, events Events, opts *SessionsOptions) *Sessions {
	k := &Sessions{member: m, events: events, here: make(map[string]*streamable.KeptSession), holders: make(map[string]holder)}
	if opts != nil {
		k.elsewhere = opts.Elsewhere
	}
	return k
}

// Options returns options of a handler, with the sessions and events. Opts may be nil. In a program that shuts down,
// [streamable.Handler.Shutdown] comes first, and then [store.Member.Leave], after which others serve the sessions.
func (k *Sessions) Options(opts *streamable.Options) *streamable.Options {
	var o streamable.Options
	if opts != nil {
		o = *opts
	}
	o.Sessions, o.Events = k, k.events
	return &o
}

// Open implements [streamable.Keeper].
func (k *Sessions) Open(context.Context) (string, error) {
	if k.member.Lease() == nil {
		return "", errNoLease
	}
	return rand.Text(), nil
}

// Find implements [streamable.Keeper].
func (k *Sessions) Find(ctx context.Context, id string) (*streamable.SavedSession, error) {
	lease := k.member.Lease()
	switch {
	case lease == nil:
		return nil, errNoLease
	case !store.ValidKey(key(id)):
		return nil, nil
	}
	k.mu.Lock()
	other, known := k.holders[id]
	k.mu.Unlock()
	if known && time.Now().Before(other.until) {
		return nil, k.at(other.lease)
	}
	rec, revision, err := k.read(ctx, id)
	if revision == 0 || err != nil {
		return nil, err
	}
	if rec.Holder != lease.ID() {
		switch alive, err := k.alive(ctx, id, rec.Holder); {
		case err != nil:
			return nil, err
		case alive:
			return nil, k.at(rec.Holder)
		}
	}
	return &streamable.SavedSession{State: rec.State, Mark: &mark{lease: lease, revision: revision}}, nil
}

// at returns the error for a session of the process with that lease.
func (k *Sessions) at(lease string) error {
	if k.elsewhere == nil {
		return new(streamable.ElsewhereError)
	}
	return &streamable.ElsewhereError{Handler: k.elsewhere(lease)}
}

// read returns the record of a session, and its revision; 0 if there is none.
func (k *Sessions) read(ctx context.Context, id string) (rec record, revision uint64, err error) {
	r, err := k.member.Store().Get(ctx, key(id))
	switch {
	case errors.Is(err, store.ErrNotFound):
		return rec, 0, nil
	case err != nil:
		return rec, 0, err
	}
	if err = json.Unmarshal(r.Value, &rec); err == nil && rec.Holder == "" {
		err = errRecord
	}
	if err != nil {
		return rec, 0, errors.Join(errRecord, err)
	}
	return rec, r.Revision, nil
}

// alive reports whether the lease of the process that has a session has not ended. If so, it remembers the process, unless
// it is this one.
func (k *Sessions) alive(ctx context.Context, id, lease string) (bool, error) {
	alive, err := k.member.Alive(ctx, lease)
	own := k.member.Lease()
	k.mu.Lock()
	defer k.mu.Unlock()
	if err != nil || !alive || own != nil && own.ID() == lease {
		delete(k.holders, id)
		return alive, err
	}
	if k.elsewhere == nil {
		return true, nil // nobody would find out that it has ended
	}
	if len(k.holders) >= maxHolders {
		clear(k.holders)
	}
	k.holders[id] = holder{lease, time.Now().Add(k.member.TTL())}
	return true, nil
}

// Holder returns the lease of the process that serves a session, which may be this one. It is empty if no process that is
// alive does.
func (k *Sessions) Holder(ctx context.Context, id string) (lease string, err error) {
	if !store.ValidKey(key(id)) {
		return "", nil
	}
	rec, revision, err := k.read(ctx, id)
	if revision == 0 || err != nil {
		return "", err
	}
	if alive, err := k.alive(ctx, id, rec.Holder); !alive || err != nil {
		return "", err
	}
	return rec.Holder, nil
}

// Forget is called when a request could not be passed on to the process that Find has named: it asks the store again for
// the next one.
func (k *Sessions) Forget(id string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.holders, id)
}

// Has reports whether this process serves a session.
func (k *Sessions) Has(id string) bool {
	k.mu.Lock()
	s := k.here[id]
	k.mu.Unlock()
	return s != nil && k.Holds(s)
}

// Holds implements [streamable.Keeper].
func (k *Sessions) Holds(s *streamable.KeptSession) bool {
	m, ok := s.Mark().(*mark)
	return !ok || m.lease.Valid() // it was opened just now
}

// Save implements [streamable.Keeper].
func (k *Sessions) Save(ctx context.Context, s *streamable.KeptSession) error {
	m, ok := s.Mark().(*mark)
	if !ok {
		lease := k.member.Lease()
		if lease == nil {
			return errNoLease
		}
		m = &mark{lease: lease, fenced: true}
		s.SetMark(m)
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.gone:
		return new(streamable.ElsewhereError)
	case !m.lease.Valid():
		return errNoLease
	}
	state := s.State()
	if state == nil {
		k.forget(s)
		return errors.New("shared: the session is not served any more")
	}
	data, err := json.Marshal(record{m.lease.ID(), state})
	if err != nil {
		return err
	}
	revision, err := k.member.Store().Put(ctx, key(s.ID()), data, m.revision, 2*max(s.Idle(), 0))
	if errors.Is(err, store.ErrConflict) {
		m.gone = true
		k.forget(s)
		if _, err = k.Find(ctx, s.ID()); err == nil {
			err = new(streamable.ElsewhereError)
		}
		return err
	}
	if err != nil {
		return err
	}
	m.revision, m.saved = revision, time.Now()
	if !m.fenced {
		// Revisions grow, so nobody who claims the session later has a smaller number.
		if err := k.events.Fence(ctx, s.ID(), int64(revision)); err != nil {
			return err
		}
		m.fenced = true
	}
	k.remember(s)
	return nil
}

// End implements [streamable.Keeper].
func (k *Sessions) End(ctx context.Context, s *streamable.KeptSession) error {
	m, ok := s.Mark().(*mark)
	if !ok {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.gone {
		return new(streamable.ElsewhereError)
	}
	err := k.member.Store().Delete(ctx, key(s.ID()), m.revision)
	if m.gone = errors.Is(err, store.ErrConflict); m.gone {
		err = new(streamable.ElsewhereError)
	}
	if err == nil || m.gone {
		k.forget(s)
	}
	return err
}

func (k *Sessions) forget(s *streamable.KeptSession) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.here[s.ID()] == s {
		delete(k.here, s.ID())
	}
}

// remember adds a session to those that this process serves.
func (k *Sessions) remember(s *streamable.KeptSession) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.here[s.ID()] = s
	if !k.tending {
		k.tending = true
		go k.tend()
	}
}

// tend releases the sessions that this process has lost, and saves the others before their records expire, as long as
// there are any.
func (k *Sessions) tend() {
	tick := time.NewTicker(k.member.TTL() / 2)
	defer tick.Stop()
	for {
		var ended <-chan struct{}
		if lease := k.member.Lease(); lease != nil {
			ended = lease.Done()
		}
		select {
		case <-ended:
		case <-tick.C:
		}
		lost, due, left := k.look()
		for _, s := range lost {
			s.Release()
		}
		for _, s := range due {
			ctx, cancel := context.WithTimeout(context.Background(), k.member.TTL())
			k.Save(ctx, s)
			cancel()
		}
		if !left {
			return
		}
	}
}

// look returns the sessions that this process has lost, which it removes, and those whose records are old. It reports
// whether any are left.
func (k *Sessions) look() (lost, due []*streamable.KeptSession, left bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for id, s := range k.here {
		m := s.Mark().(*mark)
		switch {
		case !m.lease.Valid():
			delete(k.here, id)
			lost = append(lost, s)
		case s.Idle() > 0 && m.isOld(s.Idle()/2):
			due = append(due, s)
		}
	}
	k.tending = len(k.here) > 0
	return lost, due, k.tending
}

// isOld reports whether the record was written longer than some time ago. It is false while it is being written.
func (m *mark) isOld(age time.Duration) bool {
	if !m.mu.TryLock() {
		return false
	}
	defer m.mu.Unlock()
	return time.Since(m.saved) > age
}
