package auth

import (
	"cmp"
	"encoding/json"
	"strings"
	"time"

	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// claims are the claims that this package needs from a token or from the response to an introspection: RFC 7519
// section 4.1, RFC 7662 section 2.2, RFC 9068 section 2.2. Those that are any count only if they are text, or for scp a
// list of it.
type claims struct {
	Issuer       string           `json:"iss"`
	Subject      string           `json:"sub"`
	Audience     oneOrMany        `json:"aud"`
	Expiry       *jwt.NumericDate `json:"exp"`
	NotBefore    *jwt.NumericDate `json:"nbf"`
	Client       string           `json:"client_id"`
	Party        string           `json:"azp"`   // in place of client_id in OpenID Connect
	CID          any              `json:"cid"`   // at Okta
	AppID        any              `json:"appid"` // at Microsoft Entra ID v1
	Scope        any              `json:"scope"`
	SCP          any              `json:"scp"`
	Confirmation json.RawMessage  `json:"cnf"`
	Active       bool             `json:"active"` // only in an introspection

	thumbprint string // of the key to which the token is bound, in Confirmation
}

// decodeClaims decodes claims. Duplicates are refused: of two values this server might take one, and the authorization server
// might have meant the other. A confirmation (RFC 7800) with anything but a thumbprint of a key is one that nobody here can
// check; the thumbprint is then empty, and [claims.token] refuses the token.
func decodeClaims(all []byte) (*claims, error) {
	c := new(claims)
	if err := fetch.Decode(all, c); err != nil || c.Confirmation == nil {
		return c, err
	}
	cnf, err := fetch.Members(c.Confirmation)
	if len(cnf) == 1 { // RFC 9449 section 6.1
		_ = json.Unmarshal(cnf["jkt"], &c.thumbprint) // empty unless it is text
	}
	return c, err
}

// oneOrMany is a text or a list of it, as the claim aud: RFC 7519 section 4.1.3.
type oneOrMany []string

func (o *oneOrMany) UnmarshalJSON(data []byte) error {
	if data[0] != '"' {
		return json.Unmarshal(data, (*[]string)(o))
	}
	*o = make([]string, 1)
	return json.Unmarshal(data, &(*o)[0])
}

// scopes returns the scopes in scope, as in RFC 9068 section 2.2.3, or else in scp: a list, or a text like scope.
func (c *claims) scopes() []string {
	if text, ok := c.Scope.(string); ok {
		return scopesOf(strings.TrimSpace(text))
	}
	if text, ok := c.SCP.(string); ok {
		return scopesOf(text)
	}
	var scopes []string
	list, _ := c.SCP.([]any)
	for _, item := range list {
		text, _ := item.(string)
		scopes = append(scopes, scopesOf(text)...)
	}
	return scopes
}

// token returns the token that the claims describe; all is the object that they were decoded from.
func (c *claims) token(all []byte, leeway time.Duration, scopes func(wire.Raw) []string) (*Token, error) {
	if c.Confirmation != nil && c.thumbprint == "" {
		return nil, errBound
	}
	cid, _ := c.CID.(string)
	appid, _ := c.AppID.(string)
	t := &Token{
		Issuer: c.Issuer, Subject: c.Subject, ClientID: cmp.Or(c.Client, c.Party, cid, appid), Audience: c.Audience,
		Expiry: c.Expiry.Time(), KeyThumbprint: c.thumbprint, Claims: all, leeway: leeway,
	}
	if scopes == nil {
		t.Scopes = c.scopes()
	} else {
		t.Scopes = scopes(all)
	}
	return t, nil
}

// unexpired returns the token, or an error if it has expired.
func (t *Token) unexpired(now time.Time) (*Token, error) {
	if end := t.Expires(); !end.IsZero() && !now.Before(end) {
		return nil, invalid("the token is expired")
	}
	return t, nil
}
