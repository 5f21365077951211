package dpop

import (
	"cmp"
	"crypto/rsa"
	"crypto/subtle"
	"fmt"
	"slices"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
)

// invalid returns the error of a proof that is wrong.
func invalid(format string, args ...any) error { return wrong(invalidProof, format, args...) }

// wrong returns the error of a token that cannot be used in this way.
func wrong(code, format string, args ...any) error {
	return &auth.InvalidTokenError{Reason: fmt.Sprintf(format, args...), Code: code, Scheme: Scheme}
}

// The bounds of a proof.
const (
	maxProof   = 8 << 10
	maxID      = 512
	minRSABits = 2048 // package jose refuses what is too large
)

// window is how far from now, before or after, the time of a proof may be.
const window = 5 * time.Minute

// An expectation is what a proof must match.
type expectation struct {
	method string

	// urls are those that the client may have used for the request. Query and fragment are ignored.
	urls []string

	// token is the access token of the request, empty if it has none.
	token string

	// thumbprint is that of the key to which the token is bound, empty if any key will do.
	thumbprint string

	// owner is whose proof it is, as far as that is known: that of the key if zero.
	owner share.Owner
}

// verify verifies a proof and returns the thumbprint of its key. It accepts a proof once. The error is [ErrBusy] or an
// *[auth.InvalidTokenError]: RFC 9449 section 4.3.
func (v *Verifier) verify(proof string, r expectation) (thumbprint string, err error) {
	c, key, err := v.parse(proof)
	if err != nil {
		return "", err
	}
	if thumbprint, err = thumbprintOf(key); err != nil {
		return "", invalid("jwk: %v", err)
	}
	now := v.now()
	if err := v.check(c, &r, now); err != nil {
		return "", err
	}
	if r.thumbprint != "" && !equal(thumbprint, r.thumbprint) {
		return "", invalid("the proof is signed by a key to which the token is not bound")
	}
	if v.nonces != nil && !v.nonces.valid(c.Nonce, now) {
		return "", wrong(useNonce, "want a proof with the nonce of this server")
	}
	owner := cmp.Or(r.owner, share.Of(thumbprint, "", nil))
	first, room := v.seen.Add(owner, thumbprint+" "+c.ID, now, c.IssuedAt.Time().Add(window)) // a thumbprint has no space
	switch {
	case !room:
		return "", ErrBusy
	case !first:
		return "", invalid("jti: the proof was used before")
	}
	return thumbprint, nil
}

// parse returns the claims and the key of a proof that is signed by that key.
func (v *Verifier) parse(proof string) (*claims, *jose.JSONWebKey, error) {
	if len(proof) > maxProof {
		return nil, nil, invalid("want a proof of at most %d bytes, got %d", maxProof, len(proof))
	}
	jws, err := jose.ParseSignedCompact(proof, oauth.Algorithms)
	if err != nil {
		return nil, nil, invalid("%s", excerpt.Of(err.Error()))
	}
	h := jws.Signatures[0].Protected
	if typ, _ := h.ExtraHeaders["typ"].(string); typ != proofType {
		return nil, nil, invalid("typ: want %q, got %q", proofType, excerpt.Of(typ))
	}
	if h.ExtraHeaders["crit"] != nil || h.ExtraHeaders["b64"] != nil {
		return nil, nil, invalid("want no extensions of the header")
	}
	if err := checkKey(h.JSONWebKey); err != nil {
		return nil, nil, err
	}
	payload, err := jws.Verify(h.JSONWebKey)
	if err != nil {
		return nil, nil, invalid("the signature is wrong")
	}
	var c claims
	if err := fetch.Decode(payload, &c); err != nil {
		return nil, nil, invalid("%s", excerpt.Of(err.Error()))
	}
	return &c, h.JSONWebKey, nil
}

// checkKey reports what is wrong with the key of a proof. Package jose refuses those that are not public, or not valid.
func checkKey(k *jose.JSONWebKey) error {
	if k == nil {
		return invalid("jwk: want a public key")
	}
	if r, ok := k.Key.(*rsa.PublicKey); ok {
		if n := r.N.BitLen(); n < minRSABits {
			return invalid("jwk: want at least %d bits, got %d", minRSABits, n)
		}
	}
	return nil
}

// check compares the claims of a proof with the request.
func (v *Verifier) check(c *claims, r *expectation, now time.Time) error {
	if c.ID == "" || len(c.ID) > maxID {
		return invalid("jti: want from 1 to %d bytes, got %d", maxID, len(c.ID))
	}
	if c.Method != r.method {
		return invalid("htm: want %q, got %q", r.method, excerpt.Of(c.Method))
	}
	if !anyTarget(r.urls, c.URL) {
		return invalid("htu: want the URL of the request, got %q", excerpt.Of(c.URL))
	}
	if issued := c.IssuedAt.Time(); issued.Before(now.Add(-window)) || issued.After(now.Add(window)) {
		return invalid("iat: want at most %s from %d, got %d", window, now.Unix(), int64(c.IssuedAt))
	}
	if r.token != "" && !equal(c.Token, hash(r.token)) {
		return invalid("ath: want the hash of the access token")
	}
	return nil
}

// anyTarget reports whether the URL of a proof is one of those of a request.
func anyTarget(urls []string, got string) bool {
	target, err := targetURI(got)
	return err == nil && slices.ContainsFunc(urls, func(u string) bool {
		want, _ := targetURI(u) // empty if there is an error, and no target is
		return want == target
	})
}

func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
