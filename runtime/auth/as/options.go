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

	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
)

// Options configures a [Server].
type Options struct {
	// Issuer is the URL of the server, by which all others know it: https, or http on loopback. Its path, if
	// it has one, is where the endpoints are. An MCP server of revision 2025-03-26 is its own authorization
	// server; then the issuer has no path.
	Issuer string

	// Resources are the canonical URLs of the MCP servers that tokens are for: at least one. The first is that
	// of clients which do not name one, as they could not before revision 2025-06-18.
	Resources []string

	// Scopes are those that clients may ask for.
	Scopes []Scope

	// DefaultScopes are those of clients that ask for none.
	DefaultScopes []string

	// Password returns the user of a name and a password, nil if there is none. The server has a login page
	// then.
	Password func(ctx context.Context, name, password string) (*User, error)

	// Login returns who is logged in in the browser that sent a request. If nobody is, it responds itself, by
	// a page or a redirect, and returns nil. Once somebody has logged in, the browser must come back to the
	// URL of the request by GET; a POST to that URL goes to Login, too, which protects its forms itself.
	Login func(w http.ResponseWriter, r *http.Request) *User

	// Upstream is another provider at which users log in. One of Password, Login and Upstream must be there,
	// unless no client has a user.
	Upstream *Upstream

	// Clients are those known without registration.
	Clients []Client

	// NoRegistration and NoDocuments mean that clients cannot register themselves (RFC 7591), and cannot have
	// the URL of a metadata document as their id.
	NoRegistration, NoDocuments bool

	// TrustedIssuers are those whose assertions clients may exchange for tokens.
	TrustedIssuers []TrustedIssuer

	// Store keeps what must be remembered: a [MemoryStore] if nil.
	Store Store

	// Secret is what the keys and the upstream tokens in the store are encrypted with: 32 random bytes. If it
	// is nil, it is another one in each process, and tokens end with the process.
	Secret []byte

	// AccessLifetime is how long an access token is valid: 10 minutes if 0.
	AccessLifetime time.Duration

	// RefreshLifetime is how long a refresh token is valid, if it is not used: 30 days if 0.
	RefreshLifetime time.Duration

	// LoginLifetime is how long a browser stays logged in by Password: 8 hours if 0.
	LoginLifetime time.Duration

	// KeyLifetime is how long a key signs tokens, before the next one does: 30 days if 0.
	KeyLifetime time.Duration

	// MaxAuthorizations, MaxTokens and MaxRegistrations are how many requests an address may send in a minute
	// to the pages for users, to the endpoints for tokens, and to that for registration: 60, 300 and 10 if 0.
	MaxAuthorizations, MaxTokens, MaxRegistrations int

	// Address returns the address of a sender, for those limits. If nil, it is that of the connection: say
	// otherwise behind a proxy.
	Address func(*http.Request) string

	// HTTPClient fetches the documents and keys of clients and issuers, and reaches the upstream provider. If nil, it reaches public addresses by
	// https alone, and if the issuer is on loopback, also loopback.
	HTTPClient *http.Client

	// Logger receives what happens: [slog.Default] if nil. No secrets are in it.
	Logger *slog.Logger
}

// A Scope is what a client may be allowed to do.
type Scope struct {
	Name        string
	Description string // what users read on the consent page: the name if empty
}

// A User is who has logged in.
type User struct {
	// Subject is a name that never changes and belongs to nobody else.
	Subject string

	// Name is what users know themselves by: the subject if empty.
	Name string
}

func (u *User) displayName() string {
	if u.Name != "" {
		return u.Name
	}
	return u.Subject
}

// clientSubject begins the subject of a client that has no user. No user's may begin with it.
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

// check reports what is wrong with the options.
func (o *Options) check() error {
	issuer, err := checkIssuer(o.Issuer)
	if err != nil {
		return fmt.Errorf("as: Options.Issuer: %w", err)
	}
	if len(o.Resources) == 0 {
		return errors.New("as: Options.Resources: want at least one")
	}
	for _, resource := range o.Resources {
		u, err := url.Parse(resource)
		if err != nil || !u.IsAbs() || u.Fragment != "" {
			return fmt.Errorf("as: Options.Resources: want absolute URLs without fragments, got %q", resource)
		}
	}
	for _, s := range o.Scopes {
		if !isScope(s.Name) {
			return fmt.Errorf("as: Options.Scopes: want visible ASCII characters but quotation marks and backslashes, got %q", s.Name)
		}
	}
	for _, name := range o.DefaultScopes {
		if !slices.ContainsFunc(o.Scopes, func(s Scope) bool { return s.Name == name }) {
			return fmt.Errorf("as: Options.DefaultScopes: %q is none of Options.Scopes", name)
		}
	}
	ways := 0
	for _, there := range []bool{o.Password != nil, o.Login != nil, o.Upstream != nil} {
		if there {
			ways++
		}
	}
	if ways > 1 {
		return errors.New("as: Options: want one of Password, Login and Upstream")
	}
	if o.Upstream != nil {
		return o.Upstream.check(fetch.IsLoopback(issuer.Hostname()))
	}
	return nil
}

func checkIssuer(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil {
		return nil, err
	}
	if err := fetch.CheckURL(u, true); err != nil {
		return nil, err
	}
	if u.RawQuery != "" || u.ForceQuery || !isHost(u.Host) || strings.ContainsAny(u.Path, "{}") {
		return nil, fmt.Errorf("%q: want a URL without query", text)
	}
	return u, nil
}

// isScope reports whether a text is a scope-token of RFC 6749, section 3.3.
func isScope(text string) bool {
	for _, c := range []byte(text) {
		if c <= ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return text != ""
}
