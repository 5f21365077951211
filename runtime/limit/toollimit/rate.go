package toollimit

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/lru"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Rate returns a handler that lets each caller call next n times in a period, spread over it in any way. The error of
// further calls tells the model when it may try again. Callers are told apart by [server.Call.Sender]. A call counts
// once, however often its client retries it with input: since 2026-07-28 the run that returns a result counts.
func Rate(n int, period time.Duration, next server.ToolHandler) server.ToolHandler {
	if n <= 0 || period <= 0 {
		panic(fmt.Sprintf("toollimit: Rate: want a positive number of calls in a positive time, got %d in %s", n, period))
	}
	l := newRate(n, period)
	return func(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
		who := c.Sender()
		end, wait := l.take(who, time.Now())
		if wait > 0 {
			return nil, fmt.Errorf("at most %d calls in %s are allowed; try again in %s", n, period, wait.Round(time.Millisecond))
		}
		r, err := next(ctx, c, args)
		if errors.Is(err, server.ErrInputRequired) {
			l.giveBack(who, end, time.Now())
		}
		return r, err
	}
}

// maxRated is how many callers a rate counts separately. Beyond that it forgets the one who has not called for longest.
const maxRated = 10_000

// A rate limits calls by the generic cell rate algorithm: each call reserves an equal part of time, after the parts
// reserved before, and all reserved time must lie within one period from now.
type rate struct {
	each, period time.Duration

	mu   sync.Mutex
	free lru.Map[any, *time.Time] // when nothing is reserved any more, by caller
}

func newRate(n int, period time.Duration) *rate {
	return &rate{each: period / time.Duration(n), period: period, free: lru.Map[any, *time.Time]{MaxItems: maxRated}}
}

// take reserves time for a call, and returns its end. If it cannot, it returns how long the caller must wait.
func (l *rate) take(who any, now time.Time) (end time.Time, wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	free, known := l.free.Get(who)
	if !known {
		free = new(time.Time)
		l.free.Put(who, free, 0)
	}
	from := now
	if free.After(now) {
		from = *free
	}
	end = from.Add(l.each)
	if wait = end.Sub(now.Add(l.period)); wait > 0 {
		return time.Time{}, wait
	}
	*free = end
	return end, 0
}

// giveBack cancels the reservation that ends at end, unless that time has passed.
func (l *rate) giveBack(who any, end, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if free, known := l.free.Get(who); known && end.After(now) && free.After(now) {
		*free = free.Add(-l.each)
	}
}
