package dpop

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/internal/share"
)

const target = "https://mcp.example.com/mcp"

// A clock is set by a test.
type clock struct{ now time.Time }

func newClock() *clock                   { return &clock{time.Unix(1_800_000_000, 0)} }
func (c *clock) Now() time.Time          { return c.now }
func (c *clock) advance(d time.Duration) { c.now = c.now.Add(d) }

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// A testSigner makes proofs by a key that has a thumbprint.
type testSigner struct {
	*signer
	thumbprint string
}

func newTestSigner(t testing.TB, key crypto.Signer, c *clock) *testSigner {
	return signerAt(t, key, c.Now)
}

func signerAt(t testing.TB, key crypto.Signer, now func() time.Time) *testSigner {
	t.Helper()
	s, err := newSigner(key, now)
	if err != nil {
		t.Fatal(err)
	}
	thumbprint, err := thumbprintOf(&jose.JSONWebKey{Key: key.Public()})
	if err != nil {
		t.Fatal(err)
	}
	return &testSigner{s, thumbprint}
}

func newTestVerifier(t testing.TB, c *clock, opts *VerifierOptions) *Verifier {
	t.Helper()
	v, err := NewVerifier(opts)
	if err != nil {
		t.Fatal(err)
	}
	v.now = c.Now
	return v
}

func proofOf(t testing.TB, s *testSigner, method, url, nonce, token string) string {
	t.Helper()
	proof, err := s.proof(method, url, nonce, token)
	if err != nil {
		t.Fatal(err)
	}
	return proof
}

// codeOf returns the code of the error of a proof, empty if there is none.
func codeOf(err error) string {
	if wrong, ok := errors.AsType[*auth.InvalidTokenError](err); ok {
		return wrong.Code
	}
	return ""
}

func TestProofOfEachKey(t *testing.T) {
	must := func(key crypto.Signer, err error) crypto.Signer {
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	_, ed, _ := ed25519.GenerateKey(rand.Reader)
	c := newClock()
	for alg, key := range map[string]crypto.Signer{
		"ES256": newKey(t),
		"ES384": must(ecdsa.GenerateKey(elliptic.P384(), rand.Reader)),
		"ES512": must(ecdsa.GenerateKey(elliptic.P521(), rand.Reader)),
		"RS256": must(rsa.GenerateKey(rand.Reader, 2048)),
		"EdDSA": ed,
	} {
		p := newTestSigner(t, key, c)
		r := expectation{method: "POST", urls: []string{target}, token: "token", thumbprint: p.thumbprint}
		proof := proofOf(t, p, "POST", target+"?a=b#c", "", "token")
		got, err := newTestVerifier(t, c, nil).verify(proof, r)
		if err != nil || got != p.thumbprint {
			t.Errorf("%s: got %q and %v, want %q", alg, got, err, p.thumbprint)
		}
	}
	if _, err := newSigner(must(ecdsa.GenerateKey(elliptic.P224(), rand.Reader)), time.Now); err == nil || !strings.Contains(err.Error(), "P-256") {
		t.Errorf("a key of P-224: %v", err)
	}
	if _, err := NewVerifier(&VerifierOptions{NonceKey: []byte("short")}); err == nil {
		t.Error("a short NonceKey is accepted")
	}
}

func TestProofOfAnotherRequest(t *testing.T) {
	c := newClock()
	p := newTestSigner(t, newKey(t), c)
	good := expectation{method: "POST", urls: []string{target}, token: "token", thumbprint: p.thumbprint}
	for name, test := range map[string]struct {
		proof  string
		change func(*expectation)
		want   string
	}{
		"method":               {"", func(r *expectation) { r.method = "GET" }, "htm"},
		"method in lower case": {"", func(r *expectation) { r.method = "post" }, "htm"},
		"path":                 {"", func(r *expectation) { r.urls = []string{target + "2"} }, "htu"},
		"host":                 {"", func(r *expectation) { r.urls = []string{"https://evil.example/mcp"} }, "htu"},
		"scheme":               {"", func(r *expectation) { r.urls = []string{"http://mcp.example.com/mcp"} }, "htu"},
		"no URL":               {"", func(r *expectation) { r.urls = nil }, "htu"},
		"token":                {"", func(r *expectation) { r.token = "other" }, "ath"},
		"without a token":      {proofOf(t, p, "POST", target, "", ""), func(r *expectation) {}, "ath"},
		"key":                  {"", func(r *expectation) { r.thumbprint = newTestSigner(t, newKey(t), c).thumbprint }, "not bound"},
		"empty":                {"x", func(r *expectation) {}, "compact"},
		"too long":             {strings.Repeat("x", 9000), func(r *expectation) {}, "at most 8192 bytes"},
		"just long enough":     {strings.Repeat("x", 8192), func(r *expectation) {}, "compact"},
		"no target":            {sign(t, newKey(t), c, nil, map[string]any{"htu": "/"}), func(r *expectation) { r.urls = []string{"/"} }, "htu"},
	} {
		t.Run(name, func(t *testing.T) {
			r, proof := good, test.proof
			test.change(&r)
			if proof == "" {
				proof = proofOf(t, p, "POST", target, "", "token")
			}
			v := newTestVerifier(t, c, nil)
			if _, err := v.verify(proof, r); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("want an error with %q, got %v", test.want, err)
			}
		})
	}
}

func TestEqualURLs(t *testing.T) {
	c := newClock()
	p := newTestSigner(t, newKey(t), c)
	v := newTestVerifier(t, c, nil)
	for _, test := range []struct{ proof, request string }{
		{"https://mcp.example.com/mcp?x=1", target},
		{"HTTPS://MCP.example.com:443/mcp", target},
		{target, "https://MCP.example.com:443/mcp#x"},
		{"https://mcp.example.com", "https://mcp.example.com/"},
		{"https://mcp.example.com/%6dcp/%2f", "https://mcp.example.com/mcp/%2F"},
		{"https://mcp.example.com/%41%5A%61%7A%30%39%2D%2E%5F%7E%40%5B%60%7B%2F%3A", "https://mcp.example.com/AZaz09-._~%40%5b%60%7b%2f%3a"},
		{"http://localhost:80/", "http://localhost"},
		{"http://localhost:/", "http://localhost"},
	} {
		if _, err := v.verify(proofOf(t, p, "GET", test.proof, "", ""), expectation{method: "GET", urls: []string{"https://x.example", test.request}}); err != nil {
			t.Errorf("%s and %s: %v", test.proof, test.request, err)
		}
	}
	for _, url := range []string{"", "/mcp", "https://a@mcp.example.com/", "mailto:a", ":"} {
		if _, err := p.proof("GET", url, "", ""); err == nil {
			t.Errorf("a proof for %q is made", url)
		}
	}
	for _, test := range []struct{ proof, request string }{
		{"https://mcp.example.com/a%2Fb", "https://mcp.example.com/a/b"},
		{"https://mcp.example.com/a%2Fb", "https://mcp.example.com/ab"},
		{"https://mcp.example.com/%61", "https://mcp.example.com/%62"},
		{"https://mcp.example.com:8443", "https://mcp.example.com"},
		{"https://mcp.example.com:80", "https://mcp.example.com"},
		{"http://mcp.example.com:443", "http://mcp.example.com"},
		{"http://mcp.example.com:8080", "http://mcp.example.com"},
		{"https://mcp.example.com:443", "http://mcp.example.com:443"},
	} {
		if _, err := v.verify(proofOf(t, p, "GET", test.proof, "", ""), expectation{method: "GET", urls: []string{test.request}}); err == nil {
			t.Errorf("%s is taken for %s", test.proof, test.request)
		}
	}
}

func TestWindow(t *testing.T) {
	for _, test := range []struct {
		later time.Duration
		ok    bool
	}{{0, true}, {5 * time.Minute, true}, {5*time.Minute + time.Second, false}, {-5 * time.Minute, true}, {-5*time.Minute - time.Second, false}} {
		c := newClock()
		proof := proofOf(t, newTestSigner(t, newKey(t), c), "POST", target, "", "")
		c.advance(test.later)
		_, err := newTestVerifier(t, c, nil).verify(proof, expectation{method: "POST", urls: []string{target}})
		if (err == nil) != test.ok {
			t.Errorf("%s after it was made: %v", test.later, err)
		}
	}
}

func TestReplay(t *testing.T) {
	c := newClock()
	p := newTestSigner(t, newKey(t), c)
	v := newTestVerifier(t, c, nil)
	r := expectation{method: "POST", urls: []string{target}}
	c.advance(4 * time.Minute)
	ahead := proofOf(t, p, "POST", target, "", "") // made by a clock that is ahead
	c.advance(-4 * time.Minute)
	if _, err := v.verify(ahead, r); err != nil {
		t.Fatal(err)
	}
	for range 9*60 + 1 { // to the last second in which it would be accepted
		if _, err := v.verify(ahead, r); err == nil || !strings.Contains(err.Error(), "used before") {
			t.Fatalf("accepted again: %v", err)
		}
		c.advance(time.Second)
	}
	if _, err := v.verify(proofOf(t, p, "POST", target, "", ""), r); err != nil {
		t.Errorf("another proof: %v", err)
	}
}

func TestReplayAtTheSameTime(t *testing.T) {
	c := newClock()
	proof := proofOf(t, newTestSigner(t, newKey(t), c), "POST", target, "", "")
	v := newTestVerifier(t, c, nil)
	var accepted atomic.Int32
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if _, err := v.verify(proof, expectation{method: "POST", urls: []string{target}}); err == nil {
				accepted.Add(1)
			}
		})
	}
	wg.Wait()
	if accepted.Load() != 1 {
		t.Errorf("accepted %d times, want once", accepted.Load())
	}
}

// What is remembered is bounded, and forgotten when it has ended. Nothing is accepted that cannot be remembered.
func TestReplayBound(t *testing.T) {
	c := newClock()
	mallory, alice := newTestSigner(t, newKey(t), c), newTestSigner(t, newKey(t), c)
	v := newTestVerifier(t, c, &VerifierOptions{MaxProofs: 12})
	verify := func(p *testSigner, owner string, want error) {
		t.Helper()
		r := expectation{method: "POST", urls: []string{target}}
		if owner != "" {
			r.owner = share.Of(owner, "", nil)
		}
		if _, err := v.verify(proofOf(t, p, "POST", target, "", ""), r); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
	for range 3 {
		verify(mallory, "", nil)
		verify(mallory, "bob", nil)
	}
	verify(mallory, "", ErrBusy)
	verify(mallory, "bob", ErrBusy)
	verify(alice, "bob", ErrBusy)
	verify(alice, "", nil)
	c.advance(6 * time.Minute)
	for range 3 {
		verify(mallory, "", nil)
	}
	c.advance(time.Minute)
	verify(mallory, "", ErrBusy)
	verify(alice, "", nil)
}

// The clock is that of the machine.
func TestClock(t *testing.T) {
	p := signerAt(t, newKey(t), time.Now)
	v, err := NewVerifier(nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := v.verify(proofOf(t, p, "POST", target, "", ""), expectation{method: "POST", urls: []string{target}}); err != nil {
		t.Error(err)
	}
}

func TestNonce(t *testing.T) {
	c := newClock()
	p := newTestSigner(t, newKey(t), c)
	v := newTestVerifier(t, c, &VerifierOptions{Nonces: true})
	verify := func(nonce string) error {
		_, err := v.verify(proofOf(t, p, "POST", target, nonce, ""), expectation{method: "POST", urls: []string{target}})
		return err
	}
	nonce := v.nonces.current(c.now)
	for _, wrong := range []string{"", "x", newNonces(nil).current(c.now), nonce[1:]} {
		if err := verify(wrong); codeOf(err) != useNonce {
			t.Errorf("nonce %q: got %v, want %s", wrong, err, useNonce)
		}
	}
	if err := verify(nonce); err != nil {
		t.Error(err)
	}
	c.advance(5 * time.Minute)
	if err := verify(nonce); err != nil {
		t.Errorf("the last nonce: %v", err)
	}
	if v.nonces.current(c.now) == nonce {
		t.Error("the nonce does not change")
	}
	c.advance(5 * time.Minute)
	if err := verify(nonce); codeOf(err) != useNonce {
		t.Errorf("an old nonce: got %v, want %s", err, useNonce)
	}
}

// sign signs a proof whose header and claims a test has changed.
func sign(t testing.TB, key *ecdsa.PrivateKey, c *clock, header map[jose.HeaderKey]any, change map[string]any) string {
	t.Helper()
	opts := &jose.SignerOptions{EmbedJWK: header["jwk"] == nil}
	opts.WithType("dpop+jwt")
	for k, v := range header {
		if v == false {
			delete(opts.ExtraHeaders, k)
			opts.EmbedJWK = opts.EmbedJWK && k != "jwk"
			continue
		}
		opts.WithHeader(k, v)
	}
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.ES256, Key: key}, opts)
	if err != nil {
		t.Fatal(err)
	}
	claims := map[string]any{"jti": rand.Text(), "htm": "POST", "htu": target, "iat": c.now.Unix()}
	for k, v := range change {
		if claims[k] = v; v == nil {
			delete(claims, k)
		}
	}
	payload, err := json.Marshal(claims)
	if err != nil {
		t.Fatal(err)
	}
	if twice, ok := change["twice"].(string); ok {
		payload = append([]byte(twice), payload[1:]...)
	}
	jws, err := signer.Sign(payload)
	if err != nil {
		t.Fatal(err)
	}
	proof, err := jws.CompactSerialize()
	if err != nil {
		t.Fatal(err)
	}
	return proof
}

func TestForgedProofs(t *testing.T) {
	c, key := newClock(), newKey(t)
	valid := sign(t, key, c, nil, map[string]any{"iat": float64(c.now.Unix()) + 0.5, "jti": strings.Repeat("x", 512)})
	parts := strings.Split(valid, ".")
	encode := func(s string) string { return base64.RawURLEncoding.EncodeToString([]byte(s)) }
	now := c.now.Unix()
	small, _ := rsa.GenerateKey(rand.Reader, 1024)
	proofs := map[string]string{
		"no typ":            sign(t, key, c, map[jose.HeaderKey]any{"typ": false}, nil),
		"typ JWT":           sign(t, key, c, map[jose.HeaderKey]any{"typ": "JWT"}, nil),
		"no key":            sign(t, key, c, map[jose.HeaderKey]any{"jwk": false}, nil),
		"another key":       sign(t, key, c, map[jose.HeaderKey]any{"jwk": jose.JSONWebKey{Key: &newKey(t).PublicKey}}, nil),
		"a private key":     sign(t, key, c, map[jose.HeaderKey]any{"jwk": jose.JSONWebKey{Key: key}}, nil),
		"a symmetric key":   sign(t, key, c, map[jose.HeaderKey]any{"jwk": jose.JSONWebKey{Key: []byte("secret")}}, nil),
		"a small key":       sign(t, key, c, map[jose.HeaderKey]any{"jwk": jose.JSONWebKey{Key: &small.PublicKey}}, nil),
		"crit":              sign(t, key, c, map[jose.HeaderKey]any{"crit": []string{"b64"}, "b64": true}, nil),
		"b64":               sign(t, key, c, map[jose.HeaderKey]any{"b64": true}, nil),
		"an empty crit":     sign(t, key, c, map[jose.HeaderKey]any{"crit": []string{}}, nil),
		"by a small key":    proofOf(t, newTestSigner(t, small, c), "POST", target, "", ""),
		"no jti":            sign(t, key, c, nil, map[string]any{"jti": nil}),
		"an empty jti":      sign(t, key, c, nil, map[string]any{"jti": ""}),
		"a long jti":        sign(t, key, c, nil, map[string]any{"jti": strings.Repeat("x", 1000)}),
		"a jti of a number": sign(t, key, c, nil, map[string]any{"jti": 1}),
		"two methods":       sign(t, key, c, nil, map[string]any{"twice": `{"htm":"GET",`}),
		"no htm":            sign(t, key, c, nil, map[string]any{"htm": nil}),
		"no htu":            sign(t, key, c, nil, map[string]any{"htu": nil}),
		"no iat":            sign(t, key, c, nil, map[string]any{"iat": nil}),
		"a text as iat":     sign(t, key, c, nil, map[string]any{"iat": fmt.Sprint(now)}),
		"a huge iat":        sign(t, key, c, nil, map[string]any{"iat": 1e300}),
		"the largest iat":   sign(t, key, c, nil, map[string]any{"iat": int64(1<<63 - 1)}),
		"alg none":          encode(`{"typ":"dpop+jwt","alg":"none"}`) + "." + parts[1] + ".",
		"alg HS256":         encode(`{"typ":"dpop+jwt","alg":"HS256","jwk":{"kty":"oct","k":"AAAA"}}`) + "." + parts[1] + "." + parts[2],
		"another payload":   parts[0] + "." + encode(`{"jti":"1","htm":"POST","htu":"`+target+`","iat":`+fmt.Sprint(now)+`}`) + "." + parts[2],
		"no signature":      parts[0] + "." + parts[1] + ".",
		"four parts":        valid + ".x",
		"two proofs":        valid + ", " + valid,
		"JSON":              `{"protected":"` + parts[0] + `","payload":"` + parts[1] + `","signature":"` + parts[2] + `"}`,
	}
	v := newTestVerifier(t, c, nil)
	r := expectation{method: "POST", urls: []string{target}}
	large := encode(`{"typ":"dpop+jwt","alg":"RS256","jwk":{"kty":"RSA","e":"AQAB","n":"`+encode(strings.Repeat("x", 2049))+`"}}`) + "." + parts[1] + "." + parts[2]
	for want, proof := range map[string]string{
		"too large":               large,
		"want at least 2048 bits": proofs["by a small key"],
		"want a public key":       proofs["no key"],
		"the signature is wrong":  proofs["another payload"],
		"duplicate":               proofs["two methods"],
	} {
		if _, err := v.verify(proof, r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	for name, proof := range proofs {
		if _, err := v.verify(proof, r); err == nil {
			t.Errorf("%s: accepted", name)
		} else if len(err.Error()) > 600 {
			t.Errorf("%s: the error has %d bytes", name, len(err.Error()))
		}
	}
	if _, err := v.verify(valid, r); err != nil {
		t.Errorf("the valid proof: %v", err)
	}
}

func decode(s string) string {
	b, _ := base64.RawURLEncoding.DecodeString(s)
	return string(b)
}

// fixedProof returns a proof that is the same in every process that fuzzes, and the thumbprint of its key.
func fixedProof(f *testing.F, c *clock) (proof, thumbprint string) {
	key := ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize))
	opts := (&jose.SignerOptions{EmbedJWK: true}).WithType("dpop+jwt")
	signer, err := jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: key}, opts)
	if err != nil {
		f.Fatal(err)
	}
	ath := sha256.Sum256([]byte("token"))
	jws, err := signer.Sign(fmt.Appendf(nil, `{"jti":"1","htm":"POST","htu":%q,"iat":%d,"ath":%q}`, target, c.now.Unix(), base64.RawURLEncoding.EncodeToString(ath[:])))
	if err != nil {
		f.Fatal(err)
	}
	if proof, err = jws.CompactSerialize(); err != nil {
		f.Fatal(err)
	}
	return proof, newTestSigner(f, key, c).thumbprint
}

// No text is accepted but the one proof, and that once.
func FuzzVerify(f *testing.F) {
	c := newClock()
	proof, thumbprint := fixedProof(f, c)
	parts := strings.Split(proof, ".")
	f.Add(proof)
	f.Add(parts[0] + "." + parts[1] + ".")
	f.Add("eyJhbGciOiJub25lIiwidHlwIjoiZHBvcCtqd3QifQ.e30.")
	f.Add("..")
	f.Fuzz(func(t *testing.T, s string) {
		v := newTestVerifier(t, c, &VerifierOptions{MaxProofs: 10})
		r := expectation{method: "POST", urls: []string{target}, token: "token", thumbprint: thumbprint}
		_, err := v.verify(s, r)
		if s == proof && err != nil {
			t.Fatalf("the proof is refused: %v", err)
		}
		if _, again := v.verify(s, r); again == nil {
			t.Fatal("accepted twice")
		}
		if err == nil && decode(strings.Split(s, ".")[1]) != decode(parts[1]) {
			t.Fatalf("forged: %s", s)
		}
	})
}
