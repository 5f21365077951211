package server

import (
	"context"
	"log/slog"
	"time"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/transport"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// Options configures a [Server]. The zero value of each field is its default.
type Options struct {
	// Instructions are advice on using the server well, for the model that will work with it.
	Instructions string

	// Revisions are the ones that are served. None means all that package mcp knows.
	Revisions []wire.Revision

	// Capabilities are declared beside the ones computed from what is registered: those of tools,
	// prompts or resources that will be registered later, and experimental ones. Members of it that
	// are nil take nothing away.
	Capabilities mcp.ServerCapabilities

	// Logging declares the logging capability: what handlers write to [Call.Logger] reaches the
	// client, as far as it wants it. Without it, log records go to Logger alone.
	Logging bool

	// LogLevel is the least severe level that a session gets which did not set one. The default is
	// info. From 2026-07-28 on requests set their own, or get nothing.
	LogLevel mcp.LoggingLevel

	// LogRate is how many log messages a client gets in a second: of a session, or of a request without
	// one. Others are left out, and the next that is sent is preceded by a warning of how many. The default is
	// 100; a negative number is no limit.
	LogRate int

	// Logger gets what handlers log and what the server has to say itself: panics, and what a
	// revision could not express. The default is [slog.Default].
	Logger *slog.Logger

	// PageSize is the most items in one page of a list. The default is 1000.
	PageSize int

	// Cache says how long clients may keep results, from 2026-07-28 on. The default is not at all.
	Cache Cache

	// Visible decides what the caller of c can see: item is a *[mcp.Tool], *[mcp.Prompt],
	// *[mcp.Resource] or *[mcp.ResourceTemplate], not to be changed. What is not visible stands in
	// no list and is unknown to those who name it. From 2026-07-28 on it must depend on nothing but
	// the authorization of the call. Nil shows everything.
	Visible func(ctx context.Context, c *Call, item any) bool

	// Middleware is around the handlers of requests, NotificationMiddleware around those of
	// notifications, and SendMiddleware around what the server sends to clients. The first of each is
	// outermost.
	Middleware             []Middleware
	NotificationMiddleware []NotificationMiddleware
	SendMiddleware         []SendMiddleware

	// OnInitialized is told about every session that is ready.
	OnInitialized func(ctx context.Context, s *Session)

	// OnRootsChanged is told that the roots of a session's client changed.
	OnRootsChanged func(ctx context.Context, s *Session)

	// OnSubscribe decides whether the caller of c may subscribe to a resource, by returning an
	// error if not, and lets the program begin to watch it. It offers the capability; the program
	// then calls [Server.ResourceUpdated].
	OnSubscribe func(ctx context.Context, c *Call, uri string) error

	// OnUnsubscribe is told that a subscription which OnSubscribe accepted has ended.
	OnUnsubscribe func(uri string)

	// Principal tells who is behind a request which names nobody itself. The name binds what the
	// server seals for that caller.
	Principal func(ctx context.Context) string

	// Share is how much of what all clients share one of them may have, in percent: 25. It is about
	// the bounds of [TaskOptions], MaxListens and MaxKept. A client is a principal; of nobody in
	// particular, a network address, or the first 64 bits of one of version 6; and where there is no
	// address either, as with a pipe, it is a connection, which may have all.
	Share int

	// MaxListens is how many requests for subscriptions may be open at the same time, from 2026-07-28
	// on: 10,000. MaxKept is how many bytes all sessions and subscriptions may keep of what clients
	// sent: 64 MiB. It counts what clients say about themselves, and 128 bytes beside the text for
	// each URI or task that one of them wants to be told about. What is beyond them is refused.
	MaxListens, MaxKept int

	// AskTimeout is how long the client may take to answer what a handler asks, up to 2025-11-25.
	// The default is 10 minutes; a negative duration is no limit but the context's.
	AskTimeout time.Duration

	// ProgressInterval is the least time between two progress notifications of a call; what comes
	// too early is left out, unless it completes the work. The default is 10 milliseconds; a
	// negative duration is no limit.
	ProgressInterval time.Duration

	// StateKey seals the state that travels through the client when a handler asks for input, from
	// 2026-07-28 on. Processes that serve the same clients need the same one: at least 32 random
	// bytes. The default is a random key for this server alone.
	StateKey []byte

	// StateTTL is how long sealed state is good for. The default is one hour.
	StateTTL time.Duration

	// StateOnce makes sealed state good for one use, if it is not nil: it records that the state of
	// that id is used, and reports whether that is the first time. The id can be forgotten after
	// the time given. See [OnceInMemory]. An answer of the client that does not fit is then asked for
	// again, with new state, while it is an error otherwise. If the handler fails, or the result is
	// lost on its way, the client has to begin anew.
	StateOnce func(ctx context.Context, id string, until time.Time) (first bool, err error)

	// Limits are those of each connection or session.
	Limits transport.Limits

	// Anonymous leaves the server's name out of results, from 2026-07-28 on.
	Anonymous bool
}

// Cache says how long clients may keep results.
type Cache struct {
	Discover, Tools, Prompts, Resources, Templates CacheHint

	// Read is for the resources whose handler says nothing.
	Read CacheHint
}

// A CacheHint says how long a client may keep a result, and who may share it. The zero value says
// that it is stale at once, and nobody's but the caller's.
type CacheHint struct {
	TTL    time.Duration // rounded down to milliseconds
	Public bool          // any cache may give it to anyone; ignored for lists that Visible filters
}

func (h CacheHint) members() (ttl *int64, scope mcp.CacheScope) {
	scope = mcp.CacheScopePrivate
	// REQ CACHE-01
	if h.Public {
		scope = mcp.CacheScopePublic
	}
	// REQ CACHE-01
	return new(max(0, h.TTL.Milliseconds())), scope
}
