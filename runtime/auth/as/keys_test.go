package as_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
	"github.com/mcpgen/mcpgen/cluster/store"
	"github.com/mcpgen/mcpgen/runtime/auth/as"
)

func (f *fixture) keys() *jose.JSONWebKeySet {
	f.Helper()
	resp := f.send(f.request(http.MethodGet, "/jwks", ""))
	set := &jose.JSONWebKeySet{}
	if err := json.Unmarshal([]byte(resp.body), set); err != nil {
		f.Fatal(err)
	}
	for _, k := range set.Keys {
		if !k.IsPublic() || k.Use != "sig" || k.Algorithm != "ES256" {
			f.Errorf("a key is %v", k)
		}
	}
	return set
}

// verifies returns the id of the published key that has signed a token, and its claims.
func (f *fixture) verifies(token string, keys *jose.JSONWebKeySet) (id string, claims map[string]any) {
	f.Helper()
	signed, err := jwt.ParseSigned(token, []jose.SignatureAlgorithm{jose.ES256})
	if err != nil {
		f.Fatal(err)
	}
	if err := signed.Claims(keys, &claims); err != nil {
		f.Errorf("no published key has signed the token: %v", err)
	}
	if typ := signed.Headers[0].ExtraHeaders["typ"]; typ != "at+jwt" {
		f.Errorf("typ is %v, want at+jwt", typ)
	}
	return signed.Headers[0].KeyID, claims
}

// TestAccessToken is a JWT as RFC 9068 has it.
func TestAccessToken(t *testing.T) {
	f := start(t, nil)
	access, _ := f.tokens()
	_, claims := f.verifies(access, f.keys())
	for name, want := range map[string]any{"iss": issuer, "sub": "user-ada", "aud": resource, "client_id": "app", "scope": "notes:read notes:write"} {
		if claims[name] != want {
			t.Errorf("%s is %v, want %v", name, claims[name], want)
		}
	}
	for _, name := range []string{"exp", "iat", "jti", "auth_time"} {
		if claims[name] == nil {
			t.Errorf("there is no %s", name)
		}
	}
}

// TestKeyRotation publishes each key before it signs, and as long as there are tokens that it signed.
func TestKeyRotation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t, func(o *as.Options) { o.KeyLifetime = 24 * time.Hour })
		seen := map[string]bool{}
		f.token()
		time.Sleep(27 * time.Minute) // so that a token makes the next key due, rather than who asks for the keys
		for range 2 * 80 {           // 80 hours
			known := f.keys() // a verifier may keep them for so long
			time.Sleep(5 * time.Minute)
			access := f.token()
			id, _ := f.verifies(access, known)
			seen[id] = true
			time.Sleep(9 * time.Minute)
			f.verifies(access, f.keys())
			if !f.valid(access) {
				t.Error("a token is not valid any more")
			}
			if t.Failed() {
				return
			}
			time.Sleep(16 * time.Minute)
		}
		if n := len(f.keys().Keys); len(seen) != 4 || n != 1 {
			t.Errorf("%d keys have signed in 80 hours, want 4, and %d are published, want 1", len(seen), n)
		}
	})
}

// TestKeyOverlap lets the next key sign an hour after it was published, and withdraws the last one when its tokens
// have ended.
func TestKeyOverlap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t, func(o *as.Options) { o.KeyLifetime = 24 * time.Hour })
		id := func() string {
			t.Helper()
			id, _ := f.verifies(f.token(), f.keys())
			return id
		}
		first := id()
		time.Sleep(24*time.Hour - time.Second)
		if n := len(f.keys().Keys); id() != first || n != 1 {
			t.Errorf("before a day, %d keys are published", n)
		}
		time.Sleep(time.Minute)
		start := time.Now()
		if id() != first || len(f.keys().Keys) != 2 {
			t.Errorf("after a day, %d keys are published, and the new one signs: %t", len(f.keys().Keys), id() != first)
		}
		time.Sleep(time.Until(start.Add(time.Hour - time.Second)))
		if id() != first {
			t.Error("the new key signs before an hour")
		}
		time.Sleep(time.Second)
		last := f.token()
		if second := id(); second == first {
			t.Error("the old key signs after an hour")
		}
		time.Sleep(10*time.Minute - time.Second)
		if f.verifies(last, f.keys()); !f.valid(last) || len(f.keys().Keys) != 2 {
			t.Error("the old key is withdrawn too early")
		}
		time.Sleep(11 * time.Minute)
		if n := len(f.keys().Keys); n != 1 || id() == first {
			t.Errorf("%d keys are published", n)
		}
	})
}

// TestShortKeys publishes keys that sign for a short time for a quarter of that before they sign.
func TestShortKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t, func(o *as.Options) { o.KeyLifetime = 2 * time.Hour })
		signs := func() string {
			id, _ := f.verifies(f.token(), f.keys())
			return id
		}
		first := signs()
		time.Sleep(2 * time.Hour)
		f.keys()
		time.Sleep(30*time.Minute - time.Second)
		if signs() != first {
			t.Error("the new key signs too early")
		}
		time.Sleep(time.Second)
		if signs() == first {
			t.Error("the new key does not sign after half an hour")
		}
	})
}

// TestRotateKeys ends all tokens at once.
func TestRotateKeys(t *testing.T) {
	f := start(t, nil)
	access := f.token()
	old, _ := f.verifies(access, f.keys())
	if err := f.server.RotateKeys(t.Context()); err != nil {
		t.Fatal(err)
	}
	if f.valid(access) {
		t.Error("the token is still valid")
	}
	if id, _ := f.verifies(f.token(), f.keys()); id == old || len(f.keys().Keys) != 1 {
		t.Errorf("the old key still signs, or is published: %v", f.keys())
	}
}

// TestRestart keeps tokens where the secret is the same, and begins anew where it is not.
func TestRestart(t *testing.T) {
	records := new(store.Memory)
	secret := bytes.Repeat([]byte{7}, 32)
	server := func(secret []byte) *fixture {
		return start(t, func(o *as.Options) { o.Store, o.Secret = records, secret })
	}
	access := server(secret).token()
	if !server(secret).valid(access) {
		t.Error("the token is not valid after a restart")
	}
	if f := server(nil); f.valid(access) || !f.valid(f.token()) {
		t.Error("with another secret, the old token is valid, or a new one is not")
	}
	if server(nil).valid(server(nil).token()) {
		t.Error("two servers without a secret have the same one")
	}
}

// token returns an access token of a machine.
func (f *fixture) token() string {
	f.Helper()
	_, m := f.post("/token", "machine:machine secret", map[string][]string{"grant_type": {"client_credentials"}})
	access, _ := m["access_token"].(string)
	return access
}
