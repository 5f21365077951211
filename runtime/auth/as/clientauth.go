package as

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
)

// credentials holds what authenticates a client.
type credentials struct {
	id, secret string
	assertion  *assertion // nil if there is none
	basic      bool       // they are in the header Authorization
}

// authenticate returns the client that sent a request; see OAuth 2.1, section 2.4. Public clients only send their
// id.
func (s *Server) authenticate(r *http.Request, p params) (*client, error) {
	given, err := readCredentials(r, p)
	var c *client
	if err == nil {
		c, err = s.authenticated(r.Context(), given)
	}
	var e *refusal
	if errors.As(err, &e) && e.code == "invalid_client" {
		unauthorized := *e
		if unauthorized.status = http.StatusUnauthorized; given != nil && given.basic {
			unauthorized.header = [2]string{"WWW-Authenticate", `Basic realm="authorization server"`}
		}
		return nil, &unauthorized
	}
	return c, err
}

// readCredentials returns the credentials of a request, which may have one kind of them.
func readCredentials(r *http.Request, p params) (*credentials, error) {
	c := &credentials{id: p.get("client_id"), secret: p.get("client_secret")}
	asserted := p.get("client_assertion")
	header := r.Header.Values("Authorization")
	if len(header) > 1 || len(header) == 1 && (c.secret != "" || asserted != "") || c.secret != "" && asserted != "" {
		return nil, refuse("invalid_request", "the client must authenticate in one way")
	}
	if len(header) == 1 {
		id, secret, ok := parseBasic(header[0])
		if !ok {
			return nil, refuse("invalid_request", "want the header Authorization of the scheme Basic, with form encoding as in RFC 6749, section 2.3.1")
		}
		if c.id != "" && c.id != id {
			return nil, refuse("invalid_request", "client_id and the header Authorization name two clients")
		}
		c.id, c.secret, c.basic = id, secret, true
	}
	if asserted != "" {
		if p.get("client_assertion_type") != oauth.AssertionType {
			return nil, refuse("invalid_request", "want the client_assertion_type "+oauth.AssertionType)
		}
		var err error
		if c.assertion, err = parseAssertion(asserted); err != nil {
			return nil, wrongAssertion(err)
		}
		subject := c.assertion.claims.Subject
		if c.id != "" && c.id != subject {
			return nil, refuse("invalid_client", "client_id and client_assertion name two clients")
		}
		c.id = subject
	}
	if c.id == "" {
		return nil, refuse("invalid_client", "the request does not identify the client")
	}
	return c, nil
}

// parseBasic returns the credentials of the scheme Basic. Id and secret are encoded as in forms.
func parseBasic(header string) (id, secret string, ok bool) {
	scheme, encoded, found := strings.Cut(header, " ")
	if !found || !strings.EqualFold(scheme, "Basic") {
		return "", "", false
	}
	text, err := base64.StdEncoding.DecodeString(strings.TrimSpace(encoded))
	if err != nil {
		return "", "", false
	}
	id, secret, found = strings.Cut(string(text), ":")
	if !found {
		return "", "", false
	}
	id, err1 := url.QueryUnescape(id)
	secret, err2 := url.QueryUnescape(secret)
	return id, secret, err1 == nil && err2 == nil && id != ""
}

// noSecret is compared if there is no secret, so that the comparison takes as long.
var noSecret = make(digest, 32)

// errWrongClient is the error both for an unknown client and for a wrong secret.
var errWrongClient = refuse("invalid_client", "the client is unknown, or its credentials are wrong")

func (s *Server) authenticated(ctx context.Context, given *credentials) (*client, error) {
	c, err := s.client(ctx, given.id)
	var e *refusal
	switch {
	case errors.As(err, &e) && given.secret != "":
		noSecret.matches(given.secret)
		return nil, errWrongClient
	case err != nil:
		return nil, err
	}
	switch c.Method {
	case methodNone:
		if given.secret != "" || given.assertion != nil {
			noSecret.matches(given.secret)
			return nil, errWrongClient
		}
		return c, nil
	case methodKey:
		if given.assertion == nil {
			noSecret.matches(given.secret)
			return nil, errWrongClient
		}
		return c, s.checkClientAssertion(ctx, c, given.assertion)
	}
	if given.secret == "" || !c.Secret.matches(given.secret) {
		return nil, errWrongClient
	}
	return c, nil
}
