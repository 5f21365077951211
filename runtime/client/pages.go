package client

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
)

// Tools returns an iterator over the tools of the server, which requests pages as needed. It is empty if the server
// does not declare the capability, and ends after an error.
func (c *Client) Tools(ctx context.Context) iter.Seq2[*mcp.Tool, error] {
	return items(ctx, c, mcp.MethodListTools.Name, c.ListTools, func(r *mcp.ListToolsResult) ([]mcp.Tool, *mcp.Cursor) {
		return r.Tools, r.NextCursor
	}, func(t *mcp.Tool) string { return t.Name })
}

// Prompts returns the prompts of the server as [Client.Tools] does tools.
func (c *Client) Prompts(ctx context.Context) iter.Seq2[*mcp.Prompt, error] {
	return items(ctx, c, mcp.MethodListPrompts.Name, c.ListPrompts, func(r *mcp.ListPromptsResult) ([]mcp.Prompt, *mcp.Cursor) {
		return r.Prompts, r.NextCursor
	}, func(p *mcp.Prompt) string { return p.Name })
}

// Resources returns the resources of the server as [Client.Tools] does tools.
func (c *Client) Resources(ctx context.Context) iter.Seq2[*mcp.Resource, error] {
	return items(ctx, c, mcp.MethodListResources.Name, c.ListResources, func(r *mcp.ListResourcesResult) ([]mcp.Resource, *mcp.Cursor) {
		return r.Resources, r.NextCursor
	}, func(r *mcp.Resource) string { return r.URI })
}

// ResourceTemplates returns the resource templates of the server as [Client.Tools] does tools.
func (c *Client) ResourceTemplates(ctx context.Context) iter.Seq2[*mcp.ResourceTemplate, error] {
	return items(ctx, c, mcp.MethodListResourceTemplates.Name, c.ListResourceTemplates, func(r *mcp.ListResourceTemplatesResult) ([]mcp.ResourceTemplate, *mcp.Cursor) {
		return r.ResourceTemplates, r.NextCursor
	}, func(t *mcp.ResourceTemplate) string { return t.URITemplate })
}

// The limits of what is kept while a list is read, in bytes: of one cursor, and of all names and cursors.
const (
	maxCursor  = 64 << 10
	maxListing = 32 << 20
)

// A listing is what is kept while a list is read.
type listing struct {
	names   map[string]bool // of items
	cursors map[string]bool
	bytes   int
}

// add adds a text to one of the maps, and reports whether there is room for it.
func (l *listing) add(in map[string]bool, text string) bool {
	if !in[text] {
		l.bytes += len(text) + 32
		in[strings.Clone(text)] = true // so that the text of the whole page is not kept
	}
	return l.bytes <= maxListing
}

// problem returns what is wrong with the next cursor, "" if nothing is.
func (l *listing) problem(cursor string) string {
	switch {
	case len(cursor) > maxCursor:
		return fmt.Sprintf("nextCursor: want at most %d bytes, got %d", maxCursor, len(cursor))
	case l.cursors[cursor]:
		return fmt.Sprintf("nextCursor: want a new one, got %q again", excerpt.Of(cursor))
	}
	return ""
}

func tooLong(method string) error {
	return fmt.Errorf("%s: want at most %d bytes of names and cursors, got more", method, maxListing)
}

// items requests the pages of a list until there is no next cursor; an empty cursor is a cursor. If the
// server does not know one of its cursors any more, items starts over, once, and leaves out the items that
// it has returned already. It also starts over whenever the session of a cursor has ended.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination.
func items[T, R any](ctx context.Context, c *Client, method string, fetch func(context.Context, *mcp.PaginatedRequestParams) (*R, error),
	page func(*R) ([]T, *mcp.Cursor), key func(*T) string) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		var (
			params   *mcp.PaginatedRequestParams
			kept     = listing{names: map[string]bool{}, cursors: map[string]bool{}}
			session  int  // of the cursor
			unknown  bool // the server did not know a cursor
			restarts int
		)
		restart := func() {
			params = nil
			clear(kept.cursors) // their bytes still count, or a server could go on forever
			restarts++
		}
		for range c.opts.maxPages() {
			// REQ PAGE-03
			if params != nil && c.session() != session {
				restart()
			}
			session = c.session()
			r, err := fetch(ctx, params)
			// REQ PAGE-03
			if errors.Is(err, errRenewed) {
				continue
			}
			if undeclared := (*CapabilityError)(nil); errors.As(err, &undeclared) {
				return
			}
			if params != nil && !unknown && errors.Is(err, jsonrpc.ErrInvalidParams) {
				c.cache.drop(method, nil)
				unknown = true
				restart()
				continue
			}
			if err != nil {
				yield(nil, err)
				return
			}
			list, next := page(r)
			for i := range list {
				item := &list[i]
				name := key(item)
				if restarts > 0 && kept.names[name] {
					continue
				}
				if !kept.add(kept.names, name) {
					yield(nil, tooLong(method))
					return
				}
				if !yield(item, nil) {
					return
				}
			}
			// REQ PAGE-04
			if next == nil {
				return
			}
			if problem := kept.problem(string(*next)); problem != "" {
				yield(nil, &ResultError{Method: method, Reason: problem})
				return
			}
			if !kept.add(kept.cursors, string(*next)) {
				yield(nil, tooLong(method))
				return
			}
			// REQ PAGE-02
			params = &mcp.PaginatedRequestParams{Cursor: next}
		}
		yield(nil, fmt.Errorf("%s: want at most %d pages, got more", method, c.opts.maxPages()))
	}
}
