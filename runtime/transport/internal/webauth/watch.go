package webauth

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/again"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
)

// askTime is how long it may take to ask about a sender again.
const askTime = 30 * time.Second

// A Watch knows what entitles a client to a stream: who asked for it, with which scopes, and until when. Once it is started,
// it ends the stream when its sender may no longer have it: the identity has ended, or the Authorizer refuses the request
// when it is asked again. A nil Watch is that of a stream that requires no scopes, and that its sender may have for ever.
type Watch struct {
	guard  *Guard
	scopes []string
	end    func() // set by Start

	mu     sync.Mutex
	r      *http.Request // since Start without its body, nil if nobody can be asked
	sender Sender
	timer  *time.Timer // nil before Start, and once the watch has ended
}

// mayEnd reports whether a stream of a sender may end before its client or the server ends it.
func (g *Guard) mayEnd(s *Sender) bool { return !s.Expires.IsZero() || g.asks(s) }

// asks reports whether there is somebody to ask about a sender. What middleware has verified stays so.
func (g *Guard) asks(s *Sender) bool { return s.Principal != "" && g.Auth != nil }

// NewWatch returns a watch for a stream that requires scopes and may be opened later, as most are not.
func (g *Guard) NewWatch(r *http.Request, s *Sender, scopes []string) *Watch {
	if len(scopes) == 0 && !g.mayEnd(s) {
		return nil
	}
	return &Watch{guard: g, scopes: scopes, r: r, sender: *s}
}

// Watch returns a watch for a stream that requires no scopes, and starts it.
func (g *Guard) Watch(r *http.Request, s *Sender, end func()) *Watch {
	w := g.NewWatch(r, s, nil)
	w.Start(end)
	return w
}

// MayEnd reports whether the stream may end before its client or the server ends it.
func (w *Watch) MayEnd() bool { return w != nil && w.guard.mayEnd(&w.sender) }

// Scopes returns the scopes that the stream requires.
func (w *Watch) Scopes() []string {
	if w == nil {
		return nil
	}
	return w.scopes
}

// Start makes the watch call end, once, when the sender may no longer have the stream.
func (w *Watch) Start(end func()) {
	if !w.MayEnd() {
		if w != nil {
			w.r = nil // nobody is asked
		}
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.end = end
	w.set(w.r, &w.sender)
	w.timer = time.AfterFunc(w.pause(), w.look)
}

// HasExpired reports whether the identity has ended, for a watch that was not started yet.
func (w *Watch) HasExpired() bool { return w != nil && w.sender.hasExpired() }

func (g *Guard) every() time.Duration { return cmp.Or(g.AskEvery, time.Minute) }

func (w *Watch) set(r *http.Request, s *Sender) {
	w.sender, w.r = *s, nil
	if !w.guard.asks(s) {
		return
	}
	w.r = r.WithContext(again.With(context.WithoutCancel(r.Context())))
	w.r.Body, w.r.GetBody = http.NoBody, nil // or the buffers of the connection would stay in memory
}

// pause returns how long to wait before the next look.
func (w *Watch) pause() time.Duration {
	switch left := time.Until(w.sender.Expires); {
	case w.sender.Expires.IsZero():
		return w.guard.every()
	case w.r == nil:
		return left
	default:
		return min(left, w.guard.every())
	}
}

// Extend watches the sender of another request from now on, if that lasts longer than the one before.
func (w *Watch) Extend(r *http.Request, s *Sender) {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.timer == nil:
	case !w.guard.mayEnd(s):
		w.stop()
	case s.Expires.IsZero() || s.Expires.After(w.sender.Expires) && !w.sender.Expires.IsZero():
		w.set(r, s)
		w.timer.Reset(w.pause())
	}
}

// Stop ends the watch.
func (w *Watch) Stop() {
	if w == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stop()
}

func (w *Watch) stop() {
	if w.timer != nil {
		w.timer.Stop()
		w.timer = nil
	}
	w.r = nil // what keeps the response need not keep the request
}

// look ends the stream, or sets the timer again.
func (w *Watch) look() {
	w.mu.Lock()
	r, s := w.r, w.sender
	w.mu.Unlock()
	over := s.hasExpired()
	if !over && r != nil {
		s.Expires, over = w.guard.ask(r, &s, w.scopes)
		over = over || s.hasExpired()
	}
	w.mu.Lock()
	if w.timer == nil {
		w.mu.Unlock()
		return
	}
	if r == w.r { // otherwise another request counts now
		w.sender.Expires = s.Expires
		if over {
			w.stop()
			w.mu.Unlock()
			w.end()
			return
		}
	}
	w.timer.Reset(w.pause())
	w.mu.Unlock()
}

// ask asks about the sender of a request again, and returns when the identity ends, and whether that is now. If nobody
// can say, it goes on. It counts for the principal, which is known by now, wherever the request comes from.
func (g *Guard) ask(r *http.Request, s *Sender, scopes []string) (expires time.Time, over bool) {
	ctx, cancel := context.WithTimeout(r.Context(), askTime)
	defer cancel()
	now, err := g.Sender(r.WithContext(share.With(ctx, share.Of(s.Principal, "", nil))))
	if temporary, ok := errors.AsType[interface {
		error
		Temporary() bool
	}](err); ok && temporary.Temporary() {
		return s.Expires, false
	}
	return now.Expires, err != nil || now.Principal != s.Principal || len(now.Lacks(scopes)) > 0
}
