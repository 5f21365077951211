package as

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/mcpgen/mcpgen/cluster/store"
)

// serveRevoke revokes a token of the client that sends it; see RFC 7009.
func (s *Server) serveRevoke(w http.ResponseWriter, r *http.Request) {
	if err := s.revoke(w, r); err != nil {
		s.writeRefusal(w, r, err)
		return
	}
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
}

func (s *Server) revoke(w http.ResponseWriter, r *http.Request) error {
	p, err := readForm(w, r)
	if err != nil {
		return refuse("invalid_request", err.Error())
	}
	c, err := s.authenticate(r, p)
	if err != nil {
		return err
	}
	token := p.get("token")
	if token == "" {
		return refuse("invalid_request", "token is missing")
	}
	if isJWT(token) {
		return s.revokeJWT(r.Context(), c, token)
	}
	return s.revokeRefresh(r.Context(), c, token)
}

// isJWT reports whether a token is an access token and not a refresh token.
func isJWT(token string) bool { return strings.Count(token, ".") == 2 }

// errOthersToken is the refusal of a token that belongs to another client; see RFC 7009, section 2.1.
var errOthersToken = refuse("invalid_grant", "the token belongs to another client")

// revokeJWT revokes an access token. It does nothing if the token is not valid.
func (s *Server) revokeJWT(ctx context.Context, c *client, token string) error {
	claims, _, err := s.verify(ctx, token)
	switch {
	case errors.Is(err, errInvalidToken):
		return nil
	case err != nil:
		return err
	case claims.Client != c.ID:
		return errOthersToken
	}
	s.logger.InfoContext(ctx, "an access token was revoked", "client", c.ID, "subject", claims.Subject)
	return s.revokeAccess(ctx, claims)
}

// revokeRefresh revokes a refresh token, and with it the whole grant.
func (s *Server) revokeRefresh(ctx context.Context, c *client, token string) error {
	id := grantID(token)
	g, err := s.grant(ctx, id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil
	case err != nil:
		return err
	case (g.Refresh == nil || !g.Refresh.matches(token)) && !g.spent(token):
		return nil
	case g.Client != c.ID:
		return errOthersToken
	}
	s.logger.InfoContext(ctx, "a grant was revoked", "client", c.ID, "subject", g.Subject)
	return s.revokeGrant(ctx, id)
}
