package as

import (
	"errors"
	"net/http"
	"slices"
)

// introspection is the response to an introspection request; see RFC 7662, section 2.2.
type introspection struct {
	Active bool   `json:"active"`
	Type   string `json:"token_type,omitempty"`
	*accessClaims
}

// introspect responds to a resource server's question about an access token for it; see RFC 7662.
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
	claims.AuthTime = 0 // no member of RFC 7662
	response := &introspection{Active: true, Type: "Bearer", accessClaims: claims}
	if claims.Confirm != nil {
		response.Type = "DPoP"
	}
	return response, nil
}
