package auth

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// maxFlights is how many requests of a kind are sent to an authorization server at the same time.
const maxFlights = 64

// flights fetch what belongs to tokens, once for all callers that wait for the same token.
type flights[V any] struct {
	slots chan struct{}
	mu    sync.Mutex
	calls map[tokenKey]*flight[V]
}

type flight[V any] struct {
	done  chan struct{}
	value V
	err   error
}

func newFlights[V any]() *flights[V] {
	return &flights[V]{slots: make(chan struct{}, maxFlights), calls: map[tokenKey]*flight[V]{}}
}

// do returns what fetch returns. Fetch runs in a goroutine of its own, so that it goes on for the other callers when
// one of them stops waiting.
func (f *flights[V]) do(ctx context.Context, key tokenKey, fetch func(context.Context) (V, error)) (V, error) {
	f.mu.Lock()
	c := f.calls[key]
	if c == nil {
		select {
		case f.slots <- struct{}{}:
		default:
			f.mu.Unlock()
			var none V
			return none, errors.New("auth: too many requests to the authorization server")
		}
		c = &flight[V]{done: make(chan struct{})}
		f.calls[key] = c
		go func() {
			c.value, c.err = contained(fetch)
			f.mu.Lock()
			delete(f.calls, key)
			f.mu.Unlock()
			<-f.slots
			close(c.done)
		}()
	}
	f.mu.Unlock()
	select {
	case <-c.done:
		return c.value, c.err
	case <-ctx.Done():
		var none V
		return none, ctx.Err()
	}
}

// contained returns what fetch returns, or what it panics with as an error: nothing above it would recover.
func contained[V any](fetch func(context.Context) (V, error)) (v V, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("auth: panic: %v", p)
		}
	}()
	return fetch(context.Background())
}
