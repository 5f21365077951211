package as_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// TestRevoke revokes all that a user has granted a client, by its access token or its refresh token.
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
	id, _, _ := strings.Cut(next, ".")
	revoke("", "app", id+".guess", http.StatusOK)
	revoke("", "app", "unknown", http.StatusOK)
	revoke("", "app", "a.b.c", http.StatusOK)
	if !f.valid(second) {
		t.Error("the token is not valid")
	}
	for _, byRefresh := range []bool{false, true} {
		token := access
		if byRefresh {
			token = next
		}
		revoke("", "app", token, http.StatusOK)
		revoke("", "app", token, http.StatusOK)
		if f.valid(access) || f.valid(second) {
			t.Errorf("the first token is valid: %t, the second: %t", f.valid(access), f.valid(second))
		}
		status, m := f.post("/token", "", refreshForm(next))
		f.wantError("the refresh token", status, m, 400, "invalid_grant")
		access, next = f.tokens()
		second = access
	}
	_, m = f.post("/token", "machine:machine secret", url.Values{"grant_type": {"client_credentials"}})
	status, m := f.post("/revoke", "machine:machine secret", url.Values{"token": {m["access_token"].(string)}})
	f.wantError("a token without a grant", status, m, 400, "unsupported_token_type")
	status, m = f.post("/revoke", "", url.Values{"client_id": {"app"}})
	f.wantError("no token", status, m, 400, "invalid_request")
	r := f.request(http.MethodPost, "/revoke", "client_id=app&token=x")
	r.Header.Set("Content-Type", "text/plain")
	if resp := f.send(r); resp.StatusCode != http.StatusBadRequest {
		t.Errorf("no form: status %d", resp.StatusCode)
	}
	if !strings.Contains(f.log.String(), "a grant was revoked") {
		t.Errorf("the log is %s", f.log)
	}
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
