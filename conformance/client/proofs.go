package main

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/runtime/auth/authclient"
)

// A prover is what the suite needs of RFC 9449, so that the client links no module of its own for it: a key, and a proof
// that the client has it with each request.
type prover struct {
	mu    sync.Mutex
	nonce map[string]string // the last of each server
}

var _ authclient.Proofs = (*prover)(nil)

// NewKey implements [authclient.Proofs].
func (*prover) NewKey(algorithms []string) ([]byte, error) {
	if len(algorithms) > 0 && !slices.Contains(algorithms, string(jose.ES256)) {
		return nil, errors.New("the authorization server does not support ES256")
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	return x509.MarshalPKCS8PrivateKey(key)
}

// Thumbprint implements [authclient.Proofs].
func (*prover) Thumbprint(key []byte) (string, error) {
	private, err := x509.ParsePKCS8PrivateKey(key)
	if err != nil {
		return "", err
	}
	sum, err := (&jose.JSONWebKey{Key: private}).Thumbprint(crypto.SHA256)
	return base64.RawURLEncoding.EncodeToString(sum), err
}

// Transport implements [authclient.Proofs].
func (p *prover) Transport(key []byte, base http.RoundTripper) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		resp, news, err := p.send(r, key, base)
		if err != nil || !news || resp.StatusCode != http.StatusUnauthorized || r.Body != nil && r.GetBody == nil {
			return resp, err
		}
		resp.Body.Close()
		again := r.Clone(r.Context())
		if r.Body != nil {
			if again.Body, err = r.GetBody(); err != nil {
				return nil, err
			}
		}
		resp, _, err = p.send(again, key, base)
		return resp, err
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// send sends a request with a proof, and reports whether the response has a nonce that the client did not know.
func (p *prover) send(r *http.Request, key []byte, base http.RoundTripper) (_ *http.Response, news bool, err error) {
	private, err := x509.ParsePKCS8PrivateKey(key)
	if err != nil {
		return nil, false, err
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: private}, (&jose.SignerOptions{EmbedJWK: true}).WithType("dpop+jwt"))
	if err != nil {
		return nil, false, err
	}
	server := r.URL.Scheme + "://" + r.URL.Host
	p.mu.Lock()
	nonce := p.nonce[server]
	p.mu.Unlock()
	claims := map[string]any{"jti": rand.Text(), "htm": r.Method, "htu": server + r.URL.EscapedPath(), "iat": time.Now().Unix()}
	if nonce != "" {
		claims["nonce"] = nonce
	}
	if scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " "); strings.EqualFold(scheme, "DPoP") {
		sum := sha256.Sum256([]byte(token))
		claims["ath"] = base64.RawURLEncoding.EncodeToString(sum[:])
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		return nil, false, err
	}
	signed, err := signer.Sign(payload)
	if err != nil {
		return nil, false, err
	}
	proof, err := signed.CompactSerialize()
	if err != nil {
		return nil, false, err
	}
	r = r.Clone(r.Context())
	r.Header.Set("DPoP", proof)
	resp, err := base.RoundTrip(r)
	if err != nil {
		return nil, false, err
	}
	next := resp.Header.Get("DPoP-Nonce")
	if news = next != "" && next != nonce; news {
		p.mu.Lock()
		if p.nonce == nil {
			p.nonce = map[string]string{}
		}
		p.nonce[server] = next
		p.mu.Unlock()
	}
	return resp, news, nil
}
