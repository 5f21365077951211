package seams

import (
	"context"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/client"
)

// A Clock adds up how long the calls of a client take, by method. The zero value is empty.
type Clock struct {
	mu    sync.Mutex
	times map[string]time.Duration
}

// Send is for client.Options.Send.
func (k *Clock) Send(next client.SendFunc) client.SendFunc {
	return func(ctx context.Context, c *client.Call) error {
		begin := time.Now()
		err := next(ctx, c)
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.times == nil {
			k.times = make(map[string]time.Duration)
		}
		k.times[c.Method.Name] += time.Since(begin)
		return err
	}
}

// Time returns how long all calls of a method have taken together.
func (k *Clock) Time(method string) time.Duration {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.times[method]
}
