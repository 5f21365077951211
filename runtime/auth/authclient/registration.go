package authclient

// A client that an authorization server does not know registers itself, or says who it is by the URL of a document.
// What the server gives it is stored, for the redirect URI that it was registered with.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/client-registration, and RFC 7591.

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
)

// client returns the client's credentials at the authorization server, in the order of the specification: those given
// beforehand, the URL of its metadata document, a dynamic registration, or what the user enters.
//
// REQ AUTH11-07
func (g *AuthorizationCode) client(ctx context.Context, f *flow, redirectURI string) (*Credentials, error) {
	c, err := f.preregistered(f.server)
	if c != nil || err != nil {
		return c, err
	}
	if g.ClientIDURL != "" && f.server.meta.ClientIDMetadataDocumentSupported {
		if err := checkDocumentURL(g.ClientIDURL); err != nil {
			return nil, err
		}
		return g.document(), nil
	}
	if f.server.meta.RegistrationEndpoint != "" {
		c, err := g.register(ctx, f, redirectURI)
		switch e, ok := errors.AsType[*Error](err); {
		case !ok || !f.server.guessed || e.Status != http.StatusNotFound:
			return c, err
		// The endpoint was a guess, and is not there.
		case g.AskClient == nil:
			needs := "a token"
			if len(f.scopes) > 0 {
				needs = fmt.Sprintf("the scopes %q", excerpt.Of(strings.Join(f.scopes, " ")))
			}
			return nil, fmt.Errorf("authclient: %s requires %s, but names no authorization server, and registers no clients itself: %w", f.endpoint, needs, e)
		}
	}
	// What the user has entered before is stored like a registration.
	r, err := f.registered(ctx, f.server.issuer)
	if err == nil && r != nil {
		return r.credentials(f.server.issuer), nil
	}
	if g.AskClient == nil {
		return nil, fmt.Errorf("authclient: %s registers no clients; give credentials for it in Options.Clients or AskClient", f.server.issuer)
	}
	if c, err = g.AskClient(ctx, f.server.issuer); err != nil {
		return nil, err
	}
	if c == nil || c.ID == "" || c.Issuer != "" && c.Issuer != f.server.issuer {
		return nil, fmt.Errorf("authclient: AskClient returned no credentials for %s", f.server.issuer)
	}
	f.keep(ctx, "registration", clientKey(f.server.issuer), &registration{ID: c.ID, Secret: c.Secret, Method: c.Method, RedirectURIs: []string{redirectURI}})
	return c, nil
}

// document returns the client that a metadata document describes. It is the same with all servers.
func (g *AuthorizationCode) document() *Credentials {
	return &Credentials{ID: g.ClientIDURL, Key: g.ClientKey, KeyID: g.ClientKeyID}
}

// checkDocumentURL reports what is wrong with the URL of a metadata document.
//
// REQ AUTH11-08
func checkDocumentURL(text string) error {
	u, err := fetch.ParseURL(text, true)
	if err != nil || u.Scheme != "https" || u.Path == "" || u.Path == "/" {
		return fmt.Errorf("authclient: ClientIDURL is %q, want an https URL with a path", text)
	}
	return nil
}

// clientMetadata describes the client: RFC 7591 section 2.
type clientMetadata struct {
	Name         string   `json:"client_name,omitempty"`
	URI          string   `json:"client_uri,omitempty"`
	RedirectURIs []string `json:"redirect_uris"`
	Type         string   `json:"application_type"`
	Grants       []string `json:"grant_types"`
	Responses    []string `json:"response_types"`
	Method       string   `json:"token_endpoint_auth_method"`
	DPoP         bool     `json:"dpop_bound_access_tokens,omitempty"`
}

// register returns the registration with the server. It registers the client if there is no registration for the
// redirect URI.
//
// REQ AUTH26-06, AUTH26-10
func (g *AuthorizationCode) register(ctx context.Context, f *flow, redirectURI string) (*Credentials, error) {
	r, err := f.registered(ctx, f.server.issuer)
	if err != nil {
		f.opts.Logger.Warn("authclient: the client is registered anew", "issuer", f.server.issuer, "error", err)
	}
	if r != nil && slices.Contains(r.RedirectURIs, redirectURI) {
		return r.credentials(f.server.issuer), nil
	}
	m := &clientMetadata{
		Name: g.ClientName, URI: g.ClientURI, RedirectURIs: []string{redirectURI},
		Type:      applicationType(redirectURI),
		Grants:    []string{"authorization_code", "refresh_token"},
		Responses: []string{"code"},
		Method:    registrationMethod(f.server),
		DPoP:      f.key != nil,
	}
	r, err = f.postRegistration(ctx, m)
	if err != nil {
		return nil, fmt.Errorf("authclient: registration of a client of type %s with the redirect URI %s: %w", m.Type, redirectURI, err)
	}
	f.keep(ctx, "registration", clientKey(f.server.issuer), r)
	return r.credentials(f.server.issuer), nil
}

// postRegistration sends a registration: RFC 7591.
func (f *flow) postRegistration(ctx context.Context, m *clientMetadata) (*registration, error) {
	body, err := json.Marshal(m)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, f.server.meta.RegistrationEndpoint, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	r := new(registration)
	if _, err := fetch.JSON(f.fetch, req, r); err != nil {
		return nil, serverError(f.server.issuer, err, nil)
	}
	if r.ID == "" {
		return nil, errors.New("the response has no client_id")
	}
	// The server may leave out what it accepted unchanged.
	if r.Method == "" && r.Secret == "" {
		r.Method = oauth.MethodNone
	}
	if len(r.RedirectURIs) == 0 {
		r.RedirectURIs = m.RedirectURIs
	}
	return r, nil
}

// registrationMethod returns how a client that registers itself authenticates itself: not at all if the server allows
// that, as an installed program cannot keep a secret.
func registrationMethod(s *authServer) string {
	supported := s.meta.TokenEndpointAuthMethodsSupported
	for _, m := range []string{oauth.MethodNone, oauth.MethodBasic, oauth.MethodPost} {
		if slices.Contains(supported, m) {
			return m
		}
	}
	if s.guessed {
		return oauth.MethodNone
	}
	return oauth.MethodBasic
}

// applicationType returns the type of a client: OpenID Connect Dynamic Client Registration 1.0 section 2.
func applicationType(redirectURI string) string {
	u, err := url.Parse(redirectURI)
	if err == nil && u.Scheme == "https" && !web.IsLoopback(u.Hostname()) {
		return "web"
	}
	return "native"
}
