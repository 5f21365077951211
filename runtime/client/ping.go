package client

import (
	"context"
	"errors"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// Ping asks the server for a sign of life. It exists up to 2025-11-25; later revisions give a
// [RevisionError].
func (c *Client) Ping(ctx context.Context) error {
	_, err := c.calls.Ping(ctx, nil)
	return err
}

// keepAlive pings the server until ctx ends. It closes the connection when there is no answer
// before the next ping would be due; an error is an answer, too.
func (c *Client) keepAlive(ctx context.Context, interval time.Duration) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		ping, cancel := context.WithTimeout(ctx, interval)
		err := c.Ping(ping)
		cancel()
		if err != nil && !errors.As(err, new(*jsonrpc.Error)) {
			c.conn.Close()
			return
		}
	}
}
