package as_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"html"
	"io"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/auth/as"
)

const (
	issuer   = "https://as.example"
	resource = "https://mcp.example/mcp"
	other    = "https://other.example/mcp"
	redirect = "https://app.example/callback"
	verifier = "a-verifier-that-is-long-enough-for-the-rule-of-43"
)

func challenge(verifier string) string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// fixture is a server with clients, and what it logged.
type fixture struct {
	*testing.T
	server  *as.Server
	issuer  string
	log     *bytes.Buffer
	address string // of whoever sends requests; that of package httptest if empty
}

// from returns the same server for a sender with another address.
func (f *fixture) from(address string) *fixture {
	other := *f
	other.address = address
	return &other
}

// options are those of the server of most tests.
func options() *as.Options {
	return &as.Options{
		Issuer:        issuer,
		Resources:     []string{resource, other},
		Scopes:        []as.Scope{{Name: "notes:read", Description: "Read your notes"}, {Name: "notes:write", Description: "Change your notes"}},
		DefaultScopes: []string{"notes:read"},
		Password: func(_ context.Context, name, password string) (*as.User, error) {
			if (name == "ada" || name == "bob") && password == "correct horse" {
				return &as.User{Subject: "user-" + name, Name: strings.ToUpper(name[:1]) + name[1:]}, nil
			}
			return nil, nil
		},
		Clients: []as.Client{
			{ID: "app", Name: "The App", RedirectURIs: []string{redirect}},
			{ID: "web", Name: "Web", Secret: "web secret/+", RedirectURIs: []string{"https://web.example/cb?a=b"}},
			{ID: "desktop", Name: "Desktop", RedirectURIs: []string{"http://127.0.0.1/callback", "http://localhost:3000/cb"}},
			{ID: "machine", Secret: "machine secret", GrantTypes: []string{"client_credentials"}, Scopes: []string{"notes:read"}},
		},
		MaxAuthorizations: -1, MaxTokens: -1, MaxRegistrations: -1,
	}
}

func start(t *testing.T, change func(*as.Options)) *fixture {
	t.Helper()
	opts := options()
	log := &bytes.Buffer{}
	opts.Logger = slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	if change != nil {
		change(opts)
	}
	s, err := as.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return &fixture{T: t, server: s, issuer: opts.Issuer, log: log}
}

// response is what a server responded with.
type response struct {
	*http.Response
	body string
}

func (r *response) location(t testing.TB) *url.URL {
	t.Helper()
	u, err := r.Location()
	if err != nil {
		t.Fatalf("status %d without Location: %s", r.StatusCode, r.body)
	}
	return u
}

// says fails the test unless a page has these texts.
func (r *response) says(t testing.TB, texts ...string) {
	t.Helper()
	for _, want := range texts {
		if !strings.Contains(r.body, want) {
			t.Errorf("status %d, and the page does not say %q: %s", r.StatusCode, want, r.body)
		}
	}
}

// send sends a request as if it had come from the network.
func (f *fixture) send(r *http.Request) *response {
	f.Helper()
	if f.address != "" {
		r.RemoteAddr = f.address
	}
	w := httptest.NewRecorder()
	f.server.ServeHTTP(w, r)
	result := w.Result()
	body, err := io.ReadAll(result.Body)
	if err != nil {
		f.Fatal(err)
	}
	return &response{result, style.ReplaceAllString(string(body), "")}
}

func (f *fixture) request(method, path, body string) *http.Request {
	r := httptest.NewRequest(method, f.issuer+path, strings.NewReader(body))
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return r
}

// post posts a form to an endpoint for programs, and returns the members of the response. A client "id:secret"
// authenticates by the header.
func (f *fixture) post(path, client string, form url.Values) (int, map[string]any) {
	f.Helper()
	r := f.request(http.MethodPost, path, form.Encode())
	if id, secret, found := strings.Cut(client, ":"); found {
		r.SetBasicAuth(url.QueryEscape(id), url.QueryEscape(secret))
	}
	resp := f.send(r)
	if resp.Header.Get("Cache-Control") != "no-store" {
		f.Errorf("%s: Cache-Control %q, want no-store", path, resp.Header.Get("Cache-Control"))
	}
	members := map[string]any{}
	if resp.body != "" {
		if h := resp.Header; h.Get("Content-Type") != "application/json" || h.Get("Pragma") != "no-cache" {
			f.Errorf("%s: the header is %v", path, h)
		}
		if err := json.Unmarshal([]byte(resp.body), &members); err != nil {
			f.Fatalf("%s: %v: %s", path, err, resp.body)
		}
	}
	return resp.StatusCode, members
}

// A browser keeps cookies, and follows no redirect by itself.
type browser struct {
	*fixture
	cookies map[string]*http.Cookie
}

func (f *fixture) browser() *browser { return &browser{f, map[string]*http.Cookie{}} }

func (b *browser) do(r *http.Request) *response {
	b.Helper()
	for _, c := range b.cookies {
		r.AddCookie(c)
	}
	resp := b.send(r)
	for _, c := range resp.Cookies() {
		if c.MaxAge < 0 {
			delete(b.cookies, c.Name)
		} else {
			b.cookies[c.Name] = c
		}
	}
	return resp
}

func (b *browser) get(path string) *response {
	b.Helper()
	r := b.request(http.MethodGet, strings.TrimPrefix(path, b.issuer), "")
	r.Header.Set("Sec-Fetch-Site", "none")
	return b.do(r)
}

var (
	style  = regexp.MustCompile(`(?s)<style>.*</style>`)
	action = regexp.MustCompile(`<form method="post" action="([^"]*)">`)
	hidden = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`)
)

// submit sends the form of a page, with more fields.
func (b *browser) submit(page *response, fields url.Values) *response {
	b.Helper()
	r := b.form(page, fields)
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.Header.Set("Origin", b.issuer)
	return b.do(r)
}

func (b *browser) form(page *response, fields url.Values) *http.Request {
	b.Helper()
	to := action.FindStringSubmatch(page.body)
	if to == nil {
		b.Fatalf("status %d, a page without a form: %s", page.StatusCode, page.body)
	}
	all := maps.Clone(fields)
	for _, field := range hidden.FindAllStringSubmatch(page.body, -1) {
		all.Set(field[1], html.UnescapeString(field[2]))
	}
	return b.request(http.MethodPost, html.UnescapeString(to[1]), all.Encode())
}

func (b *browser) logIn(page *response, name string) *response {
	b.Helper()
	resp := b.submit(page, url.Values{"name": {name}, "password": {"correct horse"}})
	return b.get(resp.location(b).String())
}

// authorizationURL is that of a request, with other parameters: an empty one is left out.
func authorizationURL(change map[string]string) string {
	p := map[string]string{"response_type": "code", "client_id": "app", "redirect_uri": redirect, "state": "state&1",
		"code_challenge": challenge(verifier), "code_challenge_method": "S256", "scope": "notes:read notes:write", "resource": resource}
	maps.Copy(p, change)
	q := url.Values{}
	for name, value := range p {
		if value != "" {
			q.Set(name, value)
		}
	}
	return "/authorize?" + q.Encode()
}

// consentPage goes to the consent page, and logs in before.
func (b *browser) consentPage(change map[string]string) *response {
	b.Helper()
	return b.consentAs("ada", change)
}

func (b *browser) consentAs(name string, change map[string]string) *response {
	b.Helper()
	page := b.get(authorizationURL(change))
	if strings.Contains(page.body, `type="password"`) {
		page = b.logIn(page, name)
	}
	if page.StatusCode != http.StatusOK || !strings.Contains(page.body, "asks for access") {
		b.Fatalf("status %d, want the consent page: %s %s", page.StatusCode, page.body, page.Header.Get("Location"))
	}
	return page
}

// allow returns the parameters that the client receives once the user has allowed what it asks for.
func (b *browser) allow(change map[string]string) url.Values {
	b.Helper()
	return b.submit(b.consentPage(change), url.Values{"decision": {"allow"}}).location(b).Query()
}

// code returns a code.
func (f *fixture) code(change map[string]string) string {
	f.Helper()
	code := f.browser().allow(change).Get("code")
	if code == "" {
		f.Fatal("there is no code")
	}
	return code
}

// codeForm is the request for the tokens of a code, with other parameters: an empty one is left out.
func codeForm(code string, change map[string]string) url.Values {
	p := map[string]string{"grant_type": "authorization_code", "code": code, "client_id": "app", "redirect_uri": redirect,
		"code_verifier": verifier, "resource": resource}
	maps.Copy(p, change)
	form := url.Values{}
	for name, value := range p {
		if value != "" {
			form.Set(name, value)
		}
	}
	return form
}

// tokens returns the tokens of a new code.
func (f *fixture) tokens() (access, refresh string) {
	f.Helper()
	status, m := f.post("/token", "", codeForm(f.code(nil), nil))
	if status != http.StatusOK {
		f.Fatalf("status %d: %v", status, m)
	}
	access, _ = m["access_token"].(string)
	refresh, _ = m["refresh_token"].(string)
	return access, refresh
}

func refreshForm(token string) url.Values {
	return url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}, "client_id": {"app"}}
}

// wantError reports whether a response has an error.
func (f *fixture) wantError(what string, status int, m map[string]any, wantStatus int, code string) {
	f.Helper()
	if status != wantStatus || m["error"] != code {
		f.Errorf("%s: status %d %v, want %d %s", what, status, m, wantStatus, code)
	}
}

// valid reports whether the server says that a token is valid.
func (f *fixture) valid(token string) bool {
	f.Helper()
	_, err := f.server.Verify(f.Context(), token)
	if err != nil && (!isInvalid(err) || !strings.Contains(err.Error(), "has expired, or was revoked")) {
		f.Errorf("Verify: %v, want an error of the token", err)
	}
	return err == nil
}
