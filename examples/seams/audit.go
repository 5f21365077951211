package seams

import (
	"context"
	"log/slog"

	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// An Audit writes a line for each message of a server, in both directions.
type Audit struct{ Log *slog.Logger }

// Received is for server.Options.Middleware: a line for each request and notification, with its outcome.
func (a Audit) Received(next server.Handler) server.Handler {
	return func(ctx context.Context, c *server.Call) (wire.Encodable, error) {
		result, err := next(ctx, c)
		a.Log.InfoContext(ctx, "received", "method", c.Method(), "name", c.Name(), "from", c.Principal(), "failed", err != nil || c.ToolFailed())
		return result, err
	}
}

// Sent is for server.Options.Send: a line for each request and notification that the server sends.
func (a Audit) Sent(next transport.MessageFunc) transport.MessageFunc {
	return func(ctx context.Context, m *transport.ServerMessage) (wire.Raw, error) {
		result, err := next(ctx, m)
		a.Log.InfoContext(ctx, "sent", "method", m.Method, "failed", err != nil)
		return result, err
	}
}
