package client

import (
	"context"

	"github.com/mcpgen/mcpgen/mcp"
)

// The typed calls. Each is Client.Call with the types of its method, so that middleware, checks and the cache are the same
// for both. Params may be nil if the method requires none. A server's requests for input are handled by the handlers of
// Options, whatever the revision; a caller that handles them itself uses WithManualInput.

// Discover requests server/discover, since 2026-07-28. [Client.Server] returns what most callers need of it.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/server/discover.
func (c *Client) Discover(ctx context.Context, params *mcp.RequestParams) (*mcp.DiscoverResult, error) {
	return c.calls.Discover(ctx, params)
}

// ListTools requests one page of the server's tools. [Client.Tools] returns all of them.
func (c *Client) ListTools(ctx context.Context, params *mcp.PaginatedRequestParams) (*mcp.ListToolsResult, error) {
	return c.calls.ListTools(ctx, params)
}

// CallTool calls a tool. A tool that fails is no error: the result says so, and why.
func (c *Client) CallTool(ctx context.Context, params *mcp.CallToolRequestParams) (*mcp.CallToolResult, error) {
	return c.calls.CallTool(ctx, params)
}

// ListPrompts requests one page of the server's prompts. [Client.Prompts] returns all of them.
func (c *Client) ListPrompts(ctx context.Context, params *mcp.PaginatedRequestParams) (*mcp.ListPromptsResult, error) {
	return c.calls.ListPrompts(ctx, params)
}

// GetPrompt returns a prompt, filled in with arguments.
func (c *Client) GetPrompt(ctx context.Context, params *mcp.GetPromptRequestParams) (*mcp.GetPromptResult, error) {
	return c.calls.GetPrompt(ctx, params)
}

// ListResources requests one page of the server's resources. [Client.Resources] returns all of them.
func (c *Client) ListResources(ctx context.Context, params *mcp.PaginatedRequestParams) (*mcp.ListResourcesResult, error) {
	return c.calls.ListResources(ctx, params)
}

// ListResourceTemplates requests one page of the server's resource templates. [Client.ResourceTemplates]
// returns all of them.
func (c *Client) ListResourceTemplates(ctx context.Context, params *mcp.PaginatedRequestParams) (*mcp.ListResourceTemplatesResult, error) {
	return c.calls.ListResourceTemplates(ctx, params)
}

// ReadResource reads a resource. [IsNotFound] recognizes the error for one that does not exist.
func (c *Client) ReadResource(ctx context.Context, params *mcp.ReadResourceRequestParams) (*mcp.ReadResourceResult, error) {
	return c.calls.ReadResource(ctx, params)
}

// Complete requests suggestions for an argument of a prompt or a resource template.
func (c *Client) Complete(ctx context.Context, params *mcp.CompleteRequestParams) (*mcp.CompleteResult, error) {
	return c.calls.Complete(ctx, params)
}
