package client

// Through 2025-11-25 either side may ask whether the other is there. A client that is told to do so asks now and then,
// and closes the connection when there is no response.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping.

import (
	"context"
	"errors"
	"time"

	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// Ping checks that the server responds. Since 2026-07-28 there is no ping, and the error is a
// *[RevisionError].
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/ping.
func (c *Client) Ping(ctx context.Context) error {
	_, err := c.calls.Ping(ctx, nil)
	return err
}

// keepAlive pings the server until ctx ends. Any response shows that the server is there, even an error response of one that
// does not know the method. It closes the connection if there is no response, which may be an error response, before the
// next ping is due, or if for another reason there are no more pings.
func (c *Client) keepAlive(ctx context.Context, interval time.Duration) {
	defer c.conn.Close() // not Client.Close, which would wait for this goroutine
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
		case <-ctx.Done():
			return
		}
		// The limit is the next tick, so that pings never overlap.
		ping, cancel := context.WithTimeout(ctx, interval)
		err := c.Ping(ping)
		cancel()
		if err != nil && !errors.As(err, new(*jsonrpc.Error)) {
			return
		}
	}
}
