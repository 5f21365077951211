package peer

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/internal/lazyctx"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
)

// notes is the queue of notifications for the handler.
type notes struct {
	list    []*note
	active  bool  // a goroutine handles them
	current *note // the one that is being handled
}

type note struct {
	r    *transport.Request
	ctx  lazyctx.Context // of its handler
	size int
}

// note adds a notification to the queue.
func (c *Conn) note(ctx context.Context, as *transport.Request, m *jsonrpc.Message, size int) {
	r := new(transport.Request)
	*r = *as
	r.Method, r.Params, r.Meta, r.Out = m.Method, m.Params, m.Meta, c
	q := &c.notes
	c.mu.Lock()
	full := len(q.list) >= c.opts.MaxNotifications || !c.fits(size)
	if !c.closing && !full {
		q.list = append(q.list, &note{r: r, ctx: lazyctx.Context{Parent: ctx, Detached: true}, size: size})
		c.held += size
		if !q.active {
			q.active = true
			c.running.Enter()
			go c.handleNotes()
		}
	}
	c.mu.Unlock()
	if full {
		c.once(tooManyNotifications, "notifications dropped, they come faster than they are handled", "method", m.Method)
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
		c.running.Leave()
		c.mu.Unlock()
		return false
	}
	next := q.list[0]
	q.list[0] = nil
	q.list = q.list[1:]
	q.current = next
	c.mu.Unlock()

	returned := false
	defer func() {
		next.ctx.End(context.Canceled)
		c.mu.Lock()
		c.held -= next.size
		q.current = nil
		c.mu.Unlock()
		if returned {
			return
		}
		v := recover()
		c.panicked(next.r.Method, v)
		if found = v != nil; !found {
			go c.handleNotes() // this goroutine is about to end
		}
	}()
	if err := c.handler.ServeNotification(&next.ctx, next.r); err != nil {
		c.opts.Logger.Debug("peer: notification ignored", "method", next.r.Method, "error", err)
	}
	returned = true
	return true
}
