package oauth

// A client with a key authenticates itself by a JWT, which is valid for a minute and for one server.
//
// See RFC 7523 section 2.2, and RFC 7518 section 3.1 for the algorithms.

import (
	"crypto"
	"crypto/rand"
	"fmt"
	"slices"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/cryptosigner"
	"github.com/go-jose/go-jose/v4/jwt"
)

// AssertionType is the parameter client_assertion_type: RFC 7523 section 2.2.
const AssertionType = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"

// assertionTime is how long an assertion is valid.
const assertionTime = time.Minute

// assertion returns a JWT that authenticates a client to an authorization server: RFC 7523 section 2.2. Its
// audience is the issuer, which cannot be mistaken for that of another server. KeyID may be empty. For supported
// see [Algorithm].
//
// REQ AUTH26-12
func assertion(key crypto.Signer, keyID, client, issuer string, supported []string) (string, error) {
	alg, err := Algorithm(key, supported)
	if err != nil {
		return "", err
	}
	opts := new(jose.SignerOptions).WithType("JWT")
	if keyID != "" {
		opts = opts.WithHeader("kid", keyID)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: cryptosigner.Opaque(key)}, opts)
	if err != nil {
		return "", err
	}
	now := time.Now()
	return jwt.Signed(signer).Claims(jwt.Claims{
		Issuer: client, Subject: client, Audience: jwt.Audience{issuer}, ID: rand.Text(),
		IssuedAt: jwt.NewNumericDate(now), Expiry: jwt.NewNumericDate(now.Add(assertionTime)),
	}).Serialize()
}

// Algorithms are those of signatures that are supported. None is symmetric: whoever can verify with a symmetric one can
// also sign.
var Algorithms = []jose.SignatureAlgorithm{
	jose.ES256, jose.ES384, jose.ES512, jose.EdDSA, jose.PS256, jose.PS384, jose.PS512, jose.RS256, jose.RS384, jose.RS512,
}

// AlgorithmNames returns the names of the algorithms.
func AlgorithmNames() []string {
	names := make([]string, len(Algorithms))
	for i, a := range Algorithms {
		names[i] = string(a)
	}
	return names
}

// Algorithm returns the algorithm with which to sign with a key: the first that the server supports, if it says
// which it does. For RSA keys that is RS256 by default, which a server that supports more may demand.
func Algorithm(key crypto.Signer, supported []string) (jose.SignatureAlgorithm, error) {
	able := cryptosigner.Opaque(key).Algs()
	for _, a := range able {
		if slices.Contains(Algorithms, a) && (len(supported) == 0 || slices.Contains(supported, string(a))) {
			return a, nil
		}
	}
	if len(able) == 0 {
		return "", fmt.Errorf("a key of type %T, want ECDSA (P-256, P-384, P-521), RSA or Ed25519", key)
	}
	return "", fmt.Errorf("the key signs by %v, the server supports %q", able, supported)
}
