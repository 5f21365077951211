// Package seal seals what a client keeps for the server that made it, so that the client can neither read nor change it, nor
// use it for something else.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"slices"
)

// A Sealer seals with AES-256-GCM.
type Sealer []cipher.AEAD // the first seals, all open

// New returns a Sealer with keys of any length, of which those that are empty are left out: anybody has them. Without keys it
// has one of its own, so that nobody else can open what it seals.
func New(keys [][]byte) (s Sealer) {
	keys = slices.DeleteFunc(slices.Clone(keys), func(key []byte) bool { return len(key) == 0 })
	if len(keys) == 0 {
		var own [sha256.Size]byte
		rand.Read(own[:])
		keys = [][]byte{own[:]}
	}
	for _, key := range keys {
		s = append(s, newAEAD(key))
	}
	return s
}

func newAEAD(key []byte) cipher.AEAD {
	sum := sha256.Sum256(key)
	block, _ := aes.NewCipher(sum[:]) // of the right length
	aead, _ := cipher.NewGCMWithRandomNonce(block)
	return aead
}

// Seal seals a text, and returns it as letters, digits, dashes and underscores. Only with the same binding, which is not in
// it, can it be opened.
func (s Sealer) Seal(plain, binding []byte) string {
	return base64.RawURLEncoding.EncodeToString(s[0].Seal(nil, nil, plain, binding))
}

// nonceSize is how many bytes the nonce has, with which what is sealed begins.
const nonceSize = 12

// ErrForeign is the error of what was not sealed with this binding and any of the keys, or was changed since.
var ErrForeign = errors.New("seal: it was not sealed here, or was changed")

// Open returns a text that was sealed, and what tells it from all others. The error is [ErrForeign].
func (s Sealer) Open(sealed string, binding []byte) (plain []byte, id string, err error) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(sealed)
	if err != nil {
		return nil, "", ErrForeign
	}
	for _, aead := range s {
		if plain, err := aead.Open(nil, nil, b, binding); err == nil {
			return plain, base64.RawURLEncoding.EncodeToString(b[:nonceSize]), nil // not sealed, which may have line breaks
		}
	}
	return nil, "", ErrForeign
}
