package auth

import (
	"cmp"
	"math"
	"strings"
	"time"

	"github.com/mcpgen/mcpgen/runtime/wire"
)

// claims are the claims that this package needs from a token or from the response to an introspection: RFC 7519
// section 4.1, RFC 7662 section 2.2, RFC 9068 section 2.2.
type claims struct {
	issuer, subject   string
	audience          []string
	expiry, notBefore time.Time
	client, party     string // client_id, and azp of OpenID Connect
	cid, appid        string // what Okta, and Microsoft Entra ID v1, have in their place
	scope             string
	hasScope          bool
	scp               []string
	thumbprint        string // of the key to which the token is bound
	boundOtherwise    bool   // bound in a way that is not supported
	active            bool   // only in an introspection
}

var claimsType = wire.Type{Name: "claims", Members: []string{
	"iss", "sub", "aud", "exp", "nbf", "client_id", "azp", "scope", "scp", "cnf", "active", "cid", "appid",
}}

// decodeClaims decodes claims. Duplicates are refused.
func decodeClaims(all []byte) (*claims, error) {
	d := wire.NewDecoder(all)
	c := new(claims)
	var others wire.Extra
	for o := d.Object(&claimsType); o.Next(); {
		switch o.Name {
		case "iss":
			o.Once(0)
			c.issuer = d.StringOrNull()
		case "sub":
			o.Once(1)
			c.subject = d.StringOrNull()
		case "aud":
			o.Once(2)
			if !d.Null() {
				c.audience = wire.OneOrMany(&d, wire.GetString[string])
			}
		case "exp":
			o.Once(3)
			c.expiry = numericDate(&d)
		case "nbf":
			o.Once(4)
			c.notBefore = numericDate(&d)
		case "client_id":
			o.Once(5)
			c.client = d.StringOrNull()
		case "azp":
			o.Once(6)
			c.party = d.StringOrNull()
		case "scope":
			o.Once(7)
			c.scope, c.hasScope = optionalString(&d)
		case "scp":
			o.Once(8)
			c.scp = decodeSCP(&d)
		case "cnf":
			o.Once(9)
			c.thumbprint = decodeConfirmation(&d)
			c.boundOtherwise = c.thumbprint == ""
		case "active":
			o.Once(10)
			c.active = !d.Null() && d.Bool()
		case "cid":
			o.Once(11)
			c.cid, _ = optionalString(&d)
		case "appid":
			o.Once(12)
			c.appid, _ = optionalString(&d)
		default:
			o.Extra(&others)
		}
	}
	return c, d.Finish()
}

// numericDate reads a time: RFC 7519 section 2.
func numericDate(d *wire.Decoder) time.Time {
	f := d.FloatOrNull()
	if f == nil {
		return time.Time{}
	}
	if math.Abs(*f) > 1<<40 { // about 35,000 years
		d.Fail("want the seconds since 1970")
	}
	return time.Unix(int64(*f), 0)
}

// optionalString reads a value and reports whether it is a string.
func optionalString(d *wire.Decoder) (string, bool) {
	if d.Kind() != wire.KindString {
		d.Skip()
		return "", false
	}
	return d.String(), true
}

// decodeSCP reads the claim scp: an array, or a string of scopes separated by spaces.
func decodeSCP(d *wire.Decoder) []string {
	if d.Kind() != wire.KindArray {
		list, _ := optionalString(d)
		return scopesOf(list)
	}
	var scopes []string
	for a := d.Array(); a.Next(); {
		s, _ := optionalString(d)
		scopes = append(scopes, scopesOf(s)...)
	}
	return scopes
}

var confirmationType = wire.Type{Name: "cnf", Members: []string{"jkt"}}

// decodeConfirmation reads the thumbprint of the key to which a token is bound: RFC 7800 section 3.1, RFC 9449
// section 6.1. It is empty if the token is bound in any other way, too.
func decodeConfirmation(d *wire.Decoder) string {
	thumbprint := ""
	var others wire.Extra
	for o := d.Object(&confirmationType); o.Next(); {
		if o.Name == "jkt" {
			o.Once(0)
			thumbprint, _ = optionalString(d)
		} else {
			o.Extra(&others)
		}
	}
	if len(others) > 0 {
		return ""
	}
	return thumbprint
}

// scopes returns the scopes in scope, as in RFC 9068 section 2.2.3, or else in scp.
func (c *claims) scopes() []string {
	if c.hasScope {
		return scopesOf(strings.TrimSpace(c.scope))
	}
	return c.scp
}

// token returns the token that the claims describe; all is the object that they were decoded from.
func (c *claims) token(all []byte, leeway time.Duration, scopes func(wire.Raw) []string) (*Token, error) {
	if c.boundOtherwise {
		return nil, errBound
	}
	t := &Token{
		Issuer: c.issuer, Subject: c.subject, ClientID: cmp.Or(c.client, c.party, c.cid, c.appid), Audience: c.audience,
		Expiry: c.expiry, KeyThumbprint: c.thumbprint, Claims: all, leeway: leeway,
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
