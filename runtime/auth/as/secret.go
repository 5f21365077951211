package as

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
)

const (
	idBytes     = 16
	secretBytes = 32
)

// newID returns a random name that is not a secret.
func newID() string { return random(idBytes) }

// newSecret returns a random secret.
func newSecret() string { return random(secretBytes) }

func random(n int) string {
	b := make([]byte, n)
	rand.Read(b)
	return base64.RawURLEncoding.EncodeToString(b)
}

// A digest is stored in place of a secret. Our secrets are random, so a fast hash is enough.
type digest []byte

func digestOf(secret string) digest {
	sum := sha256.Sum256([]byte(secret))
	return sum[:]
}

// hashOf returns the digest of a secret as text, for use as a key.
func hashOf(secret string) string { return base64.RawURLEncoding.EncodeToString(digestOf(secret)) }

// matches reports whether a secret has the digest, in the same time for every secret of a length.
func (d digest) matches(secret string) bool { return d.equal(digestOf(secret)) }

func (d digest) equal(other digest) bool { return subtle.ConstantTimeCompare(d, other) == 1 }

// A sealer encrypts what must be stored and read again.
type sealer struct {
	aead   cipher.AEAD
	macKey []byte
}

// secretSize is the length of Options.Secret.
const secretSize = 32

// newSealer returns a sealer with keys that are derived from a secret. If it is nil, the secret is random, and what is sealed
// can be opened by this sealer alone.
func newSealer(secret []byte) (*sealer, error) {
	if secret == nil {
		secret = make([]byte, secretSize)
		rand.Read(secret)
	}
	if len(secret) != secretSize {
		return nil, errors.New("as: Options.Secret: want 32 random bytes")
	}
	block, err := aes.NewCipher(derive(secret, "encryption"))
	if err != nil {
		return nil, err
	}
	aead, err := cipher.NewGCMWithRandomNonce(block)
	return &sealer{aead, derive(secret, "mac")}, err
}

// derive returns a key for one use of a secret.
func derive(secret []byte, use string) []byte {
	h := hmac.New(sha256.New, secret)
	h.Write([]byte("mcp authorization server " + use))
	return h.Sum(nil)
}

// mac returns a text that only this server can make from a text, for one use.
func (s *sealer) mac(use, text string) string {
	return base64.RawURLEncoding.EncodeToString(derive(s.macKey, use+" "+text))
}

// seal encrypts a text for a place, so that it cannot be decrypted for another.
func (s *sealer) seal(place string, text []byte) []byte {
	return s.aead.Seal(nil, nil, text, []byte(place))
}

var errSealed = errors.New("as: it was encrypted with another Options.Secret, or for another place")

func (s *sealer) open(place string, sealed []byte) ([]byte, error) {
	text, err := s.aead.Open(nil, nil, sealed, []byte(place))
	if err != nil {
		return nil, errSealed
	}
	return text, nil
}
