package peer

import (
	"bytes"
	"context"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// refusals are answers to what was not taken. The goroutine that reads leaves them to another one:
// if it waited for the other side to read, and the other side did the same, nobody would read.
type refusals struct {
	list   []refusal
	bytes  int
	active bool // a goroutine sends them
}

type refusal struct {
	ctx context.Context
	m   transport.Message
}

// maxRefusalBytes bounds the refusals that wait. One may always exceed it.
const maxRefusalBytes = 4 << 20

// refuseLater leaves an answer to another goroutine. It reports whether it could: messages must be
// read by Run, and too many refusals must not wait already.
func (c *Conn) refuseLater(ctx context.Context, m transport.Message) bool {
	rd := c.reader.Load()
	if rd == nil {
		return false
	}
	if id, ok := m.ID.Str(); ok { // it is a part of what was received
		m.ID = wire.StringID(strings.Clone(id))
	}
	m.Data = bytes.Clone(m.Data)
	q := &rd.refusals
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(q.list) >= c.opts.MaxRefusals || q.bytes > 0 && q.bytes+len(m.Data) > maxRefusalBytes {
		return false
	}
	q.list = append(q.list, refusal{ctx, m})
	q.bytes += len(m.Data)
	if !q.active {
		q.active = true
		c.enter()
		go c.sendRefusals(q)
	}
	return true
}

// sendRefusals sends refusals until there are no more.
func (c *Conn) sendRefusals(q *refusals) {
	for {
		c.mu.Lock()
		if len(q.list) == 0 || c.closing {
			*q = refusals{}
			c.leave()
			c.mu.Unlock()
			return
		}
		next := q.list[0]
		q.list[0] = refusal{}
		q.list = q.list[1:]
		c.mu.Unlock()
		c.answer(next.ctx, next.m, nil)
		c.mu.Lock()
		q.bytes -= len(next.m.Data)
		c.mu.Unlock()
	}
}
