package streamable

import (
	"cmp"
	"log/slog"
	"math"
	"net/http"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/store"
	"github.com/mcpgen/mcpgen/runtime/transport"
)

// Options configures a [Handler]. The zero value is safe: it is for clients on the same machine, and
// everything that a client can make the server keep is limited. Of the limits, 0 is the default, and a
// negative value is no limit.
//
// How many requests of a session may be handled at once, and how many notifications may wait, is in the
// server's own options: see [server.Options.Limits].
//
// See https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning
type Options struct {
	// Hosts are the names by which clients reach the server, as in the Host header: "example.com" with
	// any port, "example.com:8443" with that one, "*" for any name. They are in addition to localhost,
	// loopback addresses, and the very address at which the connection came in. Browsers can be made to
	// believe that a foreign name belongs to this machine, so a server that others reach by a name, also
	// through a proxy, must know that name.
	Hosts []string

	// Origins are the web pages that may use the server beside those of its own origin:
	// "https://example.com". "*" is any. Requests without an Origin come from no page. Browsers let these
	// pages read the responses (CORS): the handler responds to preflight requests, and exposes the headers
	// that clients need. Cookies are never allowed.
	//
	// See https://fetch.spec.whatwg.org/#http-cors-protocol.
	Origins []string

	// LoopbackOrigins adds the pages that this machine serves, at any port, to Origins: inspectors that run
	// in a browser, for instance.
	LoopbackOrigins bool

	// Auth verifies who sends each request, and refuses those whose senders may not. A session, with its
	// streams and tasks, belongs to the principal that opened it, and does not exist for others. A stream
	// ends when the identity does by whose request it was opened: in a session the client comes back for
	// the rest with a new token; since 2026-07-28 the request is cancelled. The response to a request
	// that has sent nothing else is not a stream, however long it takes.
	Auth Authorizer

	// Principal is for programs without Auth that know the senders of requests in another way. It returns
	// a name that does not change; empty is nobody in particular, and nobody has scopes. The response to
	// an error has status 401 and its text. Without it, the sender is that of [transport.WithIdentity],
	// by which middleware around the handler can say it.
	Principal func(*http.Request) (string, error)

	// Address returns where a request comes from, for those who are nobody in particular: each address
	// has a share of what all have together, see Share. The default is the other end of the
	// connection. Behind a proxy that is the proxy; then what the proxy says of the client is better, such
	// as the last address in X-Forwarded-For.
	Address func(*http.Request) string

	// Share is how much of MaxSessions, MaxRequests, MaxBytes and of what waits for streams one
	// client may have, in percent: 25 if 0. A client is a principal, or else an address; of version 6,
	// its first 64 bits.
	Share int

	// Stateless serves revisions through 2025-11-25 without sessions, too: nothing is kept between
	// requests, so any process can handle any of them. Handlers then cannot send requests to the client,
	// and there are no streams but those of responses.
	Stateless bool

	// JSONOnly responds to every request with a single JSON object, unless the client accepts only
	// streams. Notifications that belong to a request are not sent, and through 2025-11-25 handlers
	// cannot send requests to the client. Subscriptions need streams nevertheless.
	JSONOnly bool

	// RequireHeaders demands Mcp-Method and Mcp-Name on requests in sessions. They are always compared
	// with the request if they are present, and always required since 2026-07-28. Batches, which
	// exist in 2025-03-26 only and cannot have these headers, are then refused.
	RequireHeaders bool

	// Polling lets handlers close the stream of their response early, see [CloseStream]. Every request
	// in a session of 2025-11-25 then costs a goroutine.
	Polling bool

	// Retry is the time after which a client should come back for the rest of a stream: 1 s if 0. A
	// negative value is never sent.
	Retry time.Duration

	// Events keeps what is sent on streams through 2025-11-25, so that a client that lost its
	// connection receives the rest. The default is [NewMemoryStore] with its defaults.
	Events EventStore

	// Member also keeps the sessions in the store that this process is a member of, so that they outlive the process
	// and another member can continue them: with their revision, what the client said about itself, their log level and
	// subscriptions. A session is served by one process at a time; others respond with status 503, so requests of a
	// session must reach the process that has it, or be passed on to it. Set Events as well, or streams cannot be
	// resumed elsewhere. [Handler.Shutdown] keeps the sessions; [store.Member.Leave] frees them. While the store cannot
	// be reached, requests in sessions are refused with status 503. Shutdown stores which requests were handled, so
	// that none is handled again elsewhere; after a crash, those since the session was last stored are not known.
	Member *store.Member

	// Elsewhere serves requests of sessions that another member has, instead of a response with status 503. It receives
	// them as they arrived; their senders have been verified.
	Elsewhere http.Handler

	// Admit decides whether an HTTP request is served whose sender is known, before its body is read: of any kind, also
	// a notification, or one that opens a stream. An error, which [transport.TryLater] makes, refuses it with status 429.
	// Nil admits all. Package limit has one that bounds rates.
	Admit func(from transport.Origin) *transport.RefusedError

	// MaxBody is how many bytes a request may have: 4 MiB if 0.
	MaxBody int64

	// MaxRequests is how many requests may be handled at once, open streams among them: 20,000 if 0.
	// MaxBytes is how many bytes the bodies of those have together that are longer than 16 KiB: 256 MiB
	// if 0. All clients share them. Requests beyond that are refused with status 503.
	MaxRequests, MaxBytes int

	// MaxSessions is how many sessions all clients have together, 10,000 if 0. One more takes the place
	// of an idle session, of the client itself if that has its share, or else of the client that has
	// most: of one that has sent nothing after initialize, or else of the one that was not used for
	// longest. If all are in use, the client is refused with status 503.
	MaxSessions int

	// MaxSessionsPerClient is how many of them one client may have: its Share if 0.
	MaxSessionsPerClient int

	// SessionIdle is the time after which a session ends that nobody uses: 30 min if 0, but a minute if
	// nothing has followed initialize. An open stream is use. If it is negative, no session ends for
	// that reason.
	SessionIdle time.Duration

	// MaxStreams is how many streams a session may have open at the same time beside those of its
	// requests: 8 if 0.
	MaxStreams int

	// MaxPending is how many messages that belong to no request are kept for a session that has no
	// stream open: 64 if 0. The oldest is dropped first. They may have 256 KiB together, and those of
	// all sessions 64 MiB.
	MaxPending int

	// KeepAlive is the time between comments that are written to an open stream: 25 s if 0. If it is
	// negative, none is ever written.
	KeepAlive time.Duration

	// HoldStreams keeps ServeHTTP from returning before an open stream has ended. Otherwise it returns as soon as a GET
	// or subscriptions/listen over HTTP/1.1 waits for something to send: the stream takes over the connection, with TLS
	// as well, and costs no goroutine. It still counts as a request, and Shutdown of the [Handler] ends it, but Close
	// of the [http.Server] does not. Streams are always held over HTTP/2 and where middleware has wrapped the
	// [http.ResponseWriter]; subscriptions, also where the server has middleware.
	HoldStreams bool

	// ReadTimeout is how long the body of a request may take to arrive, WriteTimeout how long a
	// message may take to be accepted by the client's side of the connection: 30 s each if 0.
	ReadTimeout, WriteTimeout time.Duration

	// MaxHeader is how many bytes the headers of a request may have, 64 KiB if 0. Grace is how long
	// requests have to finish when the server shuts down, 10 s if 0. They are for [ListenAndServe] and
	// [Serve].
	MaxHeader int
	Grace     time.Duration

	// AccessLog receives a record of each HTTP request when it has ended: its method and path, the status and the
	// duration of the response, the address and the principal of the sender, the method of JSON-RPC, the name of the
	// tool or prompt or the URI of the resource, and the first 8 characters of the id of the session, of which the whole
	// could be used by whoever reads the log. Nil means no such log.
	AccessLog *slog.Logger

	// Logger receives what goes wrong. The default is [slog.Default].
	Logger *slog.Logger
}

// maxPendingBytes limits the messages that wait for a stream, maxPendingOfAll those of all sessions.
const (
	maxPendingBytes = 256 << 10
	maxPendingOfAll = 64 << 20
)

// complete returns the options with their defaults.
func (o *Options) complete() Options {
	c := option.Of(o)
	c.Logger = excerpt.Logger(c.Logger)
	if c.Events == nil {
		c.Events = NewMemoryStore(nil)
	}
	c.MaxBody = option.Limit(c.MaxBody, 4<<20)
	c.MaxHeader = min(option.Limit(c.MaxHeader, 64<<10), math.MaxInt32) // package net/http calculates with it
	c.Share = option.Share(c.Share, 25)
	c.MaxRequests = cmp.Or(c.MaxRequests, 20_000)
	c.MaxBytes = cmp.Or(c.MaxBytes, 256<<20)
	c.MaxSessions = cmp.Or(c.MaxSessions, 10_000)
	c.MaxStreams = cmp.Or(c.MaxStreams, 8)
	c.MaxPending = cmp.Or(c.MaxPending, 64)
	c.Retry = cmp.Or(c.Retry, time.Second)
	c.SessionIdle = cmp.Or(c.SessionIdle, 30*time.Minute)
	c.KeepAlive = cmp.Or(c.KeepAlive, 25*time.Second)
	c.ReadTimeout = cmp.Or(c.ReadTimeout, 30*time.Second)
	c.WriteTimeout = cmp.Or(c.WriteTimeout, 30*time.Second)
	c.Grace = option.Limit(c.Grace, 10*time.Second)
	return c
}
