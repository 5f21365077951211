package client

import (
	"context"
	"fmt"

	"github.com/mcpgen/mcpgen/mcp"
)

// SetLevel asks for log messages of the given level and above, which come to Options.OnLog. Up to
// 2025-11-25 that is a request of its own, and before it the server decides; since 2026-07-28
// every later request says so, and without it there are no messages. The empty level turns them
// off again, where the revision has a way to say so.
func (c *Client) SetLevel(ctx context.Context, level mcp.LoggingLevel) error {
	if !level.Valid() && (level != "" || !c.modern()) {
		return fmt.Errorf("log level %q: want one of debug, info, notice, warning, error, critical, alert, emergency", level)
	}
	if !c.modern() {
		_, err := c.calls.SetLevel(ctx, &mcp.SetLevelRequestParams{Level: level})
		if err == nil {
			c.mu.Lock()
			c.level = level
			c.mu.Unlock()
		}
		return err
	}
	if m := &mcp.MethodSetLevel; !c.opts.AllowUndeclared && !c.declared.has(m.ServerCapability) {
		return &CapabilityError{m.Name, m.ServerCapability}
	}
	c.meta.Store(c.standardMeta(c.rev, level))
	return nil
}
