package peer

import (
	"context"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
)

// A batch is several messages of revision 2025-03-26 that came together. Their answers go back
// together.
type batch struct {
	conn     *Conn
	ctx      context.Context
	stream   any
	size     int // of the whole message
	requests []*Request

	mu  sync.Mutex
	out []byte // the answers, without the bracket at the end
}

// acceptBatch takes the messages of a batch.
func (c *Conn) acceptBatch(ctx context.Context, in transport.Message) task {
	list, err := jsonrpc.SplitBatch(in.Data, c.opts.MaxBatch)
	if err != nil {
		c.refuse(ctx, in.Stream, &jsonrpc.Message{Kind: jsonrpc.Batch}, err, nil)
		return nil
	}
	b := &batch{conn: c, ctx: ctx, stream: in.Stream, size: len(in.Data)}
	for _, raw := range list {
		m, err := jsonrpc.Parse(raw)
		if r := c.take(ctx, in.Stream, &m, err, len(raw), b); r != nil {
			b.requests = append(b.requests, r)
		}
	}
	if len(b.requests) == 0 {
		if len(b.out) > 0 {
			c.sendRefusal(ctx, b.answer())
		}
		return nil
	}
	c.mu.Lock()
	c.enter()
	c.mu.Unlock()
	return b
}

// run handles the requests of the batch, all at the same time, and sends the answers.
func (b *batch) run() {
	var others sync.WaitGroup
	defer func() { // even if a handler ends this goroutine
		others.Wait()
		b.finish()
	}()
	for i, r := range b.requests {
		if i < len(b.requests)-1 {
			others.Go(r.run)
		} else {
			r.run()
		}
	}
}

func (b *batch) finish() {
	c := b.conn
	if len(b.out) > 0 && !c.isClosed() {
		c.answer(b.ctx, b.answer(), nil)
	}
	c.mu.Lock()
	c.leave()
	c.mu.Unlock()
}

// answer returns the answers as one message.
func (b *batch) answer() transport.Message {
	return transport.Message{Data: append(b.out, ']'), Stream: b.stream, Kind: jsonrpc.Batch}
}

// add adds an answer.
func (b *batch) add(answer []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.out) == 0 {
		b.out = append(b.out, '[')
	} else {
		b.out = append(b.out, ',')
	}
	b.out = append(b.out, answer...)
}
