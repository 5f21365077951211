package authclient

// A token that is no longer needed is revoked.
//
// See RFC 7009.

import (
	"context"
	"errors"
	"fmt"
	"net/url"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
)

// Logout discards the token, also in the store, and asks the authorization server to revoke it, if the server supports
// that: RFC 7009. If the revocation fails, Logout returns an error. The registration of the client remains.
func (t *Transport) Logout(ctx context.Context) error {
	if t.err != nil {
		return t.err
	}
	t.mu.Lock()
	err := t.load(ctx)
	tok := t.token
	t.token = nil
	t.mu.Unlock()
	if err != nil {
		return err
	}
	err = t.opts.Store.Update(ctx, t.tokenKey(), func([]byte) ([]byte, error) { return nil, nil })
	if err != nil {
		return fmt.Errorf("authclient: removing the stored token: %w", err)
	}
	if tok == nil {
		return nil
	}
	if err := t.revoke(ctx, tok); err != nil {
		return fmt.Errorf("authclient: the token is forgotten, but not revoked: %w", err)
	}
	return nil
}

// revoke revokes a token, the refresh token if there is one: the access token goes with it.
func (t *Transport) revoke(ctx context.Context, tok *token) error {
	s, err := t.serverFor(ctx, demand{metadata: tok.Metadata, silent: true})
	if err != nil {
		return err
	}
	at := s.meta.RevocationEndpoint
	if at == "" || s.issuer != tok.Issuer {
		return nil
	}
	c, err := t.knownClient(ctx, s, tok.ClientID)
	if err != nil {
		return err
	}
	form := url.Values{"token": {tok.Access}, "token_type_hint": {"access_token"}}
	if tok.Refresh != "" {
		form = url.Values{"token": {tok.Refresh}, "token_type_hint": {"refresh_token"}}
	}
	header, form, err := authenticate(s.meta, c, form)
	if err != nil {
		return err
	}
	var ignored struct{}
	got, err := fetch.PostForm(ctx, t.fetch, at, header, form, &ignored)
	if _, refused := errors.AsType[*fetch.StatusError](err); refused {
		return serverError(s.issuer, err, form)
	}
	if got != nil {
		return nil // with success, and whatever body
	}
	return err
}
