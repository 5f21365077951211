package oauth

import (
	"crypto"
	"fmt"
	"net/http"
	"net/url"
	"slices"
)

// The methods of client authentication: RFC 7591 section 2, RFC 7523.
const (
	MethodBasic = "client_secret_basic"
	MethodPost  = "client_secret_post"
	MethodJWT   = "private_key_jwt"
	MethodNone  = "none"
)

// A Client has what authenticates a client to an authorization server: a secret, a key, or neither.
type Client struct {
	ID, Secret string
	Key        crypto.Signer
	KeyID      string
	Method     string // empty: one that suits the rest, and that the server supports
}

// Authenticate adds the client's authentication to a request. Methods and algorithms are those that the server supports;
// it may not list any.
func (c *Client) Authenticate(issuer string, methods, algorithms []string, h http.Header, form url.Values) error {
	switch m := c.method(methods); m {
	case MethodBasic:
		// RFC 6749 section 2.3.1
		r := http.Request{Header: h}
		r.SetBasicAuth(url.QueryEscape(c.ID), url.QueryEscape(c.Secret))
	case MethodPost:
		form.Set("client_id", c.ID)
		form.Set("client_secret", c.Secret)
	case MethodNone:
		form.Set("client_id", c.ID)
	case MethodJWT:
		if c.Key == nil {
			return fmt.Errorf("the method %s needs a Key", MethodJWT)
		}
		jwt, err := assertion(c.Key, c.KeyID, c.ID, issuer, algorithms)
		if err != nil {
			return err
		}
		form.Set("client_assertion_type", AssertionType)
		form.Set("client_assertion", jwt)
	default:
		return fmt.Errorf("the method is %q, want %s, %s, %s or %s", m, MethodBasic, MethodPost, MethodJWT, MethodNone)
	}
	return nil
}

// method returns how a client authenticates itself. Supported lists the methods of the server; without a list, RFC 8414
// says that it supports client_secret_basic.
func (c *Client) method(supported []string) string {
	switch {
	case c.Method != "":
		return c.Method
	case c.Key != nil:
		return MethodJWT
	case c.Secret == "":
		return MethodNone
	case slices.Contains(supported, MethodBasic):
		return MethodBasic
	case slices.Contains(supported, MethodPost):
		return MethodPost
	case slices.Contains(supported, MethodNone):
		return MethodNone
	}
	return MethodBasic
}
