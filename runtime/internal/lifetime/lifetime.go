// Package lifetime bounds goroutines and contexts by the lifetime of a connection, a session, a subscription.
package lifetime

import (
	"context"
	"sync"
	"time"
)

// A Lifetime is the time from [New], or [Until], to [Lifetime.End].
type Lifetime struct {
	ctx context.Context // contexts derived from it end with the lifetime
	end context.CancelCauseFunc

	mu    sync.Mutex // nothing is added to tasks once End has returned
	tasks sync.WaitGroup
}

// New returns a lifetime whose context has the values of ctx, but does not end with it.
func New(values context.Context) *Lifetime { return Until(context.WithoutCancel(values)) }

// Until returns a lifetime that ends with ctx at the latest, and then for the same reason.
func Until(ctx context.Context) *Lifetime {
	l := new(Lifetime)
	l.ctx, l.end = context.WithCancelCause(ctx)
	return l
}

// Context returns the context that ends with the lifetime.
func (l *Lifetime) Context() context.Context { return l.ctx }

// Done returns a channel that is closed at the end.
func (l *Lifetime) Done() <-chan struct{} { return l.ctx.Done() }

// Over reports whether the lifetime has ended.
func (l *Lifetime) Over() bool { return l.ctx.Err() != nil }

// Err returns why the lifetime has ended. It is nil if there is no reason, or if it has not ended.
func (l *Lifetime) Err() error {
	if why := context.Cause(l.ctx); why != context.Canceled {
		return why
	}
	return nil
}

// Go calls f in a goroutine, with the context of the lifetime. It returns false instead if the lifetime has ended.
func (l *Lifetime) Go(f func(ctx context.Context)) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.Over() {
		return false
	}
	l.tasks.Go(func() { f(l.ctx) })
	return true
}

// End ends the lifetime. The reason may be nil. Ending it again does nothing.
func (l *Lifetime) End(why error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end(why)
}

// Wait waits, after End, until the goroutines have returned.
func (l *Lifetime) Wait() { l.tasks.Wait() }

// WaitFor waits, after End, until the goroutines have returned, but at most for the given time.
func (l *Lifetime) WaitFor(d time.Duration) {
	done := make(chan struct{})
	go func() {
		l.Wait()
		close(done)
	}()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}
