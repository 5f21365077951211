package authclient

// Credentials belong to the authorization server that issued them, and are used with no other one. A Transport has
// those of the program; those that a server gave when the client registered are in the store, by its issuer.
//
// See https://modelcontextprotocol.io/specification/2026-07-28/basic/authorization/client-registration.

import (
	"cmp"
	"context"
	"crypto"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Credentials identify and authenticate a client to an authorization server: RFC 6749 section 2.3. Packages fmt and
// log/slog never print their secrets.
type Credentials struct {
	// Issuer is the authorization server that issued them. If it is empty, it is the first that they are used with,
	// for as long as the Transport is used.
	Issuer string

	// ID is the client id.
	ID string

	// Secret is the client secret, empty if there is none.
	Secret string `json:"-"`

	// Key signs assertions (RFC 7523 section 2.2) if the client has a key in place of a secret. KeyID identifies it
	// if the server knows several.
	Key   crypto.Signer `json:"-"`
	KeyID string

	// Method is how the client authenticates at the token endpoint: "client_secret_basic", "client_secret_post",
	// "private_key_jwt" or "none". The default is one that suits the credentials and that the server supports. See
	// RFC 7591 section 2.
	Method string

	// AssumePKCE is for servers that are known to support PKCE with S256 (RFC 7636), although their metadata does not
	// list any method, as that of Microsoft Entra ID. Without it, such servers are refused.
	AssumePKCE bool
}

// Format implements [fmt.Formatter], by which package log/slog prints values, too. It hides the secrets.
func (c Credentials) Format(s fmt.State, _ rune) {
	fmt.Fprintf(s, "credentials of client %q for %s", c.ID, c.Issuer)
}

// preregistered returns the credentials for a server, nil if the client has none for any. Those without an Issuer are for
// the first server.
func (t *Transport) preregistered(s *authServer) (*Credentials, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range t.opts.Clients {
		c := &t.opts.Clients[i]
		if c.Issuer = cmp.Or(c.Issuer, s.issuer); c.Issuer == s.issuer {
			return c, nil
		}
	}
	if len(t.opts.Clients) > 0 {
		return nil, fmt.Errorf("authclient: %s uses the authorization server %s, for which there are no credentials: %v",
			t.endpoint, s.issuer, t.opts.Clients)
	}
	return nil, nil
}

// A registration is what a server has given to the client by dynamic registration.
type registration struct {
	ID           string   `json:"client_id"`
	Secret       string   `json:"client_secret,omitempty"`
	SecretEnds   int64    `json:"client_secret_expires_at,omitempty"`
	Method       string   `json:"token_endpoint_auth_method,omitempty"`
	RedirectURIs []string `json:"redirect_uris,omitempty"`
}

// credentials returns the credentials in a registration.
func (r *registration) credentials(issuer string) *Credentials {
	return &Credentials{Issuer: issuer, ID: r.ID, Secret: r.Secret, Method: r.Method}
}

// clientKey is the key of a registration in the store.
func clientKey(issuer string) string { return "client " + issuer }

// registered returns the stored registration with a server, nil if there is none that is still valid.
//
// REQ AUTH26-07
func (t *Transport) registered(ctx context.Context, issuer string) (*registration, error) {
	data, err := t.opts.Store.Load(ctx, clientKey(issuer))
	if err != nil {
		return nil, fmt.Errorf("authclient: reading the stored registration: %w", err)
	}
	if data == nil {
		return nil, nil
	}
	r := new(registration)
	if err := json.Unmarshal(data, r); err != nil {
		return nil, errors.New("authclient: the stored registration cannot be read") // without its text
	}
	if r.SecretEnds != 0 && time.Now().Unix() >= r.SecretEnds {
		return nil, nil
	}
	return r, nil
}

// forget removes the registration of a client that its server does not know any more.
func (t *Transport) forget(ctx context.Context, s *authServer, c *Credentials) {
	err := t.opts.Store.Update(ctx, clientKey(s.issuer), func(data []byte) ([]byte, error) {
		if r := new(registration); data == nil || json.Unmarshal(data, r) == nil && r.ID != c.ID {
			return data, nil
		}
		return nil, nil
	})
	if err != nil {
		t.opts.Logger.Warn("authclient: the registration could not be removed", "issuer", s.issuer, "error", err)
	}
}

// knownClient returns the credentials of a client id with a server, nil if there are none.
func (t *Transport) knownClient(ctx context.Context, s *authServer, id string) (*Credentials, error) {
	c, err := t.preregistered(s)
	if err != nil || c != nil && c.ID == id {
		return c, err
	}
	if g, ok := t.opts.Grant.(*AuthorizationCode); ok && id != "" && id == g.ClientIDURL {
		return g.document(), nil
	}
	r, err := t.registered(ctx, s.issuer)
	if err != nil || r == nil || r.ID != id {
		return nil, err
	}
	return r.credentials(s.issuer), nil
}
