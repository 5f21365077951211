package authclient

// The authorization code grant: the user logs in at the authorization server, which sends the browser back with a code,
// and the client exchanges the code for a token. PKCE binds the code to the client, state to the login, and iss to the
// server that was asked. A response that does not come from that server is neither used nor shown.
//
// See RFC 6749 section 4.1, RFC 7636, RFC 9207, and
// https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization.

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"golang.org/x/oauth2"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
)

// An AuthorizationCode is the grant in which a user logs in and consents: RFC 6749 section 4.1, with PKCE (RFC 7636).
// The zero value uses this machine's browser. A Transport asks for at most 5 logins within 10 minutes; requests that need
// another one then fail.
type AuthorizationCode struct {
	// ClientName and ClientURI tell users who wants access, where the client registers dynamically: RFC 7591
	// section 2.
	ClientName, ClientURI string

	// ClientIDURL is the https URL of the client's metadata document, which is its client id at servers that support
	// such documents. If the document has a key, ClientKey and ClientKeyID are that key and its id. See
	// https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/client-registration
	ClientIDURL string
	ClientKey   crypto.Signer
	ClientKeyID string

	// AskClient asks the user for credentials for a server that offers no other way to register. They are stored.
	AskClient func(ctx context.Context, issuer string) (*Credentials, error)

	// RedirectURI is where the server sends the user back to. The default is http://127.0.0.1/callback. If it is on
	// loopback, the grant itself listens there during a login; if it has no port, on a random one. See RFC 8252
	// section 7.3.
	RedirectURI string

	// Open shows the user the authorization URL. The default is [OpenBrowser]; in a program without a user it returns an
	// error, which requests then fail with. The MCP server has chosen where the URL leads: see [Transport.Issuer].
	Open func(ctx context.Context, url string) error

	// Authorize replaces Open and the listener in programs that receive redirects themselves. It shows the user the
	// authorization URL, and returns the URL that the user was sent back to.
	Authorize func(ctx context.Context, url string) (string, error)
}

// offlineAccess is the scope by which servers of OpenID Connect that list it are asked for refresh tokens.
const offlineAccess = "offline_access"

func (g *AuthorizationCode) silent() bool { return false }

// Format hides the key.
func (g *AuthorizationCode) Format(s fmt.State, _ rune) {
	fmt.Fprintf(s, "authclient.AuthorizationCode(%s)", g.ClientName)
}

// A pending is an authorization request that awaits its response.
type pending struct {
	state, verifier string
	redirectURI     string
	issuer          string
	issGiven        bool   // the server says that its responses have iss
	keyThumbprint   string // of the key to which the token shall be bound
}

// obtain has the user log in, and exchanges the code for a token. What the server says about itself is checked before the user
// sees a page, and before anything is registered: PKCE, the URL of the page, and whether its endpoints are its own. What must
// come back with the code is recorded before the user is sent away.
//
// REQ AUTH-08, SEC-16, AUTH26-10, AUTH-07, AUTH26-02
func (g *AuthorizationCode) obtain(ctx context.Context, f *flow) (*token, error) {
	meta := f.server.meta
	if err := f.checkPKCE(); err != nil {
		return nil, err
	}
	if _, err := fetch.ParseURL(meta.AuthorizationEndpoint, web.IsLoopback(f.endpoint.Hostname())); err != nil {
		return nil, fmt.Errorf("authclient: the authorization_endpoint of %s: %w", f.server.issuer, err)
	}
	if err := f.checkEndpoints(ctx, f.server); err != nil {
		return nil, err
	}
	// Without any scope the server decides which there are, and one alone would change that.
	if len(f.scopes) > 0 && slices.Contains(meta.ScopesSupported, offlineAccess) {
		f.scopes = union(f.scopes, []string{offlineAccess})
	}
	redirectURI, l, err := g.listen(ctx, f)
	if err != nil {
		return nil, err
	}
	if l != nil {
		defer l.Close()
	}
	c, err := g.client(ctx, f, redirectURI)
	if err != nil {
		return nil, err
	}
	p := &pending{
		state: rand.Text(), redirectURI: redirectURI,
		verifier: oauth2.GenerateVerifier(),
		issuer:   f.server.issuer,
		issGiven: meta.AuthorizationResponseISSParameterSupported,
	}
	if f.key != nil {
		if p.keyThumbprint, err = f.opts.Proofs.Thumbprint(f.key); err != nil {
			return nil, err
		}
	}
	code, err := g.code(ctx, f.authorizationURL(c, p), p, l)
	if err != nil {
		return nil, err
	}
	tok, err := f.token(ctx, c, url.Values{
		"grant_type": {"authorization_code"}, "code": {code}, "redirect_uri": {p.redirectURI},
		"code_verifier": {p.verifier},
	})
	// A server forgets clients that have registered themselves. The next login registers this one again.
	if refused, ok := errors.AsType[*Error](err); ok && refused.Code == "invalid_client" {
		f.forget(ctx, f.server, c)
	}
	return tok, err
}

// checkPKCE returns an error unless the server supports PKCE. A server without any metadata, as in 2025-03-26, cannot say so.
//
// REQ AUTH11-05
func (f *flow) checkPKCE() error {
	methods := f.server.meta.CodeChallengeMethodsSupported
	if f.server.guessed || slices.Contains(methods, "S256") {
		return nil
	}
	if c, _ := f.preregistered(f.server); c != nil && c.AssumePKCE && len(methods) == 0 {
		return nil
	}
	return fmt.Errorf("authclient: %s supports the code challenge methods %q (PKCE), want S256", f.server.issuer, methods)
}

// authorizationURL returns where the user logs in.
func (f *flow) authorizationURL(c *Credentials, p *pending) string {
	conf := oauth2.Config{
		ClientID: c.ID, RedirectURL: p.redirectURI, Scopes: f.scopes,
		Endpoint: oauth2.Endpoint{AuthURL: f.server.meta.AuthorizationEndpoint},
	}
	name, value := f.target()
	params := []oauth2.AuthCodeOption{oauth2.S256ChallengeOption(p.verifier), oauth2.SetAuthURLParam(name, value)}
	if slices.Contains(f.scopes, offlineAccess) {
		params = append(params, oauth2.SetAuthURLParam("prompt", "consent")) // OpenID Connect Core 1.0 section 11
	}
	if p.keyThumbprint != "" {
		params = append(params, oauth2.SetAuthURLParam("dpop_jkt", p.keyThumbprint))
	}
	return conf.AuthCodeURL(p.state, params...)
}

// check returns the code of an authorization response. It neither uses nor shows anything of a response that does
// not come from the server to which the user was sent: Authorization Response Validation.
func (p *pending) check(q url.Values) (code string, err error) {
	// Whoever reads the first of two values, and whoever reads the last, would see different responses.
	for _, name := range []string{"state", "iss", "code", "error"} {
		if len(q[name]) > 1 {
			return "", fmt.Errorf("authclient: the authorization response has the parameter %s more than once", name)
		}
	}
	if !p.mine(q) {
		return "", errors.New("authclient: the state of the authorization response is not that of the request")
	}
	switch iss, ok := q["iss"]; {
	case ok && iss[0] != p.issuer:
		return "", fmt.Errorf("authclient: the authorization response comes from %q, want %q", excerpt.Of(iss[0]), p.issuer)
	case !ok && p.issGiven:
		return "", fmt.Errorf("authclient: the authorization response does not say that it comes from %s", p.issuer)
	}
	switch {
	case q.Has("error"):
		return "", &Error{Issuer: p.issuer, Code: clean(q.Get("error"), q), Description: clean(q.Get("error_description"), q)}
	case q.Get("code") == "":
		return "", errors.New("authclient: the authorization response has no code")
	}
	return q.Get("code"), nil
}

// mine reports whether a response has the state of the request.
func (p *pending) mine(q url.Values) bool {
	return len(q["state"]) == 1 && subtle.ConstantTimeCompare([]byte(q["state"][0]), []byte(p.state)) == 1
}
