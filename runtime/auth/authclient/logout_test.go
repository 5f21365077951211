package authclient

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// REQ AUTH-09
func TestLogout(t *testing.T) {
	for _, tt := range []struct {
		name              string
		revokes           bool
		status            int
		noRefresh, newOne bool // by another Transport with the same store
		token, err        string
	}{
		{"refresh token", true, 200, false, false, "secretrefresh2", ""},
		{"access token", true, 200, true, false, "secretaccess2.https...as.example", ""},
		{"another process", true, 200, false, true, "secretrefresh2", ""},
		{"no endpoint", false, 0, false, false, "", ""},
		{"refused", true, 400, false, false, "secretrefresh2", `not revoked: authclient: the authorization server https://as.example responds with status 400 error "unsupported_token_type"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, _, as := newWorld(t)
			as.noRefresh = tt.noRefresh
			if tt.revokes {
				as.meta["revocation_endpoint"] = issuerURL + "/revoke"
			}
			var got url.Values
			w.hosts["as.example"] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path != "/revoke" {
					as.ServeHTTP(w, r)
					return
				}
				r.ParseForm()
				got = r.PostForm
				if tt.status != 200 {
					object(w, tt.status, map[string]any{"error": "unsupported_token_type", "error_description": got.Get("token")})
				}
			})
			store := new(MemoryStore)
			tr := newTransport(t, w, as, &Options{Store: store})
			welcome(t, tr)
			if tt.newOne {
				tr = newTransport(t, w, as, &Options{Store: store})
			}
			err := tr.Logout(t.Context())
			if (err == nil) != (tt.err == "") || err != nil && (!strings.Contains(err.Error(), tt.err) || strings.Contains(err.Error(), "secret")) {
				t.Errorf("got %v, want %q", err, tt.err)
			}
			if got.Get("token") != tt.token || tt.token != "" && got.Get("client_id") == "" {
				t.Errorf("revoked %v, want %q", got, tt.token)
			}
			if data, err := store.Load(t.Context(), tr.tokenKey()); data != nil || err != nil {
				t.Errorf("the store has %d bytes, %v", len(data), err)
			}
			if err := tr.Logout(t.Context()); err != nil {
				t.Errorf("a second time: %v", err)
			}
			welcome(t, tr)
			if len(as.logins) != 2 {
				t.Errorf("%d logins", len(as.logins))
			}
		})
	}
	w, _, as := newWorld(t)
	as.meta["revocation_endpoint"] = "https://nowhere.example/revoke"
	tr := newTransport(t, w, as, nil)
	welcome(t, tr)
	if err := tr.Logout(t.Context()); err == nil || !strings.Contains(err.Error(), "not revoked") {
		t.Errorf("without a response: got %v", err)
	}
	if New("mcp", nil).Logout(t.Context()) == nil {
		t.Error("without an endpoint")
	}
}
