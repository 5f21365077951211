package as

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-jose/go-jose/v4"
)

// clientMetadata describes a client, in its own words; see RFC 7591, section 2.
type clientMetadata struct {
	ID              string          `json:"client_id,omitempty"` // in a document
	Secret          json.RawMessage `json:"client_secret,omitempty"`
	Name            string          `json:"client_name,omitempty"`
	RedirectURIs    []string        `json:"redirect_uris,omitempty"`
	GrantTypes      []string        `json:"grant_types,omitempty"`
	ResponseTypes   []string        `json:"response_types,omitempty"`
	Method          string          `json:"token_endpoint_auth_method,omitempty"`
	ApplicationType string          `json:"application_type,omitempty"`
	Keys            json.RawMessage `json:"jwks,omitempty"`
}

const (
	maxName      = 100 // characters
	maxRedirects = 20
	maxKeys      = 10
)

// client returns the client that the metadata describes. An error has a code of RFC 7591, section 3.2.2.
func (m *clientMetadata) client() (*client, error) {
	c := &client{Name: m.Name, RedirectURIs: m.RedirectURIs, Grants: m.GrantTypes, Method: m.Method}
	if err := checkName(m.Name); err != nil {
		return nil, refuse("invalid_client_metadata", "client_name: "+err.Error())
	}
	if err := m.checkRedirects(c); err != nil {
		return nil, refuse("invalid_redirect_uri", err.Error())
	}
	if c.Grants == nil {
		c.Grants = []string{grantCode}
	}
	for _, g := range c.Grants {
		if g != grantCode && g != grantRefresh {
			return nil, refuse("invalid_client_metadata", "grant_types: want authorization_code and refresh_token alone; clients with other grants cannot register themselves")
		}
	}
	if !c.may(grantCode) {
		return nil, refuse("invalid_client_metadata", "grant_types: want authorization_code")
	}
	if m.ResponseTypes != nil && !slices.Equal(m.ResponseTypes, []string{"code"}) {
		return nil, refuse("invalid_client_metadata", "response_types: want code")
	}
	if m.Method == methodKey {
		var err error
		if c.Keys, err = parseKeys(m.Keys); err != nil {
			return nil, refuse("invalid_client_metadata", "jwks: "+err.Error())
		}
	}
	return c, nil
}

// checkRedirects checks the redirect URIs for the type of the application. A client that does not state its type is
// native if one of them is on loopback: revisions of the protocol before 2026-07-28 do not have the type.
func (m *clientMetadata) checkRedirects(c *client) error {
	if n := len(m.RedirectURIs); n == 0 || n > maxRedirects {
		return fmt.Errorf("redirect_uris: want from 1 to %d, got %d", maxRedirects, n)
	}
	for i, uri := range m.RedirectURIs {
		if err := checkRedirect(uri); err != nil {
			return fmt.Errorf("redirect_uris: number %d: %w", i+1, err)
		}
	}
	local := slices.ContainsFunc(m.RedirectURIs, isLoopbackRedirect)
	switch m.ApplicationType {
	case "native", "":
		c.Native = local
	case "web":
		if local {
			return fmt.Errorf("redirect_uris: want https and no host of this machine for the application_type web; programs on a user's machine are native")
		}
	default:
		return fmt.Errorf("application_type: want native or web")
	}
	return nil
}

// parseKeys parses a set of public keys. Keys of unknown types are left out.
func parseKeys(text []byte) (*jose.JSONWebKeySet, error) {
	set := &jose.JSONWebKeySet{}
	if err := json.Unmarshal(text, set); err != nil {
		return nil, errors.New("want a set of JSON Web Keys")
	}
	for _, k := range set.Keys {
		if !k.IsPublic() || !k.Valid() {
			return nil, fmt.Errorf("want public keys alone")
		}
	}
	if n := len(set.Keys); n == 0 || n > maxKeys {
		return nil, fmt.Errorf("want from 1 to %d keys of known types, got %d", maxKeys, n)
	}
	return set, nil
}

// checkName reports what is wrong with a name that users see. A name must not look like another text.
func checkName(name string) error {
	if !utf8.ValidString(name) || utf8.RuneCountInString(name) > maxName {
		return fmt.Errorf("want at most %d characters", maxName)
	}
	if strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return fmt.Errorf("want visible characters")
	}
	return nil
}
