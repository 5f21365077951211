package taskserver

// Much of the code of a program runs where no request waits for it, when a timer fires or a store has news. A panic there would
// end the process, so it is logged, and becomes an error.

import (
	"context"
	"errors"
	"log/slog"
	"runtime/debug"
)

// A container turns panics into errors.
type container struct{ log func() *slog.Logger }

// contain makes a panic of what the program has given an error. It must itself be what a function defers: recover works
// nowhere else.
func (c container) contain(what string, err *error) {
	if p := recover(); p != nil {
		c.log().Error("mcp: panic in "+what, "panic", p, "stack", string(debug.Stack()))
		*err = errors.New(what + " failed")
	}
}

const storeName = "the store of tasks"

// A containedStore is a store whose panics are errors.
type containedStore struct {
	Store
	container
}

func (s containedStore) Create(ctx context.Context, r *Record) (err error) {
	defer s.contain(storeName, &err)
	return s.Store.Create(ctx, r)
}

func (s containedStore) Load(ctx context.Context, principal, id string) (r *Record, err error) {
	defer s.contain(storeName, &err)
	return s.Store.Load(ctx, principal, id)
}

func (s containedStore) Update(ctx context.Context, r *Record) (err error) {
	defer s.contain(storeName, &err)
	return s.Store.Update(ctx, r)
}

func (s containedStore) Delete(ctx context.Context, principal, id string) (err error) {
	defer s.contain(storeName, &err)
	return s.Store.Delete(ctx, principal, id)
}

func (s containedStore) List(ctx context.Context, principal, after string, n int) (all []*Record, err error) {
	defer s.contain(storeName, &err)
	return s.Store.List(ctx, principal, after, n)
}

// Watch returns a function that does nothing after a panic: then what has become of a task is seen when it is read.
func (s containedStore) Watch(principal, id string, changed func(r *Record, lost error)) (stop func()) {
	stop = func() {}
	defer s.contain(storeName, new(error))
	end := s.Store.Watch(principal, id, changed)
	return func() {
		defer s.contain(storeName, new(error))
		end()
	}
}
