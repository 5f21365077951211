package as_test

import (
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
		if resp.StatusCode != http.StatusForbidden || !strings.Contains(resp.body, "The name or the password is wrong.") {
			t.Errorf("%s: status %d: %s", what, resp.StatusCode, resp.body)
		}
	}
	right := url.Values{"name": {"ada"}, "password": {"correct horse"}}
	cross := b.form(page, right)
	cross.Header.Set("Sec-Fetch-Site", "cross-site")
	if resp := b.do(cross); resp.StatusCode != http.StatusForbidden {
		t.Errorf("from another site: status %d", resp.StatusCode)
	}
	if resp := f.browser().submit(page, right); resp.StatusCode != http.StatusForbidden {
		t.Errorf("in another browser: status %d", resp.StatusCode)
	}
	if strings.Contains(f.log.String(), "correct horse") {
		t.Errorf("a password is in the log: %s", f.log)
	}
	if again := b.logIn(page, "ada"); !strings.Contains(again.body, "asks for access") {
		t.Errorf("status %d: %s", again.StatusCode, again.body)
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
		if got := tried("bob"); got != http.StatusTooManyRequests {
			t.Errorf("another name from the same address: status %d", got)
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
	if page := b.get(authorizationURL(nil)); page.StatusCode != http.StatusInternalServerError {
		t.Errorf("a user with the subject of a client: status %d", page.StatusCode)
	}
}
