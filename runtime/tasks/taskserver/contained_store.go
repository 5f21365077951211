package taskserver

import (
	"context"
	"log/slog"

	"github.com/mcpgen/mcpgen/runtime/internal/contain"
)

const storeName = "the store of tasks"

// A containedStore is a store whose panics are errors.
type containedStore struct {
	Store
	log *slog.Logger
}

func (s containedStore) Create(ctx context.Context, r *Record) (err error) {
	defer contain.Panic(s.log, storeName, &err)
	return s.Store.Create(ctx, r)
}

func (s containedStore) Load(ctx context.Context, principal, id string) (r *Record, err error) {
	defer contain.Panic(s.log, storeName, &err)
	return s.Store.Load(ctx, principal, id)
}

func (s containedStore) Update(ctx context.Context, r *Record) (err error) {
	defer contain.Panic(s.log, storeName, &err)
	return s.Store.Update(ctx, r)
}

func (s containedStore) Delete(ctx context.Context, principal, id string) (err error) {
	defer contain.Panic(s.log, storeName, &err)
	return s.Store.Delete(ctx, principal, id)
}

func (s containedStore) List(ctx context.Context, principal, after string, n int) (all []*Record, err error) {
	defer contain.Panic(s.log, storeName, &err)
	return s.Store.List(ctx, principal, after, n)
}

// Watch returns a function that does nothing after a panic: then what has become of a task is seen when it is read.
func (s containedStore) Watch(principal, id string, changed func(r *Record, lost error)) (stop func()) {
	stop = func() {}
	defer contain.Panic(s.log, storeName, new(error))
	end := s.Store.Watch(principal, id, changed)
	return func() {
		defer contain.Panic(s.log, storeName, new(error))
		end()
	}
}
