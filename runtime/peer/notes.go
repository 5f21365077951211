package peer

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// notes are the notifications that wait for the handler.
type notes struct {
	list   []note
	active bool         // a goroutine handles them
	ctx    *lazyContext // of the one that is being handled
}

type note struct {
	n    *Notification
	ctx  context.Context
	size int
}

// note enters a notification into the queue.
func (c *Conn) note(ctx context.Context, stream any, m *jsonrpc.Message, size int) {
	n := &Notification{Method: m.Method, Params: m.Params, Meta: m.Meta, Stream: stream}
	q := &c.notes
	c.mu.Lock()
	full := len(q.list) >= c.opts.MaxNotifications || c.held > 0 && c.held+size > c.opts.MaxBytes
	if !c.closing && !full {
		q.list = append(q.list, note{n, detached(ctx), size})
		c.held += size
		if !q.active {
			q.active = true
			c.enter()
			go c.handleNotes()
		}
	}
	c.mu.Unlock()
	if full {
		c.once(slipFlood, "notifications dropped, they come faster than they are handled", "method", m.Method)
	}
}

// handleNotes handles notifications until there are no more.
func (c *Conn) handleNotes() {
	for c.handleNote() {
	}
}

// handleNote handles the next notification and reports whether there was one.
func (c *Conn) handleNote() (found bool) {
	c.mu.Lock()
	q := &c.notes
	if len(q.list) == 0 {
		q.active, q.list = false, nil
		c.leave()
		c.mu.Unlock()
		return false
	}
	next := q.list[0]
	q.list[0] = note{}
	q.list = q.list[1:]
	ctx := &lazyContext{parent: next.ctx}
	q.ctx = ctx
	c.mu.Unlock()

	returned := false
	defer func() {
		ctx.end(context.Canceled)
		c.mu.Lock()
		c.held -= next.size
		q.ctx = nil
		c.mu.Unlock()
		if returned {
			return
		}
		v := recover()
		c.panicked(next.n.Method, v)
		if found = v != nil; !found {
			go c.handleNotes() // this goroutine is about to end
		}
	}()
	c.handler.ServeNotification(ctx, next.n)
	returned = true
	return true
}
