package dpop

import (
	"cmp"
	"crypto/rsa"
	"crypto/subtle"
	"errors"
	"fmt"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
	"github.com/mcpgen/mcpgen/runtime/internal/excerpt"
	"github.com/mcpgen/mcpgen/runtime/internal/option"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
)

// Options configures a [Verifier].
type Options struct {
	// Algorithms lists the algorithms with which proofs may be signed: [Algorithms] if nil.
	Algorithms []string

	// Nonces makes the nonces that proofs must have. If nil, they need none.
	Nonces *Nonces

	// MaxReplay is how many proofs are remembered, so that none is accepted twice: 1,048,576 if 0. Each is
	// remembered for as long as it could be accepted, and takes about 40 bytes. An owner may have a quarter of
	// them; its proofs beyond that are refused with [ErrBusy], and so are all if there are more.
	MaxReplay int

	// Now is the clock: [time.Now] if nil.
	Now func() time.Time
}

// ErrNonce is the error of a proof without a current nonce: the response has the error [ErrorUseNonce] and the nonce.
var ErrNonce = errors.New("dpop: want a proof with the nonce of this server")

// ErrBusy is the error of a proof that could not be remembered.
var ErrBusy = errors.New("dpop: too many proofs")

var errReplay = errors.New("dpop: jti: the proof was used before")

// The bounds of a proof.
const (
	maxProof   = 8 << 10
	maxID      = 512
	minRSABits = 2048 // package jose refuses what is too large
)

// window is how far from now, before or after, the time of a proof may be.
const window = 5 * time.Minute

// A Verifier verifies proofs. Its methods may be called by several goroutines at once.
type Verifier struct {
	algorithms []jose.SignatureAlgorithm
	nonces     *Nonces
	seen       *share.Seen
	now        func() time.Time
}

// NewVerifier returns a verifier.
func NewVerifier(opts Options) (*Verifier, error) {
	if opts.Algorithms == nil {
		opts.Algorithms = Algorithms()
	}
	algorithms, err := signatureAlgorithms(opts.Algorithms)
	if err != nil {
		return nil, err
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &Verifier{algorithms, opts.Nonces, share.NewSeen(option.Limit(opts.MaxReplay, 1<<20)), opts.Now}, nil
}

// A Request is the request that a proof must match.
type Request struct {
	Method string

	// URLs are the URLs that the client may have used for the request. Query and fragment are ignored.
	URLs []string

	// Token is the access token of the request, empty if it has none.
	Token string

	// Thumbprint is the thumbprint of the key to which the token is bound, empty if any key will do.
	Thumbprint string

	// Owner is whose proof it is, as far as that is known: that of the key if zero.
	Owner share.Owner
}

// Verify verifies the proof of a request and returns the thumbprint of its key. It accepts a proof once. The
// error is [ErrNonce], [ErrBusy], or says why the proof is invalid: RFC 9449 section 4.3.
func (v *Verifier) Verify(proof string, r Request) (thumbprint string, err error) {
	c, key, err := v.parse(proof)
	if err != nil {
		return "", err
	}
	if thumbprint, err = Thumbprint(key); err != nil {
		return "", err
	}
	now := v.now()
	if err := v.check(c, &r, now); err != nil {
		return "", err
	}
	if r.Thumbprint != "" && !equal(thumbprint, r.Thumbprint) {
		return "", errors.New("dpop: the proof is signed by a key to which the token is not bound")
	}
	if v.nonces != nil && !v.nonces.valid(c.Nonce, now) {
		return "", ErrNonce
	}
	owner := cmp.Or(r.Owner, share.Of(thumbprint, "", nil))
	first, room := v.seen.Add(owner, thumbprint+" "+c.ID, now, c.IssuedAt.Time().Add(window)) // a thumbprint has no space
	switch {
	case !room:
		return "", ErrBusy
	case !first:
		return "", errReplay
	}
	return thumbprint, nil
}

// parse returns the claims and the key of a proof that is signed by that key.
func (v *Verifier) parse(proof string) (*claims, *jose.JSONWebKey, error) {
	if len(proof) > maxProof {
		return nil, nil, fmt.Errorf("dpop: want a proof of at most %d bytes, got %d", maxProof, len(proof))
	}
	jws, err := jose.ParseSignedCompact(proof, v.algorithms)
	if err != nil {
		return nil, nil, fmt.Errorf("dpop: %s", excerpt.Of(err.Error()))
	}
	h := jws.Signatures[0].Protected
	if typ, _ := h.ExtraHeaders["typ"].(string); typ != proofType {
		return nil, nil, fmt.Errorf("dpop: typ: want %q, got %q", proofType, excerpt.Of(typ))
	}
	if h.ExtraHeaders["crit"] != nil || h.ExtraHeaders["b64"] != nil {
		return nil, nil, errors.New("dpop: want no extensions of the header")
	}
	if err := checkKey(h.JSONWebKey); err != nil {
		return nil, nil, err
	}
	payload, err := jws.Verify(h.JSONWebKey)
	if err != nil {
		return nil, nil, errors.New("dpop: the signature is wrong")
	}
	var c claims
	if err := fetch.Decode(payload, &c); err != nil {
		return nil, nil, fmt.Errorf("dpop: %s", excerpt.Of(err.Error()))
	}
	return &c, h.JSONWebKey, nil
}

// checkKey reports what is wrong with the key of a proof.
func checkKey(k *jose.JSONWebKey) error {
	if k == nil || !k.IsPublic() || !k.Valid() {
		return errors.New("dpop: jwk: want a public key")
	}
	if r, ok := k.Key.(*rsa.PublicKey); ok {
		if n := r.N.BitLen(); n < minRSABits {
			return fmt.Errorf("dpop: jwk: want at least %d bits, got %d", minRSABits, n)
		}
	}
	return nil
}

// check compares the claims of a proof with the request.
func (v *Verifier) check(c *claims, r *Request, now time.Time) error {
	if c.ID == "" || len(c.ID) > maxID {
		return fmt.Errorf("dpop: jti: want from 1 to %d bytes, got %d", maxID, len(c.ID))
	}
	if c.Method != r.Method {
		return fmt.Errorf("dpop: htm: want %q, got %q", r.Method, excerpt.Of(c.Method))
	}
	if !anyTarget(r.URLs, c.URL) {
		return fmt.Errorf("dpop: htu: want the URL of the request, got %q", excerpt.Of(c.URL))
	}
	if issued := c.IssuedAt.Time(); issued.Before(now.Add(-window)) || issued.After(now.Add(window)) {
		return fmt.Errorf("dpop: iat: want at most %s from %d, got %d", window, now.Unix(), int64(c.IssuedAt))
	}
	if r.Token != "" && !equal(c.Token, hash(r.Token)) {
		return errors.New("dpop: ath: want the hash of the access token")
	}
	return nil
}

// anyTarget reports whether the URL of a proof is one of those of a request.
func anyTarget(urls []string, got string) bool {
	target, err := targetURI(got)
	if err != nil {
		return false
	}
	for _, u := range urls {
		if want, err := targetURI(u); err == nil && want == target {
			return true
		}
	}
	return false
}

func equal(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }
