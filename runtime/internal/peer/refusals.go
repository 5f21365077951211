package peer

// Refusing is cheap for the other side: it may send nothing but invalid messages, and read nothing. Error responses to
// them are therefore bounded in number and bytes. When there is no room, reading stops, which slows the other side down
// in the one way that every transport has.

import (
	"bytes"
	"context"
	"strings"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// refusals are error responses to messages that were refused. The goroutine that reads leaves them to another one:
// if it waited for the other side to read, and the other side did the same, nobody would read.
type refusals struct {
	list   []transport.Message
	bytes  int       // of those in the list and the one that is being sent
	active bool      // a goroutine sends them
	room   sync.Cond // there is more of it, or the connection has closed
}

// maxRefusalBytes bounds the refusals that wait. One may always exceed it.
const maxRefusalBytes = 4 << 20

// fits reports whether there is room for a refusal of n bytes. It is called with Conn.mu held; most is Options.MaxRefusals.
func (q *refusals) fits(n, most int) bool {
	return len(q.list) < most && (q.bytes == 0 || q.bytes+n <= maxRefusalBytes)
}

// sendRefusal sends a refusal. If Run reads the messages, another goroutine sends it, and this one only waits for
// room, at most until the connection ends; the other goroutine closes it if sending takes too long.
func (c *Conn) sendRefusal(ctx context.Context, m transport.Message) {
	rd := c.reader.Load()
	if rd == nil || c.mute.Load() {
		// Accept was called: its goroutine serves this message alone, and may wait until the response is sent.
		c.respond(ctx, m)
		return
	}
	// What waits is a copy: the buffer that the refusal was made in is used again.
	if id, ok := m.ID.Str(); ok { // it is a part of what was received
		m.ID = wire.StringID(strings.Clone(id))
	}
	m.Data = bytes.Clone(m.Data)
	q := &rd.refusals
	c.mu.Lock()
	defer c.mu.Unlock()
	for !c.isClosed() && !q.fits(len(m.Data), c.opts.MaxRefusals) {
		q.room.Wait()
	}
	// If the connection has ended, sendRefusals discards it.
	q.list = append(q.list, m)
	q.bytes += len(m.Data)
	if !q.active {
		q.active = true
		c.running.Enter()
		go c.sendRefusals(ctx, q)
	}
}

// sendRefusals sends refusals until there are no more, or the connection has ended. A refusal counts until it has been
// sent, so that the bound holds for what the transport waits with, too. All come from the same reader, and use its context.
func (c *Conn) sendRefusals(ctx context.Context, q *refusals) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(q.list) > 0 && !c.isClosed() {
		next := q.list[0]
		q.list[0] = transport.Message{}
		q.list = q.list[1:]
		q.room.Broadcast()
		c.mu.Unlock()
		c.respond(ctx, next)
		c.mu.Lock()
		q.bytes -= len(next.Data)
		q.room.Broadcast()
	}
	q.list, q.active = nil, false
	c.running.Leave()
}
