package client

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

// SetRoots replaces the roots of the options and, up to 2025-11-25, tells the server that they
// have changed, unless the options declare roots that are not told. It is an error if the options
// have none, not even an empty list: then the client never declared them.
func (c *Client) SetRoots(ctx context.Context, roots []mcp.Root) error {
	if c.opts.Roots == nil {
		return errors.New("roots: the client did not declare any; Options.Roots is nil")
	}
	if err := checkRoots(roots); err != nil {
		return err
	}
	c.mu.Lock()
	c.roots = slices.Clone(roots)
	c.mu.Unlock()
	// REQ ROOT-05
	if c.modern() || !c.opts.capabilities(c.rev).Roots.GetListChanged() {
		return nil
	}
	return c.calls.NotifyRootsListChanged(ctx, nil)
}

// checkRoots checks that roots are files or directories.
func checkRoots(roots []mcp.Root) error {
	for i, r := range roots {
		u, err := url.Parse(r.URI)
		if err != nil {
			return fmt.Errorf("roots[%d]: %w", i, err)
		}
		// REQ ROOT-04, ROOT-07
		if u.Scheme != "file" || u.Path == "" || !strings.HasPrefix(r.URI[len("file:"):], "//") {
			return fmt.Errorf("roots[%d]: %q does not begin with file:// and a path", i, r.URI)
		}
	}
	return nil
}

// ListRoots answers roots/list.
func (h *handler) ListRoots(context.Context, *mcp.ListRootsRequestParams) (*mcp.ListRootsResult, error) {
	c := h.client
	if c.opts.Roots == nil {
		return nil, wire.ErrUnknownMethod
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return &mcp.ListRootsResult{Roots: c.roots}, nil
}
