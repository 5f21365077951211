package authclient

// A request to a token endpoint, with the authentication of the client, the resource that the token is for, and, where
// tokens are bound to a key, a proof. What comes back must be a token of the type that was asked for. No error repeats
// a secret.
//
// See RFC 6749 section 5, RFC 8707 and RFC 9449 section 5.

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
)

// token requests an access token for the resource. A nil client does not authenticate itself.
func (f *flow) token(ctx context.Context, c *Credentials, form url.Values) (*token, error) {
	name, value := f.target()
	form.Set(name, value)
	began := time.Now()
	r, err := f.post(ctx, f.server.meta, c, form)
	if err != nil {
		return nil, err
	}
	tok := &token{
		Issuer: f.server.issuer, Resource: f.server.resource, Metadata: f.server.metadata, Type: typeBearer,
		Access: r.AccessToken, Refresh: r.RefreshToken, Requested: f.scopes, Key: f.key,
	}
	if c != nil {
		tok.ClientID = c.ID
	}
	want := typeBearer
	if f.key != nil {
		tok.Type, want = typeDPoP, "one that is bound to the key of the client"
	}
	switch {
	case !oauth.IsToken68(r.AccessToken):
		return nil, fmt.Errorf("authclient: %s issued no access token that can be sent", f.server.issuer)
	case !strings.EqualFold(r.TokenType, tok.Type):
		return nil, fmt.Errorf("authclient: %s issued a token of type %q, want %s", f.server.issuer, clean(r.TokenType, form), want)
	}
	tok.Expiry = expiry(began, r)
	return tok, nil
}

// expiry returns when to replace a token that was requested at a time: a little before its end. It is zero if the server
// does not say.
func expiry(began time.Time, r *oauth.TokenResponse) time.Time {
	lifetime := r.Lifetime()
	if lifetime == 0 {
		return time.Time{}
	}
	return began.Add(lifetime - min(leeway, lifetime/10))
}

// post sends a token request, a second time if the server wants its nonce in the proof.
func (f *flow) post(ctx context.Context, s *auth.AuthorizationServerMetadata, c *Credentials, form url.Values) (*oauth.TokenResponse, error) {
	if s.TokenEndpoint == "" {
		return nil, fmt.Errorf("authclient: the metadata of %s has no token_endpoint", s.Issuer)
	}
	client := *f.fetch
	if f.key != nil {
		client.Transport = f.opts.Proofs.Transport(f.key, client.Transport)
	}
	// The transport of the proofs has noted the nonce when the server wants one, so one more attempt has it.
	for again := false; ; again = true {
		header, form, err := authenticate(s, c, form) // an assertion can be used once
		if err != nil {
			return nil, err
		}
		r := new(oauth.TokenResponse)
		if _, err = fetch.PostForm(ctx, &client, s.TokenEndpoint, header, form, r); err == nil {
			return r, nil
		}
		if c != nil && c.Secret != "" {
			form.Set("client_secret", c.Secret) // to be looked for in the error
		}
		err = serverError(s.Issuer, err, form)
		if said, ok := errors.AsType[*Error](err); again || f.key == nil || !ok || said.Code != errorUseNonce {
			return nil, err
		}
	}
}

// authenticate returns the header and the form of a token request, with the client's authentication added.
func authenticate(s *auth.AuthorizationServerMetadata, c *Credentials, form url.Values) (http.Header, url.Values, error) {
	header, form := http.Header{}, maps.Clone(form)
	if c == nil {
		return header, form, nil
	}
	own := oauth.Client{ID: c.ID, Secret: c.Secret, Key: c.Key, KeyID: c.KeyID, Method: c.Method}
	if err := own.Authenticate(s.Issuer, s.TokenEndpointAuthMethodsSupported, s.TokenEndpointAuthSigningAlgValuesSupported, header, form); err != nil {
		return nil, nil, fmt.Errorf("authclient: %v: %w", *c, err)
	}
	return header, form, nil
}
