package sse

import (
	"log/slog"
	"net/http"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
)

// Options are what a [Handler] may be told. The zero value is safe: it is for clients on the same
// machine, and everything that a client can make the server keep is bounded.
type Options struct {
	// Hosts are the names by which clients reach the server, as in the Host header: "example.com" is
	// good with any port, "example.com:8443" with that one, "*" is any name. By default it is
	// localhost, a loopback address, or the very address at which the connection came in.
	Hosts []string

	// Origins are the web pages that may use the server beside those of its own origin:
	// "https://example.com". "*" is any. Requests without an Origin come from no page.
	Origins []string

	// Principal tells who sends a request, by a name that does not change, such as the subject of a
	// token; empty is nobody in particular. A session belongs to the principal that opened it, and
	// does not exist for others. An error is answered with status 401. Nil asks
	// [server.Options.Principal].
	Principal func(*http.Request) (string, error)

	// Address tells where a request comes from, for those who are nobody in particular: each address
	// has a share of what all have together. The default is the other end of the connection. Behind a
	// proxy that is the proxy, whose word on the client is better then.
	Address func(*http.Request) string

	// Share is how much of MaxSessions and MaxBytes one client may have, in percent: 25 if 0. A client
	// is a principal, or else an address; of version 6, its first 64 bits.
	Share int

	// MessagePath is the path to which clients send their messages, if a proxy makes it differ from
	// the one of the stream. It must lead to the handler, too.
	MessagePath string

	// MaxBody is how many bytes a message may have, 4 MiB if 0.
	MaxBody int64

	// MaxSessions is how many clients there may be at the same time, 1000 if 0. Each has a
	// connection of its own all the time. MaxQueued is how many messages of one may wait to be taken,
	// 64 if 0, and MaxBytes how many bytes those of all may have together, with those that are just
	// arriving: 256 MiB if 0.
	MaxSessions, MaxQueued, MaxBytes int

	// SessionIdle is after how long a session ends whose client sends nothing: 1 h if 0, never if
	// negative. The first message must come within a minute.
	SessionIdle time.Duration

	// KeepAlive is how often a comment is written to the stream: 25 s if 0, never if negative.
	KeepAlive time.Duration

	// ReadTimeout is how long a message may take to arrive and to be taken, WriteTimeout how long one
	// may take to be accepted by the client's side of the connection: 30 s each if 0.
	ReadTimeout, WriteTimeout time.Duration

	// Logger is told what goes wrong, [slog.Default] if nil.
	Logger *slog.Logger
}

// firstMessage is how long a client may take to send something at all.
const firstMessage = time.Minute

// complete returns the options with their defaults.
func (o *Options) complete() Options {
	var c Options
	if o != nil {
		c = *o
	}
	c.Logger = excerpt.Logger(c.Logger)
	if c.MaxBody <= 0 {
		c.MaxBody = 4 << 20
	}
	if c.MaxSessions <= 0 {
		c.MaxSessions = 1000
	}
	if c.MaxBytes <= 0 {
		c.MaxBytes = 256 << 20
	}
	if c.Share <= 0 || c.Share > 100 {
		c.Share = 25
	}
	if c.MaxQueued <= 0 {
		c.MaxQueued = 64
	}
	if c.SessionIdle == 0 {
		c.SessionIdle = time.Hour
	}
	if c.KeepAlive == 0 {
		c.KeepAlive = 25 * time.Second
	}
	if c.ReadTimeout <= 0 {
		c.ReadTimeout = 30 * time.Second
	}
	if c.WriteTimeout <= 0 {
		c.WriteTimeout = 30 * time.Second
	}
	return c
}
