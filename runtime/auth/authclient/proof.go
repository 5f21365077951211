package authclient

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"errors"
	"net/http"
	"net/url"
	"sync"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/dpop"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
)

// A proofKey is the key to which tokens are bound: RFC 9449.
type proofKey struct {
	*dpop.Prover
	pkcs8 []byte
}

// proofAlgorithm is the algorithm of all proofs.
const proofAlgorithm = "ES256"

func newProofKey() (*proofKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	return parseProofKey(der)
}

// parseProofKey returns a stored key.
func parseProofKey(der []byte) (*proofKey, error) {
	key, err := x509.ParsePKCS8PrivateKey(der)
	if err != nil {
		return nil, err
	}
	signer, ok := key.(*ecdsa.PrivateKey)
	if !ok {
		return nil, errors.New("want an ECDSA key")
	}
	p, err := dpop.NewProver(signer, nil)
	if err != nil {
		return nil, err
	}
	return &proofKey{p, der}, nil
}

// nonces holds the last DPoP nonce of each server, by origin. There are as many as servers that the client uses.
type nonces struct {
	mu   sync.Mutex
	last map[string]string
}

func (n *nonces) get(u *url.URL) string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.last[web.Origin(u)]
}

// note keeps the nonce in a response, if it has one.
func (n *nonces) note(u *url.URL, h http.Header) {
	nonce := h.Get(dpop.NonceHeader)
	if nonce == "" || len(nonce) > 1<<10 {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.last == nil {
		n.last = map[string]string{}
	}
	n.last[web.Origin(u)] = nonce
}
