package client

// A server sends log messages of the level that the client asks for: through 2025-11-25 by a request, which holds for
// the session and is sent again in the next one, since then in the metadata of each request.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging.

import (
	"context"
	"fmt"

	"github.com/mcpgen/mcpgen/mcp"
)

// SetLevel asks for log messages of a level and above. Those in [Options].Methods handle them: they are notifications/message,
// whose params are a *[mcp.LoggingMessageNotificationParams]. Through 2025-11-25 it sends a request;
// until then the server decides which messages it sends. Since 2026-07-28 all later requests carry the level. Until
// a level is set there are no messages, and the empty level turns them off again.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/logging.
func (c *Client) SetLevel(ctx context.Context, level mcp.LoggingLevel) error {
	if err := c.ready(); err != nil {
		return err
	}
	if !level.Valid() && (level != "" || !c.modern()) {
		return fmt.Errorf("client: log level: want debug, info, notice, warning, error, critical, alert or emergency, got %q", level)
	}
	if !c.modern() {
		_, err := c.calls.SetLevel(ctx, &mcp.SetLevelRequestParams{Level: level})
		if err == nil {
			c.mu.Lock()
			// For the next session, see Client.restore.
			c.level = level
			c.mu.Unlock()
		}
		return err
	}
	if m := &mcp.MethodSetLevel; !c.opts.AllowUndeclared && !c.declared.has(m.ServerCapability) {
		return &CapabilityError{m.Name, m.ServerCapability}
	}
	c.uses(ctx, &mcp.MethodLoggingMessageNotification)
	c.meta.Store(c.standardMeta(c.Revision(), level))
	return nil
}
