package sse

import (
	"cmp"
	"log/slog"
	"net/http"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/transport"
)

// Options configures a [Handler]. The zero value is safe: it is for clients on the same machine, and
// everything that a client can make the server keep is limited. Of the limits, 0 is the default, and a
// negative value is no limit.
type Options struct {
	// Hosts are the names by which clients reach the server, as in the Host header: "example.com" with
	// any port, "example.com:8443" with that one, "*" for any name. They are in addition to localhost,
	// loopback addresses, and the very address at which the connection came in.
	Hosts []string

	// Origins are the web pages that may use the server beside those of its own origin:
	// "https://example.com". "*" is any. Requests without an Origin come from no page. Browsers let these
	// pages read the responses (CORS). Cookies are never allowed.
	Origins []string

	// LoopbackOrigins adds the pages that this machine serves, at any port, to Origins: inspectors that run
	// in a browser, for instance.
	LoopbackOrigins bool

	// Auth verifies who sends each request, and refuses those whose senders may not. A session belongs to
	// the principal that opened it, and does not exist for others. It ends when the identities have ended
	// by which its client has opened the stream and sent messages.
	Auth Authorizer

	// Principal is for programs without Auth that know the senders of requests in another way. It returns
	// a name that does not change; empty is nobody in particular, and nobody has scopes. The response to
	// an error has status 401 and its text. Without it, the sender is that of [transport.WithIdentity],
	// by which middleware around the handler can say it.
	Principal func(*http.Request) (string, error)

	// Address returns where a request comes from, for those who are nobody in particular: each address
	// has a share of what all have together. The default is the other end of the connection. Behind a
	// proxy that is the proxy; then what the proxy says of the client is better.
	Address func(*http.Request) string

	// Share is how much of MaxSessions and MaxBytes one client may have, in percent: 25 if 0. A client
	// is a principal, or else an address; of version 6, its first 64 bits.
	Share int

	// Admit decides whether an HTTP request is served whose sender is known, before its body is read: one that opens a
	// stream, or a message. An error, which [transport.TryLater] makes, refuses it with status 429. Nil admits all.
	// Package limit has one that bounds rates.
	Admit func(from transport.Origin) *transport.RefusedError

	// MessagePath is the path to which clients send their messages, if a proxy makes it differ from
	// the one of the stream. It must lead to the handler, too.
	MessagePath string

	// MaxBody is how many bytes a message may have, 4 MiB if 0.
	MaxBody int64

	// MaxSessions is how many sessions there may be at the same time, 1000 if 0. Each has a connection
	// of its own all the time. MaxBytes is how many bytes the messages of all may have that wait to be
	// handled or are just arriving: 256 MiB if 0. Of one session, 64 messages may wait.
	MaxSessions, MaxBytes int

	// SessionIdle is the time after which a session ends whose client sends nothing: 1 h if 0, but a
	// minute before the first message. If it is negative, no session ends for that reason.
	SessionIdle time.Duration

	// KeepAlive is the time between comments that are written to the stream: 25 s if 0. If it is
	// negative, none is ever written.
	KeepAlive time.Duration

	// ReadTimeout is how long a message may take to arrive and to be queued, WriteTimeout how long one
	// may take to be accepted by the client's side of the connection: 30 s each if 0.
	ReadTimeout, WriteTimeout time.Duration

	// AccessLog receives a record of each HTTP request when it has ended: its method and path, the status and the
	// duration of the response, the address and the principal of the sender, the method of JSON-RPC, the name of the
	// tool or prompt or the URI of the resource, and the first 8 characters of the id of the session, of which the whole
	// could be used by whoever reads the log. Nil means no such log.
	AccessLog *slog.Logger

	// Logger receives what goes wrong. The default is [slog.Default].
	Logger *slog.Logger
}

// maxQueued is how many messages of a session may wait.
const maxQueued = 64

// firstMessage is how long a client may take to send something at all.
const firstMessage = time.Minute

// complete returns the options with their defaults.
func (o *Options) complete() Options {
	c := option.Of(o)
	c.Logger = excerpt.Logger(c.Logger)
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
