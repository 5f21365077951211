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
// If the call becomes a task, f is called when a request for its status shows progress: the progress that a server
// of package server adds to the status or, for other servers, each new status message, with a count. Its progress token
// is then the id of the task.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress.
func WithProgress(ctx context.Context, f func(*mcp.ProgressNotificationParams)) context.Context {
	return context.WithValue(ctx, progressKey{}, f)
}

type startedKey struct{}

// WithStarted returns a context with which a call passes f the id of each of its requests before it is sent. What the
// server sends for the request belongs to that id, as [Options].Receive sees. A call may take several requests, or none.
func WithStarted(ctx context.Context, f func(id wire.ID)) context.Context {
	return context.WithValue(ctx, startedKey{}, f)
}

// callOptions returns the options of a call, nil for the defaults.
func (c *Client) callOptions(ctx context.Context, m *wire.Method) *peer.CallOptions {
	started, _ := ctx.Value(startedKey{}).(func(id wire.ID))
	if m.Name == mcp.MethodGetTaskPayload.Name {
		return &peer.CallOptions{Timeout: -1, MaxTimeout: -1, Started: started} // it waits for the task to end
	}
	f, _ := ctx.Value(progressKey{}).(func(*mcp.ProgressNotificationParams))
	if f == nil && started == nil && !c.opts.ResetOnProgress {
		return nil
	}
	return &peer.CallOptions{OnProgress: f, Started: started, ResetOnProgress: c.opts.ResetOnProgress}
}
