package streamable

import (
	"context"
)

// An ending is the context of a request without a session that ends with its HTTP request and, if that
// must be, with the handler. It is made when somebody wants to wait for that.
type ending struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
}

// Done implements [context.Context].
func (x *reply) Done() <-chan struct{} {
	if x.session != nil {
		return x.Context.Done()
	}
	return x.ending().ctx.Done()
}

// Err implements [context.Context].
func (x *reply) Err() error {
	if err := x.Context.Err(); err != nil || x.session != nil || !x.h.cut.Load() {
		return err
	}
	return context.Canceled
}

// value is Value for what is not of the reply itself.
func (x *reply) value(key any) any {
	if x.session == nil && (x.end.Load() != nil || x.h.cut.Load()) {
		return x.ending().ctx.Value(key)
	}
	return x.Context.Value(key)
}

// ending returns the context that ends with the handler, too.
func (x *reply) ending() *ending {
	if e := x.end.Load(); e != nil {
		return e
	}
	h := x.h
	h.mu.Lock()
	defer h.mu.Unlock()
	if e := x.end.Load(); e != nil {
		return e
	}
	e := new(ending)
	e.ctx, e.cancel = context.WithCancelCause(x.Context)
	if h.cut.Load() {
		e.cancel(errEnding)
	} else {
		if h.waiting == nil {
			h.waiting = make(map[*reply]*ending)
		}
		h.waiting[x] = e
	}
	x.end.Store(e)
	return e
}

// endEnding is called when the request is over.
func (x *reply) endEnding() {
	e := x.end.Load()
	if e == nil {
		return
	}
	x.h.mu.Lock()
	delete(x.h.waiting, x)
	x.h.mu.Unlock()
	e.cancel(context.Canceled)
}

// cutOff ends the contexts of all requests without a session.
func (h *Handler) cutOff() {
	h.mu.Lock()
	h.cut.Store(true)
	waiting := h.waiting
	h.waiting = nil
	h.mu.Unlock()
	for _, e := range waiting {
		e.cancel(errEnding)
	}
}
