// Package flights fetches what many requests may need at the same time.
package flights

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/internal/turns"
)

// The bounds of what waits for a place.
const (
	maxWaiting = 1024
	maxWait    = 10 * time.Second
)

// A Group fetches a value once for all callers that wait for it, a number of values at a time. One sender, which
// [share.From] knows, may have a quarter of the places. Senders take turns, also if they wait for the same value: the first
// whose turn it is fetches it for all.
type Group[K comparable, V any] struct {
	gate  turns.Gate
	mu    sync.Mutex
	calls map[K]*call[K, V]
}

// A call is a value that callers wait for.
type call[K comparable, V any] struct {
	key      K
	fetching bool
	waits    map[share.Owner]*wait[K, V]
}

// A wait is that of all callers from one sender. The value and the error are set before done is closed.
type wait[K comparable, V any] struct {
	call    *call[K, V]
	sender  share.Owner
	callers int
	leave   context.CancelFunc // the queue
	done    chan struct{}
	value   V
	err     error
}

// New returns a group that fetches at most most values at a time.
func New[K comparable, V any](most int) *Group[K, V] {
	return &Group[K, V]{gate: turns.Gate{Max: most, Queue: maxWaiting}, calls: map[K]*call[K, V]{}}
}

// Do returns what fetch returns. Fetch is called in a goroutine of its own, unless all callers have stopped waiting before
// its turn. Once it is called it goes on, whoever stops waiting; its context does not end.
func (g *Group[K, V]) Do(ctx context.Context, key K, fetch func(context.Context) (V, error)) (V, error) {
	w := g.join(share.From(ctx), key, fetch)
	select {
	case <-w.done:
		return w.value, w.err
	case <-ctx.Done():
		g.mu.Lock()
		defer g.mu.Unlock()
		if w.callers--; w.callers == 0 {
			g.remove(w)
		}
		var none V
		return none, ctx.Err()
	}
}

// join adds a caller to those that wait.
func (g *Group[K, V]) join(sender share.Owner, key K, fetch func(context.Context) (V, error)) *wait[K, V] {
	g.mu.Lock()
	defer g.mu.Unlock()
	c := g.calls[key]
	if c == nil {
		c = &call[K, V]{key: key, waits: map[share.Owner]*wait[K, V]{}}
		g.calls[key] = c
	}
	w := c.waits[sender]
	if w == nil {
		queue, leave := context.WithCancel(context.Background())
		w = &wait[K, V]{call: c, sender: sender, leave: leave, done: make(chan struct{})}
		c.waits[sender] = w
		if !c.fetching {
			go g.enter(queue, w, fetch)
		}
	}
	w.callers++
	return w
}

// enter fetches a value when it is the turn of a sender that still waits for it, unless another one was first.
func (g *Group[K, V]) enter(queue context.Context, w *wait[K, V], fetch func(context.Context) (V, error)) {
	err := g.gate.Enter(queue, w.sender, maxWait)
	if err == nil {
		defer g.gate.Leave(w.sender)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	c := w.call
	if c.fetching || w.callers == 0 {
		return
	}
	if err != nil {
		g.remove(w)
		w.err = fmt.Errorf("another server must be asked: %w", err)
		close(w.done)
		return
	}
	c.fetching = true
	for _, other := range c.waits {
		other.leave()
	}
	g.mu.Unlock()
	value, err := Contained(fetch)
	g.mu.Lock()
	delete(g.calls, c.key)
	for _, w := range c.waits {
		w.value, w.err = value, err
		close(w.done)
	}
}

// remove removes what nobody waits for.
func (g *Group[K, V]) remove(w *wait[K, V]) {
	w.leave()
	c := w.call
	if c.waits[w.sender] == w {
		delete(c.waits, w.sender)
	}
	if len(c.waits) == 0 && !c.fetching && g.calls[c.key] == c {
		delete(g.calls, c.key)
	}
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
