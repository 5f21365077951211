package features

import (
	"context"
	"errors"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/transport/streamable"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// step is how long one step of the tools here takes.
const step = 50 * time.Millisecond

// timeTools take their time, and tell the client about it. For one that can be cancelled see
// [everything.wait].
var timeTools = []tool{
	{
		mcp.Tool{Name: "test_tool_with_progress", Description: "Reports progress"},
		func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			for _, done := range []float64{0, 50, 100} {
				c.Progress().Report(done, 100, "")
				if err := sleep(ctx, step); err != nil {
					return nil, err
				}
			}
			return server.TextResult("Tool with progress completed."), nil
		},
	},
	{
		mcp.Tool{Name: "test_tool_with_logging", Description: "Sends log messages"},
		func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			for _, msg := range []string{"Tool execution started", "Tool processing data", "Tool execution completed"} {
				c.Logger().InfoContext(ctx, msg)
				if err := sleep(ctx, step); err != nil {
					return nil, err
				}
			}
			return server.TextResult("Tool with logging completed."), nil
		},
	},
	{
		mcp.Tool{Name: "test_reconnection", Description: "Has the client come back for the answer, where the transport can do that"},
		func(ctx context.Context, _ *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			if err := streamable.CloseStream(ctx); err != nil && !errors.Is(err, streamable.ErrNoPolling) {
				return nil, err
			}
			return server.TextResult("Reconnected."), sleep(ctx, 2*step)
		},
	},
	{
		mcp.Tool{Name: "test_logging_tool", Description: "Sends one log message, if the client wants it"},
		func(ctx context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
			c.Logger().InfoContext(ctx, "test_logging_tool was called")
			return server.TextResult("Logged."), nil
		},
	},
}

// sleep returns after d, or when ctx ends, with its error.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
