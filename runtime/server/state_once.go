package server

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
)

// ownerKey is the context key for the owner of the state, in [Options.StateOnce].
type ownerKey struct{}

// OnceInMemory returns a function for [Options.StateOnce] that remembers used states in this process. It remembers
// at most that many at the same time: 200,000 if most is 0, which takes about 50 MiB; a negative number means no
// limit. One client may have a quarter of them. Further states are refused until some have expired.
func OnceInMemory(most int) func(ctx context.Context, id string, until time.Time) (first bool, err error) {
	m := &onceMemory{used: make(map[string]usedState)}
	m.room = share.Room{Max: option.Limit(most, 200_000), Percent: 25}
	return m.use
}

type onceMemory struct {
	room share.Room

	mu    sync.Mutex
	used  map[string]usedState
	sweep time.Time // when to remove what has expired
}

type usedState struct {
	until time.Time
	owner share.Owner
}

var errTooManyStates = errors.New("there are too many used ones to remember: try again later")

func (m *onceMemory) use(ctx context.Context, id string, until time.Time) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := time.Now()
	if now.After(m.sweep) {
		for id, u := range m.used {
			if now.After(u.until) {
				delete(m.used, id)
				m.room.Give(u.owner, 1)
			}
		}
		m.sweep = now.Add(time.Minute)
	}
	if _, again := m.used[id]; again {
		return false, nil
	}
	owner, _ := ctx.Value(ownerKey{}).(share.Owner)
	if !m.room.Take(owner, 1) {
		return false, errTooManyStates
	}
	m.used[id] = usedState{until, owner}
	return true, nil
}
