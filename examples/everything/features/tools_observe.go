package features

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// observed is what the client did that gets no answer.
type observed struct {
	mu               sync.Mutex
	cancelled        int      // calls of test_wait
	rootsListChanged int      // notifications of that
	notices          []string // texts of notifications/example/notice
}

func (e *everything) rootsChanged(context.Context, *server.Call) error {
	e.seen.mu.Lock()
	defer e.seen.mu.Unlock()
	e.seen.rootsListChanged++
	return nil
}

// observationTools tell what the client did, or declares.
func (e *everything) observationTools() []tool {
	return []tool{
		{
			mcp.Tool{
				Name:        "test_wait",
				Description: "Waits, unless it is cancelled",
				InputSchema: oneArgument("ms", "integer", "How long, in milliseconds"),
			},
			e.wait,
		},
		{
			mcp.Tool{Name: "test_observed", Description: "Returns what the server saw of its clients"},
			e.observed,
		},
		{
			mcp.Tool{Name: "test_missing_capability", Description: "Needs the client's capability sampling"},
			needSampling,
		},
	}
}

func (e *everything) wait(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
	ms, err := argument[int](args, "ms")
	if err != nil {
		return nil, err
	}
	c.Progress().Report(0, 0, "")
	if err := sleep(ctx, time.Duration(ms)*time.Millisecond); err != nil {
		e.seen.mu.Lock()
		defer e.seen.mu.Unlock()
		e.seen.cancelled++
		return nil, err
	}
	return server.TextResult(fmt.Sprintf("waited %d ms", ms)), nil
}

func (e *everything) observed(context.Context, *server.Call, wire.Raw) (*mcp.CallToolResult, error) {
	e.seen.mu.Lock()
	defer e.seen.mu.Unlock()
	data, err := json.Marshal(map[string]any{
		"cancelled":        e.seen.cancelled,
		"rootsListChanged": e.seen.rootsListChanged,
		"notices":          append([]string{}, e.seen.notices...),
	})
	return server.TextResult(string(data)), err
}

func needSampling(_ context.Context, c *server.Call, _ wire.Raw) (*mcp.CallToolResult, error) {
	if c.Capabilities().Sampling == nil {
		return nil, &server.MissingCapabilityError{
			Required: mcp.ClientCapabilities{Sampling: &mcp.ClientCapabilitiesSampling{}},
		}
	}
	return server.TextResult("The client has sampling."), nil
}
