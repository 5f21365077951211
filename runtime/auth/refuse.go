package auth

import (
	"cmp"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/transport"
)

// What is wrong decides the status of the response, and the parameters of its challenge: RFC 6750 section 3.1.
//
//	                                      status  error               scope
//	no token                              401     none                those to start with
//	an invalid token                      401     invalid_token       those to start with
//	a token without a required scope      403     insufficient_scope  all that the request requires
//	a malformed request                   400     invalid_request     none
//	a token that cannot be verified now   503     no challenge: another token would not help
//
// An anonymous request that lacks scopes lacks a token: it gets 401 with the scopes that it requires.

// A refusal says why a request is refused, in the terms of HTTP and OAuth.
type refusal struct {
	status int
	code   string // the parameter error; empty if the request has no token
	reason string
	scheme string // of the challenge: Bearer if empty
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

// noToken returns the refusal of a request that has no token, and needs one.
func noToken() *refusal {
	return &refusal{status: http.StatusUnauthorized, reason: "the request has no access token"}
}

// refused returns the refusal of a token that could not be verified. The error may come from a verifier of another
// package, and contain the text of the token.
func refused(err error, text string) *refusal {
	without := func(s string) string { return strings.ReplaceAll(s, text, "…") }
	var wrong *InvalidTokenError
	if errors.As(err, &wrong) {
		return &refusal{status: http.StatusUnauthorized, code: cmp.Or(wrong.Code, invalidToken), reason: without(wrong.Reason), scheme: wrong.Scheme}
	}
	return &refusal{status: http.StatusServiceUnavailable, reason: "the access token cannot be verified now", cause: without(err.Error())}
}

// retryAfter is how many seconds a client should wait if a token cannot be verified now.
const retryAfter = "5"

// Refuse writes the response to a refused request. Err comes from [ResourceServer.Authorize] or is a
// *[transport.ScopeError]. Body is an error response in JSON to write with it; it may be nil. See RFC 6750 section 3,
// RFC 9728 section 5.1.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization#error-handling
func (s *ResourceServer) Refuse(w http.ResponseWriter, r *http.Request, err error, body []byte) {
	refusal, scopes := s.refusalOf(r, err)
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	if refusal.status == http.StatusServiceUnavailable {
		if r.Context().Err() == nil { // else the client has gone
			if others, ok := s.failures.Take(10, 10*time.Second); ok {
				s.log.Error("auth: a token cannot be verified", "error", refusal.cause, "others", others)
			}
		}
		h.Set("Retry-After", retryAfter)
	} else {
		c := s.challenge(refusal, scopes)
		h.Add("Access-Control-Expose-Headers", "WWW-Authenticate")
		if s.opts.Proofs != nil && refusal.status != http.StatusBadRequest {
			s.opts.Proofs.Challenge(r, &c, h)
		}
		h.Set("WWW-Authenticate", c.String())
	}
	if body != nil {
		h.Set("Content-Type", "application/json")
	}
	w.WriteHeader(refusal.status)
	if r.Method != http.MethodHead {
		w.Write(body)
	}
}

// refusalOf returns the refusal that an error stands for, and the scopes that a client needs.
func (s *ResourceServer) refusalOf(r *http.Request, err error) (*refusal, []string) {
	var known *refusal
	if errors.As(err, &known) {
		return known, s.challenged
	}
	var lacking *transport.ScopeError
	if !errors.As(err, &lacking) {
		return &refusal{status: http.StatusServiceUnavailable, cause: err.Error()}, nil
	}
	if text, _ := s.tokenOf(r); text == "" { // an anonymous request
		all := append(append([]string{}, s.opts.RequiredScopes...), lacking.Scopes...)
		return noToken(), all
	}
	s.logElevation(r, lacking)
	return &refusal{status: http.StatusForbidden, code: insufficientScope, reason: "the token lacks a required scope"}, lacking.Scopes
}

// logElevation logs that a request needs more scopes than its token has, and whose it is. The verifier knows the token
// already.
func (s *ResourceServer) logElevation(r *http.Request, lacking *transport.ScopeError) {
	attrs := []any{"scopes", lacking.Scopes, "missing", lacking.Missing}
	if text, _ := s.tokenOf(r); text != "" {
		if t, err := s.verifyToken(r.Context(), text); err == nil {
			attrs = append(attrs, "token", t)
		}
	}
	s.log.Info("auth: a request needs more scopes than its token has", attrs...)
}

// challenge returns the challenge of a refusal: RFC 6750 section 3, RFC 9728 section 5.1.
func (s *ResourceServer) challenge(e *refusal, scopes []string) Challenge {
	c := Challenge{Scheme: cmp.Or(e.scheme, schemeBearer), Params: map[string]string{"resource_metadata": s.metadataURL}}
	if scopes = resourceScopes(scopes); len(scopes) > 0 && e.status != http.StatusBadRequest {
		c.Params["scope"] = strings.Join(scopes, " ")
	}
	if e.code != "" {
		c.Params["error"] = e.code
		c.Params["error_description"] = printable(e.reason)
	}
	return c
}
