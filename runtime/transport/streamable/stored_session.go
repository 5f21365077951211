package streamable

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"math"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/store"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/front"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// With [Options.Member] a session is also a record of the store, which says which process holds it. The record
// changes with the state, which is rare: calls are not written. The process that holds a session serves it from
// memory.

// A sessionRecord is a session in the store.
type sessionRecord struct {
	Holder    string          `json:"holder"` // the name of a lease
	Takeovers int64           `json:"takeovers,omitempty"`
	Principal string          `json:"principal,omitempty"`
	State     json.RawMessage `json:"state"`
	Used      peer.UsedIDs    `json:"used,omitzero"` // when the record was written
}

// A storedSession is what a session knows about its record.
type storedSession struct {
	lease     *store.Lease
	takeovers int64 // how often a process has taken the session over
	principal string

	mu       sync.Mutex // held while the record is written
	revision uint64     // of the record; 0 if there is none
	version  uint32     // of the state in it
	saved    time.Time
	gone     bool // this process no longer holds the session
	deleted  bool // the session has ended
}

var (
	errUnavailable = errors.New("sessions cannot be served at the moment; try again later")
	errHeld        = errors.New("the session is served by another process; try again later")
	errRecord      = errors.New("streamable: the record of a session is not one that a handler has written")
	errCutOff      = errors.New("the process that handled the request has stopped before it was done; what it did until then is not known")
)

func sessionKey(id string) string { return "session." + id }

const (
	// takeoverShift makes the numbers of streams and the ids of requests differ from those used before the session was
	// taken over.
	takeoverShift = 32
	maxTakeovers  = math.MaxInt64>>takeoverShift - 1
)

// newStoredSession returns a session that is held by a lease.
func (h *Handler) newStoredSession(id, principal string, lease *store.Lease, takeovers int64) *liveSession {
	s := h.newSession(id, principal, h.sessionLimits, &storedSession{lease: lease, takeovers: takeovers, principal: principal})
	s.lastStream = takeovers << takeoverShift
	s.peer.SkipIDs(takeovers << takeoverShift)
	return s
}

// isLost reports whether the lease of the session has ended.
func (s *liveSession) isLost() bool { return s.stored != nil && !s.stored.lease.Valid() }

// restore continues a session that this process does not have, and returns it in use. It returns nil if the client has
// no session with that id.
func (t *sessions) restore(ctx context.Context, in *incoming, id string) (*liveSession, error) {
	if !store.ValidKey(sessionKey(id)) {
		return nil, nil
	}
	for {
		t.mu.Lock()
		if s := t.all[id]; s != nil && s.isLost() {
			t.drop(s)
			t.mu.Unlock()
			s.abandon()
			continue
		}
		other := t.restoring[id]
		if other == nil {
			break
		}
		t.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, errUnavailable
		}
	}
	done := make(chan struct{})
	if t.restoring == nil {
		t.restoring = make(map[string]chan struct{})
	}
	t.restoring[id] = done
	t.mu.Unlock()
	defer func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.restoring, id)
		close(done)
	}()
	if s := t.use(id, in.Sender.Principal); s != nil { // another request was faster
		return s, nil
	}
	return t.takeOver(ctx, in, id)
}

// takeOver is restore for one request at a time.
func (t *sessions) takeOver(ctx context.Context, in *incoming, id string) (*liveSession, error) {
	h := t.h
	s, err := h.claim(ctx, in, id)
	if s == nil || err != nil {
		return nil, err
	}
	if err := t.enter(s, in.Owner); err != nil {
		s.abandon()
		return nil, err
	}
	s.mcp.Resume()
	return s, nil
}

// claim makes this process the holder of a session, if nobody else is, and returns the session as it was stored.
func (h *Handler) claim(ctx context.Context, in *incoming, id string) (*liveSession, error) {
	m := h.opts.Member
	lease := m.Lease()
	if lease == nil {
		return nil, errUnavailable
	}
	var rec sessionRecord
	revision, err := readRecord(ctx, m.Store(), id, &rec)
	switch {
	case err != nil:
		return nil, h.storeFailed(ctx, err)
	case revision == 0:
		return nil, nil
	case !rec.valid(): // the session may be alive
		return nil, h.storeFailed(ctx, errRecord)
	// REQ SEC-10, SEC-11, SESS-07
	case rec.Principal != in.Sender.Principal:
		return nil, nil
	}
	if rec.Holder != lease.ID() {
		switch alive, err := m.Alive(ctx, rec.Holder); {
		case err != nil:
			return nil, h.storeFailed(ctx, err)
		case alive:
			return nil, errHeld
		}
	}
	s := h.newStoredSession(id, rec.Principal, lease, rec.Takeovers+1)
	s.stored.revision = revision
	s.peer.SetUsedIDs(rec.Used)
	if err := s.mcp.Restore(in.R.Context(), in.Origin(), rec.State); err != nil {
		s.abandon()
		if x, ok := errors.AsType[*jsonrpc.Error](err); !ok || x.Code != mcp.CodeUnsupportedProtocolVersion {
			return nil, h.storeFailed(ctx, errors.Join(errRecord, err))
		}
		h.opts.Logger.WarnContext(ctx, "streamable: cannot restore a session", "error", err)
		return nil, nil
	}
	if err := s.save(ctx); err != nil {
		s.abandon()
		return nil, err
	}
	if err := h.opts.Events.TakeOver(ctx, id, s.stored.takeovers); err != nil {
		s.abandon()
		return nil, h.storeFailed(ctx, err)
	}
	return s, nil
}

// readRecord decodes the record of a session, and returns its revision; 0 if there is none.
func readRecord(ctx context.Context, s store.Store, id string, record any) (uint64, error) {
	r, err := s.Get(ctx, sessionKey(id))
	switch {
	case errors.Is(err, store.ErrNotFound):
		return 0, nil
	case err != nil:
		return 0, err
	}
	if err := json.Unmarshal(r.Value, record); err != nil {
		return r.Revision, errors.Join(errRecord, err)
	}
	return r.Revision, nil
}

// valid reports whether a record can be one that a process has written.
func (r *sessionRecord) valid() bool {
	return r.Holder != "" && r.Takeovers >= 0 && r.Takeovers < maxTakeovers && len(r.State) > 0
}

// SessionHolder returns the name of the lease that last held a session, as [Options.Member] has recorded it in a store.
// It is empty if there is no session with that id. It is an error if the record of the session is not one that a handler
// has written.
func SessionHolder(ctx context.Context, s store.Store, id string) (string, error) {
	var rec struct { // no other keys, which another version of the program may have added
		Holder string `json:"holder"`
	}
	revision, err := readRecord(ctx, s, id, &rec)
	if err == nil && revision != 0 && rec.Holder == "" {
		err = errRecord
	}
	return rec.Holder, err
}

// storeFailed logs why the store failed, which clients need not know, and returns the error for them.
func (h *Handler) storeFailed(ctx context.Context, err error) error {
	h.opts.Logger.WarnContext(ctx, "streamable: the store of the sessions failed", "error", err)
	return errUnavailable
}

// saveChanges is save if the state of the session has changed.
func (s *liveSession) saveChanges(ctx context.Context) error {
	st := s.stored
	st.mu.Lock()
	same := st.version == s.mcp.StateVersion()
	st.mu.Unlock()
	if same {
		return nil
	}
	return s.save(ctx)
}

// save writes the record of a session. If another process has written it, this one no longer holds the session.
func (s *liveSession) save(ctx context.Context) error {
	st, h := s.stored, s.h
	st.mu.Lock()
	defer st.mu.Unlock()
	if st.gone || st.deleted || !st.lease.Valid() {
		return errUnavailable
	}
	version := s.mcp.StateVersion()
	state, err := s.mcp.State()
	if err != nil {
		return err
	}
	data, err := json.Marshal(sessionRecord{st.lease.ID(), st.takeovers, st.principal, state, s.peer.UsedIDs()})
	if err != nil {
		return err
	}
	var ttl time.Duration
	if idle := h.opts.SessionIdle; idle > 0 {
		ttl = 2 * idle
	}
	revision, err := h.opts.Member.Store().Put(ctx, sessionKey(s.id), data, st.revision, ttl)
	if errors.Is(err, store.ErrConflict) {
		st.gone = true
		return errHeld
	}
	if err != nil {
		return h.storeFailed(ctx, err)
	}
	st.revision, st.version, st.saved = revision, version, time.Now()
	return nil
}

// forget deletes the record of a session that ends. It is an error if this process does not hold the session.
func (s *liveSession) forget(ctx context.Context) error {
	st := s.stored
	if st == nil {
		return nil
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	switch {
	case st.gone:
		return errHeld
	case st.deleted || st.revision == 0:
		return nil
	}
	err := s.h.opts.Member.Store().Delete(ctx, sessionKey(s.id), st.revision)
	if errors.Is(err, store.ErrConflict) {
		st.gone = true
		return errHeld
	}
	if err != nil {
		return s.h.storeFailed(ctx, err)
	}
	st.deleted = true
	return nil
}

// abandon ends the session in this process alone: others may continue it.
func (s *liveSession) abandon() {
	if st := s.stored; st != nil {
		st.mu.Lock()
		st.gone = true
		st.mu.Unlock()
	}
	s.peer.Close()
	s.mcp.Close()
}

// handOver stores which requests the session has handled, so that the process that continues it handles none again, and
// abandons it.
func (s *liveSession) handOver(ctx context.Context) {
	if s.wasStored() {
		s.save(ctx)
	}
	s.abandon()
}

// tendSessions abandons the sessions that this process has lost, and keeps the records of the others from
// expiring, until the handler ends.
func (h *Handler) tendSessions() {
	m := h.opts.Member
	tick := time.NewTicker(m.TTL() / 2)
	defer tick.Stop()
	for {
		var ended <-chan struct{}
		if lease := m.Lease(); lease != nil {
			ended = lease.Done()
		}
		select {
		case <-h.ending:
			return
		case <-ended:
		case <-tick.C:
		}
		h.sessions.tend()
	}
}

func (t *sessions) tend() {
	var lost, due []*liveSession
	t.mu.Lock()
	for _, s := range t.all {
		gone, old := s.stored.look(time.Now().Add(-t.h.opts.SessionIdle / 2))
		switch {
		case s.isLost() || gone:
			t.drop(s)
			lost = append(lost, s)
		case t.h.opts.SessionIdle > 0 && old:
			due = append(due, s)
		}
	}
	t.mu.Unlock()
	for _, s := range lost {
		s.abandon()
	}
	for _, s := range due {
		ctx, cancel := context.WithTimeout(context.Background(), t.h.opts.Member.TTL())
		s.save(ctx)
		cancel()
	}
}

// look reports whether this process no longer holds the session, and whether the record was last written before the
// given time. Both are false while the process writes the record.
func (st *storedSession) look(at time.Time) (gone, old bool) {
	if !st.mu.TryLock() {
		return false, false
	}
	defer st.mu.Unlock()
	return st.gone, st.revision != 0 && st.saved.Before(at)
}

// A storingHandler handles what arrives in a stored session.
type storingHandler struct{ *liveSession }

// ServeRequest implements [transport.Handler].
func (s storingHandler) ServeRequest(ctx context.Context, r *transport.Request) (wire.Raw, error) {
	result, err := s.mcp.ServeRequest(ctx, r)
	return result, s.saved(ctx, r.Stream, err)
}

// ServeNotification implements [transport.Handler].
func (s storingHandler) ServeNotification(ctx context.Context, r *transport.Request) error {
	return s.saved(ctx, r.Stream, s.mcp.ServeNotification(ctx, r))
}

// Revision implements [transport.Handler].
func (s storingHandler) Revision() wire.Revision { return s.mcp.Revision() }

// saved stores what a request has changed. It returns the error of the request or that of storing, because what a
// client learns must still be true after another process has taken the session over.
func (s storingHandler) saved(ctx context.Context, stream any, err error) error {
	if err != nil {
		return err
	}
	failed := s.saveChanges(ctx)
	if failed == nil {
		return nil
	}
	if x, ok := stream.(*response); ok {
		x.mu.Lock()
		defer x.mu.Unlock()
		if !x.begun && !x.answered && !x.over {
			x.w.Header().Set("Retry-After", "1")
			x.failure = http.StatusServiceUnavailable
		}
	}
	return front.Unavailable(failed.Error())
}

// wasStored reports whether the record of a session was written. It is true for sessions that have none.
func (s *liveSession) wasStored() bool {
	st := s.stored
	if st == nil {
		return true
	}
	st.mu.Lock()
	defer st.mu.Unlock()
	return st.revision != 0
}

// maxNamedID is how many bytes an id may have to be a part of the name of a stream.
const maxNamedID = 128

// callSuffix returns the part of a stream's name that says which request the stream is for, so that a process that
// takes the session over can respond to it.
func (x *response) callSuffix() string {
	if x.session.stored == nil || x.id.IsZero() {
		return ""
	}
	id, err := wire.Marshal(wire.Any, x.id)
	if err != nil || len(id) > maxNamedID {
		return ""
	}
	return "!" + base64.RawURLEncoding.EncodeToString(id)
}

// lostCall returns the id of the request that a stream is for, if its handler ran before the session was taken over.
func (s *liveSession) lostCall(name string) (id wire.ID, ok bool) {
	if s.stored == nil || name[:1] != streamOfRequest {
		return wire.ID{}, false
	}
	name, _, _ = strings.Cut(name[1:], `"`)
	number, text, ok := strings.Cut(name, "!")
	n, err := strconv.ParseInt(number, 10, 64)
	if !ok || err != nil || n>>takeoverShift >= s.stored.takeovers {
		return wire.ID{}, false
	}
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil || wire.Decode(raw, &id) != nil {
		return wire.ID{}, false
	}
	return id, true
}

// endLostCall appends an error response to the stream of a request whose handler is lost, unless the stream has a
// response.
func (s *liveSession) endLostCall(ctx context.Context, name string) error {
	id, ok := s.lostCall(name)
	if !ok {
		return nil
	}
	s.order.Lock()
	defer s.order.Unlock()
	last, err := s.h.opts.Events.Last(ctx, s.id, name)
	if err != nil {
		return err
	}
	if m, err := jsonrpc.Parse(last.Data); err == nil && m.IsResponse() && m.ID == id {
		return nil
	}
	_, err = s.h.opts.Events.Append(ctx, s.id, name, jsonrpc.AppendError(nil, id, front.Unavailable(errCutOff.Error())))
	return err
}
