package as_test

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/auth/as"
)

// TestConsentPage shows who wants what, and where the browser goes then.
//
// REQ SEC-04
func TestConsentPage(t *testing.T) {
	f := start(t, nil)
	id := f.register(`{"client_name":"<b>A</b> & \"B\"","redirect_uris":["https://app.example:8443/cb"],"token_endpoint_auth_method":"none"}`)["client_id"].(string)
	page := f.browser().consentPage(map[string]string{"client_id": id, "redirect_uri": "https://app.example:8443/cb"})
	for _, want := range []string{"Allow access?", `value="switch"`, "&lt;b&gt;A&lt;/b&gt; &amp; &#34;B&#34;", "Read your notes", "Change your notes", "notes:write",
		"app.example:8443", resource, "Ada", "This application has not been verified"} {
		if !strings.Contains(page.body, want) {
			t.Errorf("the page does not say %q: %s", want, page.body)
		}
	}
	if strings.Contains(page.body, "<b>A") || strings.Contains(page.body, "<script") {
		t.Errorf("the page has markup of the client, or a script: %s", page.body)
	}
	f.checkHeaders(page, "form-action 'self' https://app.example:8443;")

	f.server = start(t, func(o *as.Options) { o.Scopes[1].Description = "" }).server
	page = f.browser().consentPage(nil)
	page.says(t, "The App", ">notes:write<")
	if strings.Contains(page.body, "has not been verified") || strings.Contains(page.body, "Change your notes") {
		t.Errorf("the page of a client of the options: %s", page.body)
	}

	page = f.browser().consentPage(map[string]string{"client_id": "desktop", "redirect_uri": "http://127.0.0.1:5123/callback"})
	if !strings.Contains(page.body, "A program on this computer") || !strings.Contains(page.body, "127.0.0.1:5123") {
		t.Errorf("the page does not warn of programs on this computer: %s", page.body)
	}
}

// checkHeaders reports what is wrong with the headers of a page.
func (f *fixture) checkHeaders(page *response, policies ...string) {
	f.Helper()
	policy := page.Header.Get("Content-Security-Policy")
	for _, want := range append(policies, "default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'", "style-src 'sha256-") {
		if !strings.Contains(policy, want) {
			f.Errorf("the policy %q has no %q", policy, want)
		}
	}
	if strings.Contains(policy, "unsafe") || strings.Contains(policy, "script-src") {
		f.Errorf("the policy is %q", policy)
	}
	for name, want := range map[string]string{"X-Frame-Options": "DENY", "Referrer-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin", "Cache-Control": "no-store",
		"X-Content-Type-Options": "nosniff", "Content-Type": "text/html; charset=utf-8"} {
		if got := page.Header.Get(name); got != want {
			f.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// TestPageHeaders has the same headers on all pages.
//
// REQ SEC-04
func TestPageHeaders(t *testing.T) {
	f := start(t, nil)
	b := f.browser()
	login := b.get(authorizationURL(nil))
	f.checkHeaders(login, "form-action 'self';")
	f.checkHeaders(b.submit(login, url.Values{"name": {"ada"}, "password": {"wrong"}}))
	f.checkHeaders(b.get("/authorize"), "form-action 'none'")
	f.checkHeaders(b.do(b.request(http.MethodPost, "/consent", "")))
	for _, path := range []string{"/", "/token", "/consent", "/jwks", "/callback"} {
		resp := b.get(path)
		if resp.Header.Get("X-Frame-Options") != "DENY" || !strings.Contains(resp.Header.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
			t.Errorf("%s may be in a frame", path)
		}
		if resp.Header.Get("Referrer-Policy") != "no-referrer" {
			t.Errorf("%s: Referrer-Policy %q", path, resp.Header.Get("Referrer-Policy"))
		}
	}
}

// TestCookies has cookies that no script reads and no other host sets.
//
// REQ SEC-05
func TestCookies(t *testing.T) {
	for _, c := range []struct {
		issuer, prefix string
		secure         bool
	}{{issuer, "__Host-", true}, {"https://localhost:8443", "__Host-", true}, {"http://127.0.0.1:8080", "", false}} {
		b := start(t, func(o *as.Options) { o.Issuer = c.issuer }).browser()
		b.consentPage(nil)
		if len(b.cookies) != 2 {
			t.Errorf("the cookies are %v, want those of the browser and of the login", b.cookies)
		}
		for name, cookie := range b.cookies {
			if !strings.HasPrefix(name, c.prefix+"as-") || cookie.Secure != c.secure || !cookie.HttpOnly || cookie.SameSite != http.SameSiteLaxMode ||
				cookie.Path != "/" || cookie.Domain != "" || len(cookie.Value) < 43 {
				t.Errorf("%s: %v", c.issuer, cookie)
			}
		}
	}
}

// TestDeny tells the client.
func TestDeny(t *testing.T) {
	for _, decision := range []string{"deny", "", "something"} {
		b := start(t, nil).browser()
		q := b.submit(b.consentPage(nil), url.Values{"decision": {decision}}).location(t).Query()
		if q.Get("error") != "access_denied" || q.Has("code") || q.Get("state") != "state&1" || q.Get("iss") != issuer {
			t.Errorf("%q: %v", decision, q)
		}
	}
}

// TestDoubleSubmit grants once, however often the form is sent.
//
// REQ SEC-04
func TestDoubleSubmit(t *testing.T) {
	b := start(t, nil).browser()
	page := b.consentPage(nil)
	allow := url.Values{"decision": {"allow"}}
	if resp := b.submit(page, allow); resp.StatusCode != http.StatusSeeOther {
		t.Fatalf("status %d", resp.StatusCode)
	}
	for range 2 {
		if resp := b.submit(page, allow); resp.StatusCode != http.StatusConflict || resp.Header.Get("Location") != "" {
			t.Errorf("again: status %d, Location %q", resp.StatusCode, resp.Header.Get("Location"))
		}
	}
}

// TestForgery refuses forms that another site, or another browser, sends.
//
// REQ SEC-04
// REQ SEC-05
func TestForgery(t *testing.T) {
	f := start(t, nil)
	victim, attacker := f.browser(), f.browser()
	page, own := victim.consentPage(nil), attacker.consentPage(nil)
	allow := url.Values{"decision": {"allow"}}
	refused := func(what string, resp *response, status int) {
		t.Helper()
		if resp.StatusCode != status || resp.Header.Get("Location") != "" {
			t.Errorf("%s: status %d, Location %q, want %d", what, resp.StatusCode, resp.Header.Get("Location"), status)
		}
	}
	cross := victim.form(page, allow)
	cross.Header.Set("Sec-Fetch-Site", "cross-site")
	refused("from another site", victim.do(cross), http.StatusForbidden)
	cross = victim.form(page, allow)
	cross.Header.Set("Origin", "https://evil.example")
	refused("from another origin", victim.do(cross), http.StatusForbidden)
	cross = victim.form(page, allow)
	cross.Header.Set("Origin", "null")
	refused("from no origin", victim.do(cross), http.StatusForbidden)

	proxied := victim.form(own, allow) // behind a proxy, the host is another
	proxied.Host = "internal:8080"
	proxied.Header.Set("Origin", issuer)
	if resp := victim.do(proxied); resp.StatusCode != http.StatusForbidden || !strings.Contains(resp.body, "belongs to another browser") {
		t.Errorf("from the own origin, behind a proxy: status %d: %s", resp.StatusCode, resp.body)
	}
	refused("the attacker's form in the victim's browser", victim.submit(own, allow), http.StatusForbidden)
	refused("the victim's form in the attacker's browser", attacker.submit(page, allow), http.StatusForbidden)
	stranger := f.browser()
	refused("in a browser without cookies", stranger.submit(page, allow), http.StatusForbidden)
	refused("a guess", victim.submit(&response{page.Response, regexp.MustCompile(`value="[^"]*"`).ReplaceAllString(page.body, `value="guess"`)}, allow), http.StatusConflict)
	query := victim.form(page, allow)
	query.URL.RawQuery = "decision=allow"
	refused("with a query", victim.do(query), http.StatusBadRequest)
	if resp := victim.get("/consent?decision=allow"); resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("by GET: status %d", resp.StatusCode)
	}
	// None of these has used up the page.
	if resp := victim.submit(page, allow); resp.location(t).Query().Get("code") == "" {
		t.Errorf("the user cannot decide any more: %s", resp.location(t))
	}
}

// TestConsentOfAnotherUser refuses a decision if somebody else has logged in since.
func TestConsentOfAnotherUser(t *testing.T) {
	f := start(t, nil)
	b := f.browser()
	page := b.consentPage(nil)
	login := b.submit(page, url.Values{"decision": {"switch"}})
	if login.location(t).Path != "/authorize" {
		t.Fatalf("the browser goes to %s", login.location(t))
	}
	if b.cookies["__Host-as-login"] != nil {
		t.Error("the browser has still the cookie of the login")
	}
	first := b.get(login.location(t).String())
	b.logIn(first, "ada")
	page = b.consentPage(nil)
	for name := range b.cookies {
		if strings.HasSuffix(name, "login") {
			delete(b.cookies, name)
		}
	}
	b.logIn(b.get(authorizationURL(nil)), "bob")
	resp := b.submit(page, url.Values{"decision": {"allow"}})
	if resp.StatusCode != http.StatusForbidden || strings.Contains(f.log.String(), "has granted access") {
		t.Errorf("status %d, the log is %s", resp.StatusCode, f.log)
	}
	resp.says(t, "Another user is logged in now", "Start again from the application.")
}

// TestConsentOfClientThatEnds grants nothing to a client whose registration has ended meanwhile.
func TestConsentOfClientThatEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t, nil)
		id := f.register(anyClient)["client_id"].(string)
		time.Sleep(55 * time.Minute)
		b := f.browser()
		page := b.consentPage(map[string]string{"client_id": id})
		time.Sleep(6 * time.Minute)
		if resp := b.submit(page, url.Values{"decision": {"allow"}}); resp.StatusCode != http.StatusBadRequest || resp.Header.Get("Location") != "" {
			t.Errorf("status %d, Location %q", resp.StatusCode, resp.Header.Get("Location"))
		}
	})
}

// TestConsentExpires accepts a decision for ten minutes.
func TestConsentExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := start(t, nil)
		for wait, want := range map[time.Duration]int{10*time.Minute - time.Second: http.StatusSeeOther, 10 * time.Minute: http.StatusConflict} {
			b := f.browser()
			page := b.consentPage(nil)
			time.Sleep(wait)
			if resp := b.submit(page, url.Values{"decision": {"allow"}}); resp.StatusCode != want {
				t.Errorf("after %v: status %d, want %d", wait, resp.StatusCode, want)
			}
		}
	})
}

// TestEachAsks asks the user for every request, whatever was granted before.
//
// REQ SEC-03
// REQ AUTH06-09
func TestEachAsks(t *testing.T) {
	f := start(t, nil)
	b := f.browser()
	b.allow(nil)
	b.consentPage(nil)
	id := f.register(`{"client_name":"Evil","redirect_uris":["` + redirect + `"],"token_endpoint_auth_method":"none"}`)["client_id"].(string)
	b.consentPage(map[string]string{"client_id": id})
}
