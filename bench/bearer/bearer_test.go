// Package bearer measures what a server does to find out who has sent a request: the access token is a JWT, signed by
// ES256.
package bearer

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	gosdk "github.com/modelcontextprotocol/go-sdk/auth"

	"github.com/mcpgen/mcpgen/bench/harness"
	"github.com/mcpgen/mcpgen/runtime/auth"
)

const (
	issuer   = "https://as.example"
	resource = "https://mcp.example.com/mcp"
)

// An issuerOf signs tokens, and is a transport to its own metadata and key set.
type issuerOf struct{ key *ecdsa.PrivateKey }

func (s issuerOf) RoundTrip(r *http.Request) (*http.Response, error) {
	var v any = jose.JSONWebKeySet{Keys: []jose.JSONWebKey{{Key: s.key.Public(), KeyID: "1", Algorithm: "ES256", Use: "sig"}}}
	if r.URL.Path != "/jwks" {
		v = auth.AuthorizationServerMetadata{Issuer: issuer, JWKSURI: issuer + "/jwks"}
	}
	text, err := json.Marshal(v)
	header := http.Header{"Content-Type": {"application/json"}}
	return &http.Response{StatusCode: 200, Header: header, Body: io.NopCloser(strings.NewReader(string(text))), Request: r}, err
}

// token returns a token of about 450 bytes.
func (s issuerOf) token(tb testing.TB, n int) string {
	tb.Helper()
	opts := (&jose.SignerOptions{}).WithType("at+jwt").WithHeader("kid", "1")
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: s.key}, opts)
	if err != nil {
		tb.Fatal(err)
	}
	text, err := jwt.Signed(signer).Claims(map[string]any{
		"iss": issuer, "sub": "alice", "aud": resource, "client_id": "cli", "scope": "read write", "jti": fmt.Sprint(n),
		"iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix(),
	}).Serialize()
	if err != nil {
		tb.Fatal(err)
	}
	return text
}

func newIssuer(tb testing.TB) issuerOf {
	tb.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		tb.Fatal(err)
	}
	return issuerOf{key}
}

func request(token string) *http.Request {
	r := httptest.NewRequest("POST", resource, nil)
	r.Header.Set("Authorization", "Bearer "+token)
	return r
}

// newMcpgen returns the resource server of this project. It remembers so many tokens.
func newMcpgen(tb testing.TB, s issuerOf, tokens int) *auth.ResourceServer {
	tb.Helper()
	v, err := auth.NewJWTVerifier(&auth.JWTOptions{
		Issuers: []string{issuer}, Audiences: []string{resource}, Transport: s, MaxTokens: tokens,
	})
	if err != nil {
		tb.Fatal(err)
	}
	rs, err := auth.NewResourceServer(&auth.Options{
		Resource: resource, AuthorizationServers: []string{issuer}, Verifier: v, RequiredScopes: []string{"read"},
	})
	if err != nil {
		tb.Fatal(err)
	}
	return rs
}

// newGosdk returns the middleware of go-sdk. It has no verifier of its own; this one is what its users write with
// package jose, for one key that is there already.
func newGosdk(s issuerOf, verifier gosdk.TokenVerifier) http.Handler {
	if verifier == nil {
		verifier = func(_ context.Context, text string, _ *http.Request) (*gosdk.TokenInfo, error) {
			token, err := jwt.ParseSigned(text, []jose.SignatureAlgorithm{jose.ES256})
			if err != nil {
				return nil, gosdk.ErrInvalidToken
			}
			var claims struct {
				jwt.Claims
				Scope string `json:"scope"`
			}
			if err := token.Claims(s.key.Public(), &claims); err != nil {
				return nil, gosdk.ErrInvalidToken
			}
			if err := claims.Validate(jwt.Expected{Issuer: issuer, AnyAudience: jwt.Audience{resource}}); err != nil {
				return nil, gosdk.ErrInvalidToken
			}
			return &gosdk.TokenInfo{Scopes: strings.Fields(claims.Scope), Expiration: claims.Expiry.Time(), UserID: claims.Subject}, nil
		}
	}
	return gosdk.RequireBearerToken(verifier, &gosdk.RequireBearerTokenOptions{Scopes: []string{"read"}})(
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusAccepted) }))
}

// measure calls f as often as b says, and reports what processor time a call takes beside the time that passes.
func measure(b *testing.B, f func(i int)) {
	b.Helper()
	b.ReportAllocs()
	before := harness.SelfStats().CPUNs
	i := 0
	for ; b.Loop(); i++ {
		f(i)
	}
	b.ReportMetric(float64(harness.SelfStats().CPUNs-before)/float64(i), "cpu-ns/op")
}

func BenchmarkMcpgen(b *testing.B) {
	s := newIssuer(b)
	authorize := func(b *testing.B, rs *auth.ResourceServer, requests []*http.Request) {
		measure(b, func(i int) {
			if _, err := rs.Authorize(requests[i%len(requests)]); err != nil {
				b.Fatal(err)
			}
		})
	}
	b.Run("seen before", func(b *testing.B) {
		authorize(b, newMcpgen(b, s, 0), []*http.Request{request(s.token(b, 0))})
	})
	b.Run("seen first", func(b *testing.B) { // one more than are remembered
		authorize(b, newMcpgen(b, s, 2), []*http.Request{request(s.token(b, 0)), request(s.token(b, 1)), request(s.token(b, 2))})
	})
}

func BenchmarkGosdk(b *testing.B) {
	s := newIssuer(b)
	serve := func(b *testing.B, h http.Handler) {
		r := request(s.token(b, 0))
		measure(b, func(int) {
			w := httptest.ResponseRecorder{}
			if h.ServeHTTP(&w, r); w.Code != http.StatusAccepted {
				b.Fatal(w.Code)
			}
		})
	}
	b.Run("verified by package jose", func(b *testing.B) { serve(b, newGosdk(s, nil)) })
	b.Run("not verified", func(b *testing.B) {
		info := &gosdk.TokenInfo{Scopes: []string{"read"}, Expiration: time.Now().Add(time.Hour)}
		serve(b, newGosdk(s, func(context.Context, string, *http.Request) (*gosdk.TokenInfo, error) { return info, nil }))
	})
}

// BenchmarkSignature is the signature alone: no verifier takes less.
func BenchmarkSignature(b *testing.B) {
	s := newIssuer(b)
	hash := make([]byte, 32)
	signature, err := ecdsa.SignASN1(rand.Reader, s.key, hash)
	if err != nil {
		b.Fatal(err)
	}
	measure(b, func(int) {
		if !ecdsa.VerifyASN1(&s.key.PublicKey, hash, signature) {
			b.Fatal("wrong")
		}
	})
}

// Both accept the token, and refuse it once it is changed.
func TestBoth(t *testing.T) {
	s := newIssuer(t)
	rs, sdk := newMcpgen(t, s, 0), newGosdk(s, nil)
	token := s.token(t, 0)
	for text, ok := range map[string]bool{token: true, token[:len(token)-4] + "AAAA": false} {
		_, err := rs.Authorize(request(text))
		w := httptest.NewRecorder()
		sdk.ServeHTTP(w, request(text))
		if (err == nil) != ok || (w.Code == http.StatusAccepted) != ok {
			t.Errorf("want %v, got %v and status %d", ok, err, w.Code)
		}
	}
}
