package limit

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/transport"
)

// gates applies a [Concurrency] to requests.
type gates struct {
	rule   gateRule
	logger *slog.Logger

	mu  sync.Mutex
	all map[key]*gate // those in use
}

type gateRule struct {
	scope
	Concurrency
	warning
}

// A gate admits the requests with a key.
type gate struct {
	share.Gate
	of   *gates
	key  key
	uses int // requests inside, and those that wait
}

// A place is that of a request inside a gate.
type place struct {
	at    *gate
	owner share.Owner
}

func newGates(c *Concurrency, logger *slog.Logger) *gates {
	g := &gates{rule: gateRule{Concurrency: *c, scope: scope{c.By, c.Tools, c.Methods}}, logger: logger, all: make(map[key]*gate)}
	g.rule.rule = g.rule.describe("")
	return g
}

// retryFull is when to try again after a refusal by a gate: it is not known when requests will end.
const retryFull = time.Second

// enter admits a request when it is its turn, to the place that it must leave.
func (g *gates) enter(ctx context.Context, q *request) (place, error) {
	k := q.key(g.rule.By)
	g.mu.Lock()
	at := g.all[k]
	if at == nil {
		at = &gate{of: g, key: k, Gate: share.Gate{Max: g.rule.Max, Whole: true, Queue: g.rule.Queue}}
		g.all[k] = at
	}
	at.uses++
	g.mu.Unlock()
	p := place{at, q.theClient()}
	err := at.Enter(ctx, p.owner, g.rule.Wait)
	if err == nil {
		return p, nil
	}
	g.release(at)
	switch {
	case errors.Is(err, share.ErrFull):
		return p, g.refuse(q, "")
	case errors.Is(err, share.ErrWaited):
		return p, g.refuse(q, "; this one has waited for "+g.rule.Wait.String())
	}
	return p, err
}

// leave gives a place to the next one.
func (p place) leave() {
	p.at.Leave(p.owner)
	p.at.of.release(p.at)
}

// release forgets a gate that nobody uses any more.
func (g *gates) release(at *gate) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if at.uses--; at.uses == 0 {
		delete(g.all, at.key)
	}
}

// refuse returns the error of a request that is not admitted.
func (g *gates) refuse(q *request, why string) error {
	g.mu.Lock()
	warnings := g.rule.refused(time.Now())
	g.mu.Unlock()
	warn(g.logger, warnings, g.rule.rule)
	return transport.TryLater("want "+g.rule.describe(g.rule.toolOf(q))+why, retryFull)
}
