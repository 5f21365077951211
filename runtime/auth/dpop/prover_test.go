package dpop

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/x509"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// A request has a proof for its token, and is sent again, with its body, if the server wants its nonce.
func TestProver(t *testing.T) {
	p := new(Prover)
	key, err := p.NewKey([]string{"RS256", "ES256"})
	if err != nil {
		t.Fatal(err)
	}
	thumbprint, err := p.Thumbprint(key)
	if err != nil {
		t.Fatal(err)
	}
	rs, tokens := newSecured(t, &VerifierOptions{Nonces: true})
	token := tokens.token("alice", thumbprint)
	bodies := ""
	tr := p.Transport(key, roundTripper(func(r *http.Request) (*http.Response, error) {
		defer r.Body.Close()
		body, err := io.ReadAll(r.Body)
		bodies += string(body)
		return ask(rs, r), err
	}))
	send := func(body io.Reader) *http.Response {
		t.Helper()
		bodies = ""
		r, err := http.NewRequest("POST", target, body)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", "dpop "+token)
		resp, err := tr.RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		if r.Header.Get("DPoP") != "" {
			t.Error("the request of the caller has a proof")
		}
		return resp
	}
	if resp := send(strings.NewReader("a")); resp.StatusCode != http.StatusOK || bodies != "aa" {
		t.Errorf("status %d, sent %q", resp.StatusCode, bodies)
	}
	if resp := send(strings.NewReader("b")); resp.StatusCode != http.StatusOK || bodies != "b" {
		t.Errorf("status %d, sent %q", resp.StatusCode, bodies)
	}
	clear(p.nonces)
	if resp := send(io.LimitReader(strings.NewReader("c"), 1)); resp.StatusCode != http.StatusUnauthorized || bodies != "c" {
		t.Errorf("a body that cannot be read twice: status %d, sent %q", resp.StatusCode, bodies)
	}
}

// Nonces are those of their servers.
func TestNonceOfAnotherServer(t *testing.T) {
	p := new(Prover)
	key, err := p.NewKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	tr := p.Transport(key, roundTripper(func(r *http.Request) (*http.Response, error) {
		w := httptest.NewRecorder()
		w.Header().Set("DPoP-Nonce", strings.Repeat(r.URL.Host[:1], 1<<10)+r.URL.Path[1:])
		return w.Result(), nil
	}))
	for _, url := range []string{"https://a.example/", "https://b.example/", "https://b.example/toolong"} {
		r, err := http.NewRequest("GET", url, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tr.RoundTrip(r); err != nil {
			t.Fatal(err)
		}
		if got := p.nonce(r.URL); got != strings.Repeat(r.URL.Host[:1], 1<<10) {
			t.Errorf("%s: the nonce is %q", url, got)
		}
	}
}

// A server that never takes the nonce it gives is not asked forever, nor again with a nonce that it has refused.
func TestNonceNeverTaken(t *testing.T) {
	p := new(Prover)
	key, err := p.NewKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	tr := p.Transport(key, roundTripper(func(*http.Request) (*http.Response, error) {
		n++
		w := httptest.NewRecorder()
		w.Header().Set("DPoP-Nonce", strings.Repeat("x", min(n, 2)))
		w.Header().Set("WWW-Authenticate", `DPoP error="use_dpop_nonce"`)
		w.WriteHeader(http.StatusUnauthorized)
		return w.Result(), nil
	}))
	for _, want := range []int{2, 3} {
		r, err := http.NewRequest("GET", target, nil)
		if err != nil {
			t.Fatal(err)
		}
		if resp, err := tr.RoundTrip(r); err != nil || resp.StatusCode != http.StatusUnauthorized || n != want {
			t.Errorf("got %v, %v after %d requests, want %d", resp, err, n, want)
		}
	}
}

// What is no key sends nothing, and is not shown.
func TestNoKey(t *testing.T) {
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	other, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	p := new(Prover)
	for _, key := range [][]byte{nil, []byte("secret"), other} {
		if _, err := p.Thumbprint(key); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: %v", key, err)
		}
		r := httptest.NewRequest("GET", target, nil)
		if _, err := p.Transport(key, roundTripper(func(*http.Request) (*http.Response, error) { return nil, errors.New("sent") })).RoundTrip(r); err == nil || err.Error() == "sent" {
			t.Errorf("%q: %v", key, err)
		}
	}
	if _, err := p.NewKey([]string{"RS256"}); err == nil || !strings.Contains(err.Error(), "want ES256") {
		t.Errorf("got %v", err)
	}
}
