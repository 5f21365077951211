package httpclient

import (
	"cmp"
	"log/slog"
	"net/http"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
)

// Options configures a [Client]. The zero value means the defaults. For limits, 0 means the default, and a
// negative value no limit.
type Options struct {
	// HTTP sends the requests. Its Transport may add to them, such as credentials, and limit how many there are at a
	// time. Its Timeout is not used, since it would end streams. Its CheckRedirect is called for redirects within an
	// origin; others are not followed. The default is a client that has time limits for connecting and uses the proxies
	// of the environment.
	HTTP *http.Client

	// Header is sent with every request, unless the protocol has a header of that name.
	Header http.Header

	// MaxMessage is how many bytes a received message may have, 16 MiB if 0.
	MaxMessage int

	// RetryTime is how long to wait before a broken stream is opened again: 1 s if 0. It doubles with each failed
	// attempt, to at most thirty times RetryTime, and up to a quarter is added at random. A server may set the time
	// to begin with; while streams bring nothing, it doubles to at most RetryTime. After six failures in a row the
	// request of a stream fails; the stream of a session is tried for as long as the session lasts. If RetryTime is
	// negative, no stream is ever opened again.
	RetryTime time.Duration

	// Logger receives errors that no method returns. The default is [slog.Default].
	Logger *slog.Logger
}

// complete returns the options with defaults filled in.
func (o *Options) complete() Options {
	c := option.Of(o)
	c.Logger = excerpt.Logger(c.Logger)
	c.RetryTime = cmp.Or(c.RetryTime, time.Second)
	c.MaxMessage = option.Limit(c.MaxMessage, 16<<20)
	return c
}
