package authclient

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
)

// Options configures a [Transport]. The zero value means the defaults.
type Options struct {
	// Grant is how tokens are obtained. The default is an [AuthorizationCode]: the user logs in.
	Grant Grant

	// Clients are credentials that authorization servers have given to the client beforehand, one for each
	// server. If there are any, a server that none of them is for is an error.
	Clients []Credentials

	// ChooseServer returns one of the authorization servers that a resource names, if it names several. The
	// default is the first that Clients has credentials for, or that the last token came from, or just the first.
	ChooseServer func(ctx context.Context, issuers []string) (string, error)

	// Scopes are requested in addition to those that the server asks for.
	Scopes []string

	// RequireDPoP refuses tokens that are not bound to a key of the client (RFC 9449). By default they are
	// bound if the server asks for it.
	RequireDPoP bool

	// Store keeps tokens and registrations. The default keeps them as long as the Transport.
	Store Store

	// Base sends the requests to the endpoint. The default has time limits for connecting, and uses the
	// proxies of the environment.
	Base http.RoundTripper

	// HTTP sends the requests for metadata, registrations and tokens. The default reaches public addresses
	// alone, or also loopback if the endpoint is there, asks no proxy, and bounds times and sizes. A client
	// of the program's own decides by itself which addresses it may reach.
	HTTP *http.Client

	// LoginTime is how long it may take to obtain a token, with all that the user does: 5 minutes if 0. If
	// negative, there is no limit.
	LoginTime time.Duration

	// Logger receives what goes wrong beside the requests. The default is [slog.Default].
	Logger *slog.Logger
}

// complete returns the options with their defaults.
func (o *Options) complete() Options {
	var c Options
	if o != nil {
		c = *o
	}
	if c.Grant == nil {
		c.Grant = new(AuthorizationCode)
	}
	if c.Store == nil {
		c.Store = new(MemoryStore)
	}
	c.LoginTime = option.Limit(c.LoginTime, 5*time.Minute)
	c.Logger = excerpt.Logger(c.Logger)
	return c
}
