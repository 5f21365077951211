package peer

// Notifications are handled one after another, in the order of their arrival, by one goroutine that exists while there
// are any. They are separate from requests: a slow handler of notifications delays no response, and whoever makes a call
// in such a handler still gets its response. The price is that a response may overtake a notification that was sent
// before it. Where there is only one message, see Options.Alone, the goroutine that brings it does the same.
//
// The queue is bounded, in number and together with the requests in bytes. A sender that is faster than the handler loses
// notifications; the protocol knows no way to slow it down.

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/internal/lazyctx"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
)

// notifications is the queue of those for the handler. Conn.mu guards it.
type notifications struct {
	list    []*notification
	active  bool          // a goroutine handles them
	current *notification // the one that is being handled
}

type notification struct {
	r    *transport.Request // a copy of what the transport knows, which the messages of a batch share
	ctx  lazyctx.Context    // of its handler
	size int                // in Conn.held, from enqueue until it has been handled
}

// enqueue adds a notification to the queue. If it is alone, enqueue handles it, and its context ends with ctx.
func (c *Conn) enqueue(ctx context.Context, as *transport.Request, m *jsonrpc.Message, size int, alone bool) {
	r := new(transport.Request)
	*r = *as
	// What its handler sends belongs to no request.
	r.Method, r.Params, r.Meta, r.Out = m.Method, m.Params, m.Meta, c
	q := &c.notifications
	c.mu.Lock()
	full := len(q.list) >= c.opts.MaxNotifications || !c.fits(size)
	start := false
	if !c.isClosed() && !full {
		q.list = append(q.list, &notification{r: r, ctx: lazyctx.Context{Parent: ctx, Detached: !alone}, size: size})
		c.held += size
		if start = !q.active; start {
			q.active = true
			// The goroutine counts once, until the queue is empty: so Shutdown waits for all that is in it.
			c.running.Enter()
		}
	}
	c.mu.Unlock()
	switch {
	case start && alone:
		c.handleNotifications()
	case start:
		go c.handleNotifications()
	case full:
		c.once(tooManyNotifications, "notifications dropped, they come faster than they are handled", "method", m.Method)
	}
}

// handleNotifications handles notifications until there are no more.
func (c *Conn) handleNotifications() {
	for c.handleNotification() {
	}
}

// handleNotification handles the next notification and reports whether the caller is to continue. A handler that panics
// ends only its own notification. One that calls runtime.Goexit ends this goroutine, too, so that another one continues.
func (c *Conn) handleNotification() (found bool) {
	c.mu.Lock()
	q := &c.notifications
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
		// Nil means runtime.Goexit.
		v := recover()
		c.panicked(next.r.Method, v)
		if found = v != nil; !found {
			go c.handleNotifications() // this goroutine is about to end
		}
	}()
	if err := c.handler.ServeNotification(&next.ctx, next.r); err != nil {
		c.opts.Logger.Debug("peer: notification ignored", "method", next.r.Method, "error", err)
	}
	returned = true
	return true
}
