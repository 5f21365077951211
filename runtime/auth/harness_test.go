package auth

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/runtime/transport"
)

const (
	testIssuer   = "https://as.example"
	testResource = "https://mcp.example.com/mcp"
)

// A testServer is an authorization server in memory: an http.RoundTripper.
type testServer struct {
	issuer string

	mu       sync.Mutex
	keys     []jose.JSONWebKey
	down     bool                   // no response at all
	change   func(m map[string]any) // of the metadata
	token    http.HandlerFunc       // the token and the introspection endpoint
	requests map[string]int         // by path
	gate     chan struct{}          // if not nil, the keys wait for it
}

func newTestServer() *testServer {
	return &testServer{issuer: testIssuer, requests: map[string]int{}}
}

func (s *testServer) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	s.requests[r.URL.Path]++
	gate, down := s.gate, s.down
	s.mu.Unlock()
	if gate != nil && r.URL.Path == "/jwks" {
		select {
		case <-gate:
		case <-r.Context().Done():
			return nil, r.Context().Err()
		}
	}
	if down {
		return nil, errors.New("no connection")
	}
	w := httptest.NewRecorder()
	s.serve(w, r)
	return w.Result(), nil
}

func (s *testServer) serve(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	switch {
	case r.URL.Host != "as.example":
		w.WriteHeader(http.StatusNotFound)
	case r.URL.Path == "/.well-known/oauth-authorization-server":
		m := map[string]any{
			"issuer": s.issuer, "jwks_uri": testIssuer + "/jwks",
			"token_endpoint": testIssuer + "/token", "introspection_endpoint": testIssuer + "/introspect",
		}
		if s.change != nil {
			s.change(m)
		}
		json.NewEncoder(w).Encode(m)
	case r.URL.Path == "/jwks":
		json.NewEncoder(w).Encode(map[string]any{"keys": s.keys})
	case r.URL.Path == "/token" || r.URL.Path == "/introspect":
		s.token(w, r)
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

// count returns how many requests there were for a path.
func (s *testServer) count(path string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests[path]
}

// set changes the server.
func (s *testServer) set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// A testKey signs tokens.
type testKey struct {
	id  string
	alg jose.SignatureAlgorithm
	key crypto.Signer
}

func newTestKey(t testing.TB, id string) *testKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return &testKey{id, jose.ES256, key}
}

// public returns the key as it is in a key set.
func (k *testKey) public() jose.JSONWebKey {
	return jose.JSONWebKey{Key: k.key.Public(), KeyID: k.id, Algorithm: string(k.alg), Use: "sig"}
}

// A change changes the claims of a token; nil removes a claim. A name that begins with "header " is of the header.
type change map[string]any

// sign returns a token that is valid unless a change makes it another.
func (k *testKey) sign(t testing.TB, changes ...change) string {
	t.Helper()
	now := time.Now().Unix()
	claims := map[string]any{
		"iss": testIssuer, "sub": "alice", "aud": testResource, "client_id": "cli", "scope": "read write",
		"iat": now, "exp": now + 3600, "jti": rand.Text(),
	}
	opts := (&jose.SignerOptions{}).WithType("at+jwt").WithHeader("kid", k.id)
	for _, c := range changes {
		for name, v := range c {
			if header, ok := strings.CutPrefix(name, "header "); ok {
				if opts.WithHeader(jose.HeaderKey(header), v); v == nil {
					delete(opts.ExtraHeaders, jose.HeaderKey(header))
				}
			} else if claims[name] = v; v == nil {
				delete(claims, name)
			}
		}
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	return k.signPayload(t, opts, payload)
}

func (k *testKey) signPayload(t testing.TB, opts *jose.SignerOptions, payload []byte) string {
	t.Helper()
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: k.alg, Key: k.key}, opts)
	if err != nil {
		t.Fatal(err)
	}
	jws, err := signer.Sign(payload)
	if err != nil {
		t.Fatal(err)
	}
	token, err := jws.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return token
}

// newTestVerifier returns a verifier of the tokens of a server.
func newTestVerifier(t testing.TB, s *testServer, changes ...func(*JWTOptions)) *JWTVerifier {
	t.Helper()
	opts := JWTOptions{Issuers: []string{testIssuer}, Audiences: []string{testResource}, Transport: s}
	for _, c := range changes {
		c(&opts)
	}
	v, err := NewJWTVerifier(&opts)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// newTestResource returns a resource server with tokens of s.
func newTestResource(t testing.TB, s *testServer, changes ...func(*Options)) *ResourceServer {
	t.Helper()
	opts := Options{Resource: testResource, AuthorizationServers: []string{testIssuer}, Verifier: newTestVerifier(t, s), Logger: slog.New(slog.DiscardHandler)}
	for _, c := range changes {
		c(&opts)
	}
	rs, err := NewResourceServer(&opts)
	if err != nil {
		t.Fatal(err)
	}
	return rs
}

// wantInvalid checks that an error is about the token and says why.
func wantInvalid(t *testing.T, err error, reason string) {
	t.Helper()
	if !isInvalid(err) || !strings.Contains(err.Error(), reason) {
		t.Errorf("got %v, want an invalid token because %q", err, reason)
	}
}

// post returns a request to the resource.
func post(authorization ...string) *http.Request {
	r := httptest.NewRequest("POST", testResource, nil)
	if len(authorization) > 0 {
		r.Header["Authorization"] = authorization
	}
	return r
}

// ask lets a resource server decide about a request, as the HTTP handlers do.
func ask(s *ResourceServer, r *http.Request, scopes ...string) *http.Response {
	w := httptest.NewRecorder()
	identity, err := s.Authorize(r)
	if err == nil && len(scopes) > 0 {
		err = lackOf(identity, scopes)
	}
	if err != nil {
		s.Refuse(w, r, err, []byte(`{"jsonrpc":"2.0"}`))
	}
	return w.Result()
}

// challengeOf returns the only challenge of a response.
func challengeOf(t *testing.T, resp *http.Response) Challenge {
	t.Helper()
	list, err := ParseChallenges(resp.Header)
	if err != nil || len(list) != 1 {
		t.Fatalf("status %d: want one challenge, got %q and %v", resp.StatusCode, resp.Header, err)
	}
	return list[0]
}

// lackOf returns the error of an identity that lacks scopes; nobody lacks all.
func lackOf(identity transport.Identity, scopes []string) error {
	lacking := scopes
	if identity != nil {
		lacking = identity.Missing(scopes)
	}
	if len(lacking) == 0 {
		return nil
	}
	return &transport.ScopeError{Scopes: scopes, Missing: lacking}
}

func bodyOf(t *testing.T, resp *http.Response) string {
	t.Helper()
	b, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func segment(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
