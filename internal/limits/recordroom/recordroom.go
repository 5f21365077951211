// Package recordroom fills what an authorization server may keep in a store, for the tests of the stores. It does not
// import the authorization server, which is a module of its own: the tests do.
package recordroom

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/internal/limits"
)

// What the authorization server is: it has no limits of requests, and knows the client Client, to whose Redirect users are
// sent back. Of its users, Subject says who has which name; any password is theirs.
const (
	Issuer   = "https://as.example"
	Client   = "app"
	Redirect = "https://app.example/callback"
)

// Subject returns who has a name: one user has many.
func Subject(name string) string {
	who, _, _ := strings.Cut(name, " ")
	return who
}

const verifier = "a-verifier-that-is-long-enough-for-the-rule-of-43"

// Shared checks for each kind of record that one sender cannot fill the room of a store: in that of the authorization server
// that open returns there is room for part records of a kind, and one more.
func Shared(t *testing.T, part int, open func(t *testing.T) http.Handler) {
	for name, take := range map[string]func(s *site, who string) (has func() bool){
		// What was registered from an address can still log in.
		"registrations": func(s *site, who string) func() bool {
			id := s.register(who)
			return func() bool { return s.browser().authorize(id).StatusCode == http.StatusOK }
		},
		// What a user has granted to a client can still be used.
		"clients and grants": func(s *site, who string) func() bool {
			id := s.register("the address of " + who)
			b := s.browser()
			form := url.Values{"grant_type": {"authorization_code"}, "code": {b.code(who, id)}, "redirect_uri": {Redirect}, "code_verifier": {verifier}}
			return func() bool {
				form.Set("client_id", id)
				token, _ := s.post("/token", who, "application/x-www-form-urlencoded", form.Encode())["refresh_token"].(string)
				form = url.Values{"grant_type": {"refresh_token"}, "refresh_token": {token}}
				return token != ""
			}
		},
		// A browser in which a user is logged in is not asked for a password.
		"logins": func(s *site, who string) func() bool {
			b := s.browser()
			b.code(who, Client)
			return func() bool { return !b.authorize(Client).asks() }
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := &site{t: t, server: open(t)}
			has := map[string]func() bool{} // whether the first is still there
			limits.Shared(t, part, func(who string) bool {
				h := take(s, who)
				if has[who] == nil {
					has[who] = h
				}
				return has[who]()
			})
		})
	}
}

// A site is an authorization server, without a network.
type site struct {
	t      *testing.T
	server http.Handler
	logins int
}

// post sends a request of a program, and returns the members of the response, none if it was refused.
func (s *site) post(path, address, kind, body string) (members map[string]any) {
	r := httptest.NewRequest(http.MethodPost, Issuer+path, strings.NewReader(body))
	r.Header.Set("Content-Type", kind)
	r.RemoteAddr = address
	w := httptest.NewRecorder()
	s.server.ServeHTTP(w, r)
	if w.Code/100 == 2 {
		json.Unmarshal(w.Body.Bytes(), &members)
	}
	return members
}

// register registers a client from an address, and returns its id.
func (s *site) register(address string) string {
	id, _ := s.post("/register", address, "application/json", `{"redirect_uris":["`+Redirect+`"],"grant_types":["authorization_code","refresh_token"],"token_endpoint_auth_method":"none"}`)["client_id"].(string)
	return id
}

// A browser keeps cookies, and follows no redirect by itself.
type browser struct {
	*site
	cookies map[string]*http.Cookie
}

func (s *site) browser() *browser { return &browser{s, make(map[string]*http.Cookie)} }

// A page is what a browser shows.
type page struct {
	*http.Response
	body string
}

func (p *page) asks() bool { return strings.Contains(p.body, `type="password"`) }

func (b *browser) do(r *http.Request) *page {
	for _, c := range b.cookies {
		r.AddCookie(c)
	}
	r.RemoteAddr = fmt.Sprint("browser ", b.logins) // of which each may send 10 passwords a minute
	w := httptest.NewRecorder()
	b.server.ServeHTTP(w, r)
	resp := w.Result()
	for _, c := range resp.Cookies() {
		b.cookies[c.Name] = c
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return &page{resp, string(body)}
}

func (b *browser) get(url string) *page { return b.do(httptest.NewRequest(http.MethodGet, url, nil)) }

// authorize asks for the consent page of a client.
func (b *browser) authorize(client string) *page {
	sum := sha256.Sum256([]byte(verifier))
	return b.get(Issuer + "/authorize?" + url.Values{
		"response_type": {"code"}, "client_id": {client}, "redirect_uri": {Redirect}, "code_challenge_method": {"S256"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(sum[:])},
	}.Encode())
}

var (
	action = regexp.MustCompile(`<form method="post" action="([^"]*)">`)
	hidden = regexp.MustCompile(`<input type="hidden" name="([^"]*)" value="([^"]*)">`)
)

// submit sends the form of a page with more fields, and returns where the browser is sent to.
func (b *browser) submit(p *page, fields url.Values) *url.URL {
	b.t.Helper()
	to := action.FindStringSubmatch(p.body)
	if to == nil {
		b.t.Fatalf("status %d, a page without a form: %s", p.StatusCode, p.body)
	}
	for _, field := range hidden.FindAllStringSubmatch(p.body, -1) {
		fields.Set(field[1], html.UnescapeString(field[2]))
	}
	r := httptest.NewRequest(http.MethodPost, Issuer+html.UnescapeString(to[1]), strings.NewReader(fields.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	resp := b.do(r)
	next, err := resp.Location()
	if err != nil {
		b.t.Fatalf("status %d: %s", resp.StatusCode, resp.body)
	}
	return next
}

// code logs a user in, who allows a client what it asks for, and returns the code.
func (b *browser) code(who, client string) string {
	b.t.Helper()
	b.logins++
	login := b.submit(b.authorize(client), url.Values{"name": {fmt.Sprint(who, " ", b.logins)}, "password": {"any"}})
	return b.submit(b.get(login.String()), url.Values{"decision": {"allow"}}).Query().Get("code")
}
