package as_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/auth/dpop"
)

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// A prover has a key.
type prover struct {
	dpop.Prover
	key        []byte
	thumbprint string
}

func newProver(t testing.TB) *prover {
	t.Helper()
	p := new(prover)
	var err error
	if p.key, err = p.NewKey(nil); err == nil {
		p.thumbprint, err = p.Prover.Thumbprint(p.key)
	}
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// proof returns a proof for a request.
func (p *prover) proof(t testing.TB, method, url string) (proof string) {
	t.Helper()
	r, err := http.NewRequest(method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Transport(p.key, roundTripper(func(r *http.Request) (*http.Response, error) {
		proof = r.Header.Get("DPoP")
		return httptest.NewRecorder().Result(), nil
	})).RoundTrip(r)
	if err != nil {
		t.Fatal(err)
	}
	return proof
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// proved posts to the token endpoint with proofs.
func (f *fixture) proved(form url.Values, proofs ...string) (int, map[string]any) {
	f.Helper()
	r := f.request(http.MethodPost, "/token", form.Encode())
	for _, p := range proofs {
		r.Header.Add("DPoP", p)
	}
	resp := f.send(r)
	m := map[string]any{}
	if err := json.Unmarshal([]byte(resp.body), &m); err != nil {
		f.Fatal(err)
	}
	return resp.StatusCode, m
}

func (f *fixture) proof(p *prover) string { return p.proof(f, http.MethodPost, f.issuer+"/token") }

// TestProof binds tokens to a key: RFC 9449.
func TestProof(t *testing.T) {
	f := start(t, nil)
	mine, stolen := newProver(t), newProver(t)
	status, m := f.proved(codeForm(f.code(nil), nil), f.proof(mine))
	if status != http.StatusOK || m["token_type"] != "DPoP" {
		t.Fatalf("status %d, %v", status, m)
	}
	token, err := f.server.Verify(t.Context(), m["access_token"].(string))
	if err != nil || token.KeyThumbprint != mine.thumbprint {
		t.Errorf("%v, %v, want the key %s", token, err, mine.thumbprint)
	}
	refresh := m["refresh_token"].(string)
	status, m = f.proved(refreshForm(refresh))
	f.wantError("a refresh without a proof", status, m, 400, "invalid_grant")
	status, m = f.proved(refreshForm(refresh), f.proof(stolen))
	f.wantError("a refresh with another key", status, m, 400, "invalid_grant")
	if status, m = f.proved(refreshForm(refresh), f.proof(mine)); status != http.StatusOK || m["token_type"] != "DPoP" {
		t.Errorf("status %d, %v", status, m)
	}
}

// TestProofOfConfidentialClient binds only the access tokens of a client that authenticates: its refresh tokens are bound to it.
func TestProofOfConfidentialClient(t *testing.T) {
	f := start(t, nil)
	web := map[string]string{"client_id": "web", "redirect_uri": "https://web.example/cb?a=b"}
	form := codeForm(f.code(web), web)
	form.Set("client_secret", "web secret/+")
	status, m := f.proved(form, f.proof(newProver(t)))
	if status != http.StatusOK || m["token_type"] != "DPoP" {
		t.Fatalf("status %d, %v", status, m)
	}
	form = refreshForm(m["refresh_token"].(string))
	form.Set("client_id", "web")
	form.Set("client_secret", "web secret/+")
	if status, m = f.proved(form); status != http.StatusOK || m["token_type"] != "Bearer" {
		t.Errorf("without a proof: status %d, %v", status, m)
	}
}

// TestProofLater binds the tokens of a public client once it proves to have a key.
func TestProofLater(t *testing.T) {
	f := start(t, nil)
	mine := newProver(t)
	access, refresh := f.tokens()
	if payload, err := base64.RawURLEncoding.DecodeString(strings.Split(access, ".")[1]); err != nil || strings.Contains(string(payload), "cnf") {
		t.Errorf("a token that is bound to nothing: %v, %s", err, payload)
	}
	status, m := f.proved(refreshForm(refresh), f.proof(mine))
	if status != http.StatusOK || m["token_type"] != "DPoP" {
		t.Fatalf("status %d, %v", status, m)
	}
	status, m = f.proved(refreshForm(m["refresh_token"].(string)))
	f.wantError("then without a proof", status, m, 400, "invalid_grant")
}

// TestProofOfCode binds a code to the key that the authorization request names.
func TestProofOfCode(t *testing.T) {
	f := start(t, nil)
	mine := newProver(t)
	change := map[string]string{"dpop_jkt": mine.thumbprint}
	status, m := f.proved(codeForm(f.code(change), nil))
	f.wantError("no proof", status, m, 400, "invalid_grant")
	status, m = f.proved(codeForm(f.code(change), nil), f.proof(newProver(t)))
	f.wantError("another key", status, m, 400, "invalid_grant")
	if status, m := f.proved(codeForm(f.code(change), nil), f.proof(mine)); status != http.StatusOK {
		t.Errorf("status %d, %v", status, m)
	}
}

// TestProofErrors refuses proofs that are not valid, before a code is spent.
func TestProofErrors(t *testing.T) {
	f := start(t, nil)
	p := newProver(t)
	proof := func(method, url string) string { return p.proof(t, method, url) }
	used := f.proof(p)
	code := f.code(nil)
	f.proved(codeForm("x.y", nil), used)
	for what, proofs := range map[string][]string{
		"none":             {"x"},
		"two":              {f.proof(p), f.proof(p)},
		"another method":   {proof(http.MethodGet, issuer+"/token")},
		"another endpoint": {proof(http.MethodPost, issuer+"/revoke")},
		"another server":   {proof(http.MethodPost, "https://evil.example/token")},
		"used":             {used},
		"large":            {strings.Repeat("a", 20<<10)},
	} {
		status, m := f.proved(codeForm(code, nil), proofs...)
		f.wantError(what, status, m, 400, "invalid_dpop_proof")
	}
	if status, m := f.proved(codeForm(code, nil), f.proof(p)); status != http.StatusOK {
		t.Errorf("status %d, %v", status, m)
	}
}
