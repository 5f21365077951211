package auth

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/transport"
)

// Authorize returns the sender of a request: the subject of its access token, which must be valid and have the
// required scopes. Pass an error to [ResourceServer.Refuse]; no error contains the text of a token.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#access-token-usage
func (s *ResourceServer) Authorize(r *http.Request) (transport.Identity, error) {
	text, err := s.tokenOf(r)
	if err != nil {
		return nil, err
	}
	if text == "" {
		if s.opts.AllowAnonymous && r.Header["Authorization"] == nil {
			return nil, nil
		}
		return nil, noToken()
	}
	// A verifier of another package may not look at the end of a token, or at its binding to a key.
	t, err := s.verifyToken(s.context(r), text)
	if err == nil {
		_, err = t.unexpired(time.Now())
	}
	if err == nil {
		err = s.checkProof(r, t)
	}
	if err != nil {
		return nil, refused(err, text)
	}
	if s.opts.Covers != nil {
		own := *t // requests share the verifier's
		own.covers = s.opts.Covers
		t = &own
	}
	if lacking := t.Missing(s.opts.RequiredScopes); len(lacking) > 0 {
		return nil, &transport.ScopeError{Scopes: s.opts.RequiredScopes, Missing: lacking}
	}
	return t, nil
}

// context returns the context in which a verifier may ask another server: requests to it are shared among the senders.
func (s *ResourceServer) context(r *http.Request) context.Context {
	ctx := r.Context()
	if _, alone := s.opts.Verifier.(*JWTVerifier); alone || share.From(ctx) != (share.Owner{}) {
		return ctx
	}
	return share.With(ctx, share.Of("", r.RemoteAddr, nil))
}

// tokenOf returns the access token of a request: RFC 6750 section 2.1, RFC 9449 section 7.1. It is empty if the request has
// none.
func (s *ResourceServer) tokenOf(r *http.Request) (token string, err error) {
	// A token in the URL ends up in logs and histories. Whoever sends one is told, and must not go on doing it: RFC 6750
	// section 2.3 allows it, the specification does not.
	if strings.Contains(r.URL.RawQuery, "access_token") {
		if query, err := url.ParseQuery(r.URL.RawQuery); err != nil || query.Has("access_token") {
			return "", malformed("the access token must be in the header Authorization, not in the URL")
		}
	}
	values := r.Header["Authorization"]
	switch len(values) {
	case 0:
		return "", nil
	case 1:
	default:
		return "", malformed("the header Authorization is duplicated")
	}
	name, rest, _ := strings.Cut(strings.Trim(values[0], " \t"), " ")
	switch {
	case strings.EqualFold(name, schemeBearer), s.opts.Proofs != nil && strings.EqualFold(name, schemeDPoP):
	case !isToken(name):
		return "", malformed("the header Authorization is malformed: want Bearer and a token")
	default:
		return "", nil // another scheme counts as none
	}
	if token = strings.Trim(rest, " "); !oauth.IsToken68(token) {
		return "", malformed("the header Authorization is malformed: want one token after the scheme")
	}
	return token, nil
}
