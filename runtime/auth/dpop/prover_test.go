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

// A request is sent again only if a resource server refuses the proof for its nonce. The body of that response is closed.
func TestSentAgain(t *testing.T) {
	for _, test := range []struct {
		status    int
		challenge string
		want      int // how many requests
	}{
		{http.StatusUnauthorized, `DPoP error="use_dpop_nonce"`, 2},
		{http.StatusUnauthorized, `DPoP error="invalid_token"`, 1},
		{http.StatusUnauthorized, `Bearer error="use_dpop_nonce"`, 1},
		{http.StatusOK, `DPoP error="use_dpop_nonce"`, 1},
		{http.StatusOK, "", 1},
	} {
		p := new(Prover)
		key, err := p.NewKey(nil)
		if err != nil {
			t.Fatal(err)
		}
		var bodies []*body
		tr := p.Transport(key, roundTripper(func(*http.Request) (*http.Response, error) {
			bodies = append(bodies, new(body))
			return &http.Response{StatusCode: test.status, Header: http.Header{"Dpop-Nonce": {"n"}, "Www-Authenticate": {test.challenge}}, Body: bodies[len(bodies)-1]}, nil
		}))
		r, err := http.NewRequest("GET", target, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := tr.RoundTrip(r)
		if err != nil || len(bodies) != test.want || resp.Body != bodies[test.want-1] || resp.Body.(*body).closed || test.want == 2 && !bodies[0].closed {
			t.Errorf("%d %s: %v after %d requests", test.status, test.challenge, err, len(bodies))
		}
	}
}

// A body is empty, and says whether it has been closed.
type body struct{ closed bool }

func (b *body) Read([]byte) (int, error) { return 0, io.EOF }
func (b *body) Close() error             { b.closed = true; return nil }

// A request that fails has its error, and its body is closed.
func TestProverFails(t *testing.T) {
	p := new(Prover)
	key, err := p.NewKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	broken, unreadable := errors.New("broken"), errors.New("unreadable")
	send := func(key []byte, url string, answer *http.Response, err error) (*body, error) {
		b := new(body)
		r, invalid := http.NewRequest("POST", url, b)
		if invalid != nil {
			t.Fatal(invalid)
		}
		r.GetBody = func() (io.ReadCloser, error) { return nil, unreadable }
		_, err = p.Transport(key, roundTripper(func(r *http.Request) (*http.Response, error) { return answer, err })).RoundTrip(r)
		return b, err
	}
	refused := &http.Response{StatusCode: http.StatusUnauthorized, Body: http.NoBody, Header: http.Header{
		"Dpop-Nonce": {"n"}, "Www-Authenticate": {`DPoP error="use_dpop_nonce"`},
	}}
	if _, err := send(key, target, nil, broken); err != broken {
		t.Errorf("the transport fails: %v", err)
	}
	if _, err := send(key, target, refused, nil); err != unreadable {
		t.Errorf("the body cannot be read again: %v", err)
	}
	if b, err := send(nil, target, nil, broken); err == nil || err == broken || !b.closed {
		t.Errorf("no key: %v, %v", err, b)
	}
	if b, err := send(key, "/", nil, broken); err == nil || err == broken || !b.closed {
		t.Errorf("no server: %v, %v", err, b)
	}
}

// A proof is about the token of its request, which other credentials are not.
func TestCredentials(t *testing.T) {
	p := new(Prover)
	key, err := p.NewKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	proofs := make(chan string, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { proofs <- r.Header.Get("DPoP") }))
	defer srv.Close()
	for authorization, bound := range map[string]bool{"DPoP token": true, "Basic token": false, "": false} {
		r, err := http.NewRequest("GET", srv.URL, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Authorization", authorization)
		resp, err := p.Transport(key, nil).RoundTrip(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if claims := decode(strings.Split(<-proofs, ".")[1]); strings.Contains(claims, `"ath"`) != bound {
			t.Errorf("%q: %s", authorization, claims)
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
		r, err := http.NewRequest("GET", target, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Transport(key, roundTripper(func(*http.Request) (*http.Response, error) { return nil, errors.New("sent") })).RoundTrip(r); err == nil || err.Error() == "sent" {
			t.Errorf("%q: %v", key, err)
		}
	}
	if _, err := p.NewKey([]string{"RS256"}); err == nil || !strings.Contains(err.Error(), "want ES256") {
		t.Errorf("got %v", err)
	}
}
