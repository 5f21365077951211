package peer

import (
	"context"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/transport"
)

// DeliverRaw handles a message, or what is none, as Run does with one that it has read. It returns when
// that is done.
func (c *Conn) DeliverRaw(ctx context.Context, m transport.Message) error {
	if c.isClosed() {
		return jsonrpc.ErrClosed
	}
	if t := c.received(ctx, m); t != nil {
		t.Run(ctx)
	}
	return nil
}

// Deliver accepts a message and runs what there is to run.
func (c *Conn) Deliver(ctx context.Context, as *transport.Request, m *jsonrpc.Message) error {
	t, err := c.Accept(ctx, as, m)
	if t != nil {
		t.Run(ctx)
	}
	return err
}

// DeliverBatch is Deliver for a batch. It reports whether there was something to run.
func (c *Conn) DeliverBatch(ctx context.Context, as *transport.Request, data []byte) (bool, error) {
	t, err := c.AcceptBatch(ctx, as, data)
	if t != nil {
		t.Run(ctx)
	}
	return t != nil, err
}
