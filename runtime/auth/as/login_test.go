package as_test

import (
	"context"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/auth/as"
)

// TestLogin refuses wrong passwords, and forms of other sites and browsers.
func TestLogin(t *testing.T) {
	f := start(t, nil)
	b := f.browser()
	page := b.get(authorizationURL(nil))
	for what, fields := range map[string]url.Values{
		"a wrong password": {"name": {"ada"}, "password": {"wrong"}},
		"nobody":           {"name": {"nobody"}, "password": {"correct horse"}},
		"a long password":  {"name": {"ada"}, "password": {strings.Repeat("a", 2000)}},
		"no password":      {"name": {"ada"}},
	} {
		resp := b.submit(page, fields)
		if resp.StatusCode != http.StatusForbidden {
			t.Errorf("%s: status %d", what, resp.StatusCode)
		}
		resp.says(t, "Log in", "as.example", "The name or the password is wrong.", `value="`+fields.Get("name")+`"`)
	}
	if !strings.Contains(f.log.String(), "a login failed") {
		t.Errorf("the log is %s", f.log)
	}
	right := url.Values{"name": {"ada"}, "password": {"correct horse"}}
	cross := b.form(page, right)
	cross.Header.Set("Sec-Fetch-Site", "cross-site")
	if resp := b.do(cross); resp.StatusCode != http.StatusForbidden {
		t.Errorf("from another site: status %d", resp.StatusCode)
	}
	if resp := f.browser().submit(page, right); resp.StatusCode != http.StatusForbidden {
		t.Errorf("in a browser without cookies: status %d", resp.StatusCode)
	}
	another := f.browser()
	another.get(authorizationURL(nil))
	if resp := another.submit(page, right); resp.StatusCode != http.StatusForbidden || !strings.Contains(resp.body, "The page had expired.") {
		t.Errorf("in another browser: status %d: %s", resp.StatusCode, resp.body)
	}
	text := b.form(page, right)
	text.Header.Set("Content-Type", "text/plain")
	if resp := b.do(text); resp.StatusCode != http.StatusBadRequest || !strings.Contains(resp.body, "The form is not valid") {
		t.Errorf("no form: status %d: %s", resp.StatusCode, resp.body)
	}
	if strings.Contains(f.log.String(), "correct horse") {
		t.Errorf("a password is in the log: %s", f.log)
	}
	if again := b.logIn(page, "ada"); !strings.Contains(again.body, "asks for access") {
		t.Errorf("status %d: %s", again.StatusCode, again.body)
	}
}

// TestLoginOfWrongUsers logs nobody in whom the program cannot name.
func TestLoginOfWrongUsers(t *testing.T) {
	f := start(t, func(o *as.Options) {
		o.Password = func(_ context.Context, name, _ string) (*as.User, error) {
			if name == "broken" {
				return nil, errDisk
			}
			return &as.User{Subject: name}, nil
		}
	})
	b := f.browser()
	page := b.get(authorizationURL(nil))
	for _, name := range []string{"", "client:machine", "broken"} {
		resp := b.submit(page, url.Values{"name": {name}, "password": {strings.Repeat("p", 1024)}})
		if resp.StatusCode != http.StatusInternalServerError || b.cookies["__Host-as-login"] != nil {
			t.Errorf("%q: status %d, %v", name, resp.StatusCode, b.cookies)
		}
		resp.says(t, "Something went wrong", "the authorization server failed")
	}
	if !strings.Contains(f.log.String(), errDisk.Error()) {
		t.Errorf("the log is %s", f.log)
	}
}

// TestLoginFixation gives a browser a new cookie when somebody logs in.
func TestLoginFixation(t *testing.T) {
	b := start(t, nil).browser()
	page := b.get(authorizationURL(nil))
	name := "__Host-as-login"
	b.cookies[name] = &http.Cookie{Name: name, Value: strings.Repeat("a", 43)}
	b.logIn(page, "ada")
	if b.cookies[name].Value == strings.Repeat("a", 43) {
		t.Error("the cookie that the browser had is that of the login now")
	}
}

// TestLoginAttempts bounds how often passwords are tried, for an address and for a name.
func TestLoginAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		address := "192.0.2.1"
		f := start(t, func(o *as.Options) { o.Address = func(*http.Request) string { return address } })
		b := f.browser()
		page := b.get(authorizationURL(nil))
		tried := func(name string) int {
			return b.submit(page, url.Values{"name": {name}, "password": {"guess"}}).StatusCode
		}
		for range 10 {
			if got := tried("ada"); got != http.StatusForbidden {
				t.Fatalf("status %d", got)
			}
		}
		if resp := b.submit(page, url.Values{"name": {"bob"}, "password": {"guess"}}); resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Retry-After") != "60" {
			t.Errorf("another name from the same address: status %d, %v", resp.StatusCode, resp.Header)
		}
		address = "192.0.2.2"
		for _, name := range []string{"ada", "Ada", "aDA", " ada", "ada\t"} {
			if got := tried(name); got != http.StatusTooManyRequests {
				t.Errorf("the same name from another address, as %q: status %d", name, got)
			}
		}
		time.Sleep(time.Minute)
		if got := tried("ada"); got != http.StatusForbidden {
			t.Errorf("a minute later: status %d", got)
		}
	})
}

// TestLoginLifetime ends a login.
func TestLoginLifetime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := start(t, nil).browser()
		b.consentPage(nil)
		time.Sleep(8*time.Hour - time.Second)
		if page := b.get(authorizationURL(nil)); !strings.Contains(page.body, "asks for access") {
			t.Errorf("after almost 8 hours: %s", page.body)
		}
		time.Sleep(time.Second)
		if page := b.get(authorizationURL(nil)); !strings.Contains(page.body, `type="password"`) {
			t.Errorf("after 8 hours: %s", page.body)
		}
	})
}

// TestLoginHook lets the program say who is logged in.
func TestLoginHook(t *testing.T) {
	f := start(t, func(o *as.Options) {
		o.Password = nil
		o.Login = func(w http.ResponseWriter, r *http.Request) *as.User {
			if r.Method == http.MethodGet && (r.RequestURI != r.URL.RequestURI() && !strings.HasSuffix(r.RequestURI, r.URL.RequestURI()) || r.ContentLength != 0) {
				t.Errorf("a GET request for %s as %s with %d bytes", r.URL, r.RequestURI, r.ContentLength)
			}
			if c, err := r.Cookie("session"); err == nil {
				return &as.User{Subject: c.Value}
			}
			if r.Method == http.MethodPost {
				http.SetCookie(w, &http.Cookie{Name: "session", Value: "eve"})
				http.Redirect(w, r, r.URL.RequestURI(), http.StatusSeeOther)
				return nil
			}
			http.Redirect(w, r, "/login?return="+url.QueryEscape(r.URL.RequestURI()), http.StatusSeeOther)
			return nil
		}
	})
	b := f.browser()
	if to := b.get(authorizationURL(nil)).location(t); to.Path != "/login" || !strings.HasPrefix(to.Query().Get("return"), "/authorize?") {
		t.Errorf("the browser goes to %s", to)
	}
	back := b.do(b.request(http.MethodPost, authorizationURL(nil), "")).location(t)
	page := b.get(back.String())
	if q := b.submit(page, url.Values{"decision": {"switch"}}).location(t).Query(); q.Get("error") != "access_denied" {
		t.Errorf("another user, where the program logs in: %v", q)
	}
	page = b.get(back.String())
	if strings.Contains(page.body, `value="switch"`) {
		t.Errorf("the page lets another user log in: %s", page.body)
	}
	delete(b.cookies, "session")
	if to := b.submit(page, url.Values{"decision": {"allow"}}).location(t); to.Path != "/login" || !strings.HasPrefix(to.Query().Get("return"), "/authorize?") {
		t.Errorf("once nobody is logged in, the browser goes to %s", to)
	}
	b.cookies["session"] = &http.Cookie{Name: "session", Value: "eve"}
	q := b.submit(page, url.Values{"decision": {"allow"}}).location(t).Query()
	_, m := f.post("/token", "", codeForm(q.Get("code"), nil))
	if token, err := f.server.Verify(t.Context(), m["access_token"].(string)); err != nil || token.Subject != "eve" {
		t.Errorf("%v, %v", token, err)
	}
	if to := b.do(b.request(http.MethodPost, authorizationURL(nil), "")).location(t); to.Path != "/authorize" {
		t.Errorf("once somebody has logged in by POST, the browser goes to %s", to)
	}
	b.cookies["session"].Value = "client:machine"
	if page := b.get(authorizationURL(nil)); page.StatusCode != http.StatusInternalServerError || strings.Contains(page.body, "asks for access") {
		t.Errorf("a user with the subject of a client: status %d: %s", page.StatusCode, page.body)
	}
}
