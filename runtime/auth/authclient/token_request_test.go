package authclient

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// REQ AUTH-09
func TestTokenResponses(t *testing.T) {
	for _, tt := range []struct {
		response map[string]any
		want     string
	}{
		{map[string]any{"access_token": "secret", "token_type": "bearer"}, ""},
		{map[string]any{"access_token": "secret", "token_type": "Bearer", "expires_in": "3600"}, ""},
		{map[string]any{"access_token": "secret", "token_type": "Bearer", "expires_in": 1e300}, ""},
		{map[string]any{"access_token": "secret", "token_type": "Bearer", "expires_in": -1}, ""},
		{map[string]any{"access_token": "", "token_type": "Bearer"}, "no access token that can be sent"},
		{map[string]any{"access_token": "secret\r\nX: y", "token_type": "Bearer"}, "no access token that can be sent"},
		{map[string]any{"access_token": "secret x", "token_type": "Bearer"}, "no access token that can be sent"},
		{map[string]any{"access_token": "secret", "token_type": "mac"}, `of type "mac", want Bearer`},
		{map[string]any{"access_token": "secret", "token_type": "DPoP"}, `of type "DPoP", want Bearer`},
		{map[string]any{"access_token": "secret"}, `of type "", want Bearer`},
		{map[string]any{"access_token": []string{"secret"}, "token_type": "Bearer"}, "cannot unmarshal"},
	} {
		w, rs, as := newWorld(t)
		rs.valid["secret"] = &grant{scheme: "Bearer"}
		as.onToken = func(w http.ResponseWriter, r *http.Request) bool { object(w, 200, tt.response); return true }
		tr := newTransport(t, w, as, nil)
		if tt.want == "" {
			welcome(t, tr)
			continue
		}
		refused(t, tr, tt.want)
	}
}

// What a server repeats of a request is not shown.
func TestErrorsHideSecrets(t *testing.T) {
	w, _, as := newWorld(t)
	var sent url.Values
	as.onToken = func(w http.ResponseWriter, r *http.Request) bool {
		sent = r.PostForm
		object(w, 400, map[string]any{"error": "invalid_grant", "error_description": "the code " + sent.Get("code") + " is unknown"})
		return true
	}
	err := refused(t, newTransport(t, w, as, nil), `error "invalid_grant"`)
	if sent.Get("code") == "" || strings.Contains(err.Error(), sent.Get("code")) {
		t.Errorf("got %v", err)
	}
}
