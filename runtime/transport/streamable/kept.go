package streamable

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/contain"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/transport/internal/front"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The state of a session is saved before its client learns of the change: a response that promised something which another
// process does not know would be a lie once that one has the session. So initialize, and each request that changes the state, wait for the
// keeper; all others do not.
//
// A handler may lose a session at any time, to another process that has found it, or because the keeper is not sure any more.
// Then its streams break and its calls end here, but nothing is said to have ended: the client comes back, and whoever finds
// the session then goes on. Between the two, the keeper's Holds is asked for each request and each event.

const keeperName = "the keeper of the sessions"

// A containedKeeper is a keeper whose panics are errors. A keeper is not called for requests alone: a timer ends the sessions that
// nobody uses, and when the handler shuts down, each session is saved by a goroutine of its own. After such an error a session
// is what it is after any other error of that method: one that could not be opened does not exist, and one that could not be
// saved is saved with the next request.
type containedKeeper struct {
	Keeper
	log *slog.Logger
}

func (k containedKeeper) Open(ctx context.Context) (id string, err error) {
	defer contain.Panic(k.log, keeperName, &err)
	return k.Keeper.Open(ctx)
}

func (k containedKeeper) Save(ctx context.Context, s *KeptSession) (err error) {
	defer contain.Panic(k.log, keeperName, &err)
	return k.Keeper.Save(ctx, s)
}

func (k containedKeeper) Find(ctx context.Context, id string) (s *SavedSession, err error) {
	defer contain.Panic(k.log, keeperName, &err)
	return k.Keeper.Find(ctx, id)
}

// Holds is false after a panic: nobody knows whether another handler has the session.
func (k containedKeeper) Holds(s *KeptSession) (holds bool) {
	defer contain.Panic(k.log, keeperName, new(error))
	return k.Keeper.Holds(s)
}

func (k containedKeeper) End(ctx context.Context, s *KeptSession) (err error) {
	defer contain.Panic(k.log, keeperName, &err)
	return k.Keeper.End(ctx, s)
}

// isLost reports whether the handler may no longer serve the session.
func (s *liveSession) isLost() bool { return s.kept != nil && !s.h.opts.Sessions.Holds(s.kept) }

// isSaved reports whether the state of the session was saved. It is true without a keeper. A session that was opened, but
// not saved, does not exist for its client.
func (s *liveSession) isSaved() bool {
	if s.kept == nil {
		return true
	}
	s.kept.saving.Lock()
	defer s.kept.saving.Unlock()
	return s.kept.saved != 0
}

// save makes the keeper save the state of the session, if that has changed or in any case. The server counts the changes of a
// session (StateVersion), so a request that changes nothing costs the keeper nothing.
func (s *KeptSession) save(ctx context.Context, always bool) error {
	s.saving.Lock()
	defer s.saving.Unlock()
	// The version is read before the keeper asks for the state: what changes in between is saved with the next request.
	// Before initialize both versions are 0, and there is nothing to save.
	h, version := s.live.h, s.live.mcp.StateVersion()
	switch {
	case !always && s.saved == version:
		return nil
	case s.ended || s.moved || !h.opts.Sessions.Holds(s):
		return errUnavailable
	}
	s.tried = true
	err := h.opts.Sessions.Save(ctx, s)
	if err == nil {
		s.saved = version
		return nil
	}
	return s.failed(ctx, err)
}

// end makes the keeper end the session.
func (s *KeptSession) end(ctx context.Context) error {
	s.saving.Lock()
	defer s.saving.Unlock()
	switch {
	case s.moved:
		return new(ElsewhereError)
	case s.ended || !s.tried: // the keeper has nothing of it
		return nil
	}
	if err := s.live.h.opts.Sessions.End(ctx, s); err != nil {
		return s.failed(ctx, err)
	}
	s.ended = true
	return nil
}

// failed returns the error for the client when the keeper cannot save or end the session, and gives the session up if
// another handler has it. It is called with saving held.
func (s *KeptSession) failed(ctx context.Context, err error) error {
	if _, s.moved = errors.AsType[*ElsewhereError](err); s.moved {
		go s.Release() // it closes the session, and must not do that with saving held
	}
	return s.live.h.keeperFailed(ctx, err)
}

// keeperFailed returns the error for the client, which need not know why a keeper has failed; the log does.
func (h *Handler) keeperFailed(ctx context.Context, err error) error {
	if moved, ok := errors.AsType[*ElsewhereError](err); ok {
		return moved
	}
	h.opts.Logger.WarnContext(ctx, "streamable: the keeper of the sessions failed", "error", err)
	return errUnavailable
}

// find continues a session that the handler does not have, and returns it in use. It returns nil if the client has no
// session with that id. Of several requests for it at the same time, one does this, and the others wait and look again.
//
// The order is: ask the keeper, make the session, save it, which tells the keeper that it is here, and enter it into the
// table. Notifications of what has changed meanwhile are sent last, when a request can already find the session.
func (t *sessions) find(ctx context.Context, in *incoming, id string) (*liveSession, error) {
	for {
		t.mu.Lock()
		if s := t.all[id]; s != nil && s.isLost() {
			t.drop(s)
			t.mu.Unlock()
			s.abandon()
			continue
		}
		other := t.finding[id]
		if other == nil {
			break // with mu held
		}
		t.mu.Unlock()
		select {
		case <-other:
		case <-ctx.Done():
			return nil, errUnavailable
		}
	}
	// No other request looks for the session now. Those that come meanwhile wait for done. Then they come here one after
	// another, and t.use returns what this request has found.
	done := make(chan struct{})
	if t.finding == nil {
		t.finding = make(map[string]chan struct{})
	}
	t.finding[id] = done
	t.mu.Unlock()
	defer func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.finding, id)
		close(done)
	}()
	if s := t.use(id, in.Sender.Principal); s != nil { // another request was faster
		return s, nil
	}
	kept, err := t.h.opts.Sessions.Find(ctx, id)
	if err != nil {
		return nil, t.h.keeperFailed(ctx, err)
	}
	// Nobody has it: status 404 tells the client to open another one.
	if kept == nil {
		return nil, nil
	}
	s, err := t.h.restore(in, id, kept)
	if err != nil {
		return nil, t.h.keeperFailed(ctx, err)
	}
	if s == nil {
		return nil, nil
	}
	if err = s.kept.save(ctx, true); err == nil {
		err = t.enter(s, in.Owner)
	}
	if err != nil {
		s.abandon()
		return nil, err
	}
	s.mcp.Resume()
	return s, nil
}

// giveUp removes a session that this handler no longer serves.
func (t *sessions) giveUp(s *liveSession) {
	t.mu.Lock()
	t.drop(s)
	t.mu.Unlock()
	s.abandon()
}

// abandon ends the session in this handler alone: another one may continue it.
func (s *liveSession) abandon() {
	s.peer.Close()
	s.mcp.Close()
}

const (
	shutdownTime  = 5 * time.Second // for saving all sessions
	shutdownSaves = 64              // at the same time
)

// abandonAll saves and abandons sessions, so that those who continue them know which requests were handled. A session that
// was never saved is not one that anybody could continue.
func abandonAll(ctx context.Context, all map[string]*liveSession) {
	ctx, cancel := context.WithTimeout(ctx, shutdownTime)
	defer cancel()
	var wg sync.WaitGroup
	slots := make(chan struct{}, shutdownSaves)
	for _, s := range all {
		slots <- struct{}{}
		wg.Go(func() {
			if s.isSaved() {
				s.kept.save(ctx, true)
			}
			s.abandon()
			<-slots
		})
	}
	wg.Wait()
}

// A keptHandler handles what arrives in a session that is kept.
type keptHandler struct{ *liveSession }

// ServeRequest implements [transport.Handler].
func (s keptHandler) ServeRequest(ctx context.Context, r *transport.Request) (wire.Raw, error) {
	result, err := s.mcp.ServeRequest(ctx, r)
	return result, s.saved(ctx, r.Stream, err)
}

// ServeNotification implements [transport.Handler].
func (s keptHandler) ServeNotification(ctx context.Context, r *transport.Request) error {
	return s.saved(ctx, r.Stream, s.mcp.ServeNotification(ctx, r))
}

// Revision implements [transport.Handler].
func (s keptHandler) Revision() wire.Revision { return s.mcp.Revision() }

// saved saves what a request has changed. It returns the error of the request or that of saving, because what a client
// learns must still be true when another handler has continued the session.
func (s keptHandler) saved(ctx context.Context, stream any, err error) error {
	if err != nil {
		return err // what it has changed all the same is saved with the next request
	}
	failed := s.kept.save(ctx, false)
	if failed == nil {
		return nil
	}
	if x, ok := stream.(*response); ok {
		x.failWith(http.StatusServiceUnavailable, "1")
	}
	return front.Unavailable(failed.Error())
}
