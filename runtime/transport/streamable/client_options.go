package streamable

import (
	"cmp"
	"log/slog"
	"net/http"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
)

// ClientOptions configures a [Client]. The zero value means the defaults. Of the limits, 0 is the default,
// and a negative value is no limit.
type ClientOptions struct {
	// HTTP sends the requests. What it adds to them, such as credentials, is the business of its
	// Transport. Its Timeout is not used, since it would end streams; its CheckRedirect is called
	// for redirects within an origin, as none leads elsewhere. The default is a client with time
	// limits for connecting, and that uses the proxies of the environment.
	HTTP *http.Client

	// Header is sent with every request, unless the protocol has a header of that name.
	Header http.Header

	// HeaderTimeout is how long the server may take to begin its response to anything but a request:
	// to notifications, to responses, to the opening of a stream. 15 s if 0; it should be less than
	// SendTimeout of the connection. Requests have the time limits of their calls.
	HeaderTimeout time.Duration

	// MaxMessage is how many bytes a received message may have, 16 MiB if 0.
	MaxMessage int

	// MaxRequests is how many requests may be in flight at the same time, streams of
	// subscriptions among them: 256 if 0. Those beyond that wait for others to end.
	MaxRequests int

	// NoStream leaves out the stream by which servers through 2025-11-25 send what belongs to no
	// request. The client then does not hear of changes.
	NoStream bool

	// NoSSE leaves out the attempt to find a server of the transport of 2024-11-05 at an endpoint
	// that refuses to open a session.
	NoSSE bool

	// RetryTime is how long to wait before a stream that broke off is opened again: 1 s if 0. It is
	// doubled with each attempt that fails, to at most MaxRetryTime, 30 s if 0, and up to a quarter is
	// added at random. A server may say how long to wait, which is then the least; it is doubled to at
	// most RetryTime while the streams bring nothing. If RetryTime is negative, no stream is ever opened
	// again.
	RetryTime, MaxRetryTime time.Duration

	// Retries is how many failed attempts to open a stream again may follow one another: 6 if 0.
	// The requests of streams that are given up fail.
	Retries int

	// Logger receives what goes wrong beside the messages. The default is [slog.Default].
	Logger *slog.Logger
}

// complete returns the options with their defaults.
func (o *ClientOptions) complete() ClientOptions {
	c := option.Of(o)
	c.Logger = excerpt.Logger(c.Logger)
	c.RetryTime = cmp.Or(c.RetryTime, time.Second)
	c.MaxRetryTime = option.Limit(c.MaxRetryTime, 30*time.Second)
	c.Retries = option.Limit(c.Retries, 6)
	c.HeaderTimeout = option.Limit(c.HeaderTimeout, 15*time.Second)
	c.MaxMessage = option.Limit(c.MaxMessage, 16<<20)
	c.MaxRequests = option.Limit(c.MaxRequests, 256)
	return c
}
