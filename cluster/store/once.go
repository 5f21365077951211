package store

import (
	"context"
	"errors"
	"time"
)

// Once returns a function for [github.com/mcpgen/mcpgen/runtime/server.Options.StateOnce] that makes state valid
// for one use among all processes that share a store. A use that is the first of this process, as here tells, is
// recorded in the store; here is also what bounds how many uses each client can have recorded by this process. It
// is [github.com/mcpgen/mcpgen/runtime/server.OnceInMemory] of as many as the store has room for.
func Once(s Store, here func(ctx context.Context, id string, until time.Time) (first bool, err error)) func(ctx context.Context, id string, until time.Time) (first bool, err error) {
	return func(ctx context.Context, id string, until time.Time) (bool, error) {
		if first, err := here(ctx, id, until); err != nil || !first {
			return false, err
		}
		_, err := s.Put(ctx, "once."+id, nil, 0, max(time.Until(until), time.Second))
		if errors.Is(err, ErrConflict) {
			return false, nil
		}
		return err == nil, err
	}
}
