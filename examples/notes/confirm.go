package main

import (
	"context"
	"errors"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/server"
)

// confirm asks the user whether they are sure. Who cannot be asked is taken to be: such clients ask
// before they call a destructive tool.
func confirm(ctx context.Context, c *server.Call, question string) (bool, error) {
	answer, err := c.Elicit(ctx, &mcp.ElicitRequestFormParams{Message: question})
	if _, missing := errors.AsType[*server.MissingCapabilityError](err); missing {
		return true, nil
	}
	return err == nil && answer.Action == mcp.ElicitResultActionAccept, err
}
