package client

import (
	"context"
	"math"
	"strings"
	"sync"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/lru"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// maxTTL bounds how long a result is fresh, whatever the server says.
const maxTTL = 24 * time.Hour

// A cache keeps the texts of results for as long as the server says that they are fresh. When it becomes too
// large, it discards the least recently used.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching.
type cache struct {
	mu      sync.Mutex
	entries lru.Map[cacheKey, cacheEntry]
	changes map[string]uint64 // by method, how often its results were discarded
}

// A cacheKey is the part of a request that determines its result.
type cacheKey struct {
	method  string
	arg     string // the URI of a resource; a cursor after a "="; empty if there is none
	private bool
	context string // of a private result: its authorization
}

type cacheEntry struct {
	text    wire.Raw
	expires time.Time
}

func newCache(limit int) *cache {
	return &cache{entries: lru.Map[cacheKey, cacheEntry]{MaxItems: math.MaxInt, MaxSize: limit}, changes: map[string]uint64{}}
}

// cacheable returns the key of a request if its result may be kept. A request with unknown members is not
// cacheable, because these may affect the result.
//
// REQ CACHE-02, MRTR-16
func cacheable(m *wire.Method, params wire.Encodable) (key cacheKey, ok bool) {
	key.method = m.Name
	if len(m.Cacheable) == 0 {
		return key, false
	}
	switch p := params.(type) {
	case nil:
		return key, true
	case *mcp.RequestParams:
		return key, p != nil && p.Extra == nil && plainMeta(p.Meta)
	case *mcp.PaginatedRequestParams:
		if p != nil && p.Cursor != nil {
			key.arg = "=" + string(*p.Cursor) // the empty cursor is not the first page
		}
		return key, p != nil && p.Extra == nil && plainMeta(p.Meta)
	case *mcp.ReadResourceRequestParams:
		if p == nil || p.Extra != nil || !plainMeta(p.Meta) || p.InputResponses != nil || p.RequestState != nil {
			return key, false
		}
		key.arg = p.URI
		return key, true
	}
	return key, false
}

func plainMeta(m *mcp.RequestMetaObject) bool {
	return m == nil || m.Extra == nil && m.ClientCapabilities == nil
}

// get returns the text of a fresh result.
func (c *cache) get(key cacheKey, context string) (wire.Raw, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, key := range []cacheKey{key, private(key, context)} {
		entry, found := c.entries.Get(key)
		if found && time.Now().Before(entry.expires) {
			return entry.text, true
		}
		c.entries.Delete(key)
	}
	return nil, false
}

// version changes when results of a method are discarded. Results that were requested before are stale.
func (c *cache) version(method string) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changes[method]
}

// put keeps a result that was requested at a version.
//
// REQ CACHE-06
func (c *cache) put(key cacheKey, context string, version uint64, text wire.Raw, h *hint) {
	if h.ttlMs <= 0 {
		return
	}
	if h.scope != mcp.CacheScopePublic {
		key = private(key, context)
	}
	ttl := maxTTL
	if h.ttlMs < maxTTL.Milliseconds() {
		ttl = time.Duration(h.ttlMs) * time.Millisecond
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changes[key.method] == version {
		c.entries.Put(key, cacheEntry{text, time.Now().Add(ttl)}, len(text))
	}
}

// drop discards the results of a method for whose argument stale returns true; all if stale is nil.
func (c *cache) drop(method string, stale func(arg string) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.changes[method]++
	c.entries.DeleteFunc(func(key cacheKey) bool { return key.method == method && (stale == nil || stale(key.arg)) })
}

// dropResource discards the contents of a resource, and of those that it may be a part of.
func (c *cache) dropResource(uri string) {
	c.drop(mcp.MethodReadResource.Name, func(arg string) bool { return strings.HasPrefix(uri, arg) })
}

// REQ CACHE-06
func private(key cacheKey, context string) cacheKey {
	key.private, key.context = true, context
	return key
}

// A hint says how long and for whom a result may be kept.
type hint struct {
	ttlMs int64
	scope mcp.CacheScope
}

var typeHint = wire.Type{Name: "cacheable result", Members: []string{"ttlMs", "cacheScope"}}

// DecodeWire decodes the hint, and skips the rest of the result.
func (h *hint) DecodeWire(d *wire.Decoder) {
	*h = hint{}
	o := d.Object(&typeHint)
	for o.Next() {
		switch o.Name {
		case "ttlMs":
			o.Once(0)
			if v := d.IntOrNull(); v != nil {
				h.ttlMs = *v
			}
		case "cacheScope":
			o.Once(1)
			h.scope = mcp.CacheScope(d.StringOrNull())
		default:
			d.Skip()
		}
	}
}

// authorization returns the name of a call's authorization.
func (c *Client) authorization(ctx context.Context) string {
	if c.opts.Authorization == nil {
		return ""
	}
	return c.opts.Authorization(ctx)
}
