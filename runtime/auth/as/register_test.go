package as_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/runtime/auth/as"
)

func (f *fixture) tryRegister(body string) (int, map[string]any) {
	f.Helper()
	r := f.request(http.MethodPost, "/register", body)
	r.Header.Set("Content-Type", "application/json")
	resp := f.send(r)
	m := map[string]any{}
	if err := json.Unmarshal([]byte(resp.body), &m); err != nil {
		f.Fatal(err)
	}
	return resp.StatusCode, m
}

func (f *fixture) register(body string) map[string]any {
	f.Helper()
	status, m := f.tryRegister(body)
	if status != http.StatusCreated {
		f.Fatalf("status %d, %v", status, m)
	}
	return m
}

// TestRegister registers clients, which then get tokens.
//
// REQ AUTH11-10
func TestRegister(t *testing.T) {
	f := start(t, nil)
	for _, c := range []struct{ name, body, method, kind, redirect string }{
		{"of 2025-03-26", `{"redirect_uris":["http://localhost:8123/cb"],"client_name":"Old"}`, "client_secret_basic", "native", "http://localhost:9123/cb"},
		{"public and native", `{"redirect_uris":["http://127.0.0.1/cb"],"token_endpoint_auth_method":"none","application_type":"native","grant_types":["authorization_code","refresh_token"],"response_types":["code"],"unknown":{"a":1},"client_id":"mine","client_secret":"mine"}`, "none", "native", "http://127.0.0.1:5000/cb"},
		{"of the default kind", `{"redirect_uris":["https://web.example/~cb"],"token_endpoint_auth_method":"none"}`, "none", "web", "https://web.example/~cb"},
		{"at the bounds", `{"redirect_uris":["https://web.example/cb` + strings.Repeat(`","https://a.example/`, 19) + `"],"client_name":"` + strings.Repeat("ä", 100) + `","token_endpoint_auth_method":"none"}`,
			"none", "web", "https://web.example/cb"},
		{"web", `{"redirect_uris":["https://web.example/cb"],"token_endpoint_auth_method":"client_secret_post","application_type":"web"}`, "client_secret_post", "web", "https://web.example/cb"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := f.register(c.body)
			id, _ := m["client_id"].(string)
			secret, _ := m["client_secret"].(string)
			expires, expiresGiven := m["client_secret_expires_at"]
			if m["token_endpoint_auth_method"] != c.method || m["application_type"] != c.kind || (secret == "") != (c.method == "none") ||
				expiresGiven != (secret != "") || expiresGiven && expires != 0.0 || m["client_id_issued_at"].(float64) < 946684800 {
				t.Errorf("the response is %v", m)
			}
			change := map[string]string{"client_id": id, "redirect_uri": c.redirect}
			form := codeForm(f.code(change), change)
			if secret != "" {
				form.Set("client_secret", "wrong")
				status, m := f.post("/token", "", form)
				f.wantError("a wrong secret", status, m, http.StatusUnauthorized, "invalid_client")
				form.Set("client_secret", secret)
			}
			if status, m := f.post("/token", "", form); status != http.StatusOK {
				t.Errorf("status %d, %v", status, m)
			}
		})
	}
}

// TestRegisterErrors refuses metadata that is not valid.
//
// REQ AUTH-08
// REQ AUTH11-10
func TestRegisterErrors(t *testing.T) {
	f := start(t, nil)
	redirects := func(uri string) string {
		b, _ := json.Marshal(map[string]any{"redirect_uris": []string{uri}})
		return string(b)
	}
	keyed := func(n int, key any) string {
		keys := slices.Repeat([]jose.JSONWebKey{{Key: key}}, n)
		b, err := json.Marshal(map[string]any{"redirect_uris": []string{"https://a.example/cb"}, "token_endpoint_auth_method": "private_key_jwt", "jwks": jose.JSONWebKeySet{Keys: keys}})
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	f.register(keyed(10, newKey(t).Public()))
	for _, c := range []struct{ name, want, body string }{
		{"no object", "invalid_client_metadata", `[]`},
		{"no JSON", "invalid_client_metadata", `{`},
		{"a member twice", "invalid_client_metadata", `{"redirect_uris":["https://a.example/cb"],"redirect_uris":["https://b.example/cb"]}`},
		{"a member of another type", "invalid_client_metadata", `{"redirect_uris":"https://a.example/cb"}`},
		{"no redirect URIs", "invalid_redirect_uri", `{}`},
		{"none", "invalid_redirect_uri", `{"redirect_uris":[]}`},
		{"many", "invalid_redirect_uri", `{"redirect_uris":["https://a.example/` + strings.Repeat(`","https://a.example/`, 30) + `"]}`},
		{"long", "invalid_redirect_uri", redirects("https://a.example/" + strings.Repeat("a", 3000))},
		{"http", "invalid_redirect_uri", redirects("http://a.example/cb")},
		{"a script", "invalid_redirect_uri", redirects("javascript:alert(1)//")},
		{"data", "invalid_redirect_uri", redirects("data:text/html,x")},
		{"a scheme of an app", "invalid_redirect_uri", redirects("com.example.app:/cb")},
		{"relative", "invalid_redirect_uri", redirects("/cb")},
		{"a fragment", "invalid_redirect_uri", redirects("https://a.example/cb#x")},
		{"an empty fragment", "invalid_redirect_uri", redirects("https://a.example/cb#")},
		{"user information", "invalid_redirect_uri", redirects("https://a:b@a.example/cb")},
		{"a wildcard", "invalid_redirect_uri", redirects("https://*.a.example/cb")},
		{"a line break", "invalid_redirect_uri", redirects("https://a.example/cb\r\nLocation: x")},
		{"an empty port", "invalid_redirect_uri", redirects("http://localhost:/cb")},
		{"the port 0", "invalid_redirect_uri", redirects("http://localhost:0/cb")},
		{"the port 99999", "invalid_redirect_uri", redirects("http://localhost:99999/cb")},
		{"a space", "invalid_redirect_uri", redirects("https://a.example/a b")},
		{"a quotation mark", "invalid_redirect_uri", redirects("https://a.example/\"")},
		{"no URL", "invalid_redirect_uri", redirects("https://a.example/%zz")},
		{"the second is none", "redirect_uris: number 2:", `{"redirect_uris":["https://a.example/cb","/cb"]}`},
		{"keys that are none", "want a set of JSON Web Keys", `{"redirect_uris":["https://a.example/cb"],"token_endpoint_auth_method":"private_key_jwt","jwks":1}`},
		{"a private key", "want public keys alone", keyed(1, newKey(t))},
		{"11 keys", "invalid_client_metadata", keyed(11, newKey(t).Public())},
		{"a name of 101", "invalid_client_metadata", `{"redirect_uris":["https://a.example/cb"],"client_name":"` + strings.Repeat("a", 101) + `"}`},
		{"too large", "want at most 16384 bytes", `{"redirect_uris":["https://a.example/cb"],"x":"` + strings.Repeat("a", 16<<10) + `"}`},
		{"a control character", "invalid_redirect_uri", redirects("https://a.example/\x7f")},
		{"beyond ASCII", "invalid_redirect_uri", redirects("https://a.example/ä")},
		{"keys at a URL", "invalid_client_metadata", `{"redirect_uris":["https://a.example/cb"],"token_endpoint_auth_method":"private_key_jwt","jwks_uri":"https://a.example/k"}`},
		{"no keys", "invalid_client_metadata", `{"redirect_uris":["https://a.example/cb"],"token_endpoint_auth_method":"private_key_jwt","jwks":{"keys":[]}}`},
		{"punctuation in the host", "invalid_redirect_uri", redirects("https://a!b.example/cb")},
		{"a dot", "invalid_redirect_uri", redirects("https://a.example/./cb")},
		{"an encoded dot", "invalid_redirect_uri", redirects("https://a.example/%2e%2e/cb")},
		{"a parameter of responses", "invalid_redirect_uri", redirects("https://a.example/cb?code=x")},
		{"punctuation for headers", "invalid_redirect_uri", redirects("https://a.example;script-src/cb")},
		{"a web client on loopback", "invalid_redirect_uri", `{"redirect_uris":["http://localhost/cb"],"application_type":"web"}`},
		{"another kind", "invalid_redirect_uri", `{"redirect_uris":["https://a.example/cb"],"application_type":"toaster"}`},
		{"client credentials", "invalid_client_metadata", `{"redirect_uris":["https://a.example/cb"],"grant_types":["client_credentials"]}`},
		{"implicit", "invalid_client_metadata", `{"redirect_uris":["https://a.example/cb"],"grant_types":["authorization_code","implicit"]}`},
		{"only refresh tokens", "invalid_client_metadata", `{"redirect_uris":["https://a.example/cb"],"grant_types":["refresh_token"]}`},
		{"a token at once", "invalid_client_metadata", `{"redirect_uris":["https://a.example/cb"],"response_types":["token"]}`},
		{"another method", "invalid_client_metadata", `{"redirect_uris":["https://a.example/cb"],"token_endpoint_auth_method":"tls_client_auth"}`},
		{"keys are missing", "invalid_client_metadata", `{"redirect_uris":["https://a.example/cb"],"token_endpoint_auth_method":"private_key_jwt"}`},
		{"a secret key", "invalid_client_metadata", `{"redirect_uris":["https://a.example/cb"],"token_endpoint_auth_method":"private_key_jwt","jwks":{"keys":[{"kty":"oct","k":"AAAA"}]}}`},
		{"a long name", "invalid_client_metadata", `{"redirect_uris":["https://a.example/cb"],"client_name":"` + strings.Repeat("a", 200) + `"}`},
		{"a name that turns round", "invalid_client_metadata", `{"redirect_uris":["https://a.example/cb"],"client_name":"\u202eelgooG"}`},
		{"a name of two lines", "invalid_client_metadata", `{"redirect_uris":["https://a.example/cb"],"client_name":"a\nb"}`},
		{"a large body", "invalid_client_metadata", `{"redirect_uris":["https://a.example/cb"],"x":"` + strings.Repeat("a", 16<<10) + `"}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, m := f.tryRegister(c.body)
			if status != http.StatusBadRequest || !strings.Contains(fmt.Sprint(m), c.want) {
				t.Errorf("%s: status %d, %v, want %s", c.body[:min(len(c.body), 200)], status, m, c.want)
			}
		})
	}
	r := f.request(http.MethodPost, "/register", anyClient)
	r.Header.Set("Content-Type", "text/plain")
	if resp := f.send(r); resp.StatusCode != http.StatusBadRequest {
		t.Errorf("plain text: status %d", resp.StatusCode)
	}
	status, m := f.post("/register", "", nil)
	f.wantError("a form", status, m, http.StatusBadRequest, "invalid_client_metadata")
}

// TestNoRegistration has no endpoint where clients cannot register.
func TestNoRegistration(t *testing.T) {
	f := start(t, func(o *as.Options) { o.NoRegistration = true })
	if resp := f.send(f.request(http.MethodPost, "/register", "{}")); resp.StatusCode != http.StatusNotFound || f.server.Metadata().RegistrationEndpoint != "" {
		t.Errorf("status %d, metadata %q", resp.StatusCode, f.server.Metadata().RegistrationEndpoint)
	}
}

// TestRegisteredClientEnds forgets clients that nobody uses, and keeps the others.
func TestRegisteredClientEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		records := new(spyStore)
		f := start(t, func(o *as.Options) { o.Store = records })
		body := `{"redirect_uris":["https://app.example/callback"],"token_endpoint_auth_method":"none"}`
		unused, used := f.register(body)["client_id"].(string), f.register(body)["client_id"].(string)
		change := map[string]string{"client_id": used}
		f.code(change)
		time.Sleep(2 * time.Hour)
		if resp := f.browser().get(authorizationURL(map[string]string{"client_id": unused})); resp.StatusCode != http.StatusBadRequest {
			t.Errorf("the client that nobody has used: status %d", resp.StatusCode)
		}
		stored := func() int { return strings.Count(records.all.String(), "as-client.") }
		before := stored()
		time.Sleep(9*24*time.Hour - 3*time.Hour)
		if f.code(change); stored() != before {
			t.Error("it is prolonged before a tenth of its time is over")
		}
		time.Sleep(4 * time.Hour)
		if f.code(change); stored() != before+1 {
			t.Error("it is not prolonged after a tenth of its time")
		}
		time.Sleep(60 * 24 * time.Hour)
		f.code(change)
		time.Sleep(60 * 24 * time.Hour)
		f.code(change)
		time.Sleep(91 * 24 * time.Hour)
		if resp := f.browser().get(authorizationURL(change)); resp.StatusCode != http.StatusBadRequest {
			t.Errorf("the client that nobody uses any more: status %d", resp.StatusCode)
		}
	})
}
