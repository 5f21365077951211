package as_test

import (
	"net/http"
	"net/url"
	"testing"
)

// TestRevoke revokes access tokens alone, and refresh tokens with all of their grant.
func TestRevoke(t *testing.T) {
	f := start(t, nil)
	access, refresh := f.tokens()
	_, m := f.post("/token", "", refreshForm(refresh))
	second, next := m["access_token"].(string), m["refresh_token"].(string)

	revoke := func(client, id, token string, want int) {
		t.Helper()
		form := url.Values{"token": {token}, "token_type_hint": {"whatever"}}
		if id != "" {
			form.Set("client_id", id)
		}
		if status, m := f.post("/revoke", client, form); status != want {
			t.Errorf("status %d, %v, want %d", status, m, want)
		}
	}
	revoke("web:web secret/+", "", access, http.StatusBadRequest)
	revoke("web:web secret/+", "", next, http.StatusBadRequest)
	revoke("", "web", access, http.StatusUnauthorized)
	if !f.valid(access) {
		t.Fatal("another client has revoked the token")
	}
	revoke("", "app", access, http.StatusOK)
	revoke("", "app", access, http.StatusOK)
	if f.valid(access) || !f.valid(second) {
		t.Errorf("the first token is valid: %t, the second: %t", f.valid(access), f.valid(second))
	}
	revoke("", "app", "unknown", http.StatusOK)
	revoke("", "app", "a.b.c", http.StatusOK)
	revoke("", "app", next, http.StatusOK)
	if f.valid(second) {
		t.Error("the token of a grant that was revoked is valid")
	}
	status, m := f.post("/token", "", refreshForm(next))
	f.wantError("the refresh token", status, m, 400, "invalid_grant")
	status, m = f.post("/revoke", "", url.Values{"client_id": {"app"}})
	f.wantError("no token", status, m, 400, "invalid_request")
}

// TestRevokeSpent revokes a grant by a refresh token that was used: whoever has it wants it to end.
func TestRevokeSpent(t *testing.T) {
	f := start(t, nil)
	_, refresh := f.tokens()
	_, m := f.post("/token", "", refreshForm(refresh))
	if status, m := f.post("/revoke", "", url.Values{"token": {refresh}, "client_id": {"app"}}); status != http.StatusOK {
		t.Errorf("status %d, %v", status, m)
	}
	if f.valid(m["access_token"].(string)) {
		t.Error("the grant is not revoked")
	}
}

// TestIntrospect tells resource servers alone about access tokens alone.
func TestIntrospect(t *testing.T) {
	f := start(t, nil)
	access, refresh := f.tokens()
	status, m := f.post("/introspect", "rs:rs secret", url.Values{"token": {access}})
	if status != http.StatusOK || m["active"] != true || m["sub"] != "user-ada" || m["client_id"] != "app" || m["aud"] != resource ||
		m["iss"] != issuer || m["scope"] != "notes:read notes:write" || m["token_type"] != "Bearer" || m["exp"].(float64)-m["iat"].(float64) != 600 {
		t.Errorf("status %d, %v", status, m)
	}
	for _, token := range []string{refresh, "x", "a.b.c", access + "x", access[1:]} {
		if status, m := f.post("/introspect", "rs:rs secret", url.Values{"token": {token}}); status != http.StatusOK || m["active"] != false || len(m) != 1 {
			t.Errorf("%s: status %d, %v", token, status, m)
		}
	}
	status, m = f.post("/introspect", "rs:wrong", url.Values{"token": {access}})
	f.wantError("a wrong secret", status, m, 401, "invalid_client")
	status, m = f.post("/introspect", "machine:machine secret", url.Values{"token": {access}})
	f.wantError("another client", status, m, 403, "unauthorized_client")
	status, m = f.post("/introspect", "", url.Values{"token": {access}, "client_id": {"app"}})
	f.wantError("a public client", status, m, 403, "unauthorized_client")
}
