package as

import (
	"context"
	"crypto"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/cluster/store"
)

// A Client is a client that the server knows without registration: RFC 6749 section 2.
type Client struct {
	ID string

	// Name is shown to users: the ID if empty.
	Name string

	// Secret makes the client confidential, as do Keys. Without either it is public.
	Secret string

	// Keys are the public keys of a client that authenticates by private_key_jwt: RFC 7523 section 2.2.
	Keys []crypto.PublicKey

	// RedirectURIs lists the redirect URIs that the client may use: https, or http on loopback, where the port of a
	// request may differ (RFC 8252 section 7.3).
	RedirectURIs []string

	// GrantTypes lists the grant types that the client may use: "authorization_code" and "refresh_token" if nil.
	// Confidential clients may also use "client_credentials".
	GrantTypes []string

	// Scopes lists the scopes that the client may have: all if nil.
	Scopes []string
}

// The grant types.
const (
	grantCode        = "authorization_code"
	grantRefresh     = "refresh_token"
	grantCredentials = "client_credentials"
)

// The ways in which clients authenticate.
const (
	methodNone  = "none"
	methodBasic = "client_secret_basic"
	methodPost  = "client_secret_post"
	methodKey   = "private_key_jwt"
)

// A client is a client that the server knows from its options, a registration or a metadata document.
type client struct {
	ID           string              `json:"client_id"`
	Name         string              `json:"client_name,omitempty"`
	RedirectURIs []string            `json:"redirect_uris,omitempty"`
	Grants       []string            `json:"grant_types"`
	Method       string              `json:"token_endpoint_auth_method"`
	Native       bool                `json:"native,omitempty"`
	Secret       digest              `json:"secret,omitempty"`
	Keys         *jose.JSONWebKeySet `json:"jwks,omitempty"`
	Expires      time.Time           `json:"expires,omitzero"` // of a registered client

	scopes     []string // of Options.Clients alone; nil is all
	configured bool
}

func (c *client) public() bool { return c.Method == methodNone }

func (c *client) may(grantType string) bool { return slices.Contains(c.Grants, grantType) }

// displayName returns the name that users see. A registered name proves nothing.
func (c *client) displayName() string {
	if c.Name != "" {
		return c.Name
	}
	return c.ID
}

// fromOptions returns the client that Options.Clients describes.
func fromOptions(o Client) (*client, error) {
	c := &client{ID: o.ID, Name: o.Name, RedirectURIs: o.RedirectURIs, Grants: o.GrantTypes, Method: methodNone,
		Native: slices.ContainsFunc(o.RedirectURIs, isLoopbackRedirect), Keys: keySet(o.Keys), scopes: o.Scopes, configured: true}
	if c.Grants == nil {
		c.Grants = []string{grantCode, grantRefresh}
	}
	switch {
	case o.ID == "":
		return nil, errors.New("want an ID")
	case o.Secret != "" && o.Keys != nil:
		return nil, errors.New("want a secret or keys, got both")
	case o.Secret != "":
		c.Method, c.Secret = methodBasic, digestOf(o.Secret)
	case o.Keys != nil:
		c.Method = methodKey
	}
	for _, uri := range o.RedirectURIs {
		if err := checkRedirect(uri); err != nil {
			return nil, fmt.Errorf("the redirect URI %q: %w", uri, err)
		}
	}
	for _, grant := range c.Grants {
		switch {
		case !slices.Contains(grantTypes, grant):
			return nil, fmt.Errorf("the grant type %q: want one of %s", grant, strings.Join(grantTypes, ", "))
		case c.public() && grant == grantCredentials:
			return nil, fmt.Errorf("the grant type %q: want a client with a secret or keys", grant)
		}
	}
	return c, nil
}

// How long a registered client is kept.
const (
	unusedClient = time.Hour // until a user has granted it something
	usedClient   = 90 * 24 * time.Hour
)

// client returns the client with an id. The error for an unknown client has the code invalid_client.
func (s *Server) client(ctx context.Context, id string) (*client, error) {
	if c := s.clients[id]; c != nil {
		return c, nil
	}
	if isDocumentURL(id) {
		if s.documents == nil {
			return nil, refuse("invalid_client", "client ID metadata documents are not supported")
		}
		return s.documents.client(ctx, id)
	}
	c := &client{}
	_, err := s.load(ctx, kindClient, id, c)
	if errors.Is(err, store.ErrNotFound) {
		_, err = s.load(ctx, kindNewClient, id, c)
	}
	if errors.Is(err, store.ErrNotFound) {
		return nil, refuse("invalid_client", "there is no such client; it may have to register again")
	}
	return c, err
}

// keepClient prolongs the registration of a client, because a user uses it. What was only registered is kept apart, so
// that it leaves room for what is used.
func (s *Server) keepClient(ctx context.Context, c *client, subject string) error {
	if c.configured || isDocumentURL(c.ID) {
		return nil
	}
	now := &client{}
	revision, err := s.load(ctx, kindClient, c.ID, now)
	if errors.Is(err, store.ErrNotFound) {
		_, err = s.load(ctx, kindNewClient, c.ID, now)
	}
	if errors.Is(err, store.ErrNotFound) || err == nil && time.Until(now.Expires) > usedClient*9/10 {
		return nil
	}
	if err != nil {
		return err
	}
	now.Expires = time.Now().Add(usedClient)
	err = s.put(ctx, of(subject), kindClient, c.ID, now, revision, now.Expires)
	if errors.Is(err, store.ErrConflict) {
		return nil // another request has done the same, or it has expired
	}
	return err
}
