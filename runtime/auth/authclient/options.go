package authclient

import (
	"log/slog"
	"net/http"
	"slices"
	"time"

	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
)

// Options configures a [Transport].
type Options struct {
	// Grant is how tokens are obtained. The default is an [AuthorizationCode]: the user logs in.
	Grant Grant

	// Clients are the credentials of a client that was registered beforehand, one for each authorization server.
	// If there are any, a server without one is an error. Of several servers that a resource names, the client uses the
	// first that Clients has credentials for, or else that of the last token, or else the first: RFC 9728 section 7.6.
	Clients []Credentials

	// Scopes are requested in addition to those that the server names.
	Scopes []string

	// Audience is sent as the parameter audience, in place of resource (RFC 8707), to authorization servers that do
	// not know the resource by its URL, or that refuse the parameter resource.
	Audience string

	// Proofs binds tokens to keys of the client, if the server requires that: package dpop. If nil, such a server is
	// an error. RequireProofs refuses tokens that are not bound.
	Proofs        Proofs
	RequireProofs bool

	// Store keeps tokens and registrations. The default is a new [MemoryStore].
	Store Store

	// Base sends the requests to the endpoint. The default has time limits for connecting, and uses the
	// proxies of the environment.
	Base http.RoundTripper

	// HTTP sends the requests for metadata, registrations and tokens. The default reaches public addresses only,
	// and loopback addresses if the endpoint has one; it uses no proxy, and limits times and sizes. Another client
	// must itself decide which addresses it may reach.
	HTTP *http.Client

	// LoginTime is how long it may take to obtain a token, including what the user does: 5 minutes if 0. If
	// negative, there is no limit.
	LoginTime time.Duration

	// Logger receives failures that no request returns. The default is [slog.Default].
	Logger *slog.Logger
}

// complete returns the options with their defaults.
func (o *Options) complete() Options {
	c := option.Of(o)
	if c.Grant == nil {
		c.Grant = new(AuthorizationCode)
	}
	if c.Store == nil {
		c.Store = new(MemoryStore)
	}
	c.Clients = slices.Clone(c.Clients)
	c.LoginTime = option.Limit(c.LoginTime, 5*time.Minute)
	c.Logger = excerpt.Logger(c.Logger)
	return c
}
