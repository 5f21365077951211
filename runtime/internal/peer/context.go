package peer

import (
	"context"
	"errors"
	"sync"
	"time"
)

// A lazyContext is a context that is only made when somebody looks at it: most handlers and most
// transports never do, and contexts are expensive in comparison with a call.
type lazyContext struct {
	parent  context.Context
	timeout time.Duration // if positive, it ends after this time with errStuck

	mu     sync.Mutex
	ctx    context.Context // the real one, nil as long as nobody needs it
	cancel context.CancelCauseFunc
	cause  error
	ended  bool

	detached bool // it does not end with its parent
}

// detached returns ctx without its end.
func detached(ctx context.Context) context.Context {
	if ctx.Done() == nil {
		return ctx
	}
	return context.WithoutCancel(ctx)
}

// endOf returns why ctx has ended: its cause, which is also a context.Canceled or
// context.DeadlineExceeded for those who look for that.
func endOf(ctx context.Context) error {
	err, cause := ctx.Err(), context.Cause(ctx)
	if errors.Is(cause, err) {
		return cause
	}
	return &endError{cause, err}
}

type endError struct{ cause, err error }

func (e *endError) Error() string { return e.cause.Error() }

func (e *endError) Unwrap() []error { return []error{e.cause, e.err} }

// errStuck is why a message could not be sent: nobody reads.
var errStuck = errors.New("it does not read")

// end ends the context with a cause. Only the first time counts.
func (l *lazyContext) end(cause error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return
	}
	l.ended, l.cause = true, cause
	if l.cancel != nil {
		l.cancel(cause)
	}
}

// real returns a context of the standard library's.
func (l *lazyContext) real() context.Context {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ctx != nil {
		return l.ctx
	}
	parent := l.parent
	if l.detached {
		parent = detached(parent)
	}
	if l.timeout > 0 {
		var stop context.CancelFunc
		l.ctx, stop = context.WithTimeoutCause(parent, l.timeout, errStuck)
		l.cancel = func(error) { stop() }
	} else {
		l.ctx, l.cancel = context.WithCancelCause(parent)
	}
	if l.ended {
		l.cancel(l.cause)
	}
	return l.ctx
}

// isStuck reports whether the time was up.
func (l *lazyContext) isStuck() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ctx != nil && context.Cause(l.ctx) == errStuck
}

func (l *lazyContext) Deadline() (time.Time, bool) {
	if l.timeout > 0 || l.detached {
		return l.real().Deadline()
	}
	return l.parent.Deadline()
}

func (l *lazyContext) Done() <-chan struct{} { return l.real().Done() }

func (l *lazyContext) Err() error {
	l.mu.Lock()
	ctx, ended := l.ctx, l.ended
	l.mu.Unlock()
	switch {
	case ctx != nil:
		return ctx.Err()
	case ended:
		return context.Canceled
	case l.detached:
		return nil
	}
	return l.parent.Err()
}

// Value asks the real context, because package context finds causes and parents in this way.
func (l *lazyContext) Value(key any) any { return l.real().Value(key) }
