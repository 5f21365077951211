package auth

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"
)

func TestKeysAreFetchedOnce(t *testing.T) {
	s, k := newTestServer(), newTestKey(t, "1")
	s.keys = []jose.JSONWebKey{k.public()}
	v := newTestVerifier(t, s)
	for range 20 {
		if _, err := v.Verify(t.Context(), k.sign(t)); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.count("/jwks"); n != 1 {
		t.Errorf("the keys were fetched %d times", n)
	}
}

// A new key is found when a token has it, without a restart and without another wait than for the fetch.
func TestRotation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, old, young := newTestServer(), newTestKey(t, "1"), newTestKey(t, "2")
		s.keys = []jose.JSONWebKey{old.public()}
		v := newTestVerifier(t, s)
		if _, err := v.Verify(t.Context(), old.sign(t)); err != nil {
			t.Fatal(err)
		}
		s.set(func() { s.keys = []jose.JSONWebKey{young.public(), old.public()} })
		for _, k := range []*testKey{young, old} {
			if _, err := v.Verify(t.Context(), k.sign(t)); err != nil {
				t.Errorf("key %s: %v", k.id, err)
			}
		}
		if n := s.count("/jwks"); n != 2 {
			t.Errorf("the keys were fetched %d times, want 2", n)
		}
	})
}

// An unknown key makes the server ask again, but at most once a minute.
func TestUnknownKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, k := newTestServer(), newTestKey(t, "1")
		s.keys = []jose.JSONWebKey{k.public()}
		v := newTestVerifier(t, s)
		if _, err := v.Verify(t.Context(), k.sign(t)); err != nil {
			t.Fatal(err)
		}
		unknown := newTestKey(t, "2")
		for i := range 300 { // 5 minutes
			_, err := v.Verify(t.Context(), unknown.sign(t, change{"header kid": rand.Text()}))
			wantInvalid(t, err, "unknown key")
			if n, most := s.count("/jwks"), 2+i/60; n > most {
				t.Fatalf("after %d s the keys were fetched %d times, want at most %d", i, n, most)
			}
			time.Sleep(time.Second)
		}
	})
}

// 1,000 requests with one unknown key cause one fetch, and none with a known key waits for it.
func TestOneFetchForMany(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, k, young := newTestServer(), newTestKey(t, "1"), newTestKey(t, "2")
		s.keys = []jose.JSONWebKey{k.public()}
		v := newTestVerifier(t, s)
		if _, err := v.Verify(t.Context(), k.sign(t)); err != nil {
			t.Fatal(err)
		}
		s.set(func() { s.keys, s.gate = append(s.keys, young.public()), make(chan struct{}) })
		token := young.sign(t)
		var accepted atomic.Int32
		var wg sync.WaitGroup
		for range 1000 {
			wg.Go(func() {
				if _, err := v.Verify(t.Context(), token); err == nil {
					accepted.Add(1)
				}
			})
		}
		synctest.Wait()
		if _, err := v.Verify(t.Context(), k.sign(t)); err != nil { // does not return if it waits
			t.Error(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := v.Verify(ctx, token); !errors.Is(err, context.Canceled) {
			t.Errorf("a request that has ended waits on: %v", err)
		}
		close(s.gate)
		wg.Wait()
		if accepted.Load() != 1000 || s.count("/jwks") != 2 {
			t.Errorf("%d of 1000 were accepted after %d fetches, want all after 2", accepted.Load(), s.count("/jwks"))
		}
	})
}

// A key that its issuer has withdrawn is used no more, also for tokens that were verified before.
func TestWithdrawnKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, old, young := newTestServer(), newTestKey(t, "1"), newTestKey(t, "2")
		s.keys = []jose.JSONWebKey{old.public(), young.public()}
		v := newTestVerifier(t, s)
		known, kept := old.sign(t, change{"exp": 4102444800}), young.sign(t, change{"exp": 4102444800})
		verify := func(token string) error {
			_, err := v.Verify(t.Context(), token)
			return err
		}
		if verify(known) != nil || verify(kept) != nil {
			t.Fatal("a valid token is refused")
		}
		s.set(func() { s.keys = s.keys[1:] })
		time.Sleep(16 * time.Minute)
		if err := verify(kept); err != nil { // makes the keys be fetched in the background
			t.Error(err)
		}
		synctest.Wait()
		wantInvalid(t, verify(known), "unknown key")
		wantInvalid(t, verify(old.sign(t)), "unknown key")
		if err := verify(kept); err != nil {
			t.Error(err)
		}
		// It may come back.
		s.set(func() { s.keys = append(s.keys, old.public()) })
		time.Sleep(16 * time.Minute)
		if err := verify(kept); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if err := verify(known); err != nil {
			t.Error(err)
		}
	})
}

// A key with the id of another takes its place.
func TestReplacedKey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, stale, current := newTestServer(), newTestKey(t, "1"), newTestKey(t, "1")
		s.keys = []jose.JSONWebKey{stale.public()}
		v := newTestVerifier(t, s)
		token := stale.sign(t, change{"exp": 4102444800})
		if _, err := v.Verify(t.Context(), token); err != nil {
			t.Fatal(err)
		}
		s.set(func() { s.keys = []jose.JSONWebKey{current.public()} })
		time.Sleep(2 * time.Hour) // too old to be used before they are fetched again
		_, err := v.Verify(t.Context(), token)
		wantInvalid(t, err, "signature")
		if _, err := v.Verify(t.Context(), current.sign(t)); err != nil {
			t.Error(err)
		}
	})
}

// While the keys cannot be fetched, those that are known are used for an hour. Then no token is accepted or called
// invalid.
func TestKeysThatCannotBeFetched(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, k := newTestServer(), newTestKey(t, "1")
		s.keys = []jose.JSONWebKey{k.public()}
		v := newTestVerifier(t, s)
		token := k.sign(t, change{"exp": 4102444800})
		s.set(func() { s.down = true })
		for range 10 {
			if _, err := v.Verify(t.Context(), token); err == nil || isInvalid(err) {
				t.Errorf("got %v, want an error that is not about the token", err)
			}
		}
		if n := s.count("/.well-known/oauth-authorization-server"); n != 1 {
			t.Errorf("asked %d times at once, want 1", n)
		}
		s.set(func() { s.down = false })
		time.Sleep(5 * time.Second)
		verify := func() error {
			_, err := v.Verify(t.Context(), token)
			synctest.Wait()
			return err
		}
		if err := verify(); err != nil {
			t.Fatal(err)
		}
		s.set(func() { s.down = true })
		for range 2 { // a new key may be there
			if _, err := v.Verify(t.Context(), newTestKey(t, "2").sign(t)); err == nil || isInvalid(err) {
				t.Errorf("an unknown key: got %v, want an error that is not about the token", err)
			}
		}
		for range 59 {
			time.Sleep(time.Minute)
			if err := verify(); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Minute)
		if err := verify(); err == nil || isInvalid(err) {
			t.Errorf("got %v, want an error that is not about the token", err)
		}
		s.set(func() { s.down = false })
		time.Sleep(5 * time.Second)
		if err := verify(); err != nil {
			t.Error(err)
		}
	})
}

// What is no key of signatures is ignored, and does not take the others with it.
func TestKeySetWithOthers(t *testing.T) {
	small, err := rsa.GenerateKey(rand.Reader, 1024)
	if err != nil {
		t.Fatal(err)
	}
	p224, _ := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	for name, raw := range map[string]string{
		"unknown type": `{"kty":"XYZ","kid":"1"}`, "unknown curve": `{"kty":"EC","crv":"secp256k1","x":"AA","y":"AA","kid":"1"}`, "no object": `7`,
		"symmetric": `{"kty":"oct","k":"AAAA","kid":"1"}`, "no type": `{}`, "not on the curve": `{"kty":"EC","crv":"P-256","x":"AQ","y":"AQ","kid":"1"}`,
	} {
		if _, err := parseKey([]byte(raw)); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	for name, k := range map[string]jose.JSONWebKey{
		"private": {Key: p224, KeyID: "1"}, "small": {Key: &small.PublicKey, KeyID: "1"}, "encryption": {Key: &p224.PublicKey, KeyID: "1", Use: "enc"},
	} {
		raw, err := k.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parseKey(raw); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
	s, k := newTestServer(), newTestKey(t, "k")
	for range 200 {
		s.keys = append(s.keys, newTestKey(t, "many").public())
	}
	s.keys = append(s.keys, k.public())
	v := newTestVerifier(t, s)
	_, err = v.Verify(t.Context(), k.sign(t))
	wantInvalid(t, err, "unknown key")
	if n := len(v.sets[testIssuer].list.Load().keys); n != 100 {
		t.Errorf("%d keys are kept, want 100", n)
	}
}

// The metadata of an issuer names no other issuer, and leads to no place that only this machine can reach.
func TestMetadataOfAttackers(t *testing.T) {
	reached := atomic.Bool{}
	local := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Store(true) }))
	defer local.Close()
	for name, test := range map[string]struct {
		change map[string]any
		want   string
	}{
		"another issuer":         {map[string]any{"issuer": "https://evil.example"}, "want the issuer"},
		"an issuer with a slash": {map[string]any{"issuer": testIssuer + "/"}, "want the issuer"},
		"no keys":                {map[string]any{"jwks_uri": ""}, "no jwks_uri"},
		"keys by http":           {map[string]any{"jwks_uri": "http://as.example/jwks"}, "want the scheme https"},
		"keys here":              {map[string]any{"jwks_uri": local.URL}, "must not lead to this machine"},
		"keys in a file":         {map[string]any{"jwks_uri": "file:///etc/passwd"}, "want"},
		"keys with a password":   {map[string]any{"jwks_uri": "https://a:b@as.example/jwks"}, "user information"},
	} {
		t.Run(name, func(t *testing.T) {
			s, k := newTestServer(), newTestKey(t, "1")
			s.keys = []jose.JSONWebKey{k.public()}
			s.change = func(m map[string]any) {
				for name, v := range test.change {
					m[name] = v
				}
			}
			_, err := newTestVerifier(t, s).Verify(t.Context(), k.sign(t))
			if err == nil || isInvalid(err) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want an error with %q", err, test.want)
			}
		})
	}
	// With the default transport, a name that leads to a private address is not reached either.
	v, err := NewJWTVerifier(&JWTOptions{Issuers: []string{"https://10.0.0.1"}, Audiences: []string{testResource}})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := v.Verify(t.Context(), newTestKey(t, "1").sign(t, change{"iss": "https://10.0.0.1"})); err == nil || !strings.Contains(err.Error(), "must not be reached") {
		t.Errorf("a private address: %v", err)
	}
	if reached.Load() {
		t.Error("this machine was reached")
	}
}

// An issuer on this machine may have its keys there.
func TestIssuerOnThisMachine(t *testing.T) {
	k := newTestKey(t, "1")
	mux := http.NewServeMux()
	server := httptest.NewServer(mux)
	defer server.Close()
	mux.HandleFunc("/.well-known/openid-configuration", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Write([]byte(`{"issuer":"` + server.URL + `","jwks_uri":"` + server.URL + `/keys"}`))
	})
	mux.HandleFunc("/keys", func(w http.ResponseWriter, r *http.Request) {
		raw, _ := k.public().MarshalJSON()
		w.Header().Set("Content-Type", "application/jwk-set+json")
		w.Write([]byte(`{"keys":[` + string(raw) + `]}`))
	})
	v, err := NewJWTVerifier(&JWTOptions{Issuers: []string{server.URL}, Audiences: []string{testResource}})
	if err != nil {
		t.Fatal(err)
	}
	token := k.sign(t, change{"iss": server.URL})
	if _, err := v.Verify(t.Context(), token); err != nil {
		t.Error(err)
	}
	// That is how a resource server verifies by default.
	for resource, status := range map[string]int{testResource: http.StatusOK, testResource + "2": http.StatusUnauthorized} {
		rs, err := NewResourceServer(&Options{Resource: resource, AuthorizationServers: []string{server.URL}})
		if err != nil {
			t.Fatal(err)
		}
		if resp := ask(rs, post("Bearer "+token)); resp.StatusCode != status {
			t.Errorf("%s: status %d, want %d", resource, resp.StatusCode, status)
		}
	}
}
