package client

// A list comes in pages, each with the cursor of the next one. An iterator requests them as its caller goes on, bounds
// what it reads, and begins again when its cursor is no longer valid: when the session has ended, or the server says
// so.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/pagination.

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/jsonrpc"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Tools returns an iterator over the tools of the server, which requests pages as needed. It is empty if the server
// does not declare the capability, and ends after an error. A list of more than 64 MiB is an error.
func (c *Client) Tools(ctx context.Context) iter.Seq2[*mcp.Tool, error] {
	return items(ctx, c, mcp.MethodListTools.Name, c.ListTools, func(r *mcp.ListToolsResult) ([]mcp.Tool, *mcp.Cursor) {
		return r.Tools, r.NextCursor
	}, func(t *mcp.Tool) string { return t.Name })
}

// Prompts returns an iterator over the prompts of the server, with the limits of [Client.Tools].
func (c *Client) Prompts(ctx context.Context) iter.Seq2[*mcp.Prompt, error] {
	return items(ctx, c, mcp.MethodListPrompts.Name, c.ListPrompts, func(r *mcp.ListPromptsResult) ([]mcp.Prompt, *mcp.Cursor) {
		return r.Prompts, r.NextCursor
	}, func(p *mcp.Prompt) string { return p.Name })
}

// Resources returns an iterator over the resources of the server, with the limits of [Client.Tools].
func (c *Client) Resources(ctx context.Context) iter.Seq2[*mcp.Resource, error] {
	return items(ctx, c, mcp.MethodListResources.Name, c.ListResources, func(r *mcp.ListResourcesResult) ([]mcp.Resource, *mcp.Cursor) {
		return r.Resources, r.NextCursor
	}, func(r *mcp.Resource) string { return r.URI })
}

// ResourceTemplates returns an iterator over the resource templates of the server, with the limits of [Client.Tools].
func (c *Client) ResourceTemplates(ctx context.Context) iter.Seq2[*mcp.ResourceTemplate, error] {
	return items(ctx, c, mcp.MethodListResourceTemplates.Name, c.ListResourceTemplates, func(r *mcp.ListResourceTemplatesResult) ([]mcp.ResourceTemplate, *mcp.Cursor) {
		return r.ResourceTemplates, r.NextCursor
	}, func(t *mcp.ResourceTemplate) string { return t.URITemplate })
}

// The limits of what is read of a list, in bytes: of one cursor, and of all items and cursors.
const (
	maxPages  = 1000 // of a list
	maxCursor = 64 << 10
	maxList   = 64 << 20
	itemBytes = 512 // what an item takes beside its text
)

// A listing is what is kept while a list is read. Callers may keep its items, too. Names tell which items were returned
// before a restart, and cursors whether the server leads in a circle; what is kept of both counts as bytes of the list.
type listing struct {
	names   map[string]bool // of items
	cursors map[string]bool
	bytes   int
	text    []byte // of the last item
}

// item adds an item, and copies it to another one: it shares the memory of its page, which may be as large as a message.
func (l *listing) item(name string, item wire.Encodable, to wire.Decodable) (err error) {
	// The name is a part of the page, too, and would keep all of it.
	l.names[strings.Clone(name)] = true
	if l.text, err = wire.Append(l.text[:0], wire.Any, item); err != nil {
		return err
	}
	if l.bytes += len(l.text) + itemBytes; l.bytes > maxList {
		return errLongList
	}
	return wire.Decode(l.text, to)
}

// next adds the next cursor of a list, and returns a copy of it.
func (l *listing) next(method string, cursor mcp.Cursor) (*mcp.Cursor, error) {
	text := strings.Clone(string(cursor))
	switch {
	case len(text) > maxCursor:
		return nil, &ResultError{Method: method, Reason: fmt.Sprintf("nextCursor: want at most %d bytes, got %d", maxCursor, len(text))}
	case l.cursors[text]:
		return nil, &ResultError{Method: method, Reason: fmt.Sprintf("nextCursor: want a new one, got %q again", excerpt.Of(text))}
	}
	l.cursors[text] = true
	if l.bytes += len(text); l.bytes > maxList {
		return nil, named(method, errLongList)
	}
	return new(mcp.Cursor(text)), nil
}

var errLongList = fmt.Errorf("want a list of at most %d bytes, got more", maxList)

// items requests the pages of a list until there is no next cursor; an empty cursor is a cursor. If the
// server does not know one of its cursors any more, items starts over, once, and leaves out the items that
// it has returned already. It also starts over whenever the session of a cursor has ended.
func items[T, R any, P interface {
	*T
	wire.Value
}](ctx context.Context, c *Client, method string, fetch func(context.Context, *mcp.PaginatedRequestParams) (*R, error),
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
		// Requests after a restart count, too, so a server cannot make the client start over forever.
		for range maxPages {
			if params != nil && c.session() != session {
				restart()
			}
			session = c.session()
			r, err := fetch(ctx, params)
			// The number of the session has changed, so the loop starts over.
			if errors.Is(err, errRenewed) {
				continue
			}
			if undeclared := (*CapabilityError)(nil); errors.As(err, &undeclared) { // there is no such list
				return
			}
			if params != nil && !unknown && errors.Is(err, jsonrpc.ErrInvalidParams) {
				// The pages that are kept have the old cursors.
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
				// Within one listing names are left as they are: whether a server may repeat one is not for the iterator to say.
				if restarts > 0 && kept.names[name] {
					continue
				}
				own := new(T)
				if err := kept.item(name, P(item), P(own)); err != nil {
					yield(nil, named(method, err))
					return
				}
				if !yield(own, nil) {
					return
				}
			}
			if next == nil {
				return
			}
			cursor, err := kept.next(method, *next)
			if err != nil {
				yield(nil, err)
				return
			}
			params = &mcp.PaginatedRequestParams{Cursor: cursor}
		}
		yield(nil, fmt.Errorf("%s: want at most %d pages, got more", method, maxPages))
	}
}
