package peer

// Revision 2025-03-26 has batches. A batch is no transaction: its messages are accepted one after another as if they had
// come alone, and its requests are handled at the same time. Only the responses are sent together, in the order in which
// they are ready. A batch whose messages need no responses has none.
//
// See https://modelcontextprotocol.io/specification/2025-03-26/basic#batching.

import (
	"context"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A batch is several messages that arrived together, in revision 2025-03-26. Their responses are sent together.
type batch struct {
	conn     *Conn // set by acceptBatch, like the next two, and not changed once Run is called
	stream   any
	requests []*request

	mu   sync.Mutex // guards what follows while requests run; before and after, one goroutine has the batch
	out  []byte     // the responses, without the bracket at the end
	full bool       // there is no room for more
}

// The errors that replace responses beyond Options.MaxBatchBytes.
var (
	errDropped = &jsonrpc.Error{Code: jsonrpc.CodeInternalError,
		Message: "the response was dropped: the responses to the batch are too large together; send fewer requests at once"}
	errNotRun = &jsonrpc.Error{Code: jsonrpc.CodeInternalError,
		Message: "not handled: the responses to the batch are too large together; send fewer requests at once"}
)

// acceptBatch accepts the messages of a batch, and returns the [Task] that remains, nil if there is none.
func (c *Conn) acceptBatch(ctx context.Context, as *transport.Request, data []byte) Task {
	list, err := jsonrpc.SplitBatch(data, c.opts.MaxBatch)
	if err != nil {
		c.refuse(ctx, as.Stream, &jsonrpc.Message{Kind: jsonrpc.Batch}, err, nil)
		return nil
	}
	b := &batch{conn: c, stream: as.Stream}
	for _, raw := range list {
		m, err := jsonrpc.Parse(raw)
		if r := c.take(ctx, as, &m, err, len(raw), b); r != nil {
			b.requests = append(b.requests, r)
		}
	}
	// Without requests nothing has to run, but messages may have been refused.
	if len(b.requests) == 0 {
		if len(b.out) > 0 {
			c.sendRefusal(ctx, b.message())
		}
		return nil
	}
	// The batch counts besides its requests: each of them has left when its response is added, and the responses are
	// sent only after that.
	c.mu.Lock()
	c.running.Enter()
	c.mu.Unlock()
	return b
}

// Run implements [Task]: it handles the requests of the batch, all at the same time, and sends the responses.
func (b *batch) Run(ctx context.Context) {
	var others sync.WaitGroup
	defer func() { // even if a handler ends this goroutine
		others.Wait()
		b.finish(ctx)
	}()
	// This goroutine handles the last one itself, so that a batch of one request costs no other goroutine.
	last := len(b.requests) - 1
	for _, r := range b.requests[:last] {
		others.Go(func() { b.handle(ctx, r) })
	}
	b.handle(ctx, b.requests[last])
}

// handle handles a request, if there is room for its response. Otherwise it is not begun: its effects would be there, and
// nobody would learn of its result.
func (b *batch) handle(ctx context.Context, r *request) {
	b.mu.Lock()
	full := b.full
	b.mu.Unlock()
	if full {
		r.finish(ctx, transport.Message{Data: jsonrpc.AppendError(nil, r.ID, errNotRun), Kind: jsonrpc.ErrorResponse})
	} else {
		r.Run(ctx)
	}
}

// finish sends the responses, when all requests have theirs.
func (b *batch) finish(ctx context.Context) {
	c := b.conn
	if len(b.out) > 0 && !c.isClosed() {
		c.respond(ctx, b.message())
	}
	c.mu.Lock()
	c.running.Leave()
	c.mu.Unlock()
}

// message returns the responses as one message.
func (b *batch) message() transport.Message {
	return transport.Message{Data: append(b.out, ']'), Stream: b.stream, Kind: jsonrpc.Batch}
}

// add adds the response to a request, or an error if it has no room and the error is shorter. The first response always
// has room, and errors may exceed it: each request has a response, so the number of messages in a batch bounds the rest.
// The response is copied.
func (b *batch) add(id wire.ID, response []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.full = b.full || len(b.out)+len(response) > b.conn.opts.MaxBatchBytes
	open := byte(',')
	if len(b.out) == 0 {
		open = '['
	} else if b.full {
		if dropped := jsonrpc.AppendError(nil, id, errDropped); len(dropped) < len(response) {
			response = dropped
		}
	}
	b.out = append(append(b.out, open), response...)
}
