package as

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/auth"
	"golang.org/x/oauth2"
)

// A Server is a verifier for resource servers in the same program.
var _ auth.Verifier = (*Server)(nil)

// Verify implements [auth.Verifier]. It refuses tokens that were revoked, and those for which the upstream provider no
// longer honours its own token.
func (s *Server) Verify(ctx context.Context, token string) (*auth.Token, error) {
	c, g, err := s.verify(ctx, token)
	if err == nil && g != nil {
		err = s.checkUpstream(ctx, grantID(c.ID), g)
	}
	if errors.Is(err, errInvalidToken) {
		return nil, &auth.InvalidTokenError{Reason: "the token is invalid, has expired, or was revoked"}
	}
	if err != nil {
		return nil, err
	}
	claims, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	thumbprint := ""
	if c.Confirm != nil {
		thumbprint = c.Confirm.Thumbprint
	}
	return &auth.Token{
		Issuer: c.Issuer, Subject: c.Subject, ClientID: c.Client, Audience: []string{c.Audience}, Scopes: strings.Fields(c.Scope),
		Expiry: c.expires(), KeyThumbprint: thumbprint, Claims: claims,
	}, nil
}

// UpstreamToken returns the upstream provider's token for an access token of this server. Use it only for calls to the
// provider, and pass it to nobody else.
func (s *Server) UpstreamToken(ctx context.Context, t *auth.Token) (*oauth2.Token, error) {
	var id string
	if err := t.Claim("jti", &id); err != nil {
		return nil, err
	}
	g, err := s.grant(ctx, grantID(id))
	if err != nil {
		return nil, err
	}
	if g.Upstream == nil || t.Issuer != s.opts.Issuer || g.Subject != t.Subject {
		return nil, errors.New("as: there is no token of a provider for this token")
	}
	if err := s.checkUpstream(ctx, grantID(id), g); err != nil {
		return nil, err
	}
	if g, err = s.grant(ctx, grantID(id)); err != nil {
		return nil, err
	}
	return s.openUpstream(grantID(id), g)
}
