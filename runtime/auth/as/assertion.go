package as

import (
	"context"
	"crypto"
	"errors"
	"fmt"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/mcpgen/mcpgen/cluster/store"
	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
)

const (
	maxAssertion     = 8 << 10
	maxAssertionLife = 10 * time.Minute
	maxAssertionID   = 512
	assertionLeeway  = 30 * time.Second
)

// assertionAlgorithms lists the algorithms with which assertions may be signed. All are asymmetric, as for proofs.
var assertionAlgorithms = []jose.SignatureAlgorithm{jose.ES256, jose.ES384, jose.ES512, jose.EdDSA, jose.PS256, jose.PS384, jose.PS512, jose.RS256, jose.RS384, jose.RS512}

// assertionClaims holds the claims of an assertion; see RFC 7523, section 3.
type assertionClaims struct {
	Issuer    string           `json:"iss"`
	Subject   string           `json:"sub"`
	Audience  jwt.Audience     `json:"aud"`
	Expiry    *jwt.NumericDate `json:"exp"`
	NotBefore *jwt.NumericDate `json:"nbf"`
	IssuedAt  *jwt.NumericDate `json:"iat"`
	ID        string           `json:"jti"`
	Confirm   *confirmation    `json:"cnf"` // the key that the sender must have; see RFC 7800

	// Those of an ID-JAG.
	Client   string       `json:"client_id"`
	Resource jwt.Audience `json:"resource"`
	Scope    string       `json:"scope"`
}

// An assertion is a signed JWT that has not been verified yet.
type assertion struct {
	signed *jose.JSONWebSignature
	header jose.Header
	claims assertionClaims // not verified yet
}

func parseAssertion(text string) (*assertion, error) {
	if len(text) > maxAssertion {
		return nil, fmt.Errorf("want at most %d bytes", maxAssertion)
	}
	signed, err := jose.ParseSignedCompact(text, assertionAlgorithms)
	if err != nil {
		return nil, errors.New("want a JWT with an asymmetric signature")
	}
	a := &assertion{signed: signed, header: signed.Signatures[0].Protected}
	if err := fetch.Decode(signed.UnsafePayloadWithoutVerification(), &a.claims); err != nil {
		return nil, errors.New("want claims that are a JSON object, each once and of its type")
	}
	return a, nil
}

func (a *assertion) typ() string {
	typ, _ := a.header.ExtraHeaders[jose.HeaderType].(string)
	return typ
}

// assertionSubject returns the subject of a client assertion, which has not been verified yet.
func assertionSubject(text string) (string, error) {
	a, err := parseAssertion(text)
	if err != nil {
		return "", err
	}
	return a.claims.Subject, nil
}

// keySet returns public keys as a set, nil if there are none.
func keySet(keys []crypto.PublicKey) *jose.JSONWebKeySet {
	if keys == nil {
		return nil
	}
	set := &jose.JSONWebKeySet{}
	for _, key := range keys {
		set.Keys = append(set.Keys, jose.JSONWebKey{Key: key})
	}
	return set
}

// verify reports what is wrong with an assertion, which must be signed with one of the keys or, if they are nil,
// with one of the keys at a URL.
func (a *assertion) verify(ctx context.Context, keys *jose.JSONWebKeySet, remote *remoteKeys, url string) (err error) {
	if keys == nil {
		if keys, err = remote.get(ctx, url, a.header.KeyID); err != nil {
			return err
		}
	}
	for _, key := range keys.Keys {
		if a.header.KeyID != "" && key.KeyID != "" && key.KeyID != a.header.KeyID || key.Algorithm != "" && key.Algorithm != a.header.Algorithm {
			continue
		}
		if _, err := a.signed.Verify(key.Key); err == nil {
			return nil
		}
	}
	return errors.New("none of the keys has signed it")
}

// check reports what is wrong with the times and the audience of an assertion.
func (a *assertion) check(now time.Time, audiences ...string) error {
	c := &a.claims
	switch {
	case c.Expiry == nil:
		return errors.New("exp is missing")
	case !now.Before(c.Expiry.Time().Add(assertionLeeway)):
		return errors.New("it has expired")
	case c.NotBefore != nil && now.Add(assertionLeeway).Before(c.NotBefore.Time()):
		return errors.New("nbf is in the future")
	case c.IssuedAt != nil && now.Add(assertionLeeway).Before(c.IssuedAt.Time()):
		return errors.New("iat is in the future")
	}
	for _, audience := range audiences {
		if c.Audience.Contains(audience) {
			if len(c.Audience) > 1 {
				return errors.New("want one aud: others could use it, too")
			}
			return nil
		}
	}
	return errors.New("aud is neither the issuer nor the token endpoint")
}

// use remembers an assertion for as long as it is valid, so that it is used only once. Anybody may have a client of
// kindForeign, so the assertions of whoever has most of these are forgotten when there are too many. Wrong returns the
// refusal of an assertion; errors of the store are returned unchanged.
func (s *Server) use(ctx context.Context, kind string, a *assertion, wrong func(error) error) error {
	if a.claims.ID == "" || len(a.claims.ID) > maxAssertionID {
		return wrong(errors.New("jti is missing, or too long"))
	}
	id, end := hashOf(a.claims.Issuer+"\x00"+a.claims.ID), a.claims.Expiry.Time().Add(assertionLeeway)
	if kind == kindUsed {
		if _, room := s.used.Add(share.From(ctx), id, time.Now(), end); !room {
			return store.ErrFull
		}
	}
	err := s.put(ctx, share.From(ctx), kind, id, true, 0, end)
	if errors.Is(err, store.ErrConflict) {
		return wrong(errors.New("it was used before"))
	}
	return err
}

// checkClientAssertion reports what is wrong with an assertion by which a client authenticates; see RFC 7523,
// section 3.
func (s *Server) checkClientAssertion(ctx context.Context, c *client, text string) error {
	wrong := func(err error) error { return refuse("invalid_client", "client_assertion: "+err.Error()) }
	a, err := parseAssertion(text)
	if err != nil {
		return wrong(err)
	}
	if err := a.verify(ctx, c.Keys, s.remote, c.KeysURL); err == errTooManyFetches {
		return err
	} else if err != nil {
		return wrong(err)
	}
	if a.claims.Issuer != c.ID || a.claims.Subject != c.ID {
		return wrong(errors.New("iss and sub must be the client_id"))
	}
	now := time.Now()
	if err := a.check(now, s.opts.Issuer, s.url("/token")); err != nil {
		return wrong(err)
	}
	if a.claims.Expiry.Time().After(now.Add(maxAssertionLife + assertionLeeway)) {
		return wrong(fmt.Errorf("want an exp of at most %s from now", maxAssertionLife))
	}
	kind := kindForeign
	if c.configured {
		kind = kindUsed
	}
	return s.use(ctx, kind, a, wrong)
}
