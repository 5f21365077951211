package sse

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
type Options struct {
	// Hosts lists the names by which clients reach the server, as in the Host header: "example.com" with any port,
	// "example.com:8443" with that port only, "*" for any name. Localhost, loopback addresses, and the address at
	// which the connection arrived are always accepted.
	Hosts []string

	// Origins lists the origins, such as "https://example.com", whose web pages may use the server, in addition to
	// the server's own. "*" means any. Requests without an Origin do not come from a page. Browsers let these pages
	// read the responses (CORS). Cookies are never allowed.
	Origins []string

	// LoopbackOrigins also admits pages that this machine serves, at any port, such as inspectors that run in a
	// browser.
	LoopbackOrigins bool

	// Auth verifies the sender of each request, and refuses requests. A session belongs to the principal that
	// opened it, and does not exist for others. It ends when all identities have ended with which its client opened
	// the stream and sent messages.
	Auth Authorizer

	// Principal is for programs without Auth that know the senders of requests in another way. It returns a name
	// that does not change, or "" for an anonymous sender. Such senders have no scopes. The response to an error
	// has status 401 and its text. Without Auth and Principal, the sender is the one that middleware around the
	// handler sets with [transport.WithIdentity].
	Principal func(*http.Request) (string, error)

	// Address returns the address that a request comes from. Anonymous senders are told apart by it: each address
	// has a share of the limits. The default is the other end of the connection. Behind a proxy that is the proxy;
	// use the address of the client that the proxy names instead.
	Address func(*http.Request) string

	// Share is how much of MaxSessions and MaxBytes one client may have, in percent: 25 if 0. A client is a
	// principal or, without one, an address (for IPv6, its first 64 bits).
	Share int

	// Admit decides whether an HTTP request is served, once its sender is known and before its body is read: a
	// request that opens a stream, or one with a message. An error made by [transport.TryLater] refuses it with
	// status 429. Nil admits all. Package limit has an implementation that bounds rates.
	Admit func(from transport.Origin) *transport.RefusedError

	// MessagePath is the path to which clients send their messages, if a proxy makes it differ from that of the
	// stream. It must lead to the handler, too.
	MessagePath string

	// MaxBody is how many bytes a message may have, 4 MiB if 0.
	MaxBody int64

	// MaxSessions is how many sessions there may be at the same time, 1000 if 0. Each has a connection as long as
	// it lasts. MaxBytes is how many bytes the messages of all sessions that are arriving or wait to be handled may
	// have together: 256 MiB if 0. Of each session, 64 messages may wait.
	MaxSessions, MaxBytes int

	// SessionIdle is how long a session lasts whose client sends nothing: 1 h if 0, but a minute before the first
	// message. If it is negative, no session ends for that reason.
	SessionIdle time.Duration

	// KeepAlive is the time between comments that are written to the stream: 25 s if 0. If it is
	// negative, none is ever written.
	KeepAlive time.Duration

	// ReadTimeout is how long a message may take to arrive and to be queued, and WriteTimeout how long a message
	// may take to be accepted by the client's side of the connection: 30 s each if 0.
	ReadTimeout, WriteTimeout time.Duration

	// AccessLog receives a record of each HTTP request when it has ended: its method and path, the status and the
	// duration of the response, the address and the principal of the sender, the method of JSON-RPC, the name of
	// the tool or prompt or the URI of the resource, and the first 8 characters of the id of the session. Readers
	// of the log could use the whole id. Nil means no such log.
	AccessLog *slog.Logger

	// Logger receives errors. The default is [slog.Default].
	Logger *slog.Logger

	// Observer learns of streams that belong to no request. Of the rest learns the server, if package observeserver
	// connects it to the observer. Nil means none, and costs nothing.
	Observer observe.Observer
}

// maxQueued is how many messages of a session may wait.
const maxQueued = 64

// firstMessage is how long a client may take to send its first message.
const firstMessage = time.Minute

// complete returns the options with defaults filled in.
func (o *Options) complete() Options {
	c := option.Of(o)
	c.Logger = excerpt.Logger(c.Logger)
	if c.AccessLog != nil {
		c.AccessLog = excerpt.Logger(c.AccessLog)
	}
	c.MaxBody = option.Limit(c.MaxBody, 4<<20)
	c.MaxSessions = option.Limit(c.MaxSessions, 1000)
	c.MaxBytes = option.Limit(c.MaxBytes, 256<<20)
	c.Share = option.Share(c.Share, 25)
	c.SessionIdle = cmp.Or(c.SessionIdle, time.Hour)
	c.KeepAlive = cmp.Or(c.KeepAlive, 25*time.Second)
	c.ReadTimeout = option.Limit(c.ReadTimeout, 30*time.Second)
	c.WriteTimeout = option.Limit(c.WriteTimeout, 30*time.Second)
	return c
}
