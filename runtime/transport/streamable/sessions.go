package streamable

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
	"time"
)

// sessions are those that are open. Those that nobody uses stand in a list, by the time at which
// they end, and one timer waits for the first of them.
type sessions struct {
	h *Handler

	mu          sync.Mutex
	all         map[string]*liveSession
	first, last *liveSession // of the idle ones
	timer       *time.Timer  // nil if there are no idle ones
	closed      bool
}

var (
	errTooManySessions = errors.New("there are too many sessions; try again later")
	errEnding          = errors.New("the server is about to end; try again later")
)

// open makes a session, in use.
func (t *sessions) open(principal string) (*liveSession, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	most := t.h.opts.MaxSessions
	switch {
	case t.closed:
		return nil, errEnding
	case most > 0 && len(t.all) >= most:
		return nil, errTooManySessions
	}
	if t.all == nil {
		t.all = make(map[string]*liveSession)
	}
	s := t.h.newSession(rand.Text(), principal, t.h.sessionLimits)
	s.users = 1
	t.all[s.id] = s
	return s, nil
}

// use returns a session of a principal, nil if it has none of that id. Release must follow.
func (t *sessions) use(id, principal string) *liveSession {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.all[id]
	// REQ SEC-10, SEC-11, SESS-07
	if s == nil || s.principal != principal {
		return nil
	}
	if s.users++; s.users == 1 {
		t.unlink(s)
	}
	return s
}

// hold is use for those who use it already.
func (t *sessions) hold(s *liveSession) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s.users++
}

func (t *sessions) release(s *liveSession) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if s.users--; s.users > 0 || t.all[s.id] != s || t.h.opts.SessionIdle < 0 {
		return
	}
	s.expires = time.Now().Add(t.h.opts.SessionIdle)
	if s.prev = t.last; s.prev != nil {
		s.prev.next = s
	} else {
		t.first = s
	}
	t.last = s
	if t.timer == nil {
		t.timer = time.AfterFunc(t.h.opts.SessionIdle, t.expire)
	}
}

// unlink takes a session out of the list of idle ones. It is called with mu.
func (t *sessions) unlink(s *liveSession) {
	if s.prev != nil {
		s.prev.next = s.next
	} else if t.first == s {
		t.first = s.next
	}
	if s.next != nil {
		s.next.prev = s.prev
	} else if t.last == s {
		t.last = s.prev
	}
	s.prev, s.next = nil, nil
}

// expire ends the sessions whose time is up.
func (t *sessions) expire() {
	var ended []*liveSession
	t.mu.Lock()
	now := time.Now()
	for s := t.first; s != nil && !s.expires.After(now); s = t.first {
		t.unlink(s)
		delete(t.all, s.id)
		ended = append(ended, s)
	}
	if t.timer != nil {
		if t.first != nil {
			t.timer.Reset(t.first.expires.Sub(now))
		} else {
			t.timer = nil
		}
	}
	t.mu.Unlock()
	for _, s := range ended {
		s.end()
	}
}

// remove ends a session.
func (t *sessions) remove(s *liveSession) {
	t.mu.Lock()
	t.unlink(s)
	delete(t.all, s.id)
	t.mu.Unlock()
	s.end()
}

// close ends all sessions. There will be no more. It does not wait longer than until ctx ends for
// clients that do not read.
func (t *sessions) close(ctx context.Context) {
	t.mu.Lock()
	all := t.all
	t.all, t.first, t.last, t.closed = nil, nil, nil, true
	if t.timer != nil {
		t.timer.Stop()
		t.timer = nil
	}
	t.mu.Unlock()
	var wg sync.WaitGroup
	for _, s := range all {
		wg.Go(s.end)
	}
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	select {
	case <-done:
	case <-ctx.Done():
	}
}
