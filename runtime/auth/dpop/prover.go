package dpop

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
	"github.com/mcpgen/mcpgen/runtime/internal/web"
)

// A Prover makes keys of a client, and proofs by them. It is the option Proofs of package authclient, and ready to use. It
// remembers the last nonce of each server.
type Prover struct {
	mu     sync.Mutex
	nonces map[string]string // by the origins of servers
}

// algorithm is that of all keys.
const algorithm = "ES256"

// NewKey returns a new key, to be stored with the token that is bound to it: PKCS #8, for ES256. It is an error if
// algorithms has others alone.
func (p *Prover) NewKey(algorithms []string) ([]byte, error) {
	if len(algorithms) > 0 && !slices.Contains(algorithms, algorithm) {
		return nil, fmt.Errorf("dpop: the authorization server supports the DPoP algorithms %q, want %s", algorithms, algorithm)
	}
	key, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader) // never fails
	return x509.MarshalPKCS8PrivateKey(key)
}

// Thumbprint returns the thumbprint of a key of [Prover.NewKey]: RFC 7638.
func (p *Prover) Thumbprint(key []byte) (string, error) {
	private, err := parseKey(key)
	if err != nil {
		return "", err
	}
	return thumbprintOf(&jose.JSONWebKey{Key: private.Public()})
}

// parseKey returns a key of [Prover.NewKey].
func parseKey(der []byte) (*ecdsa.PrivateKey, error) {
	key, _ := x509.ParsePKCS8PrivateKey(der)
	private, ok := key.(*ecdsa.PrivateKey)
	if !ok {
		return nil, errors.New("dpop: the stored key is not an ECDSA key") // without its text
	}
	return private, nil
}

// Transport returns a transport that adds a proof by a key to each request: for the token in its header Authorization, if
// that has the scheme DPoP, with the last nonce of the server. If a resource server wants another nonce, the request is
// sent once again, unless it has a body and no GetBody. A nil base is [http.DefaultTransport].
func (p *Prover) Transport(key []byte, base http.RoundTripper) http.RoundTripper {
	if base == nil {
		base = http.DefaultTransport
	}
	return &provingTransport{p, key, base}
}

// A provingTransport sends requests with proofs by a key.
type provingTransport struct {
	prover *Prover
	key    []byte
	base   http.RoundTripper
}

// RoundTrip implements [http.RoundTripper].
func (t *provingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	key, err := storedSigner(t.key)
	if err != nil {
		closeBody(r)
		return nil, err
	}
	nonce := t.prover.nonce(r.URL)
	resp, err := t.send(r, key, nonce)
	if err != nil || !wantsNonce(resp) {
		return resp, err
	}
	next := t.prover.nonce(r.URL)
	if next == nonce || r.Body != nil && r.GetBody == nil {
		return resp, nil
	}
	resp.Body.Close()
	again := r.Clone(r.Context())
	if r.Body != nil {
		if again.Body, err = r.GetBody(); err != nil {
			return nil, err
		}
	}
	return t.send(again, key, next)
}

// send sends a request with a proof, and notes the nonce in the response.
func (t *provingTransport) send(r *http.Request, key *signer, nonce string) (*http.Response, error) {
	scheme, token := authorization(r)
	if !strings.EqualFold(scheme, Scheme) {
		token = ""
	}
	proof, err := key.proof(r.Method, r.URL.String(), nonce, token)
	if err != nil {
		closeBody(r)
		return nil, err
	}
	r = r.Clone(r.Context())
	r.Header.Set(proofHeader, proof)
	resp, err := t.base.RoundTrip(r)
	if err == nil {
		t.prover.note(r.URL, resp.Header)
	}
	return resp, err
}

func closeBody(r *http.Request) {
	if r.Body != nil {
		r.Body.Close()
	}
}

// nonce returns the last nonce of a server, empty if there is none.
func (p *Prover) nonce(u *url.URL) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.nonces[web.Origin(u)]
}

// note keeps the nonce in a response, if it has one. There are as many as servers that the client uses.
func (p *Prover) note(u *url.URL, h http.Header) {
	nonce := h.Get(nonceHeader)
	if nonce == "" || len(nonce) > 1<<10 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.nonces == nil {
		p.nonces = map[string]string{}
	}
	p.nonces[web.Origin(u)] = nonce
}

// wantsNonce reports whether a resource server refuses a proof for its nonce: RFC 9449 section 9.
func wantsNonce(resp *http.Response) bool {
	if resp.StatusCode != http.StatusUnauthorized {
		return false
	}
	challenges, _ := auth.ParseChallenges(resp.Header)
	return slices.ContainsFunc(challenges, func(c auth.Challenge) bool { return c.Is(Scheme) && c.Params["error"] == useNonce })
}

// A signer makes proofs by one key. It may be used by several goroutines at once.
type signer struct {
	jose jose.Signer
	now  func() time.Time
}

// storedSigner returns a signer for a key of [Prover.NewKey].
func storedSigner(der []byte) (*signer, error) {
	private, err := parseKey(der)
	if err != nil {
		return nil, err
	}
	return newSigner(private, time.Now)
}

// newSigner returns a signer for a private key: ECDSA with P-256, P-384 or P-521, Ed25519, or RSA.
func newSigner(key crypto.Signer, now func() time.Time) (*signer, error) {
	alg, err := oauth.Algorithm(key, nil)
	if err != nil {
		return nil, fmt.Errorf("dpop: %w", err)
	}
	opts := (&jose.SignerOptions{EmbedJWK: true}).WithType(proofType)
	s, err := jose.NewSigner(jose.SigningKey{Algorithm: alg, Key: key}, opts)
	return &signer{s, now}, err
}

// proof returns a proof for one request. Nonce is the last nonce that the server sent, if any. Token is the access token
// that the request has; a request to a token endpoint has none.
func (s *signer) proof(method, url, nonce, token string) (string, error) {
	target, err := targetURI(url)
	if err != nil {
		return "", err
	}
	c := claims{ID: rand.Text(), Method: method, URL: target, IssuedAt: jwt.NumericDate(s.now().Unix()), Nonce: nonce}
	if token != "" {
		c.Token = hash(token)
	}
	return jwt.Signed(s.jose).Claims(c).Serialize()
}
