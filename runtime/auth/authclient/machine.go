package authclient

// The grants of programs without a user who logs in: by credentials, by an identity that an organization or a platform
// vouches for.
//
// See the extensions io.modelcontextprotocol/oauth-client-credentials and
// io.modelcontextprotocol/enterprise-managed-authorization, RFC 6749 section 4.4, RFC 7523 and RFC 8693.

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
)

const (
	typeIDJAG    = "urn:ietf:params:oauth:token-type:id-jag"
	typeIDToken  = "urn:ietf:params:oauth:token-type:id_token"
	profileIDJAG = "urn:ietf:params:oauth:grant-profile:id-jag"
)

// ClientCredentials is the grant of a program that acts on its own behalf: RFC 6749 section 4.4. It needs credentials in
// [Options].Clients, preferably with a key.
//
// It implements the extension io.modelcontextprotocol/oauth-client-credentials.
type ClientCredentials struct{}

func (ClientCredentials) silent() bool { return true }

// obtain requests a token by the credentials alone.
//
// REQ AUTH26-12
func (ClientCredentials) obtain(ctx context.Context, f *flow) (*token, error) {
	c, err := f.mustHaveClient()
	if err != nil {
		return nil, err
	}
	return f.token(ctx, c, f.form("client_credentials"))
}

// mustHaveClient returns the credentials of Options.Clients.
func (f *flow) mustHaveClient() (*Credentials, error) {
	c, err := f.preregistered(f.server)
	if err == nil && c == nil {
		err = fmt.Errorf("authclient: Options.Clients is empty, want credentials for %s", f.server.issuer)
	}
	return c, err
}

// form returns the form of a token request without a user.
func (f *flow) form(grant string) url.Values {
	form := url.Values{"grant_type": {grant}}
	if len(f.scopes) > 0 {
		form.Set("scope", strings.Join(f.scopes, " "))
	}
	return form
}

// EnterpriseManaged is the grant of a program whose user has logged in to the identity provider of an organization,
// which decides what the user may use. The provider exchanges the user's identity for an authorization grant (ID-JAG;
// RFC 8693 section 2), and the authorization server exchanges that for a token (RFC 7523 section 2.1). It needs
// credentials for the authorization server in [Options].Clients.
//
// It implements the extension io.modelcontextprotocol/enterprise-managed-authorization, which the client declares among
// its capabilities.
type EnterpriseManaged struct {
	// Provider is the issuer of the identity provider. TokenEndpoint is needed if it has no metadata.
	Provider      string
	TokenEndpoint string

	// Client has the credentials of the program at the provider.
	Client Credentials

	// Identity returns the user's ID token, or another assertion that the provider has issued. IdentityType is its
	// type (RFC 8693 section 3): that of an ID token if empty.
	Identity     func(ctx context.Context) (string, error)
	IdentityType string
}

func (g *EnterpriseManaged) silent() bool { return true }

// obtain exchanges the identity for an authorization grant at the provider, and the grant for a token at the authorization
// server of the resource. Neither step needs the user.
//
// REQ AUTH26-13
func (g *EnterpriseManaged) obtain(ctx context.Context, f *flow) (*token, error) {
	profiles := f.server.meta.AuthorizationGrantProfilesSupported
	if len(profiles) > 0 && !slices.Contains(profiles, profileIDJAG) {
		return nil, fmt.Errorf("authclient: %s supports the authorization grant profiles %q, want %s", f.server.issuer, profiles, profileIDJAG)
	}
	c, err := f.mustHaveClient()
	if err != nil {
		return nil, err
	}
	grant, err := g.exchange(ctx, f)
	if err != nil {
		return nil, err
	}
	form := f.form(oauth.GrantJWTBearer)
	form.Set("assertion", grant)
	return f.token(ctx, c, form)
}

// exchange returns the authorization grant of the identity provider for the user's identity.
func (g *EnterpriseManaged) exchange(ctx context.Context, f *flow) (string, error) {
	at := &auth.AuthorizationServerMetadata{Issuer: g.Provider, TokenEndpoint: g.TokenEndpoint}
	if at.TokenEndpoint == "" {
		var err error
		if at, err = auth.FetchServerMetadata(ctx, f.fetch, g.Provider); err != nil {
			return "", fmt.Errorf("authclient: the identity provider: %w", err)
		}
	}
	if g.Identity == nil {
		return "", fmt.Errorf("authclient: EnterpriseManaged needs Identity")
	}
	identity, err := g.Identity(ctx)
	if err != nil {
		return "", fmt.Errorf("authclient: the identity of the user: %w", err)
	}
	form := f.form(oauth.GrantTokenExchange)
	form.Set("requested_token_type", typeIDJAG)
	form.Set("audience", f.server.issuer)
	form.Set("resource", f.server.resource)
	form.Set("subject_token", identity)
	form.Set("subject_token_type", typeIDToken)
	if g.IdentityType != "" {
		form.Set("subject_token_type", g.IdentityType)
	}
	provider := *f
	provider.key = nil // the grant is bound to the client, not to a key
	r, err := provider.post(ctx, at, &g.Client, form)
	if err != nil {
		return "", err
	}
	if r.IssuedTokenType != typeIDJAG || r.AccessToken == "" {
		return "", fmt.Errorf("authclient: the identity provider %s issued a token of type %q, want %s", g.Provider, clean(r.IssuedTokenType, form), typeIDJAG)
	}
	return r.AccessToken, nil
}

// WorkloadIdentity is the grant of a program to which its platform gives an identity: a JWT that the authorization
// server accepts as a grant, by RFC 7523 section 2.1. Credentials in [Options].Clients, if any, are sent with it.
type WorkloadIdentity struct {
	// Assertion returns a JWT for the authorization server. Audience is its token endpoint, the usual audience of
	// the JWT. Some servers want their issuer instead.
	Assertion func(ctx context.Context, audience, issuer string) (string, error)
}

func (g *WorkloadIdentity) silent() bool { return true }

func (g *WorkloadIdentity) obtain(ctx context.Context, f *flow) (*token, error) {
	c, err := f.preregistered(f.server)
	if err != nil {
		return nil, err
	}
	if g.Assertion == nil {
		return nil, fmt.Errorf("authclient: WorkloadIdentity needs Assertion")
	}
	jwt, err := g.Assertion(ctx, f.server.meta.TokenEndpoint, f.server.issuer)
	if err != nil {
		return nil, fmt.Errorf("authclient: the identity of the workload: %w", err)
	}
	form := f.form(oauth.GrantJWTBearer)
	form.Set("assertion", jwt)
	return f.token(ctx, c, form)
}
