package authclient

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mcpgen/mcpgen/runtime/auth/internal/fetch"
)

const (
	endpointURL = "https://mcp.example/mcp"
	issuerURL   = "https://as.example"
	resourceURL = endpointURL
)

// A world is the servers that a test knows, by their hosts. It is an http.RoundTripper without a network, so that it
// works with fake clocks.
type world struct {
	mu    sync.Mutex
	hosts map[string]http.Handler
	log   []string
}

func (w *world) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	w.mu.Lock()
	h := w.hosts[r.URL.Host]
	w.log = append(w.log, r.Method+" "+r.URL.Scheme+"://"+r.URL.Host+r.URL.Path)
	w.mu.Unlock()
	if h == nil {
		return nil, fmt.Errorf("there is no host %s", r.URL.Host)
	}
	in := r.Clone(r.Context())
	if in.Body == nil {
		in.Body = http.NoBody
	}
	rec := httptest.NewRecorder()
	h.ServeHTTP(rec, in)
	in.Body.Close()
	if err := r.Context().Err(); err != nil {
		return nil, err
	}
	resp := rec.Result()
	resp.Request = r
	return resp, nil
}

// took returns the requests since the last call, leaving out those to the endpoint.
func (w *world) took() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var list []string
	for _, l := range w.log {
		if !strings.HasSuffix(l, endpointURL) {
			list = append(list, l)
		}
	}
	w.log = nil
	return strings.Join(list, "\n")
}

// count returns how many requests there were that begin with a text.
func (w *world) count(prefix string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	n := 0
	for _, l := range w.log {
		if strings.HasPrefix(l, prefix) {
			n++
		}
	}
	return n
}

// A resource is an MCP server that wants a token. What it has is changed before the test begins, or with mu.
type resource struct {
	*world
	mu        sync.Mutex
	challenge string            // WWW-Authenticate of 401
	need      func() []string   // scopes of a request
	document  map[string]any    // its metadata, at each place
	at        []string          // paths of the metadata
	valid     map[string]*grant // by token
	bodies    []string
	handle    func(w http.ResponseWriter, r *http.Request, g *grant) bool // takes the place of the rest if it returns true
}

func (s *resource) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Contains(s.at, r.URL.Path) {
		object(w, 200, s.document)
		return
	}
	if strings.HasPrefix(r.URL.Path, "/.well-known/") {
		http.NotFound(w, r)
		return
	}
	if strings.Contains(r.URL.RawQuery, "token") {
		panic("a token in the query")
	}
	scheme, text, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	g := s.valid[text]
	if g != nil && (g.scheme != scheme || !g.expiry.IsZero() && !time.Now().Before(g.expiry)) {
		g = nil
	}
	body, _ := io.ReadAll(r.Body)
	s.bodies = append(s.bodies, string(body))
	switch {
	case s.handle != nil && s.handle(w, r, g):
	case g == nil:
		w.Header().Set("WWW-Authenticate", s.challenge)
		w.WriteHeader(401)
	case s.need != nil && !includes(g.scopes, s.need()):
		w.Header().Set("WWW-Authenticate", `Bearer error="insufficient_scope", scope="`+strings.Join(s.need(), " ")+`"`)
		w.WriteHeader(403)
	default:
		io.WriteString(w, "welcome")
	}
}

// A grant is what a token of the test's server stands for.
type grant struct {
	scheme   string
	scopes   []string
	resource string
	expiry   time.Time
}

// An issuer is an authorization server.
type issuer struct {
	*world
	t         *testing.T
	mu        sync.Mutex
	url       string
	meta      map[string]any
	resource  *resource
	lifetime  time.Duration
	tokenKind string // Bearer if empty
	codes     map[string]url.Values
	refresh   map[string]*grant
	used      map[string]bool
	n         int
	tokens    []url.Values  // token requests
	headers   []http.Header // of token requests
	logins    []url.Values  // authorization requests
	clients   []map[string]any
	onToken   func(w http.ResponseWriter, r *http.Request) bool
	respond   func(q url.Values) // changes an authorization response
	noRefresh bool
}

func (s *issuer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch strings.TrimPrefix(r.URL.Path, pathOf(s.url)) {
	case "/register":
		var m map[string]any
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil {
			s.t.Error(err)
		}
		s.clients = append(s.clients, m)
		object(w, 201, map[string]any{"client_id": fmt.Sprintf("client-%d-of-%s", len(s.clients), s.url), "redirect_uris": m["redirect_uris"], "token_endpoint_auth_method": m["token_endpoint_auth_method"]})
	case "/token":
		r.ParseForm()
		s.tokens = append(s.tokens, r.PostForm)
		s.headers = append(s.headers, r.Header.Clone())
		if s.onToken == nil || !s.onToken(w, r) {
			s.token(w, r)
		}
	default:
		if strings.HasPrefix(r.URL.Path, "/.well-known/oauth-authorization-server") && s.meta != nil {
			object(w, 200, s.meta)
			return
		}
		http.NotFound(w, r)
	}
}

func pathOf(text string) string {
	u, _ := url.Parse(text)
	return u.Path
}

// authorize is what the user's browser does with an authorization URL: it returns the URL that it is sent back to.
func (s *issuer) authorize(_ context.Context, at string) (string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	u, err := url.Parse(at)
	if err != nil {
		return "", err
	}
	q := u.Query()
	s.logins = append(s.logins, q)
	s.n++
	code := fmt.Sprintf("secretcode%d", s.n)
	s.codes[code] = q
	back, err := url.Parse(q.Get("redirect_uri"))
	if err != nil {
		return "", err
	}
	answer := url.Values{"code": {code}, "state": {q.Get("state")}}
	if s.meta["authorization_response_iss_parameter_supported"] == true {
		answer.Set("iss", s.url)
	}
	if s.respond != nil {
		s.respond(answer)
	}
	back.RawQuery = answer.Encode()
	return back.String(), nil
}

// token is the token endpoint. It is called with mu held.
func (s *issuer) token(w http.ResponseWriter, r *http.Request) {
	f := r.PostForm
	refuse := func(code string) { object(w, 400, map[string]any{"error": code, "error_description": "no: " + code}) }
	g := &grant{scheme: "Bearer", scopes: strings.Fields(f.Get("scope")), resource: f.Get("resource")}
	switch f.Get("grant_type") {
	case "authorization_code":
		q := s.codes[f.Get("code")]
		delete(s.codes, f.Get("code"))
		sum := sha256.Sum256([]byte(f.Get("code_verifier")))
		if q == nil || q.Get("code_challenge") != base64.RawURLEncoding.EncodeToString(sum[:]) || q.Get("code_challenge_method") != "S256" ||
			q.Get("redirect_uri") != f.Get("redirect_uri") || q.Get("resource") != f.Get("resource") {
			refuse("invalid_grant")
			return
		}
		g.scopes = strings.Fields(q.Get("scope"))
	case "refresh_token":
		old := s.refresh[f.Get("refresh_token")]
		if s.used[f.Get("refresh_token")] {
			s.t.Error("a refresh token was used twice")
		}
		s.used[f.Get("refresh_token")] = true
		delete(s.refresh, f.Get("refresh_token"))
		if old == nil {
			refuse("invalid_grant")
			return
		}
		g.scopes = old.scopes
	}
	s.n++
	access := fmt.Sprintf("secretaccess%d.%s", s.n, strings.NewReplacer("/", ".", ":", ".").Replace(s.url))
	answer := map[string]any{"access_token": access, "token_type": "Bearer"}
	if s.tokenKind != "" {
		g.scheme, answer["token_type"] = s.tokenKind, s.tokenKind
	}
	if s.lifetime > 0 {
		g.expiry = time.Now().Add(s.lifetime)
		answer["expires_in"] = int(s.lifetime.Seconds())
	}
	if !s.noRefresh && f.Get("grant_type") != "client_credentials" {
		refresh := fmt.Sprintf("secretrefresh%d", s.n)
		s.refresh[refresh] = g
		answer["refresh_token"] = refresh
	}
	s.resource.mu.Lock()
	s.resource.valid[access] = g
	s.resource.mu.Unlock()
	object(w, 200, answer)
}

func object(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(v)
}

// newWorld returns a resource, and the authorization server that protects it.
func newWorld(t *testing.T) (*world, *resource, *issuer) {
	t.Helper()
	w := &world{hosts: map[string]http.Handler{}}
	rs := &resource{
		world: w, challenge: `Bearer resource_metadata="https://mcp.example/.well-known/oauth-protected-resource/mcp"`,
		at:       []string{"/.well-known/oauth-protected-resource/mcp"},
		document: map[string]any{"resource": resourceURL, "authorization_servers": []string{issuerURL}},
		valid:    map[string]*grant{},
	}
	w.hosts["mcp.example"] = rs
	return w, rs, w.newIssuer(t, rs, issuerURL)
}

// newIssuer adds an authorization server.
func (w *world) newIssuer(t *testing.T, rs *resource, at string) *issuer {
	s := &issuer{
		world: w, t: t, url: at, resource: rs, codes: map[string]url.Values{}, refresh: map[string]*grant{}, used: map[string]bool{},
		meta: map[string]any{
			"issuer": at, "authorization_endpoint": at + "/authorize", "token_endpoint": at + "/token",
			"registration_endpoint": at + "/register", "code_challenge_methods_supported": []string{"S256"},
			"token_endpoint_auth_methods_supported":          []string{"none"},
			"authorization_response_iss_parameter_supported": true,
		},
	}
	u, err := url.Parse(at)
	if err != nil {
		t.Fatal(err)
	}
	w.hosts[u.Host] = s
	return s
}

const redirectURL = "https://app.example/callback"

// newTransport returns a Transport in a world. Opts may be nil. The user's browser is that of as.
func newTransport(t *testing.T, w *world, as *issuer, opts *Options) *Transport {
	t.Helper()
	var o Options
	if opts != nil {
		o = *opts
	}
	if o.Grant == nil {
		o.Grant = &AuthorizationCode{ClientName: "test", RedirectURI: redirectURL, Authorize: as.authorize}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.NewTextHandler(t.Output(), nil))
	}
	o.Base = w
	o.HTTP = fetch.New(fetch.Options{Base: w})
	tr, err := New(endpointURL, &o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { tr.Close() })
	return tr
}

// ask sends a request and returns the body of the response, or its status if that is not 200.
func ask(t *testing.T, tr http.RoundTripper) (string, error) {
	t.Helper()
	return askWith(t.Context(), tr, "hello")
}

func askWith(ctx context.Context, tr http.RoundTripper, body string) (string, error) {
	r, err := http.NewRequestWithContext(ctx, "POST", endpointURL, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	resp, err := tr.RoundTrip(r)
	if err != nil {
		return "", err
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if resp.StatusCode != 200 {
		return resp.Status, err
	}
	return string(data), err
}

// welcome fails the test unless the endpoint lets the client in.
func welcome(t *testing.T, tr http.RoundTripper) {
	t.Helper()
	if got, err := ask(t, tr); got != "welcome" || err != nil {
		t.Fatalf("got %q, %v", got, err)
	}
}

// refused fails the test unless a request fails with an error that has a text.
func refused(t *testing.T, tr http.RoundTripper, want string) error {
	t.Helper()
	got, err := ask(t, tr)
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Fatalf("got %q, %v; want an error with %q", got, err, want)
	}
	if strings.Contains(strings.ReplaceAll(err.Error(), "client_secret_", ""), "secret") {
		t.Errorf("the error has a secret: %v", err)
	}
	for _, name := range []string{"state=", "code_challenge=", "redirect_uri="} {
		if strings.Contains(err.Error(), name) {
			t.Errorf("the error has parameters of an authorization request: %v", err)
		}
	}
	return err
}

var errUnattended = errors.New("nobody is here")

// unattended is the Open of a program without a user.
func unattended(context.Context, string) error { return errUnattended }
