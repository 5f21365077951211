package as_test

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/auth/as"
)

// TestCodeMisuse refuses a code in the wrong hands, and spends it.
//
// REQ SEC-06
func TestCodeMisuse(t *testing.T) {
	for _, c := range []struct {
		name, client, want string
		change             map[string]string
		status             int
		spent              bool
	}{
		{"injected into another client", "web:web secret/+", "invalid_grant", map[string]string{"client_id": ""}, 400, true},
		{"another verifier", "", "invalid_grant", map[string]string{"code_verifier": strings.Repeat("b", 43)}, 400, true},
		{"another redirect URI", "", "invalid_grant", map[string]string{"redirect_uri": "https://evil.example/"}, 400, true},
		{"no code", "", "invalid_request", map[string]string{"code": ""}, 400, false},
		{"no verifier", "", "invalid_request", map[string]string{"code_verifier": ""}, 400, false},
		{"the challenge as verifier", "", "invalid_grant", map[string]string{"code_verifier": challenge(verifier)}, 400, true},
		{"a long verifier", "", "invalid_request", map[string]string{"code_verifier": strings.Repeat("b", 129)}, 400, false},
		{"a verifier of 42", "", "invalid_request", map[string]string{"code_verifier": strings.Repeat("b", 42)}, 400, false},
		{"a verifier with a space", "", "invalid_request", map[string]string{"code_verifier": strings.Repeat("b c", 20)}, 400, false},
		{"a short verifier", "", "invalid_request", map[string]string{"code_verifier": "short"}, 400, false},
		{"another resource", "", "invalid_target", map[string]string{"resource": other}, 400, false},
		{"no client", "", "invalid_client", map[string]string{"client_id": ""}, 401, false},
		{"a client that must authenticate", "", "invalid_client", map[string]string{"client_id": "web"}, 401, false},
		{"a wrong secret", "web:wrong", "invalid_client", map[string]string{"client_id": ""}, 401, false},
		{"a secret for a public client", "", "invalid_client", map[string]string{"client_secret": "x"}, 401, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := start(t, nil)
			code := f.code(nil)
			status, m := f.post("/token", c.client, codeForm(code, c.change))
			f.wantError("misused", status, m, c.status, c.want)
			status, m = f.post("/token", "", codeForm(code, nil))
			if c.spent {
				f.wantError("then used", status, m, 400, "invalid_grant")
			} else if status != http.StatusOK {
				t.Errorf("then used: status %d, %v", status, m)
			}
		})
	}
}

// TestVerifiers takes those of all lengths that there may be.
func TestVerifiers(t *testing.T) {
	f := start(t, nil)
	for _, length := range []int{43, 128} {
		verifier := strings.Repeat("~", length)
		code := f.code(map[string]string{"code_challenge": challenge(verifier)})
		if status, m := f.post("/token", "", codeForm(code, map[string]string{"code_verifier": verifier})); status != http.StatusOK {
			t.Errorf("%d characters: status %d, %v", length, status, m)
		}
	}
}

// TestCodeGuess spends no code of another.
func TestCodeGuess(t *testing.T) {
	f := start(t, nil)
	code := f.code(nil)
	id, _, _ := strings.Cut(code, ".")
	for _, guess := range []string{"x", ".", id, id + ".", id + "." + strings.Repeat("a", 43), "." + code, code + "x"} {
		status, m := f.post("/token", "", codeForm(guess, nil))
		f.wantError(guess, status, m, 400, "invalid_grant")
	}
	if status, m := f.post("/token", "", codeForm(code, nil)); status != http.StatusOK {
		t.Errorf("status %d, %v", status, m)
	}
}

// TestCodeReplay revokes all that a code gave when it is used again.
func TestCodeReplay(t *testing.T) {
	f := start(t, nil)
	code := f.code(nil)
	_, m := f.post("/token", "", codeForm(code, nil))
	access, refresh := m["access_token"].(string), m["refresh_token"].(string)
	if !f.valid(access) {
		t.Fatal("the token is not valid")
	}
	status, m := f.post("/token", "", codeForm(code, nil))
	f.wantError("again", status, m, 400, "invalid_grant")
	if f.valid(access) {
		t.Error("the access token is still valid")
	}
	status, m = f.post("/token", "", refreshForm(refresh))
	f.wantError("the refresh token", status, m, 400, "invalid_grant")
}

// TestCodeRace gives tokens to one of many who use a code at the same time, or to none.
func TestCodeRace(t *testing.T) {
	f := start(t, nil)
	b := f.browser()
	for range 20 {
		code := b.allow(nil).Get("code")
		results := make([]int, 8)
		var all sync.WaitGroup
		for i := range results {
			all.Go(func() { results[i], _ = f.post("/token", "", codeForm(code, nil)) })
		}
		all.Wait()
		won := 0
		for _, status := range results {
			if status == http.StatusOK {
				won++
			}
		}
		if won > 1 {
			t.Fatalf("%d got tokens", won)
		}
	}
}

// TestRefresh rotates refresh tokens, and revokes all of a grant when one is used again.
//
// REQ AUTH-09
func TestRefresh(t *testing.T) {
	f := start(t, nil)
	first, refresh := f.tokens()
	var old []string
	for range 5 {
		status, m := f.post("/token", "", refreshForm(refresh))
		next, _ := m["refresh_token"].(string)
		if status != http.StatusOK || next == "" || next == refresh || !f.valid(m["access_token"].(string)) {
			t.Fatalf("status %d, %v", status, m)
		}
		old, refresh = append(old, refresh), next
	}
	if !f.valid(first) {
		t.Error("the first access token is not valid any more")
	}
	status, m := f.post("/token", "", refreshForm(old[2]))
	f.wantError("a token of before", status, m, 400, "invalid_grant")
	if f.valid(first) {
		t.Error("the access token is still valid")
	}
	status, m = f.post("/token", "", refreshForm(refresh))
	f.wantError("the last token", status, m, 400, "invalid_grant")
}

// TestRefreshLimits gives no more than was granted, to nobody else.
func TestRefreshLimits(t *testing.T) {
	f := start(t, nil)
	_, refresh := f.tokens()
	for _, c := range []struct {
		name, client, want string
		change             url.Values
		status             int
	}{
		{"more scopes", "", "invalid_scope", url.Values{"scope": {"notes:read admin"}}, 400},
		{"another resource", "", "invalid_target", url.Values{"resource": {other}}, 400},
		{"another client", "web:web secret/+", "invalid_grant", url.Values{"client_id": {"web"}}, 400},
		{"a client without refresh tokens", "machine:machine secret", "unauthorized_client", url.Values{"client_id": {"machine"}}, 400},
		{"no token", "", "invalid_request", url.Values{"refresh_token": {""}}, 400},
	} {
		form := refreshForm(refresh)
		for name, value := range c.change {
			form[name] = value
		}
		status, m := f.post("/token", c.client, form)
		f.wantError(c.name, status, m, c.status, c.want)
	}
	form := refreshForm(refresh)
	form.Set("scope", "notes:read")
	status, m := f.post("/token", "", form)
	if status != http.StatusOK || m["scope"] != "notes:read" {
		t.Fatalf("fewer scopes: status %d, %v", status, m)
	}
	if status, m = f.post("/token", "", refreshForm(m["refresh_token"].(string))); m["scope"] != "notes:read notes:write" {
		t.Errorf("all scopes again: status %d, %v", status, m)
	}
}

// TestNoRefresh gives no refresh token to a client that did not register for it.
func TestNoRefresh(t *testing.T) {
	f := start(t, func(o *as.Options) { o.Clients[0].GrantTypes = []string{"authorization_code"} })
	access, refresh := f.tokens()
	if refresh != "" || !f.valid(access) {
		t.Errorf("the refresh token is %q", refresh)
	}
}

// TestExpiry ends codes and tokens in time.
//
// REQ AUTH-09
func TestExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t, nil)
		early, late := f.code(nil), f.code(nil)
		time.Sleep(time.Minute - time.Second)
		if status, m := f.post("/token", "", codeForm(early, nil)); status != http.StatusOK {
			t.Errorf("after 59 s: status %d, %v", status, m)
		}
		time.Sleep(time.Second)
		status, m := f.post("/token", "", codeForm(late, nil))
		f.wantError("after 60 s", status, m, 400, "invalid_grant")

		access, refresh := f.tokens()
		time.Sleep(10*time.Minute - time.Second)
		token, err := f.server.Verify(t.Context(), access)
		if err != nil || !token.Expiry.Equal(time.Now().Add(time.Second)) {
			t.Errorf("the access token has ended before 10 minutes: %v, %v", token, err)
		}
		time.Sleep(time.Second)
		if f.valid(access) {
			t.Error("the access token is valid after 10 minutes")
		}
		for range 3 { // each use begins the time anew
			time.Sleep(29 * 24 * time.Hour)
			status, m := f.post("/token", "", refreshForm(refresh))
			if status != http.StatusOK {
				t.Fatalf("status %d, %v", status, m)
			}
			refresh = m["refresh_token"].(string)
		}
		time.Sleep(30 * 24 * time.Hour)
		status, m = f.post("/token", "", refreshForm(refresh))
		f.wantError("after 30 days", status, m, 400, "invalid_grant")
	})
}

// TestCodeReplayLater recognizes a code that is used again, as long as there is what it gave.
func TestCodeReplayLater(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t, nil)
		code := f.code(nil)
		_, m := f.post("/token", "", codeForm(code, nil))
		refresh := m["refresh_token"].(string)
		time.Sleep(24 * time.Hour)
		f.post("/token", "", codeForm(code, nil))
		status, m := f.post("/token", "", refreshForm(refresh))
		f.wantError("the refresh token", status, m, 400, "invalid_grant")
	})
}

// TestClientCredentials gives machines tokens of their own, for what they may have.
//
// REQ AUTH-04
// REQ AUTH03-06
func TestClientCredentials(t *testing.T) {
	f := start(t, nil)
	form := url.Values{"grant_type": {"client_credentials"}, "resource": {other}, "scope": {"notes:read"}}
	status, m := f.post("/token", "machine:machine secret", form)
	if status != http.StatusOK || m["refresh_token"] != nil {
		t.Fatalf("status %d, %v", status, m)
	}
	token, err := f.server.Verify(t.Context(), m["access_token"].(string))
	if err != nil || !slices.Equal(token.Scopes, []string{"notes:read"}) || token.Subject != "client:machine" || token.ClientID != "machine" || token.Audience[0] != other {
		t.Errorf("%v, %v", token, err)
	}
	form.Set("scope", "notes:write")
	status, m = f.post("/token", "machine:machine secret", form)
	f.wantError("a scope that it may not have", status, m, 400, "invalid_scope")
	status, m = f.post("/token", "machine:wrong", form)
	f.wantError("a wrong secret", status, m, 401, "invalid_client")
	form.Set("client_id", "app")
	status, m = f.post("/token", "", form)
	f.wantError("a public client", status, m, 400, "unauthorized_client")
}

// TestTokenRequests refuses requests that are not valid.
func TestTokenRequests(t *testing.T) {
	f := start(t, nil)
	form := codeForm("x.y", nil)
	basic := func(header string) func(*http.Request) *http.Request {
		return func(*http.Request) *http.Request {
			r := f.request("POST", "/token", "grant_type=client_credentials")
			r.Header.Set("Authorization", header)
			return r
		}
	}
	for _, c := range []struct {
		name, want string
		change     func(r *http.Request) *http.Request
		status     int
	}{
		{"no grant type", "invalid_request", func(*http.Request) *http.Request { return f.request("POST", "/token", "client_id=app") }, 400},
		{"a password", "unsupported_grant_type", func(*http.Request) *http.Request {
			return f.request("POST", "/token", "client_id=app&grant_type=password&username=a&password=b")
		}, 400},
		{"JSON", "invalid_request", func(r *http.Request) *http.Request { r.Header.Set("Content-Type", "application/json"); return r }, 400},
		{"a query", "invalid_request", func(r *http.Request) *http.Request { r.URL.RawQuery = "client_secret=x"; return r }, 400},
		{"twice", "invalid_request", func(*http.Request) *http.Request {
			return f.request("POST", "/token", form.Encode()+"&code=z")
		}, 400},
		{"much", "invalid_request", func(*http.Request) *http.Request {
			return f.request("POST", "/token", form.Encode()+"&a="+strings.Repeat("a", 70<<10))
		}, 400},
		{"many", "invalid_request", func(*http.Request) *http.Request {
			return f.request("POST", "/token", form.Encode()+strings.Repeat("&a=", 100))
		}, 400},
		{"no form", "invalid_request", func(*http.Request) *http.Request { return f.request("POST", "/token", form.Encode()+"&a=%zz") }, 400},
		{"no value", "invalid_grant", func(*http.Request) *http.Request { return f.request("POST", "/token", form.Encode()+"&code=") }, 400},
		{"50 parameters", "invalid_grant", func(*http.Request) *http.Request {
			return f.request("POST", "/token", form.Encode()+strings.Repeat("&a=", 50-len(form)))
		}, 400},
		{"a secret in two places", "invalid_request", func(*http.Request) *http.Request {
			r := f.request("POST", "/token", "grant_type=client_credentials&client_secret=machine+secret")
			r.SetBasicAuth("machine", "machine+secret")
			return r
		}, 400},
		{"two headers", "invalid_request", func(*http.Request) *http.Request {
			r := f.request("POST", "/token", "grant_type=client_credentials")
			r.SetBasicAuth("machine", "machine+secret")
			r.Header.Add("Authorization", r.Header.Get("Authorization"))
			return r
		}, 400},
		{"an assertion and a header", "invalid_request", func(*http.Request) *http.Request {
			r := f.request("POST", "/token", "grant_type=client_credentials&client_assertion=a.b.c")
			r.SetBasicAuth("machine", "machine+secret")
			return r
		}, 400},
		{"an assertion and a secret", "invalid_request", func(*http.Request) *http.Request {
			return f.request("POST", "/token", "grant_type=client_credentials&client_assertion=a.b.c&client_secret=machine+secret&client_id=machine")
		}, 400},
		{"two clients", "invalid_request", func(r *http.Request) *http.Request { r.SetBasicAuth("web", "x"); return r }, 400},
		{"no base64", "invalid_request", basic("Basic x!"), 400},
		{"no colon", "invalid_request", basic("Basic eA=="), 400},
		{"no form encoding of a secret", "invalid_request", basic("Basic " + base64.StdEncoding.EncodeToString([]byte("machine:%zz"))), 400},
		{"no form encoding of an id", "invalid_request", basic("Basic " + base64.StdEncoding.EncodeToString([]byte("%zz:x"))), 400},
		{"another type of assertion", "invalid_request", func(*http.Request) *http.Request {
			return f.request("POST", "/token", form.Encode()+"&client_assertion=a.b.c&client_assertion_type=x")
		}, 400},
		{"another scheme", "invalid_request", basic("Bearer x"), 400},
		{"another content type", "want the content type application/x-www-form-urlencoded", func(r *http.Request) *http.Request {
			r.Header.Set("Content-Type", "application/json")
			return r
		}, 400},
		{"a large body", "want at most 65536 bytes", func(*http.Request) *http.Request {
			return f.request("POST", "/token", form.Encode()+"&a="+strings.Repeat("a", 70<<10))
		}, 400},
		{"an unknown client", "register again", func(*http.Request) *http.Request {
			return f.request("POST", "/token", "grant_type=client_credentials&client_id=nobody")
		}, 401},
	} {
		resp := f.send(c.change(f.request("POST", "/token", form.Encode())))
		if resp.StatusCode != c.status || !strings.Contains(resp.body, c.want) {
			t.Errorf("%s: status %d, %s", c.name, resp.StatusCode, resp.body)
		}
	}
	if resp := f.send(f.request("GET", "/token", "")); resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("GET: status %d", resp.StatusCode)
	}
	r := f.request("POST", "/token", "grant_type=client_credentials")
	r.SetBasicAuth("machine", "wrong")
	if resp := f.send(r); resp.StatusCode != http.StatusUnauthorized || !strings.HasPrefix(resp.Header.Get("WWW-Authenticate"), "Basic ") {
		t.Errorf("a wrong secret: status %d, WWW-Authenticate %q", resp.StatusCode, resp.Header.Get("WWW-Authenticate"))
	}
	r = f.request("POST", "/token", "grant_type=client_credentials&client_id=machine&client_secret=wrong")
	if resp := f.send(r); resp.StatusCode != http.StatusUnauthorized || resp.Header.Get("WWW-Authenticate") != "" {
		t.Errorf("a wrong secret in the body: status %d, WWW-Authenticate %q", resp.StatusCode, resp.Header.Get("WWW-Authenticate"))
	}
	twice := codeForm(f.code(nil), nil)
	twice.Add("resource", other)
	status, m := f.post("/token", "", twice)
	f.wantError("two resources", status, m, 400, "invalid_target")
}

// TestUnknownClients are not told from clients whose secret is wrong.
func TestUnknownClients(t *testing.T) {
	f := start(t, nil)
	form := url.Values{"grant_type": {"client_credentials"}}
	status, want := f.post("/token", "machine:wrong", form)
	for _, client := range []string{"nobody:wrong", "app:wrong", "machine:", "machine:" + strings.Repeat("a", 1000)} {
		s, m := f.post("/token", client, form)
		if s != status || client != "machine:" && m["error_description"] != want["error_description"] {
			t.Errorf("%s: status %d, %v, want %d, %v", client, s, m, status, want)
		}
	}
}

// TestAudience keeps the tokens of resources apart.
func TestAudience(t *testing.T) {
	f := start(t, nil)
	form := url.Values{"grant_type": {"client_credentials"}, "resource": {other}}
	_, m := f.post("/token", "machine:machine secret", form)
	token, err := f.server.Verify(t.Context(), m["access_token"].(string))
	if err != nil || !slices.Equal(token.Audience, []string{other}) {
		t.Errorf("%v, %v: want the audience %s alone", token, err, other)
	}
	for _, wrong := range [][]string{{"https://evil.example"}, {resource, other}} {
		form["resource"] = wrong
		status, m := f.post("/token", "machine:machine secret", form)
		f.wantError(strings.Join(wrong, " "), status, m, 400, "invalid_target")
	}
}

// TestSecretsStayInside looks for secrets where nobody should find them.
//
// REQ AUTH-09
func TestSecretsStayInside(t *testing.T) {
	store := new(spyStore)
	f := start(t, func(o *as.Options) { o.Store = store })
	m := f.register(`{"redirect_uris":["` + redirect + `"],"grant_types":["authorization_code","refresh_token"]}`)
	id, secret := m["client_id"].(string), m["client_secret"].(string)
	b := f.browser()
	change := map[string]string{"client_id": id}
	page := b.consentPage(change)
	form := hidden.FindStringSubmatch(page.body)[2]
	code := b.submit(page, url.Values{"decision": {"allow"}}).location(t).Query().Get("code")
	_, m = f.post("/token", id+":"+secret, codeForm(code, change))
	access, refresh := m["access_token"].(string), m["refresh_token"].(string)
	f.post("/token", id+":wrong"+secret, codeForm(code, change))
	f.post("/token", id+":"+secret, codeForm(code, change))
	f.post("/revoke", id+":"+secret, url.Values{"token": {refresh}})
	secrets := map[string]string{"the client's secret": secret, "the code": code, "the access token": access,
		"the refresh token": refresh, "the form": form, "the verifier": verifier}
	for name, cookie := range b.cookies {
		secrets[name] = cookie.Value
	}
	for what, secret := range secrets {
		if strings.Contains(f.log.String(), secret) {
			t.Errorf("%s is in the log", what)
		}
		if strings.Contains(store.all.String(), secret) {
			t.Errorf("%s is in the store", what)
		}
	}
	if !strings.Contains(store.all.String(), id) {
		t.Error("nothing is in the store")
	}
	for _, want := range []string{"a client has registered", "a user has granted access", "a token was issued", "used again, or by another"} {
		if !strings.Contains(f.log.String(), want) {
			t.Errorf("the log does not say %q: %s", want, f.log)
		}
	}
}
