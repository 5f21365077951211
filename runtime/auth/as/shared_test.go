package as_test

import (
	"net/http"
	"net/url"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/cluster/store"
	"github.com/mcpgen/mcpgen/runtime/auth/as"
)

// TestSharedStore has each step at another of two servers with one store: they are one authorization server.
func TestSharedStore(t *testing.T) {
	records := new(store.Memory)
	change := func(o *as.Options) { o.Store, o.Secret = records, make([]byte, 32) }
	a, b := start(t, change), start(t, change)
	registered := a.register(`{"redirect_uris":["` + redirect + `"],"token_endpoint_auth_method":"none","grant_types":["authorization_code","refresh_token"]}`)
	id, _ := registered["client_id"].(string)
	client := map[string]string{"client_id": id}

	user := b.browser()
	page := user.consentPage(client)
	user.fixture = a
	back := user.submit(page, url.Values{"decision": {"allow"}}).location(t)
	user.fixture = b
	if again := user.submit(page, url.Values{"decision": {"allow"}}); again.StatusCode != http.StatusConflict {
		t.Errorf("consent is given again: status %d", again.StatusCode)
	}
	code := codeForm(back.Query().Get("code"), client)
	status, tokens := b.post("/token", "", code)
	if status != http.StatusOK {
		t.Fatalf("status %d, %v", status, tokens)
	}
	access, _ := tokens["access_token"].(string)
	if !a.valid(access) || !b.valid(access) {
		t.Error("the access token is not valid at both")
	}
	refresh, _ := tokens["refresh_token"].(string)
	renew := refreshForm(refresh)
	renew.Set("client_id", id)
	if status, tokens = a.post("/token", "", renew); status != http.StatusOK {
		t.Fatalf("status %d, %v", status, tokens)
	}
	if status, tokens = b.post("/token", "", renew); status != http.StatusBadRequest {
		t.Errorf("a refresh token is used again: status %d, %v", status, tokens)
	}
	if a.valid(access) || b.valid(access) {
		t.Error("after that the access token is still valid")
	}
}

// TestSharedKeys rotates the keys at one of two servers with one store: the other one takes the new key at once, and does
// not take the old one for long.
func TestSharedKeys(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		records := new(store.Memory)
		change := func(o *as.Options) { o.Store, o.Secret = records, make([]byte, 32) }
		a, b := start(t, change), start(t, change)
		old, _ := a.tokens()
		if !b.valid(old) {
			t.Fatal("the token is not valid at the other server")
		}
		time.Sleep(time.Second)
		if err := a.server.RotateKeys(t.Context()); err != nil {
			t.Fatal(err)
		}
		if access, _ := a.tokens(); !b.valid(access) {
			t.Error("a token with the new key is not valid at the other server")
		}
		time.Sleep(time.Minute)
		if a.valid(old) || b.valid(old) {
			t.Error("a token with the old key is still valid")
		}
	})
}
