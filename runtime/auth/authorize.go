package auth

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/dpop"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
	"github.com/mcpgen/mcpgen/runtime/transport"
)

// A refusal says why a request is refused, in the terms of HTTP and OAuth.
type refusal struct {
	status int
	code   string // the parameter error; empty if the request has no token
	reason string
	dpop   bool   // the challenge has the scheme DPoP
	cause  string // logged if the token cannot be verified
}

func (e *refusal) Error() string { return "auth: " + e.reason }

// Temporary reports whether nothing is known about the token at the moment, so that open streams go on.
func (e *refusal) Temporary() bool { return e.status == http.StatusServiceUnavailable }

// The error codes of RFC 6750 section 3.1.
const (
	invalidRequest    = "invalid_request"
	invalidToken      = "invalid_token"
	insufficientScope = "insufficient_scope"
)

func malformed(reason string) *refusal {
	return &refusal{status: http.StatusBadRequest, code: invalidRequest, reason: reason}
}

// Authorize returns the sender of a request: the subject of its access token, which must be valid and have the
// required scopes. Pass an error to [ResourceServer.Refuse]; no error contains the text of a token.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#access-token-usage
func (s *ResourceServer) Authorize(r *http.Request) (transport.Identity, error) {
	scheme, text, err := tokenOf(r)
	if err != nil {
		return nil, err
	}
	if text == "" {
		if s.opts.AllowAnonymous && r.Header["Authorization"] == nil {
			return nil, nil
		}
		return nil, &refusal{status: http.StatusUnauthorized, reason: "the request has no access token", dpop: s.opts.DPoP.Required}
	}
	bound := scheme == schemeDPoP
	t, err := s.verifyToken(s.context(r), text)
	if err == nil {
		_, err = t.unexpired(time.Now())
	}
	if err != nil {
		return nil, refused(err, bound, text)
	}
	if err := s.checkProof(r, t, bound, text); err != nil {
		return nil, err
	}
	identity := withScopes(t, s.opts.Covers)
	if lacking := identity.Missing(s.opts.RequiredScopes); len(lacking) > 0 {
		return nil, &transport.ScopeError{Scopes: s.opts.RequiredScopes, Missing: lacking}
	}
	return identity, nil
}

// context returns the context in which a verifier may ask another server: requests to it are shared among the senders.
func (s *ResourceServer) context(r *http.Request) context.Context {
	ctx := r.Context()
	if _, alone := s.opts.Verifier.(*JWTVerifier); alone || share.From(ctx) != (share.Owner{}) {
		return ctx
	}
	return share.With(ctx, share.Of("", r.RemoteAddr, nil))
}

// refused returns the refusal of a token that could not be verified. The error may come from a verifier of another
// package, and contain the text of the token.
func refused(err error, bound bool, text string) *refusal {
	without := func(s string) string { return strings.ReplaceAll(s, text, "…") }
	var wrong *InvalidTokenError
	if errors.As(err, &wrong) {
		return &refusal{status: http.StatusUnauthorized, code: invalidToken, reason: without(wrong.Reason), dpop: bound}
	}
	return &refusal{status: http.StatusServiceUnavailable, reason: "the access token cannot be verified now", cause: without(err.Error())}
}

// The schemes of the header Authorization, in lower case.
const (
	schemeBearer = "bearer"
	schemeDPoP   = "dpop"
)

// tokenOf returns the access token of a request and its scheme: RFC 6750 section 2.1, RFC 9449 section 7.1. Both are
// empty if the request has none.
func tokenOf(r *http.Request) (scheme, token string, err error) {
	if strings.Contains(r.URL.RawQuery, "access_token") {
		if query, err := url.ParseQuery(r.URL.RawQuery); err != nil || query.Has("access_token") {
			return "", "", malformed("the access token must be in the header Authorization, not in the URL")
		}
	}
	values := r.Header["Authorization"]
	switch len(values) {
	case 0:
		return "", "", nil
	case 1:
	default:
		return "", "", malformed("the header Authorization is duplicated")
	}
	name, rest, _ := strings.Cut(strings.Trim(values[0], " \t"), " ")
	switch {
	case strings.EqualFold(name, schemeBearer):
		scheme = schemeBearer
	case strings.EqualFold(name, schemeDPoP):
		scheme = schemeDPoP
	case !isToken(name):
		return "", "", malformed("the header Authorization is malformed: want Bearer and a token")
	default:
		return "", "", nil // another scheme counts as none
	}
	if token = strings.Trim(rest, " "); !isToken68(token) {
		return "", "", malformed("the header Authorization is malformed: want one token after the scheme")
	}
	return scheme, token, nil
}

// checkProof checks that the sender of a token that is bound to a key has that key: RFC 9449 section 7.
func (s *ResourceServer) checkProof(r *http.Request, t *Token, bound bool, text string) error {
	unauthorized := func(code, reason string) error {
		return &refusal{status: http.StatusUnauthorized, code: code, reason: reason, dpop: true}
	}
	switch {
	case t.KeyThumbprint == "" && bound:
		return unauthorized(invalidToken, "the token is not bound to a key: want the scheme Bearer")
	case t.KeyThumbprint == "" && s.opts.DPoP.Required:
		return unauthorized(invalidToken, "the token is not bound to a key")
	case t.KeyThumbprint == "":
		return nil
	case !bound:
		return unauthorized(invalidToken, "the token is bound to a key: want the scheme DPoP")
	}
	proofs := r.Header.Values(dpop.Header)
	if len(proofs) != 1 {
		return unauthorized(dpop.ErrorInvalidProof, "want one header DPoP")
	}
	if web.IsAgain(r.Context()) { // its proof has been verified, and is accepted once
		return nil
	}
	_, err := s.proofs.Verify(proofs[0], dpop.Request{
		Method: r.Method, URLs: []string{s.opts.Resource, s.origin + r.URL.EscapedPath()}, Token: text, Thumbprint: t.KeyThumbprint,
		Owner: share.Of(t.Principal(), "", nil),
	})
	switch {
	case err == nil:
		return nil
	case errors.Is(err, dpop.ErrNonce):
		return unauthorized(dpop.ErrorUseNonce, "want a proof with the nonce of this server")
	case errors.Is(err, dpop.ErrBusy):
		return &refusal{status: http.StatusServiceUnavailable, reason: "there are too many requests", cause: err.Error()}
	}
	return unauthorized(dpop.ErrorInvalidProof, strings.TrimPrefix(err.Error(), "dpop: "))
}
