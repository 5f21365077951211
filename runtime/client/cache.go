package client

// Since 2026-07-28 a server says how long some of its results are fresh. The client keeps them that long, or until the
// server notifies of a change, and responds to the same call from them. The cache belongs to one Client, whose calls have
// one authorization: so what is private is not shared.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching.

import (
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
type cache struct {
	mu      sync.Mutex // guards what follows, but for entries.MaxSize, which newCache sets
	entries lru.Map[cacheKey, cacheEntry]
	changes map[string]uint64 // by method, how often its results were discarded
}

// A cacheKey is the part of a request that determines its result.
type cacheKey struct {
	method string
	arg    string // the URI of a resource; a cursor after a "="; empty if there is none
}

type cacheEntry struct {
	text    wire.Raw
	expires time.Time // by this process's clock, from when the result arrived
}

// newCache returns a cache for results of limit bytes together; 0 means that it keeps none.
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
	// Params of any other type, such as a wire.Raw, are not looked into: their results are not kept.
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

// plainMeta reports whether metadata has nothing that could change a result. The rest of it is about the request.
func plainMeta(m *mcp.RequestMetaObject) bool {
	return m == nil || m.Extra == nil && m.ClientCapabilities == nil
}

// get returns the text of a fresh result. Callers share it, and must not change it.
func (c *cache) get(key cacheKey) (wire.Raw, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	entry, found := c.entries.Get(key)
	if found && !time.Now().Before(entry.expires) {
		c.entries.Delete(key)
		found = false
	}
	return entry.text, found
}

// version changes when results of a method are discarded. Results that were requested before are stale: whoever sends a
// request asks for the version first, and put refuses the result if there was a change while the request was on its way.
func (c *cache) version(method string) uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.changes[method]
}

// put keeps a result that was requested at a version, for as long as it says. To whom it may be given it says, too, but a
// client gives it to nobody else.
func (c *cache) put(key cacheKey, version uint64, text wire.Raw) {
	d := wire.NewDecoder(text)
	var ms int64
	// Absent or not an integer it is 0, for which a result is not kept.
	if wire.Decode(d.PeekRaw("ttlMs"), wire.Into(&ms, wire.GetInt)) != nil || ms <= 0 {
		return
	}
	ttl := time.Duration(min(ms, maxTTL.Milliseconds())) * time.Millisecond
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
	// Also if nothing is kept: the result of a request that is on its way must not be kept, either.
	c.changes[method]++
	c.entries.DeleteFunc(func(key cacheKey) bool { return key.method == method && (stale == nil || stale(key.arg)) })
}

// dropResource discards the contents of a resource, and of those that it may be a part of. The notification names the part
// that has changed, while the contents were read by the URI of the whole; what the client knows about parts is that their
// URIs begin with that of the whole.
func (c *cache) dropResource(uri string) {
	c.drop(mcp.MethodReadResource.Name, func(arg string) bool { return strings.HasPrefix(uri, arg) })
}
