package client

// What one call is to do beside its params is in its context: where its progress goes, how long it may take, and who
// learns of its ids. The connection makes the tokens of progress, and finds the call that a report is about.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress.

import (
	"context"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/peer"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

type progressKey struct{}

// WithProgress returns a context with which calls ask the server to report progress. f is called by the
// goroutine of the call, in order, and not after the call has returned. Each report restarts the timeout of the request, which
// ends after MaxTimeout of [transport.Limits] at the latest. A call that needs input is several requests. The server may
// report nothing.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/patterns/progress.
func WithProgress(ctx context.Context, f func(*mcp.ProgressNotificationParams)) context.Context {
	return context.WithValue(ctx, progressKey{}, f)
}

// ProgressFunc returns the function of [WithProgress], nil if there is none: for progress that is learnt of in another way
// than by a notification.
func ProgressFunc(ctx context.Context) func(*mcp.ProgressNotificationParams) {
	f, _ := ctx.Value(progressKey{}).(func(*mcp.ProgressNotificationParams))
	return f
}

type waitKey struct{}

// WithoutTimeout returns a context with which calls wait for their responses as long as the context lasts, whatever
// [transport.Limits] say: for methods whose response arrives when something has happened.
func WithoutTimeout(ctx context.Context) context.Context {
	return context.WithValue(ctx, waitKey{}, true)
}

type startedKey struct{}

// WithStarted returns a context with which a call passes f the id of each of its requests before it is sent. What the
// server sends for the request belongs to that id, as [Options].Receive sees. A call may take several requests, or none.
func WithStarted(ctx context.Context, f func(id wire.ID)) context.Context {
	return context.WithValue(ctx, startedKey{}, f)
}

// callOptions returns the options of a call, nil for the defaults. They come from the context, because middleware, typed
// calls and generated clients are between the caller and the connection, and none of them need know of them.
func callOptions(ctx context.Context) *peer.CallOptions {
	started, _ := ctx.Value(startedKey{}).(func(id wire.ID))
	wait := ctx.Value(waitKey{}) != nil
	f := ProgressFunc(ctx)
	if f == nil && started == nil && !wait {
		return nil
	}
	// A server that reports progress is alive, so its silence is measured from the last report.
	o := &peer.CallOptions{OnProgress: f, Started: started, ResetOnProgress: f != nil}
	if wait {
		o.Timeout, o.MaxTimeout = -1, -1
	}
	return o
}
