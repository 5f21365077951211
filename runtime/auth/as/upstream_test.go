package as_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mcpgen/mcpgen/cluster/store"
	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/auth/as"
	"golang.org/x/oauth2"
)

const provider = "https://provider.example"

// A fakeProvider is the upstream provider of tests.
type fakeProvider struct {
	web
	challenge    string
	tokens       int
	revoked      bool
	down         bool
	refreshes    int
	lifetime     int // seconds
	noRefresh    bool
	lastForm     url.Values
	lastUserinfo string
	asked        func() // nil, or called by userinfo
	asks         int    // of userinfo
	user         string // what userinfo says
	refusal      *http.Response
}

func (p *fakeProvider) token(r *http.Request) *http.Response {
	r.ParseForm()
	p.lastForm = r.PostForm
	if p.refusal != nil {
		return p.refusal
	}
	if p.down {
		return page(503, `{}`)(r)
	}
	if p.revoked {
		return page(400, `{"error":"invalid_grant","error_description":"secret details"}`)(r)
	}
	if r.PostForm.Get("grant_type") == "refresh_token" {
		if r.PostForm.Get("refresh_token") != fmt.Sprintf("upstream-refresh-%d", p.tokens) {
			return page(400, `{"error":"invalid_grant"}`)(r)
		}
		p.refreshes++
	} else if challenge(r.PostForm.Get("code_verifier")) != p.challenge || r.PostForm.Get("code") != "upstream-code" || r.PostForm.Get("redirect_uri") != issuer+"/callback" {
		return page(400, `{"error":"invalid_grant"}`)(r)
	}
	p.tokens++
	refresh := fmt.Sprintf(`,"refresh_token":"upstream-refresh-%d"`, p.tokens)
	if p.noRefresh {
		refresh = ""
	}
	return page(200, fmt.Sprintf(`{"access_token":"upstream-access-%d","token_type":"Bearer","expires_in":%d%s}`, p.tokens, p.lifetime, refresh))(r)
}

func (p *fakeProvider) userinfo(r *http.Request) *http.Response {
	p.lastUserinfo = r.Header.Get("Authorization")
	p.asks++
	if p.asked != nil {
		p.asked()
	}
	switch {
	case p.down:
		return page(503, `{}`)(r)
	case p.revoked || p.lastUserinfo != fmt.Sprintf("Bearer upstream-access-%d", p.tokens):
		return page(401, `{}`)(r)
	}
	return page(200, p.user)(r)
}

func upstreamFixture(t *testing.T, change func(*as.Options)) (*fixture, *fakeProvider, *spyStore) {
	p := &fakeProvider{lifetime: 3600, user: `{"sub":"42","name":"Grace"}`}
	p.pages = map[string]func(*http.Request) *http.Response{provider + "/token": p.token, provider + "/userinfo": p.userinfo}
	spy := new(spyStore)
	f := start(t, func(o *as.Options) {
		o.Password = nil
		o.Store = spy
		o.HTTPClient = &http.Client{Transport: p}
		o.Upstream = &as.Upstream{
			Config: oauth2.Config{ClientID: "us", ClientSecret: "our secret", Scopes: []string{"openid"},
				Endpoint: oauth2.Endpoint{AuthURL: provider + "/authorize", TokenURL: provider + "/token", AuthStyle: oauth2.AuthStyleInParams}},
			Issuer: provider,
			User:   as.UserInfo(provider + "/userinfo"),
		}
		if change != nil {
			change(o)
		}
	})
	return f, p, spy
}

// toProvider lets a browser consent, and returns where the provider is asked.
func (p *fakeProvider) toProvider(b *browser) url.Values {
	b.Helper()
	to := b.submit(b.consentPage(nil), url.Values{"decision": {"allow"}}).location(b)
	if !strings.HasPrefix(to.String(), provider+"/authorize?") {
		b.Fatalf("the browser goes to %s", to)
	}
	q := to.Query()
	p.challenge = q.Get("code_challenge")
	if q.Get("code_challenge_method") != "S256" || q.Get("client_id") != "us" || q.Get("redirect_uri") != issuer+"/callback" || len(q.Get("state")) < 43 {
		b.Fatalf("the provider is asked %v", q)
	}
	return q
}

// A leavingTransport sends requests whose senders leave while the response is on its way.
type leavingTransport struct {
	http.RoundTripper
	leave func()
}

func (l *leavingTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := l.RoundTripper.RoundTrip(r)
	if l.leave != nil {
		l.leave()
	}
	if r.Context().Err() != nil {
		return nil, r.Context().Err()
	}
	return resp, err
}

func callback(q url.Values, change map[string]string) string {
	r := url.Values{"code": {"upstream-code"}, "state": {q.Get("state")}, "iss": {provider}}
	for name, value := range change {
		r.Set(name, value)
	}
	return "/callback?" + r.Encode()
}

// upstreamTokens returns the tokens of a user who has logged in at the provider.
func (p *fakeProvider) upstreamTokens(f *fixture) (access, refresh string) {
	f.Helper()
	b := f.browser()
	to := b.get(callback(p.toProvider(b), nil)).location(f).Query()
	if to.Get("state") != "state&1" || to.Get("iss") != issuer {
		f.Fatalf("the client receives %v", to)
	}
	status, m := f.post("/token", "", codeForm(to.Get("code"), nil))
	if status != http.StatusOK {
		f.Fatalf("status %d, %v", status, m)
	}
	refresh, _ = m["refresh_token"].(string)
	return m["access_token"].(string), refresh
}

// TestUpstream logs users in at another provider, and binds our tokens to its.
//
// REQ AUTH03-07
// REQ AUTH03-08
func TestUpstream(t *testing.T) {
	f, p, store := upstreamFixture(t, nil)
	access, refresh := p.upstreamTokens(f)
	token, err := f.server.Verify(t.Context(), access)
	if err != nil || token.Subject != "42" || token.Issuer != issuer {
		t.Fatalf("%v, %v", token, err)
	}
	upstream, err := f.server.UpstreamToken(t.Context(), token)
	if err != nil || upstream.AccessToken != "upstream-access-1" {
		t.Errorf("%v, %v", upstream, err)
	}
	for what, change := range map[string]func(*auth.Token){
		"another user's":      func(t *auth.Token) { t.Subject = "43" },
		"another issuer's":    func(t *auth.Token) { t.Issuer = provider },
		"without an id":       func(t *auth.Token) { t.Claims = []byte("{}") },
		"of an unknown grant": func(t *auth.Token) { t.Claims = []byte(`{"jti":"x.y"}`) },
	} {
		forged := *token
		change(&forged)
		if got, err := f.server.UpstreamToken(t.Context(), &forged); err == nil {
			t.Errorf("a token %s: %v", what, got)
		}
	}
	if resp := f.browser().do(f.request(http.MethodPost, authorizationURL(nil), "")); resp.StatusCode != http.StatusMethodNotAllowed {
		t.Errorf("POST /authorize: status %d", resp.StatusCode)
	}
	if p.lastForm.Get("client_secret") != "our secret" {
		t.Errorf("the provider has received %v", p.lastForm)
	}
	for _, secret := range []string{"upstream-access", "upstream-refresh", "upstream-code", "our secret"} {
		if strings.Contains(store.all.String(), secret) || strings.Contains(f.log.String(), secret) {
			t.Errorf("%q is in the store or in the log", secret)
		}
	}
	if strings.Contains(access, "upstream") || strings.Contains(refresh, "upstream") {
		t.Error("the client receives tokens of the provider")
	}
}

// TestUpstreamConsentFirst does not go to the provider before the user has consented, for this client, in this
// browser. The state is made then, and can be used once, where it was made.
//
// REQ SEC-03
// REQ SEC-06
// REQ AUTH06-09
func TestUpstreamConsentFirst(t *testing.T) {
	f, p, store := upstreamFixture(t, nil)
	b := f.browser()
	page := b.consentPage(nil)
	f.checkHeaders(page, "form-action 'self' https://app.example https: https://provider.example;")
	if !strings.Contains(page.body, "provider.example") || strings.Contains(store.all.String(), "as-state.") {
		t.Errorf("before consent: %s; the store has %s", page.body, &store.all)
	}
	for name := range b.cookies {
		if strings.Contains(name, "state") {
			t.Errorf("there is the cookie %s before consent", name)
		}
	}
	if to := b.submit(page, url.Values{"decision": {"deny"}}).location(t); to.Host != "app.example" || to.Query().Get("error") != "access_denied" {
		t.Errorf("denied, and the browser goes to %s", to)
	}
	q := p.toProvider(b)
	refused := func(what string, resp *response) {
		t.Helper()
		if resp.StatusCode < 400 || resp.Header.Get("Location") != "" {
			t.Errorf("%s: status %d, Location %q", what, resp.StatusCode, resp.Header.Get("Location"))
		}
	}
	// An attacker who sends his link of the provider to a victim is refused: the victim has not consented.
	refused("in another browser", f.browser().get(callback(q, nil)))
	refused("a guess", b.get(callback(q, map[string]string{"state": strings.Repeat("a", 43)})))
	refused("no state", b.get("/callback?code=upstream-code"))
	refused("a short state", b.get("/callback?code=upstream-code&state=a"))
	if p.tokens != 0 {
		t.Error("the provider was asked for tokens")
	}
	refused("a code twice", b.get(callback(q, nil)+"&code=x"))
	b.get(callback(q, nil)+"&code=x").says(t, "This link does not work", "Start again from the application.")
	if to := b.get(callback(q, nil)).location(t); to.Query().Get("code") == "" {
		t.Errorf("the browser goes to %s", to)
	}
	for name := range b.cookies {
		if strings.Contains(name, "state") {
			t.Errorf("there is still the cookie %s", name)
		}
	}
	refused("again", b.get(callback(q, nil)))

	id := f.register(`{"client_name":"Evil","redirect_uris":["https://evil.example/cb"],"token_endpoint_auth_method":"none"}`)["client_id"].(string)
	b.consentPage(map[string]string{"client_id": id, "redirect_uri": "https://evil.example/cb"})
}

// TestUpstreamErrors tells the client that it did not work, and nothing that the provider says.
//
// REQ AUTH03-08
func TestUpstreamErrors(t *testing.T) {
	for what, c := range map[string]struct {
		want   string
		change map[string]string
		set    func(*fakeProvider)
	}{
		"denied":               {"access_denied", map[string]string{"error": "access_denied", "error_description": "secret details"}, nil},
		"another error":        {"server_error", map[string]string{"error": "x", "error_description": "secret details"}, nil},
		"no code":              {"server_error", map[string]string{"code": ""}, nil},
		"nobody":               {"server_error", nil, func(p *fakeProvider) { p.user = `{"sub":""}` }},
		"a machine":            {"server_error", nil, func(p *fakeProvider) { p.user = `{"sub":"client:machine"}` }},
		"a wrong code":         {"server_error", map[string]string{"code": "wrong"}, nil},
		"another provider":     {"server_error", map[string]string{"iss": "https://evil.example"}, nil},
		"the provider is down": {"server_error", nil, func(p *fakeProvider) { p.down = true }},
		"revoked at once":      {"server_error", nil, func(p *fakeProvider) { p.revoked = true }},
	} {
		f, p, _ := upstreamFixture(t, nil)
		b := f.browser()
		q := p.toProvider(b)
		if c.set != nil {
			c.set(p)
		}
		to := b.get(callback(q, c.change)).location(t)
		if r := to.Query(); to.Host != "app.example" || r.Get("error") != c.want || r.Get("state") != "state&1" || r.Get("iss") != issuer || r.Has("code") ||
			strings.Contains(to.String(), "secret") || strings.Contains(f.log.String(), "secret details") {
			t.Errorf("%s: the browser goes to %s", what, to)
		}
		if asked := p.lastForm != nil; asked != (c.set != nil || what == "a wrong code") {
			t.Errorf("%s: the provider was asked for a token: %t", what, asked)
		}
		if p.lastForm != nil && !strings.Contains(f.log.String(), "the provider d") {
			t.Errorf("%s: the log is %s", what, f.log)
		}
	}
}

// TestUpstreamIssuer compares the issuer of a response if both sides name it.
func TestUpstreamIssuer(t *testing.T) {
	for _, c := range []struct {
		expected, named string
	}{{provider, ""}, {"", "https://other.example"}, {"", ""}} {
		f, p, _ := upstreamFixture(t, func(o *as.Options) { o.Upstream.Issuer = c.expected })
		b := f.browser()
		if to := b.get(callback(p.toProvider(b), map[string]string{"iss": c.named})).location(t); to.Query().Get("code") == "" {
			t.Errorf("%q where %q is expected: the browser goes to %s", c.named, c.expected, to)
		}
	}
}

// TestUpstreamOnLoopback reaches a provider on loopback where the server is on loopback, too: in development.
func TestUpstreamOnLoopback(t *testing.T) {
	p := &fakeProvider{lifetime: 3600, user: `{"sub":"42"}`}
	local := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if r.URL.Path == "/token" {
			io.WriteString(w, `{"access_token":"a","token_type":"Bearer"}`)
		} else {
			io.WriteString(w, p.user)
		}
	}))
	defer local.Close()
	f, _, _ := upstreamFixture(t, func(o *as.Options) {
		o.Issuer, o.HTTPClient = "http://127.0.0.1:8080", nil
		o.Upstream.Config.Endpoint = oauth2.Endpoint{AuthURL: local.URL + "/authorize", TokenURL: local.URL + "/token"}
		o.Upstream.User = as.UserInfo(local.URL + "/userinfo")
	})
	b := f.browser()
	to := b.submit(b.consentPage(nil), url.Values{"decision": {"allow"}}).location(t)
	if to := b.get(callback(to.Query(), nil)).location(t); to.Query().Get("code") == "" {
		t.Errorf("the browser goes to %s; the log is %s", to, f.log)
	}
}

// TestUserInfo says who a user is, and whether the provider still says so.
func TestUserInfo(t *testing.T) {
	for status, revoked := range map[int]bool{http.StatusOK: false, http.StatusUnauthorized: true, http.StatusForbidden: true, http.StatusNotFound: false} {
		w := &web{pages: map[string]func(*http.Request) *http.Response{provider + "/me": page(status, `{"sub":"42","name":"Grace"}`)}}
		user, err := as.UserInfo(provider+"/me")(t.Context(), &http.Client{Transport: w})
		if errors.Is(err, as.ErrUpstreamRevoked) != revoked || (err == nil) != (status == http.StatusOK) || err == nil && *user != (as.User{Subject: "42", Name: "Grace"}) {
			t.Errorf("status %d: %v, %v", status, user, err)
		}
	}
}

// TestUpstreamRefusals takes no token of a provider for revoked that it may honour again.
//
// REQ AUTH03-08
func TestUpstreamRefusals(t *testing.T) {
	for _, c := range []struct {
		status  int
		body    string
		revoked bool
	}{
		{400, `{}`, true}, {401, `{}`, true}, {403, `{"error":"invalid_grant"}`, true},
		{403, `{}`, false}, {429, `{}`, false}, {500, `{}`, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			f, p, _ := upstreamFixture(t, nil)
			_, refresh := p.upstreamTokens(f)
			time.Sleep(2 * time.Hour)
			p.refusal = page(c.status, c.body)(nil)
			want, code := http.StatusInternalServerError, "server_error"
			if c.revoked {
				want, code = http.StatusBadRequest, "invalid_grant"
			}
			status, m := f.post("/token", "", refreshForm(refresh))
			f.wantError(fmt.Sprint(c.status, c.body), status, m, want, code)
			if strings.Contains(f.log.String(), "the grant is revoked") != c.revoked {
				t.Errorf("%d %s: the log is %s", c.status, c.body, f.log)
			}
		})
	}
}

// TestUpstreamOfAnotherUser ends a grant whose token is another user's by now.
//
// REQ AUTH03-08
func TestUpstreamOfAnotherUser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, p, _ := upstreamFixture(t, nil)
		access, _ := p.upstreamTokens(f)
		token, err := f.server.Verify(t.Context(), access)
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		p.user = `{"sub":"43"}`
		if _, err := f.server.UpstreamToken(t.Context(), token); err == nil {
			t.Error("the token of another user is given")
		}
		if f.valid(access) {
			t.Error("the token is valid")
		}
	})
}

// TestUpstreamIsGone takes grants of a provider for revoked that the server does not use any more, or whose tokens it has lost
// with its secret.
func TestUpstreamIsGone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var options as.Options
		f, p, _ := upstreamFixture(t, func(o *as.Options) { o.Secret, options = make([]byte, 32), *o })
		options.Secret = make([]byte, 32)
		without := start(t, func(o *as.Options) {
			password := o.Password
			*o = options
			o.Upstream, o.Password = nil, password
		})
		options.Secret = []byte(strings.Repeat("x", 32))
		lost := start(t, func(o *as.Options) { *o = options })

		b := f.browser()
		q := p.toProvider(b)
		b.fixture = lost
		if resp := b.get(callback(q, nil)); resp.StatusCode != http.StatusInternalServerError || resp.Header.Get("Location") != "" {
			t.Errorf("a login that began with another secret: status %d, Location %q", resp.StatusCode, resp.Header.Get("Location"))
		}
		b.fixture = f
		code := b.get(callback(p.toProvider(b), nil)).location(t).Query().Get("code")
		status, m := lost.post("/token", "", codeForm(code, nil))
		lost.wantError("a code of another secret", status, m, http.StatusInternalServerError, "server_error")

		access, refresh := p.upstreamTokens(f)
		_, other := p.upstreamTokens(f)
		time.Sleep(time.Minute)
		if without.valid(access) {
			t.Error("the token is valid where there is no provider")
		}
		status, m = without.post("/token", "", refreshForm(refresh))
		f.wantError("without a provider", status, m, http.StatusBadRequest, "invalid_grant")
		status, m = lost.post("/token", "", refreshForm(other))
		f.wantError("with another secret", status, m, http.StatusBadRequest, "invalid_grant")
	})
	f := start(t, nil)
	access, _ := f.tokens()
	token, err := f.server.Verify(t.Context(), access)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.server.UpstreamToken(t.Context(), token); err == nil || !strings.Contains(err.Error(), "there is no token of a provider") {
		t.Errorf("a token without a provider: %v", err)
	}
}

// TestUpstreamGuess asks the provider nothing for whoever has not the refresh token of a grant.
func TestUpstreamGuess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, p, _ := upstreamFixture(t, nil)
		_, refresh := p.upstreamTokens(f)
		time.Sleep(2 * time.Minute)
		before := p.asks
		id, _, _ := strings.Cut(refresh, ".")
		status, m := f.post("/token", "", refreshForm(id+".guess"))
		f.wantError("a guess", status, m, http.StatusBadRequest, "invalid_grant")
		form := refreshForm(refresh)
		form.Set("client_id", "desktop")
		status, m = f.post("/token", "", form)
		f.wantError("another client", status, m, http.StatusBadRequest, "invalid_grant")
		if p.asks != before {
			t.Errorf("the provider was asked %d times", p.asks-before)
		}
		if status, m := f.post("/token", "", refreshForm(refresh)); status != http.StatusOK || p.asks != before+1 {
			t.Errorf("status %d, %v; the provider was asked %d times", status, m, p.asks-before)
		}
	})
}

// TestUpstreamRevoked honours what the provider says of its token: for every request with ours, and for refreshes.
//
// REQ AUTH03-08
func TestUpstreamRevoked(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, p, _ := upstreamFixture(t, nil)
		access, refresh := p.upstreamTokens(f)
		p.revoked = true
		time.Sleep(time.Minute - time.Second)
		if !f.valid(access) {
			t.Error("the provider was asked within a minute")
		}
		time.Sleep(time.Second)
		if f.valid(access) {
			t.Error("the token is valid, though that of the provider is revoked")
		}
		status, m := f.post("/token", "", refreshForm(refresh))
		f.wantError("the refresh token", status, m, 400, "invalid_grant")
		p.revoked = false
		if f.valid(access) {
			t.Error("the token is valid again")
		}
	})
	synctest.Test(t, func(t *testing.T) {
		f, p, _ := upstreamFixture(t, nil)
		_, refresh := p.upstreamTokens(f)
		p.revoked = true
		time.Sleep(time.Minute)
		status, m := f.post("/token", "", refreshForm(refresh))
		f.wantError("the refresh token", status, m, 400, "invalid_grant")
	})
}

// TestUpstreamDown refuses tokens while the provider cannot be asked, and honours them afterwards.
//
// REQ AUTH03-08
func TestUpstreamDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, p, _ := upstreamFixture(t, nil)
		access, refresh := p.upstreamTokens(f)
		p.down = true
		time.Sleep(time.Minute)
		for range 2 { // nobody waits for the one who has asked
			begun := time.Now()
			if _, err := f.server.Verify(t.Context(), access); err == nil || isInvalid(err) || time.Since(begun) > 0 {
				t.Errorf("Verify: %v after %v, want an error that is none of the token", err, time.Since(begun))
			}
		}
		status, m := f.post("/token", "", refreshForm(refresh))
		f.wantError("the refresh token", status, m, 500, "server_error")
		p.down = false
		if status, m := f.post("/token", "", refreshForm(refresh)); status != http.StatusOK || !f.valid(access) {
			t.Fatalf("afterwards: status %d, %v", status, m)
		} else {
			refresh = m["refresh_token"].(string)
		}
		p.down = true
		time.Sleep(2 * time.Hour) // the token of the provider has ended
		status, m = f.post("/token", "", refreshForm(refresh))
		f.wantError("the refresh token, with that of the provider", status, m, 500, "server_error")
		p.down = false
		if status, m := f.post("/token", "", refreshForm(refresh)); status != http.StatusOK {
			t.Errorf("afterwards: status %d, %v", status, m)
		}
	})
}

// TestUpstreamRenewal refreshes the token of the provider, once for many requests.
//
// REQ AUTH03-08
func TestUpstreamRenewal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, p, _ := upstreamFixture(t, nil)
		_, refresh := p.upstreamTokens(f)
		time.Sleep(2 * time.Hour)
		_, m := f.post("/token", "", refreshForm(refresh))
		access, _ := m["access_token"].(string)
		if access == "" || p.refreshes != 1 {
			t.Fatalf("%v, %d refreshes", m, p.refreshes)
		}
		time.Sleep(5 * time.Minute)
		p.asks = 0
		done := make(chan error)
		for range 20 {
			go func() {
				_, err := f.server.Verify(t.Context(), access)
				done <- err
			}()
		}
		for range 20 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if p.refreshes != 1 {
			t.Errorf("%d refreshes", p.refreshes)
		}
		token, err := f.server.Verify(t.Context(), access)
		if err != nil {
			t.Fatal(err)
		}
		if upstream, err := f.server.UpstreamToken(t.Context(), token); err != nil || upstream.AccessToken != "upstream-access-2" {
			t.Errorf("%v, %v", upstream, err)
		}
		if p.asks != 1 {
			t.Errorf("the provider was asked %d times within a minute", p.asks)
		}
	})
}

// TestUpstreamRenewalByTwo refreshes the token of the provider once, though several requests at two servers with one store
// need it at the same time: a provider takes a refresh token that is used twice for stolen.
//
// REQ AUTH03-08
func TestUpstreamRenewalByTwo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var options as.Options
		slow := &slowTransport{}
		a, p, _ := upstreamFixture(t, func(o *as.Options) {
			slow.RoundTripper, o.HTTPClient.Transport = o.HTTPClient.Transport, slow
			o.Secret, o.AccessLifetime = make([]byte, 32), 4*time.Hour
			options = *o
		})
		b := start(t, func(o *as.Options) { *o = options })
		access, _ := p.upstreamTokens(a)
		time.Sleep(2 * time.Hour)
		done := make(chan error)
		go func() {
			time.Sleep(time.Millisecond)
			ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
			defer cancel()
			if _, err := b.server.Verify(ctx, access); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("somebody who leaves: %v", err)
			}
		}()
		for _, f := range []*fixture{a, a, b, b} {
			go func() {
				_, err := f.server.Verify(t.Context(), access)
				done <- err
			}()
		}
		for range 4 {
			if err := <-done; err != nil {
				t.Error(err)
			}
		}
		if p.refreshes != 1 {
			t.Errorf("%d refreshes, want 1", p.refreshes)
		}
	})
}

// TestUpstreamRenewalIsTakenOver lets a server ask the provider after another has begun to, and was lost.
//
// REQ AUTH03-08
func TestUpstreamRenewalIsTakenOver(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		records := &failingStore{Store: new(store.Memory)}
		f, p, _ := upstreamFixture(t, func(o *as.Options) { o.Store, o.AccessLifetime = records, 4*time.Hour })
		access, _ := p.upstreamTokens(f)
		time.Sleep(time.Minute)
		p.asked = func() { records.lost.Store(true) }
		if _, err := f.server.Verify(t.Context(), access); err == nil {
			t.Fatal("the token is valid, though the store is lost")
		}
		p.asked = nil
		records.lost.Store(false)
		begun := time.Now()
		if _, err := f.server.Verify(t.Context(), access); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(begun); took > time.Minute {
			t.Errorf("it took %v", took)
		}
	})
}

// A slowTransport is a network on which responses take a while.
type slowTransport struct {
	http.RoundTripper
	mu sync.Mutex
}

func (s *slowTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	s.mu.Lock()
	resp, err := s.RoundTripper.RoundTrip(r)
	s.mu.Unlock()
	time.Sleep(time.Second)
	return resp, err
}

// TestShortUpstreamTokens takes tokens of the provider that are valid only for a few seconds.
//
// REQ AUTH03-08
func TestShortUpstreamTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, p, _ := upstreamFixture(t, nil)
		p.lifetime = 5
		access, _ := p.upstreamTokens(f)
		for range 3 {
			time.Sleep(time.Minute)
			if !f.valid(access) {
				t.Fatal("the token is not valid any more")
			}
		}
	})
}

// TestUpstreamRedirect sends the token of the provider nowhere else.
//
// REQ AUTH-05
func TestUpstreamRedirect(t *testing.T) {
	for to, want := range map[string]bool{"https://evil.example/steal": false, "http://provider.example/me": false, provider + "/me": true} {
		f, p, _ := upstreamFixture(t, nil)
		var stolen string
		me := p.pages[provider+"/userinfo"]
		p.pages[provider+"/userinfo"] = func(r *http.Request) *http.Response {
			resp := page(302, "")(r)
			resp.Header = http.Header{"Location": {to}}
			return resp
		}
		p.pages[to] = func(r *http.Request) *http.Response {
			stolen = r.Header.Get("Authorization")
			return me(r)
		}
		b := f.browser()
		back := b.get(callback(p.toProvider(b), nil)).location(t).Query()
		if n := p.asks; n != 0 && !want {
			t.Errorf("a redirect to %s: the provider says who it is", to)
		}
		if back.Has("code") != want || (stolen != "") != want {
			t.Errorf("a redirect to %s: the client receives %v, the token went there: %t", to, back, stolen != "")
		}
	}
}

// TestUpstreamRedirects follows five redirects, or fewer if the client says so.
func TestUpstreamRedirects(t *testing.T) {
	for _, c := range []struct {
		redirects int
		check     func(*http.Request, []*http.Request) error
		want      bool
	}{
		{5, nil, true}, {6, nil, false},
		{1, func(*http.Request, []*http.Request) error { return errors.New("no redirects") }, false},
	} {
		f, p, _ := upstreamFixture(t, func(o *as.Options) { o.HTTPClient.CheckRedirect = c.check })
		me := p.pages[provider+"/userinfo"]
		left := c.redirects
		p.pages[provider+"/userinfo"] = func(r *http.Request) *http.Response {
			if left--; left >= 0 {
				return page(302, "", "Location", provider+"/userinfo")(r)
			}
			return me(r)
		}
		b := f.browser()
		if back := b.get(callback(p.toProvider(b), nil)).location(t).Query(); back.Has("code") != c.want {
			t.Errorf("%d redirects: the client receives %v", c.redirects, back)
		}
	}
}

// TestUpstreamRenewalOfSomebodyWhoLeaves keeps what the provider has given, though the request ends meanwhile: the
// refresh token before it is spent.
//
// REQ AUTH03-08
func TestUpstreamRenewalOfSomebodyWhoLeaves(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		leaving := &leavingTransport{}
		f, p, _ := upstreamFixture(t, func(o *as.Options) {
			leaving.RoundTripper, o.HTTPClient.Transport = o.HTTPClient.Transport, leaving
			o.AccessLifetime = 4 * time.Hour
		})
		access, _ := p.upstreamTokens(f)
		time.Sleep(2 * time.Hour)
		ctx, cancel := context.WithCancel(t.Context())
		leaving.leave = cancel
		f.server.Verify(ctx, access)
		if p.refreshes != 1 {
			t.Fatalf("%d refreshes", p.refreshes)
		}
		if _, err := f.server.Verify(t.Context(), access); err != nil {
			t.Errorf("afterwards: %v", err)
		}
	})
}

// TestUpstreamRenewalWithoutUser keeps what the provider has given, though it does not say then whose that is.
//
// REQ AUTH03-08
func TestUpstreamRenewalWithoutUser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, p, _ := upstreamFixture(t, func(o *as.Options) { o.AccessLifetime = 4 * time.Hour })
		access, _ := p.upstreamTokens(f)
		time.Sleep(2 * time.Hour)
		userinfo := p.pages[provider+"/userinfo"]
		p.pages[provider+"/userinfo"] = page(503, `{}`)
		if _, err := f.server.Verify(t.Context(), access); err == nil || isInvalid(err) || p.refreshes != 1 {
			t.Fatalf("Verify: %v, want an error that is none of the token; %d refreshes", err, p.refreshes)
		}
		p.pages[provider+"/userinfo"] = userinfo
		if _, err := f.server.Verify(t.Context(), access); err != nil || p.refreshes != 1 {
			t.Errorf("afterwards: %v, %d refreshes", err, p.refreshes)
		}
	})
}

// TestUpstreamEnd does not let our tokens outlive one of the provider that cannot be refreshed.
//
// REQ AUTH03-08
func TestUpstreamEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, p, _ := upstreamFixture(t, nil)
		p.lifetime, p.noRefresh = 7200, true
		long, _ := p.upstreamTokens(f)
		if token, err := f.server.Verify(t.Context(), long); err != nil || !token.Expiry.Equal(time.Now().Add(10*time.Minute)) {
			t.Errorf("a long token of the provider: %v, %v", token, err)
		}
		p.lifetime = 120
		access, refresh := p.upstreamTokens(f)
		time.Sleep(105 * time.Second)
		if !f.valid(access) {
			t.Error("the token is not valid")
		}
		time.Sleep(15 * time.Second)
		if f.valid(access) {
			t.Error("the token is valid")
		}
		time.Sleep(time.Minute)
		status, m := f.post("/token", "", refreshForm(refresh))
		f.wantError("the refresh token", status, m, 400, "invalid_grant")
	})
}

func isInvalid(err error) bool {
	var e *auth.InvalidTokenError
	return errors.As(err, &e)
}
