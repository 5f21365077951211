package store

import (
	"context"
	"errors"
	"time"
)

// Once returns a function for [github.com/mcpgen/mcpgen/runtime/server.Options.StateOnce] that makes state valid
// for one use among all processes that share a store.
func Once(s Store) func(ctx context.Context, id string, until time.Time) (first bool, err error) {
	return func(ctx context.Context, id string, until time.Time) (bool, error) {
		_, err := s.Put(ctx, "once."+id, nil, 0, max(time.Until(until), time.Second))
		if errors.Is(err, ErrConflict) {
			return false, nil
		}
		return err == nil, err
	}
}
