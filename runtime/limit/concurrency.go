package limit

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/internal/turns"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Concurrency says how many requests of each client may be handled at the same time, and how many may wait for others to
// end. Its methods panic if it is invalid.
type Concurrency struct {
	// Max is how many may be handled. It must be positive.
	Max int

	// Queue is how many more may wait: none if 0, and any number if it is negative. Wait is how long each may wait: 10 s
	// if 0, and without limit if it is negative. Waiting ends with the context of the request.
	Queue int
	Wait  time.Duration

	// Shared makes all clients share Max and Queue. Clients whose requests wait take turns. When the queue is full, the
	// newest request of the client that has most gives way to one of a client that has fewer.
	Shared bool

	// Methods lists the methods of the requests to which middleware applies. None means tools/call. Notifications always
	// pass. A subscription would keep its place for as long as it is open.
	Methods []string
}

// Middleware returns middleware that lets requests wait for a place, and refuses those that find none. A call that becomes a
// task gives up its place as soon as the task exists.
func (l Concurrency) Middleware() server.Middleware {
	g := l.gates(noun(l.Methods))
	return func(next server.Handler) server.Handler {
		return func(ctx context.Context, c *server.Call) (wire.Encodable, error) {
			if !concerns(l.Methods, c) {
				return next(ctx, c)
			}
			p, err := g.enter(ctx, c)
			if err != nil {
				return nil, err
			}
			defer p.leave()
			return next(ctx, c)
		}
	}
}

// Tool returns a handler that runs next when there is a place. The error of a call that finds none tells the model when it
// may try again.
func (l Concurrency) Tool(next server.ToolHandler) server.ToolHandler {
	g := l.gates("calls")
	return func(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
		p, err := g.enter(ctx, c)
		if err != nil {
			return nil, forModel(err)
		}
		defer p.leave()
		return next(ctx, c, args)
	}
}

// gates applies a Concurrency.
type gates struct {
	Concurrency
	text string // what is allowed

	mu  sync.Mutex
	all map[share.Owner]*gate // those in use, by whose they are
}

// A gate admits the requests of one client, or of all.
type gate struct {
	turns.Gate
	uses int // requests inside, and those that wait
}

// A place is that of a request inside a gate.
type place struct {
	of     *gates
	at     *gate
	whose  share.Owner // the gate is
	sender share.Owner
}

func (l Concurrency) gates(what string) *gates {
	if l.Max <= 0 {
		panic(fmt.Sprintf("limit: Concurrency: Max: want a positive number, got %d", l.Max))
	}
	text := fmt.Sprintf("want at most %d %s at the same time%s", l.Max, what, who(l.Shared))
	if l.Queue > 0 {
		text += fmt.Sprintf(", and at most %d that wait", l.Queue)
	}
	l.Queue, l.Wait = option.Limit(l.Queue, 0), option.Limit(l.Wait, 10*time.Second)
	return &gates{Concurrency: l, text: text, all: make(map[share.Owner]*gate)}
}

// retryFull is when to try again after a refusal by a gate: it is not known when requests will end.
const retryFull = time.Second

// enter admits a request when it is its turn, to the place that it must leave.
func (g *gates) enter(ctx context.Context, c *server.Call) (place, error) {
	p := place{of: g, sender: senderOf(c, false)}
	if !g.Shared {
		p.whose = p.sender
	}
	g.mu.Lock()
	p.at = g.all[p.whose]
	if p.at == nil {
		p.at = &gate{Gate: turns.Gate{Max: g.Max, Whole: true, Queue: g.Queue}}
		g.all[p.whose] = p.at
	}
	p.at.uses++
	g.mu.Unlock()
	err := p.at.Enter(ctx, p.sender, g.Wait)
	if err == nil {
		return p, nil
	}
	p.forget()
	switch {
	case errors.Is(err, turns.ErrFull):
		return p, transport.TryLater(g.text, retryFull)
	case errors.Is(err, turns.ErrWaited):
		return p, transport.TryLater(g.text+"; this one has waited for "+g.Wait.String(), retryFull)
	}
	return p, err
}

// leave gives a place to the next one.
func (p place) leave() {
	p.at.Leave(p.sender)
	p.forget()
}

// forget forgets a gate that nobody uses any more.
func (p place) forget() {
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	if p.at.uses--; p.at.uses == 0 {
		delete(p.of.all, p.whose)
	}
}
