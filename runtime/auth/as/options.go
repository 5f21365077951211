package as

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/cluster/store"
	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
)

// Options configures a [Server]. Of the limits, 0 is the default, and a negative value is no limit.
type Options struct {
	// Issuer is the URL that identifies the server: https, or http on loopback. If it has a path, the endpoints
	// are below it. An MCP server of revision 2025-03-26 is its own authorization server; its issuer has no path.
	// See RFC 8414 section 2.
	Issuer string

	// Resources are the canonical URLs of the MCP servers that tokens are for: at least one. The first is for
	// clients that name none, as they could not before revision 2025-06-18. See RFC 8707 section 2.
	Resources []string

	// Scopes are the scopes that clients may request.
	Scopes []Scope

	// DefaultScopes are the scopes for clients that request none.
	DefaultScopes []string

	// Password returns the user with a name and a password, or nil if there is none. If it is set, the server has a
	// login page.
	Password func(ctx context.Context, name, password string) (*User, error)

	// Login returns the user who is logged in to the browser that sent a request. If nobody is, it writes a page or
	// a redirect, and returns nil. After the login, the browser must return to the URL of the request with GET; a
	// POST to that URL also goes to Login, which must protect its own forms.
	Login func(w http.ResponseWriter, r *http.Request) *User

	// Upstream is another provider at which users log in. One of Password, Login and Upstream must be set, unless
	// no client has a user.
	Upstream *Upstream

	// Clients are the clients known without registration.
	Clients []Client

	// NoRegistration and NoDocuments mean that clients cannot register themselves (RFC 7591), and cannot have
	// the URL of a metadata document as their id.
	NoRegistration, NoDocuments bool

	// Store keeps the state of the server, with secrets hashed or encrypted. Several processes may share it if they
	// have the same Secret, and it may also keep sessions and tasks. If nil, it is a [store.Memory] with room for
	// 10,000 records of each kind, such as registered clients, and 32 MiB of each. If there is no more room, the oldest
	// records of whoever has most give way: a user's logins and grants, or what was sent from an address without a
	// login. Requests are refused with status 503 if nothing may.
	Store store.Store

	// Secret encrypts the keys and the upstream tokens in the store: 32 random bytes. If nil, each process makes
	// its own, and tokens end with the process.
	Secret []byte

	// AccessLifetime is how long an access token is valid: 10 minutes if 0.
	AccessLifetime time.Duration

	// RefreshLifetime is how long an unused refresh token is valid: 30 days if 0.
	RefreshLifetime time.Duration

	// LoginLifetime is how long a browser stays logged in by Password: 8 hours if 0.
	LoginLifetime time.Duration

	// KeyLifetime is how long a key signs tokens before the next one takes over: 30 days if 0.
	KeyLifetime time.Duration

	// MaxAuthorizations, MaxTokens and MaxRegistrations are how many requests an address may send in a minute
	// to the pages for users, to the endpoints for tokens, and to that for registration: 60, 300 and 10 if 0.
	MaxAuthorizations, MaxTokens, MaxRegistrations int

	// Address returns the address of a sender, for those limits. If nil, it is that of the connection, so set it
	// behind a proxy.
	Address func(*http.Request) string

	// HTTPClient fetches the documents of clients, and reaches the upstream provider. If nil, it reaches public addresses over https and, if the issuer is on loopback, loopback addresses.
	HTTPClient *http.Client

	// Logger receives events and failures, without secrets: [slog.Default] if nil.
	Logger *slog.Logger
}

// A Scope is something that a client may be allowed to do: RFC 6749 section 3.3.
type Scope struct {
	Name        string
	Description string // shown on the consent page: the name if empty
}

// A User is a user who has logged in.
type User struct {
	// Subject is a unique name that never changes: the claim sub of RFC 9068 section 2.2.
	Subject string

	// Name is shown to the user: the subject if empty.
	Name string
}

func (u *User) displayName() string {
	if u.Name != "" {
		return u.Name
	}
	return u.Subject
}

// clientSubject begins the subject of a client without a user. No user's subject may begin with it.
const clientSubject = "client:"

// check reports what is wrong with a user that the program or a provider returned.
func (u *User) check() error {
	switch {
	case u.Subject == "":
		return errors.New("as: the user has no subject")
	case strings.HasPrefix(u.Subject, clientSubject):
		return fmt.Errorf("as: the subject of the user begins with %q, as those of clients do", clientSubject)
	}
	return nil
}

// check returns the issuer, or what is wrong with the options.
func (o *Options) check() (issuer *url.URL, err error) {
	if issuer, err = checkIssuer(o.Issuer); err != nil {
		return nil, fmt.Errorf("as: Options.Issuer: %w", err)
	}
	if len(o.Resources) == 0 {
		return nil, errors.New("as: Options.Resources: want at least one")
	}
	for _, resource := range o.Resources {
		u, err := url.Parse(resource)
		if err != nil || !u.IsAbs() || u.Fragment != "" {
			return nil, fmt.Errorf("as: Options.Resources: want absolute URLs without fragments, got %q", resource)
		}
	}
	for _, s := range o.Scopes {
		if !oauth.IsScope(s.Name) {
			return nil, fmt.Errorf("as: Options.Scopes: want visible ASCII characters but quotation marks and backslashes, got %q", s.Name)
		}
	}
	for _, name := range o.DefaultScopes {
		if !slices.ContainsFunc(o.Scopes, func(s Scope) bool { return s.Name == name }) {
			return nil, fmt.Errorf("as: Options.DefaultScopes: %q is not one of Options.Scopes", name)
		}
	}
	if o.Password != nil && o.Login != nil || o.Upstream != nil && (o.Password != nil || o.Login != nil) {
		return nil, errors.New("as: Options: want one of Password, Login and Upstream")
	}
	if o.Upstream != nil {
		err = o.Upstream.check(web.IsLoopback(issuer.Hostname()))
	}
	return issuer, err
}

func checkIssuer(text string) (*url.URL, error) {
	u, err := fetch.ParseURL(text, true)
	if err != nil {
		return nil, err
	}
	if u.RawQuery != "" || u.ForceQuery || !isHost(u.Host) || strings.ContainsAny(u.Path, "{}") {
		return nil, fmt.Errorf("%q: want a URL without query", text)
	}
	return u, nil
}
