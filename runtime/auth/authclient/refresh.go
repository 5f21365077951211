package authclient

// A refresh token may be usable once. So one process uses it at a time, with the store locked, and the others find the
// token that it has obtained.
//
// See RFC 6749 section 6, and RFC 9700 section 4.14.

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"time"
)

// refresh replaces a token by means of its refresh token. It returns nil if the authorization server refuses, so that
// somebody has to log in. The store is locked meanwhile: a refresh token can be used once, by one process.
func (t *Transport) refresh(ctx context.Context, s *authServer, old *token) (*token, error) {
	var next *token
	err := t.opts.Store.Update(ctx, t.tokenKey(), func(data []byte) ([]byte, error) {
		// The store is locked now. What is in it counts, and not what this process remembers.
		last := old
		if tok, err := t.decode(data); err == nil && tok != nil && tok.Issuer == old.Issuer && tok.Resource == old.Resource {
			if last = tok; tok.Access != old.Access && !tok.expired(time.Now()) {
				next = tok // another process has refreshed it
				return data, nil
			}
		}
		var err error
		if next, err = t.refreshOnce(ctx, s, last); err != nil || next == nil {
			return data, err
		}
		return json.Marshal(next)
	})
	if err != nil && next != nil { // the old refresh token is spent, so the new token must be used all the same
		t.opts.Logger.Warn("authclient: the token could not be stored", "endpoint", t.endpoint.String(), "error", err)
		err = nil
	}
	return next, err
}

// refreshOnce uses a refresh token. It returns nil if the server refuses that.
//
// REQ AUTH-09
func (t *Transport) refreshOnce(ctx context.Context, s *authServer, old *token) (*token, error) {
	if old.Refresh == "" {
		return nil, nil
	}
	c, err := t.knownClient(ctx, s, old.ClientID)
	if err != nil || c == nil {
		return nil, err
	}
	g := &flow{Transport: t, server: s, scopes: old.Requested, key: old.Key}
	form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {old.Refresh}}
	next, err := g.token(ctx, c, form)
	if refused, ok := errors.AsType[*Error](err); ok && !isBusy(refused.Status) {
		t.opts.Logger.Info("authclient: the token could not be refreshed", "endpoint", t.endpoint.String(), "error", err)
		if refused.Code == "invalid_client" {
			t.forget(ctx, s, c)
		}
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if next.Refresh == "" { // RFC 6749 section 6: the old one stays valid
		next.Refresh = old.Refresh
	}
	return next, nil
}

// isBusy reports whether a status says that the same request may succeed later.
func isBusy(status int) bool {
	return status >= 500 || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout
}
