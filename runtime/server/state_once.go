package server

import (
	"context"
	"errors"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
)

var errTooManyStates = errors.New("there are too many used ones to remember: try again later")

// OnceInMemory returns a function for [Options.StateOnce] that remembers used states in this process. It remembers
// at most that many at the same time: 200,000 if most is 0, which takes about 10 MiB, and more if each is of another
// client; a negative number means no limit. One client may have a quarter of them. Further states are refused until
// some have expired.
func OnceInMemory(most int) func(ctx context.Context, id string, until time.Time) (first bool, err error) {
	used := share.NewSeen(option.Limit(most, 200_000))
	return func(ctx context.Context, id string, until time.Time) (bool, error) {
		first, room := used.Add(share.From(ctx), id, time.Now(), until)
		if !room {
			return false, errTooManyStates
		}
		return first, nil
	}
}
