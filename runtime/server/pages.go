package server

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"io"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// A cursor is the key of the last item of the previous page, so that it stays valid when items come and go,
// and in every process. Its checksum only tells cursors from other text. It need not protect anything: a
// cursor gives access to nothing but the list.
//
// See https://modelcontextprotocol.io/specification/2025-11-25/server/utilities/pagination

// encodeCursor returns the cursor of a list for what follows a key.
func encodeCursor(method, key string) mcp.Cursor {
	b := binary.BigEndian.AppendUint32(nil, cursorSum(method, key))
	return mcp.Cursor(base64.RawURLEncoding.EncodeToString(append(b, key...)))
}

// decodeCursor returns the key of a cursor that encodeCursor made for the same method. The item with that key need not exist any
// more: the page begins with what would follow it.
func decodeCursor(method string, c mcp.Cursor) (key string, err error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(string(c))
	if err != nil || len(b) < 4 || binary.BigEndian.Uint32(b) != cursorSum(method, string(b[4:])) {
		return "", jsonrpcError(codeInvalidParams, fmt.Sprintf("cursor: want one that %[2]s has returned, got %[1]q", excerpt.Of(string(c)), method), nil)
	}
	return string(b[4:]), nil
}

// cursorSum returns the checksum of a cursor. The method is in it, so that the cursor of another list is refused.
func cursorSum(method, key string) uint32 {
	h := fnv.New32a()
	io.WriteString(h, method)
	io.WriteString(h, key)
	return h.Sum32()
}

// A listed is a page of items, and what its result says beside them.
type listed[T kind] struct {
	items []T
	next  *mcp.Cursor // nil on the last page
	ttl   *int64
	scope mcp.CacheScope
}

// list handles a request for one page of a list, of which build makes the result. Most servers have one page for everybody,
// made once and sent as it is: the members of a result that differ between requests are not in lists.
//
// A filter that is not static may show each caller something else. Then nothing is kept, and nothing is public.
//
// REQ STATE-13, CACHE-09, CACHE-11, TOOL-26
func list[T kind](ctx context.Context, c *Call, m *wire.Method, r *registry, hint CacheHint, build func(listed[T]) wire.Encodable) (wire.Encodable, error) {
	var p mcp.PaginatedRequestParams
	if err := m.DecodeParams(wire.Server, c.rev, c.req.Params, true, &p); err != nil {
		return nil, err
	}
	start, size := 0, c.server.opts.PageSize
	order, needs, varies := r.sorted()
	able := c.abilities(needs)
	if p.Cursor != nil {
		key, err := decodeCursor(m.Name, *p.Cursor)
		if err != nil {
			return nil, err
		}
		start = after(order, key)
	}

	// A page is kept if it is the same for all clients, and if a client that reads the list from its beginning gets
	// that page.
	k := pageKey{c.rev, start, able}
	keep := !varies && start%size == 0
	if keep {
		if p, ok := r.kept(order, k); ok {
			c.page = p
			return p, nil
		}
	}
	// Decided by the whole list, since all of its pages must have the same cacheScope.
	if varies || needs != 0 {
		hint.Public = false
	}

	// Variants follow each other in the order, and a cursor leads to what comes after all of them.
	var l listed[T]
	last := ""
	for _, t := range order[start:] {
		i := t.common()
		if i.key == last && len(l.items) > 0 || !i.gate.admits(c.rev, able) { // one of several variants is enough
			continue
		}
		// What the caller lacks scopes for is shown: a client can only ask its user for more if it knows what there is.
		if show, _ := i.filter(ctx, c, nil); !show {
			continue
		}
		if len(l.items) == size {
			l.next = new(encodeCursor(m.Name, last))
			break
		}
		l.items, last = append(l.items, t.(T)), i.key
	}
	l.ttl, l.scope = hint.members()
	raw, err := wire.MarshalChecked(c.rev, build(l))
	if err != nil {
		return nil, err
	}
	if keep {
		r.keep(order, k, raw)
	}
	c.page = raw // by which encode knows it
	return c.page, nil
}
