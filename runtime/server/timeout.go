package server

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Timeout returns a handler that runs h, whose context ends after d. If h then fails, the error tells the model
// that it took too long. The time that a client takes to respond to requests for input, such as [Call.Elicit], does
// not count.
func Timeout(d time.Duration, h ToolHandler) ToolHandler {
	return func(ctx context.Context, c *Call, args wire.Raw) (*mcp.CallToolResult, error) {
		late := fmt.Errorf("the tool took longer than %s, and was stopped", d)
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		t := &timer{left: d, end: func() { cancel(late) }}
		c.setTimer(t)
		t.resume()
		defer t.pause()
		r, err := h(ctx, c, args)
		if err != nil && context.Cause(ctx) == late && !errors.Is(err, ErrInputRequired) {
			return nil, late
		}
		return r, err
	}
}

// A timer measures how long a handler runs, without the time that it waits for input.
type timer struct {
	mu      sync.Mutex
	waiting int // pauses that have not ended; the first resume makes it 0
	left    time.Duration
	since   time.Time
	timer   *time.Timer // nil while it is paused
	end     func()
}

func (t *timer) resume() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.waiting > 0 {
		t.waiting--
	}
	if t.waiting == 0 && t.timer == nil {
		t.since, t.timer = time.Now(), time.AfterFunc(t.left, t.end)
	}
}

func (t *timer) pause() {
	if t == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.waiting++
	if t.timer != nil {
		t.timer.Stop()
		t.timer = nil
		t.left -= time.Since(t.since)
	}
}

func (c *Call) setTimer(t *timer) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.timer = t
}

func (c *Call) timing() *timer {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.timer
}
