package as

import (
	"errors"
	"net/http"
	"slices"
)

// introspection is what a resource server learns of a token; see RFC 7662, section 2.2.
type introspection struct {
	Active   bool          `json:"active"`
	Scope    string        `json:"scope,omitempty"`
	Client   string        `json:"client_id,omitempty"`
	Type     string        `json:"token_type,omitempty"`
	Expiry   int64         `json:"exp,omitempty"`
	IssuedAt int64         `json:"iat,omitempty"`
	Subject  string        `json:"sub,omitempty"`
	Audience string        `json:"aud,omitempty"`
	Issuer   string        `json:"iss,omitempty"`
	ID       string        `json:"jti,omitempty"`
	Confirm  *confirmation `json:"cnf,omitempty"`
}

// introspect tells a resource server about an access token for it; see RFC 7662.
func (s *Server) introspect(w http.ResponseWriter, r *http.Request) (*introspection, error) {
	p, err := readForm(w, r)
	if err != nil {
		return nil, refuse("invalid_request", err.Error())
	}
	c, err := s.authenticate(r, p)
	if err != nil {
		return nil, err
	}
	if len(c.introspects) == 0 || c.public() {
		return nil, &refusal{status: http.StatusForbidden, code: "unauthorized_client", description: "the client is no resource server"}
	}
	if p.get("token") == "" {
		return nil, refuse("invalid_request", "token is missing")
	}
	claims, err := s.check(r.Context(), p.get("token"))
	switch {
	case errors.Is(err, errInvalidToken):
		return &introspection{}, nil
	case err != nil:
		return nil, err
	case !slices.Contains(c.introspects, claims.Audience):
		return &introspection{}, nil
	}
	response := &introspection{Active: true, Scope: claims.Scope, Client: claims.Client, Type: "Bearer",
		Expiry: claims.Expiry, IssuedAt: claims.IssuedAt, Subject: claims.Subject, Audience: claims.Audience,
		Issuer: claims.Issuer, ID: claims.ID, Confirm: claims.Confirm}
	if claims.Confirm != nil {
		response.Type = "DPoP"
	}
	return response, nil
}
