package as_test

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/runtime/auth/as"
)

// TestLimits bounds what an address may send.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		path, method string
		perMinute    int
		says         string
	}{
		{"/authorize", "GET", 60, "Wait a minute, then try again."}, {"/consent", "POST", 60, "Too many requests"},
		{"/token", "POST", 300, `{"error":"temporarily_unavailable","error_description":"too many requests; wait a minute"}`},
		{"/revoke", "POST", 300, "temporarily_unavailable"}, {"/register", "POST", 10, "temporarily_unavailable"},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := start(t, func(o *as.Options) { o.MaxAuthorizations, o.MaxTokens, o.MaxRegistrations = 0, 0, 0 })
			request := func(address string) *response {
				r := f.request(c.method, c.path, "")
				r.RemoteAddr = address
				return f.send(r)
			}
			for i := range c.perMinute {
				if resp := request(fmt.Sprintf("192.0.2.1:%d", 1000+i)); resp.StatusCode == http.StatusTooManyRequests {
					t.Fatalf("%s: request %d was refused", c.path, i+1)
				}
			}
			if resp := request("192.0.2.1:1"); resp.StatusCode != http.StatusTooManyRequests || resp.Header.Get("Retry-After") == "" || !strings.Contains(resp.body, c.says) {
				t.Errorf("%s: one more: status %d", c.path, resp.StatusCode)
			}
			if resp := request("192.0.2.2:1"); resp.StatusCode == http.StatusTooManyRequests {
				t.Errorf("%s: another address was refused", c.path)
			}
			time.Sleep(time.Minute/time.Duration(c.perMinute) + time.Millisecond)
			if resp := request("192.0.2.1:1"); resp.StatusCode == http.StatusTooManyRequests {
				t.Errorf("%s: refused later, too", c.path)
			}
			for i := range c.perMinute + 1 {
				resp := request(fmt.Sprintf("[2001:db8::%x]:1", i))
				if got := resp.StatusCode == http.StatusTooManyRequests; got != (i == c.perMinute) {
					t.Errorf("%s: request %d of an IPv6 network: status %d", c.path, i+1, resp.StatusCode)
				}
			}
		})
	}
}

// TestNoKeys has names that can be no keys of records: nothing has them.
func TestNoKeys(t *testing.T) {
	f := start(t, nil)
	for _, name := range []string{"a b", "..", "a..b", ".", "a/b", "*", ">", "ä\x00", strings.Repeat("x", 300)} {
		form := codeForm(name, map[string]string{"client_id": name})
		status, m := f.post("/token", "", form)
		f.wantError("the client "+name, status, m, http.StatusUnauthorized, "invalid_client")
		status, m = f.post("/token", "", codeForm(name, nil))
		f.wantError("the code "+name, status, m, http.StatusBadRequest, "invalid_grant")
		status, m = f.post("/token", "", refreshForm(name))
		f.wantError("the refresh token "+name, status, m, http.StatusBadRequest, "invalid_grant")
		if status, m = f.post("/revoke", "", url.Values{"client_id": {"app"}, "token": {name}}); status != http.StatusOK {
			t.Errorf("revoking %q: status %d, %v", name, status, m)
		}
	}
}
