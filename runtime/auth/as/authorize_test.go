package as_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/auth/as"
)

// TestAuthorizationCode is the whole of the flow, for public and confidential clients.
//
// REQ AUTH-04
// REQ AUTH03-06
// REQ AUTH26-03
func TestAuthorizationCode(t *testing.T) {
	for _, c := range []struct {
		name, client string
		authorize    map[string]string
		token        map[string]string
	}{
		{"public", "", nil, nil},
		{"a secret in the header", "web:web secret/+",
			map[string]string{"client_id": "web", "redirect_uri": "https://web.example/cb?a=b"},
			map[string]string{"client_id": "", "redirect_uri": "https://web.example/cb?a=b"}},
		{"a secret in the body", "",
			map[string]string{"client_id": "web", "redirect_uri": "https://web.example/cb?a=b"},
			map[string]string{"client_id": "web", "client_secret": "web secret/+", "redirect_uri": "https://web.example/cb?a=b"}},
		{"no redirect_uri and no resource at the token endpoint", "", nil, map[string]string{"redirect_uri": "", "resource": ""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := start(t, nil)
			q := f.browser().allow(c.authorize)
			if q.Get("state") != "state&1" || q.Get("iss") != issuer || q.Has("error") {
				t.Errorf("the response is %v", q)
			}
			status, m := f.post("/token", c.client, codeForm(q.Get("code"), c.token))
			if status != http.StatusOK || m["token_type"] != "Bearer" || m["scope"] != "notes:read notes:write" || m["expires_in"] != 600.0 {
				t.Fatalf("status %d, %v", status, m)
			}
			token, err := f.server.Verify(t.Context(), m["access_token"].(string))
			if err != nil {
				t.Fatal(err)
			}
			if token.Subject != "user-ada" || token.Issuer != issuer || len(token.Audience) != 1 || token.Audience[0] != resource {
				t.Errorf("the token is %v for %v", token, token.Audience)
			}
		})
	}
}

// TestAuthorizationErrors sends what is not valid. Where the client or its redirect URI is not sure, the browser is
// not sent anywhere.
//
// REQ AUTH-08
// REQ SEC-06
// REQ AUTH26-03
func TestAuthorizationErrors(t *testing.T) {
	f := start(t, nil)
	const page = "page"
	for _, c := range []struct {
		name, want string
		change     map[string]string
	}{
		{"no client", page, map[string]string{"client_id": ""}},
		{"an unknown client", page, map[string]string{"client_id": "nobody"}},
		{"no redirect URI", page, map[string]string{"redirect_uri": ""}},
		{"another redirect URI", page, map[string]string{"redirect_uri": "https://evil.example/callback"}},
		{"a longer path", page, map[string]string{"redirect_uri": redirect + "/more"}},
		{"a query", page, map[string]string{"redirect_uri": redirect + "?a=b"}},
		{"a fragment", page, map[string]string{"redirect_uri": redirect + "#a"}},
		{"upper case", page, map[string]string{"redirect_uri": "https://APP.example/callback"}},
		{"a port", page, map[string]string{"redirect_uri": "https://app.example:443/callback"}},
		{"user information", page, map[string]string{"redirect_uri": "https://app.example@evil.example/callback"}},
		{"dots", page, map[string]string{"redirect_uri": "https://app.example/x/../callback"}},
		{"a backslash", page, map[string]string{"redirect_uri": `https://app.example\@evil.example/callback`}},
		{"http", page, map[string]string{"redirect_uri": "http://app.example/callback"}},
		{"a script", page, map[string]string{"redirect_uri": "javascript:alert(1)"}},
		{"a line break", page, map[string]string{"redirect_uri": redirect + "\r\nSet-Cookie: a=b"}},
		{"the redirect URI of another client", page, map[string]string{"redirect_uri": "https://web.example/cb?a=b"}},

		{"no response type", "invalid_request", map[string]string{"response_type": ""}},
		{"an implicit grant", "unsupported_response_type", map[string]string{"response_type": "token"}},
		{"a hybrid flow", "unsupported_response_type", map[string]string{"response_type": "code id_token"}},
		{"a fragment for the response", "invalid_request", map[string]string{"response_mode": "fragment"}},
		{"a request object", "request_not_supported", map[string]string{"request": "e30.e30."}},
		{"the URL of a request object", "request_uri_not_supported", map[string]string{"request_uri": "https://evil.example/r"}},
		{"PKCE: none", "invalid_request", map[string]string{"code_challenge": "", "code_challenge_method": ""}},
		{"PKCE: no method", "invalid_request", map[string]string{"code_challenge_method": ""}},
		{"PKCE: plain", "invalid_request", map[string]string{"code_challenge": verifier, "code_challenge_method": "plain"}},
		{"PKCE: lower case", "invalid_request", map[string]string{"code_challenge_method": "s256"}},
		{"PKCE: short", "invalid_request", map[string]string{"code_challenge": "abc"}},
		{"PKCE: no base64", "invalid_request", map[string]string{"code_challenge": strings.Repeat("!", 43)}},
		{"PKCE: padding", "invalid_request", map[string]string{"code_challenge": challenge(verifier) + "="}},
		{"an unknown scope", "invalid_scope", map[string]string{"scope": "notes:read admin"}},
		{"a scope with a line break", "invalid_scope", map[string]string{"scope": "a\r\nSet-Cookie:b=c"}},
		{"no resource", "invalid_target", map[string]string{"resource": ":"}},
		{"an unknown resource", "invalid_target", map[string]string{"resource": "https://evil.example/mcp"}},
		{"a resource with a slash more", "invalid_target", map[string]string{"resource": resource + "/"}},
		{"no user interaction", "interaction_required", map[string]string{"prompt": "none"}},
		{"a wrong thumbprint", "invalid_request", map[string]string{"dpop_jkt": "x"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			resp := f.browser().get(authorizationURL(c.change))
			if c.want == page {
				if resp.StatusCode != http.StatusBadRequest || resp.Header.Get("Location") != "" || strings.Contains(resp.body, "href") {
					t.Errorf("status %d, Location %q: %s", resp.StatusCode, resp.Header.Get("Location"), resp.body)
				}
				return
			}
			if resp.StatusCode != http.StatusSeeOther {
				t.Fatalf("status %d: %s", resp.StatusCode, resp.body)
			}
			to := resp.location(t)
			q := to.Query()
			if !strings.HasPrefix(to.String(), redirect+"?") || q.Get("error") != c.want || q.Get("state") != "state&1" || q.Get("iss") != issuer || q.Has("code") {
				t.Errorf("the browser goes to %s, want the error %s", to, c.want)
			}
		})
	}
}

// TestTwice refuses what is given twice, by which one reader may see something else than another.
func TestTwice(t *testing.T) {
	f := start(t, nil)
	for _, name := range []string{"client_id", "redirect_uri", "state", "code_challenge", "code_challenge_method", "scope", "response_type"} {
		if resp := f.browser().get(authorizationURL(nil) + "&" + name + "=x"); resp.StatusCode != http.StatusBadRequest || resp.Header.Get("Location") != "" {
			t.Errorf("%s: status %d, Location %q", name, resp.StatusCode, resp.Header.Get("Location"))
		}
	}
	to := f.browser().get(authorizationURL(nil) + "&resource=" + url.QueryEscape(other)).location(t)
	if got := to.Query().Get("error"); got != "invalid_target" {
		t.Errorf("two resources: %s", to)
	}
}

// TestLoopbackPort accepts any port on loopback of a native client, and no other difference.
//
// REQ AUTH-08
func TestLoopbackPort(t *testing.T) {
	f := start(t, nil)
	for uri, want := range map[string]bool{
		"http://127.0.0.1/callback":               true,
		"http://127.0.0.1:51234/callback":         true,
		"http://localhost:3000/cb":                true,
		"http://localhost:4000/cb":                true,
		"http://localhost/cb":                     true,
		"http://localhost:51234/callback":         false,
		"http://127.0.0.2:51234/callback":         false,
		"http://[::1]:51234/callback":             false,
		"https://127.0.0.1:51234/callback":        false,
		"http://127.0.0.1:51234/callback/":        false,
		"http://127.0.0.1:51234/callback?a=b":     false,
		"http://127.0.0.1:/callback":              false,
		"http://127.0.0.1:x/callback":             false,
		"http://127.0.0.1:0/callback":             false,
		"http://127.0.0.1:99999/callback":         false,
		"http://127.0.0.1:51234@evil.ex/callback": false,
		"http://evil.ex:127/callback":             false,
		"http://127.0.0.1.evil.ex/callback":       false,
	} {
		resp := f.browser().get(authorizationURL(map[string]string{"client_id": "desktop", "redirect_uri": uri}))
		if got := resp.StatusCode == http.StatusOK; got != want {
			t.Errorf("%s: status %d, want accepted %t", uri, resp.StatusCode, want)
		}
	}
	if resp := f.browser().get(authorizationURL(map[string]string{"redirect_uri": "https://app.example:444/callback"})); resp.StatusCode == http.StatusOK {
		t.Error("the port of an https redirect URI may be another")
	}
}

// TestOpenRedirect does not send browsers to what anybody could have registered, before a user has decided.
//
// REQ SEC-06
func TestOpenRedirect(t *testing.T) {
	f := start(t, nil)
	id := f.register(`{"client_name":"Evil","redirect_uris":["https://evil.example/cb"],"token_endpoint_auth_method":"none"}`)["client_id"].(string)
	resp := f.browser().get(authorizationURL(map[string]string{"client_id": id, "redirect_uri": "https://evil.example/cb", "scope": "unknown"}))
	if resp.StatusCode != http.StatusBadRequest || resp.Header.Get("Location") != "" {
		t.Errorf("status %d, Location %q", resp.StatusCode, resp.Header.Get("Location"))
	}
	resp.says(t, "This request is not valid", "Evil sent a request that is not valid: a scope is unknown", "Return to evil.example")
	id = f.register(`{"client_name":"Local","redirect_uris":["http://127.0.0.1/cb"],"token_endpoint_auth_method":"none"}`)["client_id"].(string)
	if to := f.browser().get(authorizationURL(map[string]string{"client_id": id, "redirect_uri": "http://127.0.0.1:99/cb", "scope": "unknown"})).location(t); to.Host != "127.0.0.1:99" {
		t.Errorf("the browser goes to %s, and not to the program on its machine", to)
	}
}

// TestDefaults gives a client that names neither scopes nor a resource the default of both, as those of revision
// 2025-03-26 need.
func TestDefaults(t *testing.T) {
	f := start(t, nil)
	code := f.code(map[string]string{"scope": "", "resource": ""})
	_, m := f.post("/token", "", codeForm(code, map[string]string{"resource": ""}))
	token, err := f.server.Verify(t.Context(), m["access_token"].(string))
	if err != nil || strings.Join(token.Scopes, " ") != "notes:read" || token.Audience[0] != resource {
		t.Errorf("%v, %v", token, err)
	}
}

// TestClientScopes gives a client no scopes that it may not have.
func TestClientScopes(t *testing.T) {
	f := start(t, func(o *as.Options) { o.Clients[0].Scopes = []string{"notes:read"} })
	if to := f.browser().get(authorizationURL(nil)).location(t); to.Query().Get("error") != "invalid_scope" {
		t.Errorf("the browser goes to %s", to)
	}
	f = start(t, func(o *as.Options) { o.Clients[3].RedirectURIs = []string{redirect} })
	resp := f.browser().get(authorizationURL(map[string]string{"client_id": "machine"}))
	if to := resp.location(t); to.Query().Get("error") != "unauthorized_client" || resp.Header.Get("Cache-Control") != "no-store" {
		t.Errorf("a client without codes: the browser goes to %s, %v", to, resp.Header)
	}
}

// TestDefaultResponseMode takes the only mode that there is where a request names it.
func TestDefaultResponseMode(t *testing.T) {
	start(t, nil).browser().consentPage(map[string]string{"response_mode": "query"})
}

// TestRootResource takes a resource without a path as it is written by some: with a slash.
func TestRootResource(t *testing.T) {
	const root = "https://mcp.example"
	f := start(t, func(o *as.Options) { o.Resources = []string{resource, root} })
	code := f.code(map[string]string{"resource": root + "/"})
	status, m := f.post("/token", "", codeForm(code, map[string]string{"resource": root + "/"}))
	if status != http.StatusOK {
		t.Fatalf("status %d, %v", status, m)
	}
	if token, err := f.server.Verify(t.Context(), m["access_token"].(string)); err != nil || token.Audience[0] != root {
		t.Errorf("%v, %v", token, err)
	}
	f = start(t, func(o *as.Options) { o.Resources = []string{root + "?a=b"} })
	if to := f.browser().get(authorizationURL(map[string]string{"resource": root + "?a=b/"})).location(t); to.Query().Get("error") != "invalid_target" {
		t.Errorf("another query: the browser goes to %s", to)
	}
}
