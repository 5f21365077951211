package auth

import (
	"crypto"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
)

// Credentials authenticate this server as a client of an authorization server, with a secret or with a key:
// RFC 6749 section 2.3, RFC 7523 section 2.2. Packages fmt, log/slog and encoding/json never print them.
type Credentials struct {
	ClientID string

	// Secret is sent by the method client_secret_basic: RFC 6749 section 2.3.1.
	Secret string `json:"-"`

	// Key signs assertions for the method private_key_jwt: RFC 7523 section 2.2. It is an ECDSA, Ed25519 or RSA
	// key. KeyID identifies it among the keys of the client.
	Key   crypto.Signer `json:"-"`
	KeyID string
}

// Format implements [fmt.Formatter], by which package log/slog prints values, too. It prints the client id alone.
func (c Credentials) Format(f fmt.State, _ rune) { fmt.Fprintf(f, "credentials of %q", c.ClientID) }

// check returns an error unless the credentials can authenticate a client: they have an id, and one of a secret and a key.
func (c *Credentials) check() error {
	if c.ClientID == "" || (c.Secret == "") == (c.Key == nil) {
		return errors.New("auth: Credentials: want a client id, and a secret or a key")
	}
	if c.Key == nil {
		return nil
	}
	if _, err := oauth.Algorithm(c.Key, nil); err != nil {
		return fmt.Errorf("auth: Credentials: %w", err)
	}
	return nil
}

// authenticate adds the credentials to a request to the authorization server of an issuer.
func (c *Credentials) authenticate(issuer string, h http.Header, form url.Values) error {
	own := oauth.Client{ID: c.ClientID, Secret: c.Secret, Key: c.Key, KeyID: c.KeyID}
	if err := own.Authenticate(issuer, nil, nil, h, form); err != nil {
		return fmt.Errorf("auth: %v: %w", *c, err)
	}
	if c.Key != nil {
		form.Set("client_id", c.ClientID) // some servers want it beside the assertion
	}
	return nil
}
