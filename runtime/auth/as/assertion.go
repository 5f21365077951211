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
	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
)

const (
	maxAssertion     = 8 << 10
	maxAssertionLife = 10 * time.Minute
	maxAssertionID   = 512
	assertionLeeway  = 30 * time.Second
)

// An assertion is a signed JWT by which a client authenticates: RFC 7523 section 2.2.
type assertion struct {
	signed *jose.JSONWebSignature
	claims jwt.Claims // not verified yet
}

func parseAssertion(text string) (*assertion, error) {
	if len(text) > maxAssertion {
		return nil, fmt.Errorf("want at most %d bytes", maxAssertion)
	}
	signed, err := jose.ParseSignedCompact(text, oauth.Algorithms)
	if err != nil {
		return nil, errors.New("want a JWT with an asymmetric signature")
	}
	a := &assertion{signed: signed}
	if err := fetch.Decode(a.signed.UnsafePayloadWithoutVerification(), &a.claims); err != nil {
		return nil, errors.New("want claims that are a JSON object, each once and of its type")
	}
	return a, nil
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

// verify reports what is wrong with the signature of an assertion, which must be by one of the keys.
func (a *assertion) verify(keys *jose.JSONWebKeySet) error {
	header := a.signed.Signatures[0].Protected
	for _, key := range keys.Keys {
		if header.KeyID != "" && key.KeyID != "" && key.KeyID != header.KeyID || key.Algorithm != "" && key.Algorithm != header.Algorithm {
			continue
		}
		if _, err := a.signed.Verify(key.Key); err == nil {
			return nil
		}
	}
	return errors.New("none of the keys has signed it")
}

// check reports what is wrong with the claims of a client's assertion: RFC 7523 section 3.
func (a *assertion) check(id string, now time.Time, audiences ...string) error {
	c := &a.claims
	switch {
	case c.Expiry == nil:
		return errors.New("exp is missing")
	case c.Expiry.Time().After(now.Add(maxAssertionLife + assertionLeeway)):
		return fmt.Errorf("want an exp of at most %s from now", maxAssertionLife)
	case len(c.Audience) != 1:
		return errors.New("want one aud: others could use it, too")
	case c.ID == "" || len(c.ID) > maxAssertionID:
		return errors.New("jti is missing, or too long")
	}
	return c.ValidateWithLeeway(jwt.Expected{Issuer: id, Subject: id, AnyAudience: audiences, Time: now}, assertionLeeway)
}

// errUsed is the error of an assertion that was used before.
var errUsed = errors.New("it was used before")

// use remembers an assertion for as long as it is valid, so that it is used only once. Anybody may have a client whose
// assertions are kindForeign, so when there are too many of these, older ones of whoever has most are forgotten. If there
// is no room for one of kindUsed, use returns [store.ErrFull].
func (s *Server) use(ctx context.Context, kind string, a *assertion) error {
	id, end := hashOf(a.claims.Issuer+"\x00"+a.claims.ID), a.claims.Expiry.Time().Add(assertionLeeway)
	if kind == kindUsed {
		if _, room := s.used.Add(share.From(ctx), id, time.Now(), end); !room {
			return store.ErrFull
		}
	}
	err := s.put(ctx, share.From(ctx), kind, id, true, 0, end)
	if errors.Is(err, store.ErrConflict) {
		return errUsed
	}
	return err
}

// checkClientAssertion reports what is wrong with the assertion by which a client authenticates, and uses it.
func (s *Server) checkClientAssertion(ctx context.Context, c *client, a *assertion) error {
	err := a.verify(c.Keys)
	if err == nil {
		err = a.check(c.ID, time.Now(), s.opts.Issuer, s.url("/token"))
	}
	if err != nil {
		return wrongAssertion(err)
	}
	kind := kindForeign
	if c.configured {
		kind = kindUsed
	}
	if err = s.use(ctx, kind, a); errors.Is(err, errUsed) {
		return wrongAssertion(err)
	}
	return err
}

func wrongAssertion(err error) error {
	return refuse("invalid_client", "client_assertion: "+err.Error())
}
