package streamable

import (
	"cmp"
	"log/slog"
	"net/http"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/observe"
	"github.com/mcpgen/mcpgen/runtime/transport"
)

// Options configures a [Handler]. The zero value is safe: it admits clients on the same machine, and limits
// everything that a client can make the server keep. For limits, 0 means the default, and a negative value no
// limit.
//
// How many requests of a session may be handled at once, and how many notifications may wait, is set in the
// server's options: see [server.Options.Limits].
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning
type Options struct {
	// Hosts lists the names by which clients reach the server, as in the Host header: "example.com" with any port,
	// "example.com:8443" with that port only, "*" for any name. Localhost, loopback addresses, and the address at
	// which the connection arrived are always accepted. The check is necessary because browsers can be made to
	// believe that another name belongs to this machine. A server that is reached by a name, directly or through a
	// proxy, must therefore know the name.
	Hosts []string

	// Origins lists the origins, such as "https://example.com", whose web pages may use the server, in addition to
	// the server's own. "*" means any. Requests without an Origin do not come from a page. Browsers let these pages
	// read the responses (CORS): the handler responds to preflight requests, and exposes the headers that clients
	// need. Cookies are never allowed.
	//
	// See https://fetch.spec.whatwg.org/#http-cors-protocol.
	Origins []string

	// Auth verifies the sender of each request, and refuses requests. A session, with its streams and tasks,
	// belongs to the principal that opened it, and does not exist for others. A stream ends when the identity ends
	// with which it was opened, or when Auth, which is asked again every minute, refuses the request, unless the error has
	// a method Temporary that returns true: in a session the client resumes the stream with a new token; since 2026-07-28
	// the request is cancelled. The response to a request that has sent nothing else is not a stream, however long it takes.
	//
	// A program that knows the names of senders in another way sets [Named]. Without Auth, the sender is the one that
	// middleware around the handler sets with [transport.WithIdentity].
	Auth Authorizer

	// Address returns the address that a request comes from. Anonymous senders are told apart by it: each address
	// has a share of the limits, see MaxRequests. The default is the other end of the connection. Behind a proxy that is
	// the proxy; use the address of the client that the proxy names instead, such as the last one in
	// X-Forwarded-For.
	Address func(*http.Request) string

	// Stateless serves revisions through 2025-11-25 without sessions, too: nothing is kept between requests, so any
	// process can handle any of them. Handlers then cannot send requests to the client, and the only streams are
	// those of responses.
	Stateless bool

	// JSONOnly responds to every request with a single JSON object, unless the client accepts only
	// streams. Notifications that belong to a request are not sent, and through 2025-11-25 handlers
	// cannot send requests to the client. Subscriptions need streams nevertheless.
	JSONOnly bool

	// Polling lets handlers close the stream of their response early, see [CloseStream]. Every request in a session
	// of 2025-11-25 then needs a goroutine.
	Polling bool

	// Retry is how long a client should wait before it resumes a stream: 1 s if 0. A negative value is not sent.
	Retry time.Duration

	// Events keeps what is sent on streams through 2025-11-25, so that a client that lost its
	// connection receives the rest. The default is [NewMemoryStore] with its defaults.
	Events EventStore

	// Sessions keeps the sessions, so that they outlive the handler and another one can continue them: with their
	// revision, what the client said about itself, their log level and subscriptions, and which requests were handled,
	// so that none is handled again. What is sent on their streams is sent only when Events has kept it; without an Events
	// that the other handler has, too, it cannot resume them. [Handler.Shutdown] does not end the sessions. The default keeps no
	// session: it ends with the handler. Package cluster/shared has a keeper for several processes that share a store.
	Sessions Keeper

	// Admit decides whether an HTTP request is served, once its sender is known and before its body is read. It is
	// called for all kinds of requests, including those with a notification and those that open a stream. An error
	// made by [transport.TryLater] refuses the request with status 429. Nil admits all. Package limit has an
	// implementation that bounds rates.
	Admit func(from transport.Origin) *transport.RefusedError

	// MaxMessage is how many bytes a message, or a batch, may have: 4 MiB if 0.
	MaxMessage int

	// MaxRequests is how many requests may be handled at once, including open streams: 20,000 if 0. MaxBytes is how
	// many bytes the bodies of more than 16 KiB may have together: 256 MiB if 0. Further requests are refused with
	// status 503. All clients share these limits, and MaxSessions; one may have a quarter of each. A client is a
	// principal or, without one, an address (for IPv6, its first 64 bits).
	MaxRequests, MaxBytes int

	// MaxSessions is how many sessions all clients may have together, 10,000 if 0. A further session replaces an
	// idle one: one of the same client if that has used up its share, or else one of the client that has most. A
	// session in which nothing followed initialize is replaced first, then the least recently used. If all are in
	// use, the client is refused with status 503.
	MaxSessions int

	// SessionIdle is how long an unused session lasts: 30 min if 0, but a minute if nothing has followed
	// initialize. A session with an open stream is in use. If it is negative, no session ends for that reason.
	SessionIdle time.Duration

	// KeepAlive is the time between comments that are written to an open stream: 25 s if 0. If it is
	// negative, none is ever written.
	KeepAlive time.Duration

	// ReadTimeout is how long the body of a request may take to arrive, and WriteTimeout how long a message may
	// take to be accepted by the client's side of the connection: 30 s each if 0.
	ReadTimeout, WriteTimeout time.Duration

	// Grace is how long requests have to finish when a server of [ListenAndServe] or [Serve] shuts down: 10 s if 0.
	Grace time.Duration

	// Logger receives errors. The default is [slog.Default].
	Logger *slog.Logger

	// Observer learns of streams that belong to no request. The server learns of the rest, if package observeserver
	// connects it to the observer. Nil means none, and costs nothing.
	Observer observe.Observer
}

// maxStreams is how many streams a session may have open at the same time, not counting those of its requests.
const maxStreams = 8

// maxPendingBytes limits the messages that belong to no request and wait until their session has a stream, maxPendingOfAll those of
// all sessions. The oldest is dropped first.
const (
	maxPendingBytes = 256 << 10
	maxPendingOfAll = 64 << 20
)

// complete returns the options with defaults filled in, but for those that are only for package front.
func (o *Options) complete() Options {
	c := option.Of(o)
	c.Logger = excerpt.Logger(c.Logger)
	if c.Events == nil {
		c.Events = NewMemoryStore(nil)
	}
	c.MaxSessions = option.Limit(c.MaxSessions, 10_000)
	c.Retry = cmp.Or(c.Retry, time.Second)
	c.SessionIdle = cmp.Or(c.SessionIdle, 30*time.Minute)
	c.KeepAlive = cmp.Or(c.KeepAlive, 25*time.Second)
	c.ReadTimeout = cmp.Or(c.ReadTimeout, 30*time.Second)
	c.WriteTimeout = cmp.Or(c.WriteTimeout, 30*time.Second)
	c.Grace = option.Limit(c.Grace, 10*time.Second)
	return c
}
