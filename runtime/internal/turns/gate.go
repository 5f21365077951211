// Package turns lets a number of requests in at a time. Others wait for their turn.
package turns

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/share"
)

// A Gate lets a number of requests in at a time, and has a queue for others. The owners of those that wait take turns.
// When the queue is full, the newest request of the owner that has most gives way to one of an owner that has fewer.
type Gate struct {
	Max   int  // inside
	Whole bool // one owner may have all of Max, and not only its part
	Queue int  // how many may wait

	mu      sync.Mutex
	inside  int
	by      map[share.Owner]int // of those inside, unless Whole
	waiting int
	turns   []*turn // of the owners whose requests wait, the next one first
}

// A turn is the turn of an owner.
type turn struct {
	owner share.Owner
	queue []waiter // the next one first
}

// A waiter is a request that waits. It receives nil when it is inside, or [ErrFull].
type waiter chan error

var (
	// ErrFull is the error of a request for which there is no place in the queue of a [Gate].
	ErrFull = errors.New("too many requests wait; try again later")
	// ErrWaited is the error of a request that has waited for too long.
	ErrWaited = errors.New("there are too many requests; this one has waited for too long")
)

// Enter lets a request in when it is its turn. If the error is nil, Leave must follow. It waits at most that long.
func (g *Gate) Enter(ctx context.Context, o share.Owner, wait time.Duration) error {
	g.mu.Lock()
	if g.admits(o) {
		g.enter(o)
		g.mu.Unlock()
		return nil
	}
	w := g.line(o)
	g.mu.Unlock()
	if w == nil {
		return ErrFull
	}
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case err := <-w:
		return err
	case <-ctx.Done():
		g.giveUp(o, w)
		return context.Cause(ctx)
	case <-timer.C:
		g.giveUp(o, w)
		return ErrWaited
	}
}

func (g *Gate) admits(o share.Owner) bool {
	return g.inside < g.Max && (g.Whole || g.by[o] < o.Part(g.Max))
}

func (g *Gate) enter(o share.Owner) {
	g.inside++
	if g.Whole {
		return
	}
	if g.by == nil {
		g.by = make(map[share.Owner]int)
	}
	g.by[o]++
}

// line adds a request to the queue. It returns nil if there is no place for it.
func (g *Gate) line(o share.Owner) waiter {
	var own, most *turn
	for _, t := range g.turns {
		if t.owner == o {
			own = t
		}
		if most == nil || len(t.queue) > len(most.queue) {
			most = t
		}
	}
	if own == nil {
		own = &turn{owner: o}
	}
	if g.waiting >= g.Queue {
		if most == nil || len(most.queue) <= len(own.queue)+1 {
			return nil
		}
		last := len(most.queue) - 1
		most.queue[last] <- ErrFull
		most.queue = slices.Delete(most.queue, last, last+1)
		g.waiting--
	}
	if len(own.queue) == 0 {
		g.turns = append(g.turns, own)
	}
	w := make(waiter, 1)
	own.queue = append(own.queue, w)
	g.waiting++
	return w
}

// giveUp removes a request that no longer waits, even if it has been let in meanwhile.
func (g *Gate) giveUp(o share.Owner, w waiter) {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case err := <-w:
		if err == nil {
			g.leave(o)
		}
		return
	default:
	}
	i := slices.IndexFunc(g.turns, func(t *turn) bool { return t.owner == o })
	t := g.turns[i]
	if t.queue = slices.DeleteFunc(t.queue, func(other waiter) bool { return other == w }); len(t.queue) == 0 {
		g.turns = slices.Delete(g.turns, i, i+1)
	}
	g.waiting--
}

// Leave gives the place of an owner's request to the next one.
func (g *Gate) Leave(o share.Owner) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.leave(o)
}

// leave gives a place to the request whose turn it is, if one waits, and moves its owner to the end of the queue.
func (g *Gate) leave(o share.Owner) {
	g.inside--
	if g.by[o] > 1 {
		g.by[o]--
	} else {
		delete(g.by, o)
	}
	i := slices.IndexFunc(g.turns, func(t *turn) bool { return g.admits(t.owner) })
	if i < 0 {
		return
	}
	t := g.turns[i]
	w := t.queue[0]
	g.turns, t.queue = slices.Delete(g.turns, i, i+1), slices.Delete(t.queue, 0, 1)
	if len(t.queue) > 0 {
		g.turns = append(g.turns, t)
	}
	g.waiting--
	g.enter(t.owner)
	w <- nil
}
