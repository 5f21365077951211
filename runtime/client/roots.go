package client

// Roots are the directories and files that a server may work on. The client owns the list, responds with it, and
// through 2025-11-25 notifies the server of changes.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/client/roots.

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// SetRoots replaces the roots. Through 2025-11-25 it notifies the server, unless [Options.Capabilities]
// declares roots without listChanged. It is an error if [Options.Roots] is nil: then the client did not
// declare roots.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/client/roots.
//
// REQ ROOT-05
func (c *Client) SetRoots(ctx context.Context, roots []mcp.Root) error {
	if err := c.ready(); err != nil {
		return err
	}
	if c.opts.Roots == nil {
		return errors.New("client: roots: Options.Roots is nil, so the client has not declared roots")
	}
	if err := checkRoots(roots); err != nil {
		return err
	}
	c.mu.Lock()
	c.roots = slices.Clone(roots)
	c.mu.Unlock()
	if c.modern() || !c.opts.capabilities(c.Revision()).Roots.GetListChanged() {
		return nil
	}
	return c.calls.NotifyRootsListChanged(ctx, nil)
}

// checkRoots checks that roots have file URIs. Those with two slashes have an authority, which may be empty; the protocol
// leaves no other form.
//
// REQ ROOT-04, ROOT-07
func checkRoots(roots []mcp.Root) error {
	for i, r := range roots {
		u, err := url.Parse(r.URI)
		if err != nil {
			return fmt.Errorf("client: roots[%d]: %w", i, err)
		}
		if u.Scheme != "file" || u.Path == "" || !strings.HasPrefix(r.URI[len("file:"):], "//") {
			return fmt.Errorf("client: roots[%d]: want a URI of file:// and a path, got %q", i, r.URI)
		}
	}
	return nil
}

// ListRoots handles roots/list. The list is never changed, only replaced, so that it can be encoded without the mutex.
func (h *builtin) ListRoots(ctx context.Context, _ *mcp.ListRootsRequestParams) (*mcp.ListRootsResult, error) {
	c := h.client
	if c.opts.Roots == nil {
		return nil, wire.ErrUnknownMethod
	}
	c.uses(ctx, &mcp.MethodListRoots)
	c.mu.Lock()
	defer c.mu.Unlock()
	// An empty list is a list: the client has roots, and none of them now.
	return &mcp.ListRootsResult{Roots: c.roots}, nil
}
