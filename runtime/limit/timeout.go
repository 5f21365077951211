package limit

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Timeout returns a handler that runs next, whose context ends after d. If next then fails, the error tells the model
// that it took too long. The time that a client takes to respond to requests for input, such as [server.Call.Elicit],
// does not count.
func Timeout(d time.Duration, next server.ToolHandler) server.ToolHandler {
	return func(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
		late := fmt.Errorf("the tool took longer than %s, and was stopped", d)
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		t := &timer{left: d, end: func() { cancel(late) }}
		c.OnWait(t.wait)
		t.wait(false) // the handler runs from here on
		defer t.wait(true)
		r, err := next(ctx, c, args)
		if err != nil && context.Cause(ctx) == late && !errors.Is(err, server.ErrInputRequired) {
			return nil, late
		}
		return r, err
	}
}

// A timer measures how long a handler runs, without the time that it waits for input.
type timer struct {
	mu      sync.Mutex
	waiting int // waits that have not ended; that before the handler began does not count
	left    time.Duration
	since   time.Time
	timer   *time.Timer // nil while the handler waits
	end     func()
}

// wait is called with true when the handler begins to wait, which stops the timer, and with false when it runs again.
func (t *timer) wait(begins bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case begins:
		t.waiting++
		if t.timer != nil {
			t.timer.Stop()
			t.timer = nil
			t.left -= time.Since(t.since)
		}
		return
	case t.waiting > 0:
		t.waiting--
	}
	if t.waiting == 0 && t.timer == nil {
		t.since, t.timer = time.Now(), time.AfterFunc(t.left, t.end)
	}
}
