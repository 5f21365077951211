package client

import (
	"context"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

type progressKey struct{}

// WithProgress returns a context with which calls ask the server to report progress. f is called by the
// goroutine of the call, in order, and not after the call has returned. The server may report nothing.
//
// If the call becomes a task, f is called when a request for its status shows progress: what a server of package
// server says of it, and the status messages of other servers, with a count.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress.
func WithProgress(ctx context.Context, f func(*mcp.ProgressNotificationParams)) context.Context {
	return context.WithValue(ctx, progressKey{}, f)
}

// callOptions returns the options of a call, nil for the defaults.
func (c *Client) callOptions(ctx context.Context, m *wire.Method) *peer.CallOptions {
	if m.Name == mcp.MethodGetTaskPayload.Name {
		return &peer.CallOptions{Timeout: -1, MaxTimeout: -1} // it waits for the task to end
	}
	f, _ := ctx.Value(progressKey{}).(func(*mcp.ProgressNotificationParams))
	if f == nil && !c.opts.ResetOnProgress {
		return nil
	}
	return &peer.CallOptions{OnProgress: f, ResetOnProgress: c.opts.ResetOnProgress}
}
