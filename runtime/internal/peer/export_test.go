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
	if t := c.accept(ctx, m); t != nil {
		t.run(ctx)
	}
	return nil
}
