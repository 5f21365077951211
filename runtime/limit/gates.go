package limit

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/transport"
)

// gates applies a [Concurrency] to requests.
type gates struct {
	rule   gateRule
	share  int // of a queue, in percent
	logger *slog.Logger

	mu  sync.Mutex
	all map[key]*gate // those in use
}

type gateRule struct {
	scope
	Concurrency
	warning
}

// A gate admits a number of requests at a time, and has a queue for others.
type gate struct {
	of      *gates
	key     key
	inside  int
	waiting int
	turns   []*turn // of the clients whose requests wait, the next one first
}

// A turn is the turn of a client.
type turn struct {
	client share.Owner
	queue  []*waiter // the next one first
}

// A waiter is a request that waits.
type waiter struct {
	entered chan struct{} // closed when it is inside
	inside  bool
}

func newGates(c *Concurrency, share int, logger *slog.Logger) *gates {
	g := &gates{rule: gateRule{Concurrency: *c, scope: scope{c.By, c.Tools, c.Methods}}, share: share, logger: logger, all: make(map[key]*gate)}
	g.rule.rule = g.rule.describe("")
	return g
}

// retryFull is when to try again after a refusal by a gate: it is not known when requests will end.
const retryFull = time.Second

// enter admits a request when it is its turn, and returns the gate that it must leave.
func (g *gates) enter(ctx context.Context, q *request) (*gate, error) {
	k := q.key(g.rule.By)
	g.mu.Lock()
	at := g.all[k]
	if at == nil {
		at = &gate{of: g, key: k}
		g.all[k] = at
	}
	if at.inside < g.rule.Max {
		at.inside++
		g.mu.Unlock()
		return at, nil
	}
	w := g.line(at, q)
	g.mu.Unlock()
	if w == nil {
		return nil, g.refuse(q, "")
	}
	timer := time.NewTimer(g.rule.Wait)
	defer timer.Stop()
	select {
	case <-w.entered:
		return at, nil
	case <-ctx.Done():
		g.giveUp(at, w)
		return nil, context.Cause(ctx)
	case <-timer.C:
		g.giveUp(at, w)
		return nil, g.refuse(q, "; this one has waited for "+g.rule.Wait.String())
	}
}

// line adds a request to the queue of a gate. It returns nil if the queue is full. It is called with mu held.
func (g *gates) line(at *gate, q *request) *waiter {
	if at.waiting >= g.rule.Queue {
		return nil
	}
	client, most := q.theClient(), g.rule.Queue
	if g.rule.By&Client == 0 {
		most = client.Part(most, g.share)
	}
	w := &waiter{entered: make(chan struct{})}
	i := slices.IndexFunc(at.turns, func(t *turn) bool { return t.client == client })
	switch {
	case i < 0:
		at.turns = append(at.turns, &turn{client, []*waiter{w}})
	case len(at.turns[i].queue) >= most:
		return nil
	default:
		at.turns[i].queue = append(at.turns[i].queue, w)
	}
	at.waiting++
	return w
}

// giveUp removes a request that no longer waits, even if it has been admitted meanwhile.
func (g *gates) giveUp(at *gate, w *waiter) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if w.inside {
		g.next(at)
		return
	}
	for i, t := range at.turns {
		if j := slices.Index(t.queue, w); j >= 0 {
			if t.queue = slices.Delete(t.queue, j, j+1); len(t.queue) == 0 {
				at.turns = slices.Delete(at.turns, i, i+1)
			}
			at.waiting--
			return
		}
	}
}

// leave gives a place to the next one.
func (at *gate) leave() {
	at.of.mu.Lock()
	defer at.of.mu.Unlock()
	at.of.next(at)
}

// next gives a place to the request whose turn it is, if one waits, and moves its client to the end of the queue.
// It is called with mu held.
func (g *gates) next(at *gate) {
	if at.waiting == 0 {
		if at.inside--; at.inside == 0 {
			delete(g.all, at.key)
		}
		return
	}
	t := at.turns[0]
	w := t.queue[0]
	at.turns, t.queue = slices.Delete(at.turns, 0, 1), slices.Delete(t.queue, 0, 1)
	if len(t.queue) > 0 {
		at.turns = append(at.turns, t)
	}
	at.waiting--
	w.inside = true
	close(w.entered)
}

// refuse returns the error of a request that is not admitted.
func (g *gates) refuse(q *request, why string) error {
	g.mu.Lock()
	warnings := g.rule.refused(time.Now())
	g.mu.Unlock()
	warn(g.logger, warnings, g.rule.rule)
	return transport.TryLater("want "+g.rule.describe(g.rule.toolOf(q))+why, retryFull)
}
