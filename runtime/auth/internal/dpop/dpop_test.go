package dpop_test

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

	"github.com/mcpgen/mcpgen/runtime/auth/internal/dpop"
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

func newProver(t testing.TB, key crypto.Signer, c *clock) *dpop.Prover {
	t.Helper()
	p, err := dpop.NewProver(key, c.Now)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func newVerifier(t testing.TB, opts dpop.Options) *dpop.Verifier {
	t.Helper()
	v, err := dpop.NewVerifier(opts)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func proofOf(t testing.TB, p *dpop.Prover, method, url, nonce, token string) string {
	t.Helper()
	proof, err := p.Proof(method, url, nonce, token)
	if err != nil {
		t.Fatal(err)
	}
	return proof
}

func TestProofOfEachKey(t *testing.T) {
	signer := func(key crypto.Signer, err error) crypto.Signer {
		if err != nil {
			t.Fatal(err)
		}
		return key
	}
	_, ed, _ := ed25519.GenerateKey(rand.Reader)
	c := newClock()
	for alg, key := range map[string]crypto.Signer{
		"ES256": newKey(t),
		"ES384": signer(ecdsa.GenerateKey(elliptic.P384(), rand.Reader)),
		"ES512": signer(ecdsa.GenerateKey(elliptic.P521(), rand.Reader)),
		"RS256": signer(rsa.GenerateKey(rand.Reader, 2048)),
		"EdDSA": ed,
	} {
		p := newProver(t, key, c)
		r := dpop.Request{Method: "POST", URLs: []string{target}, Token: "token", Thumbprint: p.Thumbprint()}
		proof := proofOf(t, p, "POST", target+"?a=b#c", "", "token")
		got, err := newVerifier(t, dpop.Options{Now: c.Now, Algorithms: []string{alg}}).Verify(proof, r)
		if err != nil || got != p.Thumbprint() {
			t.Errorf("%s: got %q and %v, want %q", alg, got, err, p.Thumbprint())
		}
		other := map[bool]string{true: "ES256", false: "ES384"}[alg != "ES256"]
		if _, err := newVerifier(t, dpop.Options{Now: c.Now, Algorithms: []string{other}}).Verify(proof, r); err == nil {
			t.Errorf("%s is accepted where only %s is allowed", alg, other)
		}
	}
	if _, err := dpop.NewProver(signer(ecdsa.GenerateKey(elliptic.P224(), rand.Reader)), nil); err == nil {
		t.Error("a key of P-224 is accepted")
	}
	for _, alg := range []string{"none", "HS256", "ES256K", ""} {
		if _, err := dpop.NewVerifier(dpop.Options{Algorithms: []string{alg}}); err == nil {
			t.Errorf("the algorithm %q is accepted", alg)
		}
	}
}

func TestProofOfAnotherRequest(t *testing.T) {
	c := newClock()
	p := newProver(t, newKey(t), c)
	good := dpop.Request{Method: "POST", URLs: []string{target}, Token: "token", Thumbprint: p.Thumbprint()}
	for name, test := range map[string]struct {
		proof  string
		change func(*dpop.Request)
		want   string
	}{
		"method":               {"", func(r *dpop.Request) { r.Method = "GET" }, "htm"},
		"method in lower case": {"", func(r *dpop.Request) { r.Method = "post" }, "htm"},
		"path":                 {"", func(r *dpop.Request) { r.URLs = []string{target + "2"} }, "htu"},
		"host":                 {"", func(r *dpop.Request) { r.URLs = []string{"https://evil.example/mcp"} }, "htu"},
		"scheme":               {"", func(r *dpop.Request) { r.URLs = []string{"http://mcp.example.com/mcp"} }, "htu"},
		"no URL":               {"", func(r *dpop.Request) { r.URLs = nil }, "htu"},
		"token":                {"", func(r *dpop.Request) { r.Token = "other" }, "ath"},
		"without a token":      {proofOf(t, p, "POST", target, "", ""), func(r *dpop.Request) {}, "ath"},
		"key":                  {"", func(r *dpop.Request) { r.Thumbprint = newProver(t, newKey(t), c).Thumbprint() }, "not bound"},
		"empty":                {"x", func(r *dpop.Request) {}, "compact"},
		"too long":             {strings.Repeat("x", 9000), func(r *dpop.Request) {}, "at most 8192 bytes"},
	} {
		t.Run(name, func(t *testing.T) {
			r, proof := good, test.proof
			test.change(&r)
			if proof == "" {
				proof = proofOf(t, p, "POST", target, "", "token")
			}
			v := newVerifier(t, dpop.Options{Now: c.Now})
			if _, err := v.Verify(proof, r); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("want an error with %q, got %v", test.want, err)
			}
		})
	}
}

func TestEqualURLs(t *testing.T) {
	c := newClock()
	p := newProver(t, newKey(t), c)
	v := newVerifier(t, dpop.Options{Now: c.Now})
	for _, test := range []struct{ proof, request string }{
		{"https://mcp.example.com/mcp?x=1", target},
		{"HTTPS://MCP.example.com:443/mcp", target},
		{target, "https://MCP.example.com:443/mcp#x"},
		{"https://mcp.example.com", "https://mcp.example.com/"},
		{"https://mcp.example.com/%6dcp/%2f", "https://mcp.example.com/mcp/%2F"},
		{"https://mcp.example.com/%41%5A%61%7A%30%39%2D%2E%5F%7E%40%5B%60%7B%2F%3A", "https://mcp.example.com/AZaz09-._~%40%5b%60%7b%2f%3a"},
		{"http://localhost:80/", "http://localhost"},
	} {
		if _, err := v.Verify(proofOf(t, p, "GET", test.proof, "", ""), dpop.Request{Method: "GET", URLs: []string{"https://x.example", test.request}}); err != nil {
			t.Errorf("%s and %s: %v", test.proof, test.request, err)
		}
	}
	for _, url := range []string{"", "/mcp", "https://a@mcp.example.com/", "mailto:a"} {
		if _, err := p.Proof("GET", url, "", ""); err == nil {
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
		if _, err := v.Verify(proofOf(t, p, "GET", test.proof, "", ""), dpop.Request{Method: "GET", URLs: []string{test.request}}); err == nil {
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
		proof := proofOf(t, newProver(t, newKey(t), c), "POST", target, "", "")
		c.advance(test.later)
		_, err := newVerifier(t, dpop.Options{Now: c.Now}).Verify(proof, dpop.Request{Method: "POST", URLs: []string{target}})
		if (err == nil) != test.ok {
			t.Errorf("%s after it was made: %v", test.later, err)
		}
	}
}

func TestReplay(t *testing.T) {
	c := newClock()
	p := newProver(t, newKey(t), c)
	v := newVerifier(t, dpop.Options{Now: c.Now})
	r := dpop.Request{Method: "POST", URLs: []string{target}}
	c.advance(4 * time.Minute)
	ahead := proofOf(t, p, "POST", target, "", "") // made by a clock that is ahead
	c.advance(-4 * time.Minute)
	if _, err := v.Verify(ahead, r); err != nil {
		t.Fatal(err)
	}
	for range 9*60 + 1 { // to the last second in which it would be accepted
		if _, err := v.Verify(ahead, r); err == nil || !strings.Contains(err.Error(), "used before") {
			t.Fatalf("accepted again: %v", err)
		}
		c.advance(time.Second)
	}
	if _, err := v.Verify(proofOf(t, p, "POST", target, "", ""), r); err != nil {
		t.Errorf("another proof: %v", err)
	}
}

func TestReplayAtTheSameTime(t *testing.T) {
	c := newClock()
	proof := proofOf(t, newProver(t, newKey(t), c), "POST", target, "", "")
	v := newVerifier(t, dpop.Options{Now: c.Now})
	var accepted atomic.Int32
	var wg sync.WaitGroup
	for range 50 {
		wg.Go(func() {
			if _, err := v.Verify(proof, dpop.Request{Method: "POST", URLs: []string{target}}); err == nil {
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
	mallory, alice := newProver(t, newKey(t), c), newProver(t, newKey(t), c)
	v := newVerifier(t, dpop.Options{Now: c.Now, MaxReplay: 12})
	verify := func(p *dpop.Prover, owner string, want error) {
		t.Helper()
		r := dpop.Request{Method: "POST", URLs: []string{target}}
		if owner != "" {
			r.Owner = share.Of(owner, "", nil)
		}
		if _, err := v.Verify(proofOf(t, p, "POST", target, "", ""), r); !errors.Is(err, want) {
			t.Errorf("got %v, want %v", err, want)
		}
	}
	for range 3 {
		verify(mallory, "", nil)
		verify(mallory, "bob", nil)
	}
	verify(mallory, "", dpop.ErrBusy)
	verify(mallory, "bob", dpop.ErrBusy)
	verify(alice, "bob", dpop.ErrBusy)
	verify(alice, "", nil)
	c.advance(6 * time.Minute)
	for range 3 {
		verify(mallory, "", nil)
	}
	c.advance(time.Minute)
	verify(mallory, "", dpop.ErrBusy)
	verify(alice, "", nil)
}

// Without a clock it is that of the machine.
func TestClock(t *testing.T) {
	p, err := dpop.NewProver(newKey(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	v := newVerifier(t, dpop.Options{})
	if _, err := v.Verify(proofOf(t, p, "POST", target, "", ""), dpop.Request{Method: "POST", URLs: []string{target}}); err != nil {
		t.Error(err)
	}
}

func TestNonce(t *testing.T) {
	c := newClock()
	p := newProver(t, newKey(t), c)
	nonces := dpop.NewNonces(nil)
	v := newVerifier(t, dpop.Options{Now: c.Now, Nonces: nonces})
	verify := func(nonce string) error {
		_, err := v.Verify(proofOf(t, p, "POST", target, nonce, ""), dpop.Request{Method: "POST", URLs: []string{target}})
		return err
	}
	nonce := nonces.Current(c.now)
	for _, wrong := range []string{"", "x", dpop.NewNonces(nil).Current(c.now), nonce[1:]} {
		if err := verify(wrong); !errors.Is(err, dpop.ErrNonce) {
			t.Errorf("nonce %q: got %v, want %v", wrong, err, dpop.ErrNonce)
		}
	}
	if err := verify(nonce); err != nil {
		t.Error(err)
	}
	c.advance(5 * time.Minute)
	if err := verify(nonce); err != nil {
		t.Errorf("the last nonce: %v", err)
	}
	if nonces.Current(c.now) == nonce {
		t.Error("the nonce does not change")
	}
	c.advance(5 * time.Minute)
	if err := verify(nonce); !errors.Is(err, dpop.ErrNonce) {
		t.Errorf("an old nonce: got %v, want %v", err, dpop.ErrNonce)
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
	valid := sign(t, key, c, nil, map[string]any{"iat": float64(c.now.Unix()) + 0.5})
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
		"by a small key":    proofOf(t, newProver(t, small, c), "POST", target, "", ""),
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
	v := newVerifier(t, dpop.Options{Now: c.Now})
	r := dpop.Request{Method: "POST", URLs: []string{target}}
	large := encode(`{"typ":"dpop+jwt","alg":"RS256","jwk":{"kty":"RSA","e":"AQAB","n":"`+encode(strings.Repeat("x", 2049))+`"}}`) + "." + parts[1] + "." + parts[2]
	for want, proof := range map[string]string{"too large": large, "want at least 2048 bits": proofs["by a small key"]} {
		if _, err := v.Verify(proof, r); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("an RSA key of another size: %v", err)
		}
	}
	for name, proof := range proofs {
		if _, err := v.Verify(proof, r); err == nil {
			t.Errorf("%s: accepted", name)
		} else if len(err.Error()) > 600 {
			t.Errorf("%s: the error has %d bytes", name, len(err.Error()))
		}
	}
	if _, err := v.Verify(valid, r); err != nil {
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
	return proof, newProver(f, key, c).Thumbprint()
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
		v := newVerifier(t, dpop.Options{Now: c.Now, MaxReplay: 10})
		r := dpop.Request{Method: "POST", URLs: []string{target}, Token: "token", Thumbprint: thumbprint}
		_, err := v.Verify(s, r)
		if s == proof && err != nil {
			t.Fatalf("the proof is refused: %v", err)
		}
		if _, again := v.Verify(s, r); again == nil {
			t.Fatal("accepted twice")
		}
		if err == nil && decode(strings.Split(s, ".")[1]) != decode(parts[1]) {
			t.Fatalf("forged: %s", s)
		}
	})
}
