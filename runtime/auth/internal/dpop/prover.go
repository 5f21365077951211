package dpop

import (
	"crypto"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/cryptosigner"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
)

// A Prover makes proofs by one key. Its methods may be called by several goroutines at once.
type Prover struct {
	signer     jose.Signer
	thumbprint string
	now        func() time.Time
}

// NewProver returns a prover for a private key: ECDSA with P-256, P-384 or P-521, Ed25519, or RSA. Now is the
// clock, [time.Now] if nil.
func NewProver(key crypto.Signer, now func() time.Time) (*Prover, error) {
	if now == nil {
		now = time.Now
	}
	alg, err := oauth.Algorithm(key.Public(), nil)
	if err != nil {
		return nil, fmt.Errorf("dpop: %w", err)
	}
	thumbprint, err := Thumbprint(&jose.JSONWebKey{Key: key.Public()})
	if err != nil {
		return nil, err
	}
	opts := (&jose.SignerOptions{EmbedJWK: true}).WithType(proofType)
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: cryptosigner.Opaque(key)}, opts)
	if err != nil {
		return nil, fmt.Errorf("dpop: %w", err)
	}
	return &Prover{signer, thumbprint, now}, nil
}

// Thumbprint returns the thumbprint of a key, as in the confirmation jkt of a token: RFC 7638.
func Thumbprint(key *jose.JSONWebKey) (string, error) {
	sum, err := key.Thumbprint(crypto.SHA256)
	if err != nil {
		return "", fmt.Errorf("dpop: %w", err)
	}
	return base64.RawURLEncoding.EncodeToString(sum), nil
}

// Thumbprint returns the thumbprint of the key.
func (p *Prover) Thumbprint() string { return p.thumbprint }

// Proof returns a proof for one request. Nonce is the last nonce that the server sent, if any. Token is the access
// token that the request has; a request to a token endpoint has none.
func (p *Prover) Proof(method, url, nonce, token string) (string, error) {
	target, err := targetURI(url)
	if err != nil {
		return "", err
	}
	c := claims{ID: rand.Text(), Method: method, URL: target, IssuedAt: jwt.NumericDate(p.now().Unix()), Nonce: nonce}
	if token != "" {
		c.Token = hash(token)
	}
	payload, err := json.Marshal(c)
	if err != nil {
		return "", err
	}
	jws, err := p.signer.Sign(payload)
	if err != nil {
		return "", fmt.Errorf("dpop: %w", err)
	}
	return jws.CompactSerialize()
}
