package client

import (
	"context"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// An Elicitor asks a person for a server. The one of package elicit checks what the protocol wants to be checked: that what a
// person has entered is valid, and that a URL can be shown.
type Elicitor interface {
	// Modes returns which modes the client declares. They do not change.
	Modes() (form, url bool)
	// Elicit handles a request in a revision, in which the result is sent.
	Elicit(ctx context.Context, rev wire.Revision, params mcp.ElicitRequestParams) (mcp.ElicitResponse, error)
}

// Elicit handles elicitation/create by the Elicitor of the options.
func (h *builtin) Elicit(ctx context.Context, params mcp.ElicitRequestParams) (mcp.ElicitResponse, error) {
	c := h.client
	if c.opts.Elicit == nil {
		return nil, wire.ErrUnknownMethod
	}
	return c.opts.Elicit.Elicit(ctx, c.Revision(), params)
}
