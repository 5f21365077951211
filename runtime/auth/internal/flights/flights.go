// Package flights fetches what many requests may need at the same time.
package flights

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/share"
)

// The bounds of what waits for a place.
const (
	maxWaiting = 1024
	maxWait    = 10 * time.Second
)

// A Group fetches a value once for all callers that wait for it, a number of values at a time. One sender, which
// [share.From] knows, may have a quarter of the places, and a quarter of the queue for them; senders take turns.
type Group[K comparable, V any] struct {
	gate  share.Gate
	mu    sync.Mutex
	calls map[K]*call[V]
}

type call[V any] struct {
	done  chan struct{}
	value V
	err   error
}

// New returns a group that fetches at most most values at a time.
func New[K comparable, V any](most int) *Group[K, V] {
	return &Group[K, V]{gate: share.Gate{Max: most, Percent: 25, Queue: maxWaiting}, calls: map[K]*call[V]{}}
}

// Do returns what fetch returns. Fetch runs in a goroutine of its own, so that it goes on for the other callers when
// one of them stops waiting; its context does not end.
func (g *Group[K, V]) Do(ctx context.Context, key K, fetch func(context.Context) (V, error)) (V, error) {
	g.mu.Lock()
	c := g.calls[key]
	if c == nil {
		c = &call[V]{done: make(chan struct{})}
		g.calls[key] = c
		go func() {
			c.value, c.err = g.fetch(share.From(ctx), fetch)
			g.mu.Lock()
			delete(g.calls, key)
			g.mu.Unlock()
			close(c.done)
		}()
	}
	g.mu.Unlock()
	select {
	case <-c.done:
		return c.value, c.err
	case <-ctx.Done():
		var none V
		return none, ctx.Err()
	}
}

// fetch calls fetch when it is the sender's turn.
func (g *Group[K, V]) fetch(sender share.Owner, fetch func(context.Context) (V, error)) (V, error) {
	if err := g.gate.Enter(context.Background(), sender, maxWait); err != nil {
		var none V
		return none, fmt.Errorf("another server must be asked: %w", err)
	}
	defer g.gate.Leave(sender)
	return Contained(fetch)
}

// Contained returns what fetch returns, or what it panics with as an error: in a goroutine of its own nothing above it
// would recover.
func Contained[V any](fetch func(context.Context) (V, error)) (v V, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return fetch(context.Background())
}
