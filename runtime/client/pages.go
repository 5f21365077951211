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

// Tools goes through the tools of the server, page by page. There are none if the server does
// not declare that it has any. After an error, the sequence ends.
func (c *Client) Tools(ctx context.Context) iter.Seq2[*mcp.Tool, error] {
	return items(ctx, c, mcp.MethodListTools.Name, func(ctx context.Context, p *mcp.PaginatedRequestParams) ([]mcp.Tool, *mcp.Cursor, error) {
		r, err := c.ListTools(ctx, p)
		if err != nil {
			return nil, nil, err
		}
		return r.Tools, r.NextCursor, nil
	}, func(t *mcp.Tool) string { return t.Name })
}

// Prompts goes through the prompts of the server like [Client.Tools].
func (c *Client) Prompts(ctx context.Context) iter.Seq2[*mcp.Prompt, error] {
	return items(ctx, c, mcp.MethodListPrompts.Name, func(ctx context.Context, p *mcp.PaginatedRequestParams) ([]mcp.Prompt, *mcp.Cursor, error) {
		r, err := c.ListPrompts(ctx, p)
		if err != nil {
			return nil, nil, err
		}
		return r.Prompts, r.NextCursor, nil
	}, func(p *mcp.Prompt) string { return p.Name })
}

// Resources goes through the resources of the server like [Client.Tools].
func (c *Client) Resources(ctx context.Context) iter.Seq2[*mcp.Resource, error] {
	return items(ctx, c, mcp.MethodListResources.Name, func(ctx context.Context, p *mcp.PaginatedRequestParams) ([]mcp.Resource, *mcp.Cursor, error) {
		r, err := c.ListResources(ctx, p)
		if err != nil {
			return nil, nil, err
		}
		return r.Resources, r.NextCursor, nil
	}, func(r *mcp.Resource) string { return r.URI })
}

// ResourceTemplates goes through the resource templates of the server like [Client.Tools].
func (c *Client) ResourceTemplates(ctx context.Context) iter.Seq2[*mcp.ResourceTemplate, error] {
	return items(ctx, c, mcp.MethodListResourceTemplates.Name, func(ctx context.Context, p *mcp.PaginatedRequestParams) ([]mcp.ResourceTemplate, *mcp.Cursor, error) {
		r, err := c.ListResourceTemplates(ctx, p)
		if err != nil {
			return nil, nil, err
		}
		return r.ResourceTemplates, r.NextCursor, nil
	}, func(t *mcp.ResourceTemplate) string { return t.URITemplate })
}

// The bounds of what is kept of a list that is gone through: of one cursor, and of all names and
// cursors together.
const (
	maxCursor  = 64 << 10
	maxListing = 32 << 20
)

// A listing is what is kept of a list while it is gone through.
type listing struct {
	given   map[string]bool // names of items
	cursors map[string]bool
	bytes   int
}

// note keeps a text in one of the maps, and reports whether there is room for it.
func (l *listing) note(in map[string]bool, text string) bool {
	if !in[text] {
		l.bytes += len(text) + 32
		in[strings.Clone(text)] = true // not the whole page with it
	}
	return l.bytes <= maxListing
}

// wrong says what is wrong with the next cursor, "" if nothing is.
func (l *listing) wrong(cursor string) string {
	switch {
	case len(cursor) > maxCursor:
		return fmt.Sprintf("the next cursor has %d bytes, more than %d", len(cursor), maxCursor)
	case l.cursors[cursor]:
		return fmt.Sprintf("the cursor %q came twice", excerpt.Of(cursor))
	}
	return ""
}

func tooLong(method string) error {
	return fmt.Errorf("%s: more than %d bytes of names and cursors", method, maxListing)
}

// items follows cursors until there is none; an empty cursor is one like any other. When the
// server does not know a cursor of its own any more, the list begins again, once, and leaves out
// what it has given already. So it does, as often as that happens, when the session has ended to
// which a cursor belongs.
func items[T any](ctx context.Context, c *Client, method string,
	fetch func(context.Context, *mcp.PaginatedRequestParams) ([]T, *mcp.Cursor, error), key func(*T) string) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		var (
			params  *mcp.PaginatedRequestParams
			kept    = listing{given: map[string]bool{}, cursors: map[string]bool{}}
			session int  // to which the cursor belongs
			unknown bool // the server did not know a cursor
			begun   int  // how often the list has begun again
		)
		restart := func() {
			params = nil
			clear(kept.cursors) // whose bytes still count: the server has sent them
			begun++
		}
		for range c.opts.maxPages() {
			// REQ PAGE-03
			if params != nil && c.session() != session {
				restart()
			}
			session = c.session()
			page, next, err := fetch(ctx, params)
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
			for i := range page {
				item := &page[i]
				name := key(item)
				if begun > 0 && kept.given[name] {
					continue
				}
				if !kept.note(kept.given, name) {
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
			if wrong := kept.wrong(string(*next)); wrong != "" {
				yield(nil, &ResultError{Method: method, Reason: wrong})
				return
			}
			if !kept.note(kept.cursors, string(*next)) {
				yield(nil, tooLong(method))
				return
			}
			// REQ PAGE-02
			params = &mcp.PaginatedRequestParams{Cursor: next}
		}
		yield(nil, fmt.Errorf("%s: more than %d pages", method, c.opts.maxPages()))
	}
}
