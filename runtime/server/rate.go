package server

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Rate returns a handler that lets each caller call h n times in a period, at any moment of it. For other
// calls the model reads when it may try again. A caller is a principal; without one, a network address; and
// without that, a connection. A call that is retried because it asked for input counts each time.
func Rate(n int, period time.Duration, h ToolHandler) ToolHandler {
	if n <= 0 || period <= 0 {
		panic(fmt.Sprintf("server: Rate: want a positive number of calls in a positive time, got %d in %s", n, period))
	}
	l := &rate{each: period / time.Duration(n), period: period, free: make(map[share.Owner]time.Time)}
	return func(ctx context.Context, c *Call, args wire.Raw) (*mcp.CallToolResult, error) {
		if wait := l.take(c.owner(), time.Now()); wait > 0 {
			return nil, fmt.Errorf("at most %d calls in %s are allowed; try again in %s", n, period, wait.Round(time.Millisecond))
		}
		return h(ctx, c, args)
	}
}

// maxRated is how many callers a rate tells apart; those beyond share what one may do.
const maxRated = 10_000

// A rate limits calls by the generic cell rate algorithm: each call reserves a part of the period after those
// before it, and what is reserved must lie within one period from now.
type rate struct {
	each, period time.Duration

	mu    sync.Mutex
	free  map[share.Owner]time.Time // when nothing is reserved any more
	clean time.Time                 // when the map is cleaned next
}

// take reserves a call. If it cannot, it returns how long the caller must wait.
func (l *rate) take(who share.Owner, now time.Time) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if now.After(l.clean) {
		l.clean = now.Add(l.period)
		maps.DeleteFunc(l.free, func(_ share.Owner, free time.Time) bool { return !free.After(now) })
	}
	if _, known := l.free[who]; !known && len(l.free) >= maxRated {
		who = share.Owner{}
	}
	from := now
	if free := l.free[who]; free.After(now) {
		from = free
	}
	next := from.Add(l.each)
	if wait = next.Sub(now.Add(l.period)); wait > 0 {
		return wait
	}
	l.free[who] = next
	return 0
}
