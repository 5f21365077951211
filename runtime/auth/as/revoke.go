package as

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/mcpgen/mcpgen/cluster/store"
)

// serveRevoke revokes a token of the client that sends it, and with it the whole grant: RFC 7009 section 2.1.
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
	g, id, err := s.grantOf(r.Context(), token)
	switch {
	case errors.Is(err, errInvalidToken), errors.Is(err, store.ErrNotFound):
		return nil // it is as good as revoked
	case err != nil:
		return err
	case g.Client != c.ID:
		return errOthersToken
	}
	s.logger.InfoContext(r.Context(), "a grant was revoked", "client", c.ID, "subject", g.Subject)
	return s.revokeGrant(r.Context(), id)
}

// grantOf returns the grant of an access token, or of a refresh token, also one that was used before.
func (s *Server) grantOf(ctx context.Context, token string) (g *grant, id string, err error) {
	if strings.Count(token, ".") == 2 { // a JWT
		c, g, err := s.verify(ctx, token)
		if err == nil && g == nil {
			err = refuse("unsupported_token_type", "a token of a client without a user cannot be revoked; it ends soon")
		}
		if err != nil {
			return nil, "", err
		}
		return g, grantID(c.ID), nil
	}
	id = grantID(token)
	g, err = s.grant(ctx, id)
	if err == nil && (g.Refresh == nil || !g.Refresh.matches(token)) && !g.spent(token) {
		err = errInvalidToken
	}
	return g, id, err
}

// errOthersToken is the refusal of a token that belongs to another client; see RFC 7009, section 2.1.
var errOthersToken = refuse("invalid_grant", "the token belongs to another client")
