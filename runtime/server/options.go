package server

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Options configures a [Server]. The zero value of each field is its default; a negative number or
// duration means that there is no limit.
type Options struct {
	// Instructions are advice on using the server well, for the model that works with it.
	Instructions string

	// Revisions lists the revisions that the server serves. None means all: see [Revisions].
	Revisions []wire.Revision

	// Capabilities are declared in addition to those that follow from what is registered: for tools,
	// prompts or resources that will be registered later, and for experimental features. A nil member
	// takes nothing away.
	Capabilities mcp.ServerCapabilities

	// Logging declares the logging capability: what handlers write to [Call.Logger] is also sent to
	// clients that want it. Without it, records go to Logger alone.
	//
	// A client of a session that has not set a level gets what is at least info. Since 2026-07-28 each request names its
	// level, or gets no log messages.
	Logging bool

	// Logger receives what handlers log, and the server's own messages: about panics, and about what a
	// revision cannot express. The default is [slog.Default].
	Logger *slog.Logger

	// PageSize is how many items a page of a list has at most: 1000.
	PageSize int

	// Cache says how long clients may keep results, since 2026-07-28. By default they may not.
	Cache Cache

	// Filters decide who sees which items, and may use them, beside what the [Access] of an item says.
	Filters []Filter

	// Define may change a definition before it is registered, such as one of generated code: it receives a
	// copy of each, as a *[mcp.Tool], *[mcp.Prompt], *[mcp.Resource] or *[mcp.ResourceTemplate], which it must
	// not keep. Names and URIs must stay. What a pointer, a slice or a map leads to must be replaced rather
	// than changed. After [Server.Changed] it is called again, with the definitions as they were at first.
	Define func(item any)

	// WrapTools wraps the handlers of tools. The first is outermost.
	WrapTools []ToolWrapper

	// Middleware wraps the handlers of requests and notifications, and Send what the server sends to clients. The first
	// of each is outermost. Send does not see requests for input since 2026-07-28, which are part of a result and so
	// pass through Middleware, nor the cancellations that transports send themselves.
	Middleware []Middleware
	Send       []transport.Middleware

	// Watch is called when a request or a notification arrives, before anything is decided about it, and returns ctx
	// or a context derived from it for all that follows. Ended, if not nil, is called once with what is sent for it,
	// also after a refusal or a panic; by then c says all that is known. A subscription ends with its stream. Watch
	// cannot respond: that is what Middleware is for. Package observeserver makes options with an observer.
	Watch func(ctx context.Context, c *Call) (_ context.Context, ended func(result wire.Raw, err error))

	// OnSession is called when a client has opened a session by initialize, with that call, before the response is
	// sent, and when the server continues a session of another process. Ended, if not nil, is called once when the
	// session has ended here. Since 2026-07-28 there are no sessions.
	OnSession func(ctx context.Context, c *Call) (ended func())

	// Setup adds to a new server what must be there before anything else, such as an extension by a package of its own:
	// [New] calls each function, and panics if one fails.
	Setup []Setup

	// OnInitialized is called when the client of a session is ready.
	OnInitialized func(ctx context.Context, s *Session)

	// OnSubscribe is called before the caller of c subscribes to a resource; an error refuses the
	// subscription. It declares the capability: the program should watch the resource from then on, and
	// call [Server.ResourceUpdated].
	OnSubscribe func(ctx context.Context, c *Call, uri string) error

	// OnUnsubscribe is called when a subscription that OnSubscribe accepted has ended: once for each of them,
	// although others may still subscribe to that URI.
	OnUnsubscribe func(uri string)

	// Identity returns the sender of requests that arrive neither over a network nor with an identity, such as
	// those on standard input. Nil means an unknown sender, who may do everything. It is called for each request.
	// Transports over a network have options of their own.
	Identity func(ctx context.Context) transport.Identity

	// MaxKept is how many bytes all sessions and subscriptions together may keep of what clients sent: 64 MiB. It
	// counts what clients say about themselves and, for each URI or topic that they subscribe to, its text and 128
	// bytes. Since 2026-07-28 it also counts 6 KiB for each request for subscriptions that is open, of which there may so
	// be 10,922. Requests that would exceed it are refused.
	//
	// One client may have a quarter of it, as of the bounds of packages that extend the server. A
	// client is identified by its principal; without one, by its network address (for IPv6, the first 64 bits);
	// without either, as with a pipe, by its connection, which may have everything.
	MaxKept int

	// NotifyRate is how many log messages are sent in a second to a session, or for a request without one, and how many
	// progress notifications of a call, evenly spaced: 100. Others are discarded, except for the progress that completes
	// the work; a warning says how many log messages were.
	NotifyRate int

	// AskTimeout is how long a client may take to respond to a request for input, through 2025-11-25:
	// 10 minutes.
	AskTimeout time.Duration

	// StateKeys seal the state that travels through the client when a handler asks for input, since 2026-07-28: the first
	// seals, and all open. Each has at least 32 random bytes; empty ones are ignored. Processes that serve the same
	// clients need the same keys. If there is none, the server makes one, which no other process knows.
	//
	// A key is replaced while the processes serve: first each of them has the new one in second place, then in first
	// place, and once [Options.StateTTL] has passed, the old key goes.
	StateKeys [][]byte

	// StateTTL is how long sealed state is valid: 1 hour.
	StateTTL time.Duration

	// StateOnce, if not nil, makes sealed state valid for one use: it records that the state with that id is used,
	// and reports whether this is the first time. It may forget the id after the given time. See [OnceInMemory].
	// Input that is not what the handler asked for is then requested again, with new state; otherwise it is an
	// error. If the handler fails, or the result is lost on its way, the client has to start again.
	StateOnce func(ctx context.Context, id string, until time.Time) (first bool, err error)

	// Limits are the limits of each connection or session.
	Limits transport.Limits

	// Anonymous leaves the server's name out of results, since 2026-07-28.
	Anonymous bool
}

// A Setup adds something to a new server: see [Options].Setup.
type Setup func(s *Server) error

// setDefaults replaces zero with the default, and a negative number with one that is never reached.
func (o *Options) setDefaults() {
	o.Logger = cmp.Or(o.Logger, slog.Default())
	o.NotifyRate = option.Limit(o.NotifyRate, 100)
	o.PageSize = option.Limit(o.PageSize, 1000)
	o.MaxKept = option.Limit(o.MaxKept, 64<<20)
	o.AskTimeout = option.Limit(o.AskTimeout, 10*time.Minute)
	o.StateTTL = option.Limit(o.StateTTL, time.Hour)
}

// A Cache says how long clients may keep results.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/server/utilities/caching
type Cache struct {
	Discover, Tools, Prompts, Resources, Templates CacheHint

	// Read applies to resources whose handlers do not say how long.
	Read CacheHint
}

// A CacheHint says how long a client may keep a result, and who may share it. The zero value means that it
// is stale at once, and private to the caller.
type CacheHint struct {
	TTL time.Duration // rounded down to milliseconds; negative means 0

	// Public says that any cache may give the result to anyone. It is ignored where filters that are not static, or
	// capabilities, decide who may see an item, and for a resource that requires scopes.
	Public bool
}

// members returns the members of a result that say what the hint says: ttlMs and cacheScope.
//
// REQ CACHE-01
func (h CacheHint) members() (ttl *int64, scope mcp.CacheScope) {
	scope = mcp.CacheScopePrivate
	if h.Public {
		scope = mcp.CacheScopePublic
	}
	return new(max(0, h.TTL.Milliseconds())), scope
}
