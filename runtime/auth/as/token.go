package as

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/cluster/store"
	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/auth/dpop"
	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
)

// tokenResponse is the response to a token request; see RFC 6749, section 5.1.
type tokenResponse struct {
	Access    string `json:"access_token"`
	Type      string `json:"token_type"`
	ExpiresIn int64  `json:"expires_in"`
	Refresh   string `json:"refresh_token,omitempty"`
	Scope     string `json:"scope,omitempty"`
}

// grantTypes lists all grant types that the server supports.
var grantTypes = []string{grantCode, grantRefresh, grantCredentials}

// token issues tokens; see OAuth 2.1, section 3.2.
func (s *Server) token(w http.ResponseWriter, r *http.Request) (*tokenResponse, error) {
	p, err := readForm(w, r)
	if err != nil {
		return nil, refuse("invalid_request", err.Error())
	}
	grantType := p.get("grant_type")
	switch {
	case grantType == "":
		return nil, refuse("invalid_request", "grant_type is missing")
	case !slices.Contains(grantTypes, grantType):
		return nil, refuse("unsupported_grant_type", "want one of "+strings.Join(grantTypes, ", "))
	}
	key, err := s.proofKey(r)
	if err != nil {
		return nil, err
	}
	// If there is no key to sign with, no code or token of the client may be spent.
	if _, err := s.keys.current(r.Context()); err != nil {
		return nil, err
	}
	c, err := s.authenticate(r, p)
	if err != nil {
		return nil, err
	}
	if !c.may(grantType) {
		return nil, refuse("unauthorized_client", "the client may not use this grant_type")
	}
	switch grantType {
	case grantCode:
		return s.redeemCode(r.Context(), c, p, key)
	case grantRefresh:
		return s.refresh(r.Context(), c, p, key)
	default:
		return s.credentialsGrant(r.Context(), c, p, key)
	}
}

// proofKey returns the thumbprint of the key by which a request proves possession, empty if it does not; see RFC
// 9449, section 5.
func (s *Server) proofKey(r *http.Request) (thumbprint string, err error) {
	thumbprint, err = s.proofs.Key(r, s.url("/token"))
	if errors.Is(err, dpop.ErrBusy) {
		return "", store.ErrFull
	}
	if wrong, ok := errors.AsType[*auth.InvalidTokenError](err); ok {
		return "", refuse(wrong.Code, wrong.Reason)
	}
	return thumbprint, err
}

// redeemCode exchanges a code; see OAuth 2.1, section 4.1.3. The attempt spends the code, even if it is refused.
func (s *Server) redeemCode(ctx context.Context, c *client, p params, key string) (*tokenResponse, error) {
	code, verifier := p.get("code"), p.get("code_verifier")
	switch {
	case code == "":
		return nil, refuse("invalid_request", "code is missing")
	case !isVerifier(verifier):
		return nil, refuse("invalid_request", "want a code_verifier of 43 to 128 letters, digits and -._~")
	}
	id, refresh := grantID(code), ""
	g, err := s.changeGrant(ctx, id, func(g *grant) (time.Time, error) {
		now := time.Now()
		switch redirect := p.get("redirect_uri"); {
		case !g.Code.matches(code):
			return now, errNoGrant
		case g.Redeemed:
			return now, errMisused
		case !now.Before(g.Time.Add(codeTime)):
			return now, errNoGrant
		case g.Client != c.ID, redirect != "" && redirect != g.Redirect, !proves(g.Challenge, verifier), g.Key != "" && g.Key != key:
			return now, errMisused
		case !g.isFor(p["resource"]):
			return now, errTarget
		}
		g.Redeemed = true
		g.bind(c, key)
		if !c.may(grantRefresh) {
			return now.Add(s.opts.AccessLifetime + codeKeep), nil
		}
		refresh = g.renew(id)
		return now.Add(max(s.opts.RefreshLifetime, s.opts.AccessLifetime)), nil
	})
	if err != nil {
		return nil, err
	}
	return s.issue(ctx, id, g, g.Scopes, key, refresh)
}

// errTarget is the refusal of a request for a resource other than that of its grant.
var errTarget = refuse("invalid_target", "the resource is not the one that was granted")

// isFor reports whether a grant is for the resource that a request names, if it names one.
func (g *grant) isFor(named []string) bool {
	return len(named) == 0 || len(named) == 1 && sameResource(named[0], g.Resource)
}

// bind binds the refresh tokens of a public client to its key; see RFC 9449, section 5.
func (g *grant) bind(c *client, key string) {
	if c.public() && key != "" {
		g.Key = key
	}
}

// proves reports whether a challenge was made from this verifier.
func proves(challenge, verifier string) bool {
	return digest(challenge).equal(digest(hashOf(verifier)))
}

func isVerifier(text string) bool {
	return len(text) >= 43 && len(text) <= 128 && strings.Trim(text, oauth.Unreserved) == ""
}

// refresh exchanges a refresh token for an access token and the next refresh token; see OAuth 2.1, section 4.3.
func (s *Server) refresh(ctx context.Context, c *client, p params, key string) (*tokenResponse, error) {
	token := p.get("refresh_token")
	if token == "" {
		return nil, refuse("invalid_request", "refresh_token is missing")
	}
	id := grantID(token)
	if err := s.beforeRefresh(ctx, c, id, token); err != nil {
		return nil, err
	}
	var next string
	var scopes []string
	g, err := s.changeGrant(ctx, id, func(g *grant) (time.Time, error) {
		now := time.Now()
		switch {
		case g.spent(token):
			return now, errMisused
		case g.Refresh == nil || !g.Refresh.matches(token) || g.Client != c.ID:
			return now, errNoGrant
		case g.Key != "" && g.Key != key:
			return now, refuse("invalid_grant", "the refresh token is bound to another key")
		case !g.isFor(p["resource"]):
			return now, errTarget
		}
		scopes = g.Scopes
		if asked := strings.Fields(p.get("scope")); len(asked) > 0 {
			scopes = asked
		}
		for _, scope := range scopes {
			if !slices.Contains(g.Scopes, scope) {
				return now, refuse("invalid_scope", "want scopes that were granted")
			}
		}
		g.bind(c, key)
		next = g.renew(id)
		return now.Add(max(s.opts.RefreshLifetime, s.opts.AccessLifetime)), nil
	})
	if err != nil {
		return nil, err
	}
	return s.issue(ctx, id, g, scopes, key, next)
}

// beforeRefresh does everything that may fail before a refresh token is spent: it asks the upstream provider, and
// prolongs the client's registration.
func (s *Server) beforeRefresh(ctx context.Context, c *client, id, token string) error {
	g, err := s.grant(ctx, id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return errNoGrant
	case err != nil:
		return err
	case g.Refresh == nil || !g.Refresh.matches(token) || g.Client != c.ID:
		return nil // it is refused in any case
	}
	if err := s.checkUpstream(ctx, id, g); errors.Is(err, errInvalidToken) {
		return errNoGrant
	} else if err != nil {
		return err
	}
	return s.keepClient(ctx, c, g.Subject)
}

// issue returns the tokens of a grant.
func (s *Server) issue(ctx context.Context, id string, g *grant, scopes []string, key, refresh string) (*tokenResponse, error) {
	end, err := s.upstreamEnd(id, g)
	if err != nil {
		return nil, err
	}
	return s.respond(ctx, &accessClaims{Subject: g.Subject, Audience: g.Resource, Client: g.Client,
		Scope: strings.Join(scopes, " "), AuthTime: g.Time.Unix()}, id, end, key, refresh)
}

func (s *Server) respond(ctx context.Context, c *accessClaims, grant string, end time.Time, key, refresh string) (*tokenResponse, error) {
	response := &tokenResponse{Type: "Bearer", Refresh: refresh, Scope: c.Scope}
	if key != "" {
		c.Confirm, response.Type = &confirmation{key}, dpop.Scheme
	}
	var err error
	if response.Access, err = s.sign(ctx, c, grant, end); err != nil {
		return nil, err
	}
	response.ExpiresIn = c.Expiry - c.IssuedAt
	s.logger.InfoContext(ctx, "a token was issued", "client", c.Client, "subject", c.Subject, "resource", c.Audience, "scope", c.Scope, "bound", key != "")
	return response, nil
}

// credentialsGrant issues a token for the client itself; see OAuth 2.1, section 4.2.
func (s *Server) credentialsGrant(ctx context.Context, c *client, p params, key string) (*tokenResponse, error) {
	resource, err := s.resource(p)
	if err != nil {
		return nil, err
	}
	scopes, err := s.scopes(c, p.get("scope"))
	if err != nil {
		return nil, err
	}
	return s.respond(ctx, &accessClaims{Subject: clientSubject + c.ID, Audience: resource, Client: c.ID, Scope: strings.Join(scopes, " ")}, "", time.Time{}, key, "")
}
