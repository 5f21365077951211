// Package lifetime bounds goroutines and contexts by the lifetime of a client or a transport.
package lifetime

import (
	"context"
	"sync"
	"time"
)

// A Lifetime is the time from [New] to [Lifetime.End].
type Lifetime struct {
	ctx context.Context // contexts derived from it end with the lifetime, and with nothing else
	end context.CancelFunc

	mu    sync.Mutex // nothing is added to tasks once End has returned
	tasks sync.WaitGroup
}

// New returns a lifetime whose contexts have the values of ctx.
func New(values context.Context) *Lifetime {
	l := new(Lifetime)
	l.ctx, l.end = context.WithCancel(context.WithoutCancel(values))
	return l
}

// Context returns the context that ends with the lifetime.
func (l *Lifetime) Context() context.Context { return l.ctx }

// Done returns a channel that is closed at the end.
func (l *Lifetime) Done() <-chan struct{} { return l.ctx.Done() }

// Over reports whether the lifetime has ended.
func (l *Lifetime) Over() bool { return l.ctx.Err() != nil }

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

// End ends the lifetime. Ending it again does nothing.
func (l *Lifetime) End() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.end()
}

// Wait waits, after End, until the goroutines have returned.
func (l *Lifetime) Wait() { l.tasks.Wait() }

// WaitFor is Wait, for no longer than a time.
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
