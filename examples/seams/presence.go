package seams

import (
	"context"
	"maps"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/server"
)

// A Presence counts the open sessions by the names of their clients. The zero value is empty.
type Presence struct {
	mu   sync.Mutex
	open map[string]int
}

// Opened is for server.Options.OnSession.
func (p *Presence) Opened(_ context.Context, c *server.Call) (ended func()) {
	name := "unknown"
	if info := c.Client(); info != nil {
		name = info.Name
	}
	p.add(name, 1)
	return func() { p.add(name, -1) }
}

func (p *Presence) add(name string, n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open == nil {
		p.open = make(map[string]int)
	}
	if p.open[name] += n; p.open[name] == 0 {
		delete(p.open, name)
	}
}

// Open returns how many sessions each client has.
func (p *Presence) Open() map[string]int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return maps.Clone(p.open)
}
