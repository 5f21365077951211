package authclient

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"fmt"
	"slices"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/cryptosigner"
	"github.com/go-jose/go-jose/v4/jwt"
)

// assertionTime is how long an assertion is valid.
const assertionTime = time.Minute

// assertion returns a JWT that authenticates the client to a server: RFC 7523 section 2.2. Its audience is the issuer,
// as that cannot be mistaken for another's.
func (c *Credentials) assertion(at endpoint) (string, error) {
	if c.Key == nil {
		return "", fmt.Errorf("authclient: %v: the method %s needs a Key", *c, methodJWT)
	}
	alg, err := signatureAlgorithm(c.Key.Public(), at.algorithms)
	if err != nil {
		return "", fmt.Errorf("authclient: %v: %w", *c, err)
	}
	opts := new(jose.SignerOptions).WithType("JWT")
	if c.KeyID != "" {
		opts = opts.WithHeader("kid", c.KeyID)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: cryptosigner.Opaque(c.Key)}, opts)
	if err != nil {
		return "", fmt.Errorf("authclient: %v: %w", *c, err)
	}
	now := time.Now()
	// REQ AUTH26-12
	return jwt.Signed(signer).Claims(jwt.Claims{
		Issuer: c.ID, Subject: c.ID, Audience: jwt.Audience{at.issuer},
		IssuedAt: jwt.NewNumericDate(now), Expiry: jwt.NewNumericDate(now.Add(assertionTime)), ID: rand.Text(),
	}).Serialize()
}

// signatureAlgorithm returns the algorithm to sign with by a key: the first of those that the server supports, if it
// says which.
func signatureAlgorithm(key crypto.PublicKey, supported []string) (jose.SignatureAlgorithm, error) {
	var able []jose.SignatureAlgorithm
	switch k := key.(type) {
	case *ecdsa.PublicKey:
		switch k.Curve.Params().BitSize {
		case 256:
			able = []jose.SignatureAlgorithm{jose.ES256}
		case 384:
			able = []jose.SignatureAlgorithm{jose.ES384}
		case 521:
			able = []jose.SignatureAlgorithm{jose.ES512}
		}
	case *rsa.PublicKey:
		// A server that supports both may hold a client to one, by default to RS256.
		able = []jose.SignatureAlgorithm{jose.RS256, jose.PS256}
	case ed25519.PublicKey:
		able = []jose.SignatureAlgorithm{jose.EdDSA}
	}
	if len(able) == 0 {
		return "", fmt.Errorf("a key of type %T, want ECDSA (P-256, P-384, P-521), RSA or Ed25519", key)
	}
	for _, a := range able {
		if len(supported) == 0 || slices.Contains(supported, string(a)) {
			return a, nil
		}
	}
	return "", fmt.Errorf("the key signs by %v, the server supports %q", able, supported)
}
