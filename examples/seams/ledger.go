package seams

import (
	"context"
	"fmt"
	"sync"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A Ledger records the calls of tools that do not say that they only read. The zero value is empty.
type Ledger struct {
	mu    sync.Mutex
	lines []string
}

// Wrap is for server.Options.WrapTools.
func (l *Ledger) Wrap(t *mcp.Tool, next server.ToolHandler) (server.ToolHandler, error) {
	if t.Annotations.GetReadOnlyHint() {
		return next, nil // its calls cost nothing
	}
	return func(ctx context.Context, c *server.Call, args wire.Raw) (*mcp.CallToolResult, error) {
		r, err := next(ctx, c, args)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.lines = append(l.lines, fmt.Sprintf("%s %s%s: %v", c.Principal(), t.Name, args, err == nil && !r.GetIsError()))
		return r, err
	}, nil
}

// Lines returns what was called, in order.
func (l *Ledger) Lines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string(nil), l.lines...)
}
