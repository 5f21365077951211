package interop

import (
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/auth/authclient"
	"github.com/mcpgen/mcpgen/runtime/auth/dpop"
	"github.com/mcpgen/mcpgen/runtime/client"
)

// The tests of this file have oidc-provider as the authorization server: it is certified for OpenID Connect, and
// nobody here wrote it.

// A provider is oidc-provider with the clients of the tests.
type provider struct {
	issuer, tenant string // its servers: the issuer of the latter has a path
	keys           map[string]crypto.Signer
}

// The clients that the provider knows. A registration is as in RFC 7591.
const (
	desktopRedirect = "http://127.0.0.1/callback"
	strangeSecret   = `a:secret/with+%41&signs=~ "quoted"`
	documentURL     = "https://client.example/mcp.json" // which only the provider can fetch
)

func startProvider(t *testing.T, m modules) *provider {
	t.Helper()
	p := &provider{keys: signers(t)}
	type object = map[string]any
	user := func(o object) object {
		o["application_type"], o["redirect_uris"] = "native", []string{desktopRedirect}
		o["grant_types"], o["response_types"] = []string{"authorization_code", "refresh_token"}, []string{"code"}
		return o
	}
	machine := func(o object) object {
		o["redirect_uris"], o["response_types"], o["grant_types"] = []string{}, []string{}, []string{"client_credentials"}
		return o
	}
	public := user(object{"client_id": documentURL, "client_name": "Documented", "token_endpoint_auth_method": "none"})
	clients := []object{
		user(object{"client_id": "desktop", "token_endpoint_auth_method": "none"}),
		user(object{"client_id": "confidential", "client_secret": strangeSecret, "token_endpoint_auth_method": "client_secret_basic"}),
		machine(object{"client_id": "basic", "client_secret": strangeSecret, "token_endpoint_auth_method": "client_secret_basic"}),
		machine(object{"client_id": "post", "client_secret": strangeSecret, "token_endpoint_auth_method": "client_secret_post"}),
		machine(object{"client_id": "bound", "client_secret": strangeSecret, "token_endpoint_auth_method": "client_secret_basic", "dpop_bound_access_tokens": true}),
	}
	for alg, key := range p.keys {
		public := jose.JSONWebKey{Key: key.Public(), KeyID: "k1", Algorithm: alg, Use: "sig"}
		clients = append(clients, machine(object{
			"client_id": alg, "token_endpoint_auth_method": "private_key_jwt", "token_endpoint_auth_signing_alg": alg,
			"jwks": jose.JSONWebKeySet{Keys: []jose.JSONWebKey{public}},
		}))
	}
	options, err := json.Marshal(object{"clients": clients, "documents": object{documentURL: public}})
	if err != nil {
		t.Fatal(err)
	}
	var issuers []string
	line := serve(t, string(m), "node", "auth/provider.mjs", string(options))
	if err := json.Unmarshal([]byte(line), &issuers); err != nil || len(issuers) != 2 {
		t.Fatalf("the provider printed %q, want two issuers: %v", line, err)
	}
	p.issuer, p.tenant = issuers[0], issuers[1]
	return p
}

// signers returns keys of the algorithms by which clients sign.
func signers(t *testing.T) map[string]crypto.Signer {
	t.Helper()
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	_, ed, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	r, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	return map[string]crypto.Signer{"ES256": ec, "EdDSA": ed, "RS256": r}
}

// introspected has tokens verified by asking the provider about each request.
func introspected(t *testing.T, issuer string, c auth.Credentials) func(*resource, *auth.Options) {
	return func(r *resource, o *auth.Options) {
		o.AuthorizationServers = []string{issuer}
		v, err := auth.NewIntrospector(&auth.IntrospectionOptions{Issuer: issuer, Endpoint: issuer + "/token/introspection", Credentials: c, Audiences: []string{r.url}, MaxAge: -1})
		if err != nil {
			t.Fatal(err)
		}
		o.Verifier = v
	}
}

// signed has tokens verified by the keys of the provider.
func signed(issuer string) func(*resource, *auth.Options) {
	return func(_ *resource, o *auth.Options) { o.AuthorizationServers, o.Proofs = []string{issuer}, proofs(nil) }
}

// strict wants tokens that are bound to a key, and proofs with nonces.
var strict = &dpop.VerifierOptions{Required: true, Nonces: true}

func proofs(opts *dpop.VerifierOptions) auth.Proofs {
	v, err := dpop.NewVerifier(opts)
	if err != nil {
		panic(err)
	}
	return v
}

// bound also wants proofs.
func bound(issuer string) func(*resource, *auth.Options) {
	return func(_ *resource, o *auth.Options) {
		o.AuthorizationServers, o.Proofs = []string{issuer}, proofs(strict)
	}
}

// REQ AUTH-05, AUTH-06, AUTH-07, AUTH-09, AUTH06-01, AUTH06-03, AUTH06-05, AUTH06-08
// REQ AUTH11-01, AUTH11-03, AUTH11-04, AUTH11-06, AUTH11-07, AUTH11-10, AUTH11-11, AUTH11-13, AUTH11-14, AUTH11-15
// REQ AUTH26-06, AUTH26-08, AUTH26-10
func TestProviderUsers(t *testing.T) {
	p := startProvider(t, newModules(t))
	desktop := []authclient.Credentials{{ID: "desktop"}}
	for _, tt := range []struct {
		name      string
		path      string // of the resource, which says what its tokens are
		configure func(*resource, *auth.Options)
		clients   []authclient.Credentials
		document  string
		rotates   bool // the provider gives a new refresh token each time
	}{
		{"a known public client", "/mcp", signed(p.issuer), desktop, "", true},
		{"a known public client of a tenant", "/RS256", signed(p.tenant), desktop, "", true},
		{"a known confidential client", "/EdDSA", signed(p.issuer), []authclient.Credentials{{ID: "confidential", Secret: strangeSecret}}, "", false},
		{"a client that registers itself", "/mcp", signed(p.issuer), nil, "", true},
		{"a client that registers itself with a tenant", "/opaque", introspected(t, p.tenant, auth.Credentials{ClientID: "basic", Secret: strangeSecret}), nil, "", true},
		{"a client with a metadata document", "/mcp", signed(p.issuer), nil, documentURL, true},
		{"opaque tokens", "/opaque", introspected(t, p.issuer, auth.Credentials{ClientID: "ES256", Key: p.keys["ES256"], KeyID: "k1"}), desktop, "", true},
		{"bound tokens", "/mcp", bound(p.issuer), desktop, "", false},
		{"bound tokens of a client that registers itself with a tenant", "/mcp", bound(p.tenant), nil, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			u := newUser(t, newResource(t, tt.path, tt.configure), tt.clients, tt.document)
			u.stepsUp(t)
			u.refreshes(t, tt.rotates)
			if tt.rotates {
				u.isRobbed(t)
			}
		})
	}
}

// A user has our client, a browser, and a server to use.
type user struct {
	browser  *browser
	resource *resource
	store    authclient.MemoryStore
	client   *client.Client
	tokens   *authclient.Transport
}

// newUser returns a user who has logged in.
func newUser(t *testing.T, r *resource, clients []authclient.Credentials, document string) *user {
	t.Helper()
	u := &user{browser: newBrowser(t, "ada"), resource: r}
	u.client, u.tokens = connect(t, r.url, &authclient.Options{
		Clients: clients, Store: &u.store,
		Grant: &authclient.AuthorizationCode{ClientName: "Interop", ClientIDURL: document, Open: u.browser.open},
	})
	return u
}

// wantLogins reports whether the user was asked to log in as often as that.
func (u *user) wantLogins(t *testing.T, n int32) {
	t.Helper()
	if got := u.browser.logins.Load(); got != n {
		t.Errorf("the user was sent to the authorization server %d times, want %d", got, n)
	}
}

// stepsUp uses tools that need more scopes than the client has asked for at first.
func (u *user) stepsUp(t *testing.T) {
	t.Helper()
	call(t, u.client, "whoami", "ada")
	if text, err := tryCall(t, u.client, "read"); err != nil || !strings.HasPrefix(text, "read by ") {
		t.Errorf("read returns %q, %v", text, err)
	}
	u.wantLogins(t, 1)
	if text, err := tryCall(t, u.client, "write"); err != nil || !strings.HasPrefix(text, "written by ") {
		t.Errorf("write returns %q, %v", text, err)
	}
	u.wantLogins(t, 2)
	call(t, u.client, "whoami", "ada")
}

// A stored token is what a store has of it.
type storedToken struct {
	ClientID string `json:"client_id"`
	Access   string `json:"access_token"`
	Refresh  string `json:"refresh_token"`
}

// stored returns the token that the store has.
func (u *user) stored(t *testing.T) (k storedToken) {
	t.Helper()
	data, err := u.store.Load(t.Context(), "token "+u.resource.url)
	if err == nil {
		err = json.Unmarshal(data, &k)
	}
	if err != nil || k.Refresh == "" {
		t.Fatalf("the store has no refresh token: %v", err)
	}
	return k
}

// refreshes ends the token under many calls: none fails, and one refresh serves them all.
func (u *user) refreshes(t *testing.T, rotates bool) {
	t.Helper()
	old := u.stored(t).Refresh
	for range 2 {
		call(t, u.client, "end_tokens", "ended")
		before := u.resource.verifier.count()
		var calls sync.WaitGroup
		for range 20 {
			calls.Go(func() { call(t, u.client, "whoami", "ada") })
		}
		calls.Wait()
		if n := u.resource.verifier.count() - before; n != 1 {
			t.Errorf("there are %d new tokens, want 1", n)
		}
	}
	u.wantLogins(t, 2)
	if changed := u.stored(t).Refresh != old; changed != rotates {
		t.Errorf("the refresh token has changed: %v, want %v", changed, rotates)
	}
}

// isRobbed has a thief use a refresh token a second time. The provider then ends all that came of it, and the user
// logs in again.
func (u *user) isRobbed(t *testing.T) {
	t.Helper()
	old := u.stored(t)
	call(t, u.client, "end_tokens", "ended")
	call(t, u.client, "whoami", "ada")
	var body struct{ Error string }
	form := url.Values{"grant_type": {"refresh_token"}, "refresh_token": {old.Refresh}, "client_id": {old.ClientID}}
	status := post(t, u.resource.issuer+"/token", form, &body)
	if status != http.StatusBadRequest || body.Error != "invalid_grant" {
		t.Errorf("the old refresh token: status %d, error %q, want invalid_grant", status, body.Error)
	}
	call(t, u.client, "whoami", "ada") // a JWT lives on; of an opaque token the resource server hears
	if strings.HasSuffix(u.resource.url, "/opaque") {
		u.wantLogins(t, 3)
		return
	}
	u.wantLogins(t, 2)
	call(t, u.client, "end_tokens", "ended")
	call(t, u.client, "whoami", "ada")
	u.wantLogins(t, 3)
}

// post posts a form, and decodes the JSON of the response.
func post(t *testing.T, to string, form url.Values, v any) (status int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, to, strings.NewReader(form.Encode()))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if v != nil {
		if err := json.NewDecoder(resp.Body).Decode(v); err != nil {
			t.Errorf("POST %s: status %d: %v", to, resp.StatusCode, err)
		}
	}
	return resp.StatusCode
}

// REQ AUTH03-06, AUTH26-12
func TestProviderMachines(t *testing.T) {
	p := startProvider(t, newModules(t))
	type credentials = authclient.Credentials
	for _, tt := range []struct {
		name        string
		path        string
		configure   func(*resource, *auth.Options)
		credentials credentials
	}{
		{"client_secret_basic", "/mcp", signed(p.issuer), credentials{ID: "basic", Secret: strangeSecret}},
		{"client_secret_post", "/RS256", signed(p.tenant), credentials{ID: "post", Secret: strangeSecret, Method: "client_secret_post"}},
		{"private_key_jwt ES256", "/mcp", signed(p.issuer), credentials{ID: "ES256", Key: p.keys["ES256"], KeyID: "k1"}},
		{"private_key_jwt EdDSA", "/EdDSA", signed(p.tenant), credentials{ID: "EdDSA", Key: p.keys["EdDSA"], KeyID: "k1"}},
		{"private_key_jwt RS256", "/opaque", introspected(t, p.issuer, auth.Credentials{ClientID: "basic", Secret: strangeSecret}), credentials{ID: "RS256", Key: p.keys["RS256"], KeyID: "k1"}},
		{"bound tokens", "/mcp", bound(p.issuer), credentials{ID: "bound", Secret: strangeSecret}},
		{"bound tokens with private_key_jwt", "/mcp", bound(p.tenant), credentials{ID: "ES256", Key: p.keys["ES256"], KeyID: "k1"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := newResource(t, tt.path, tt.configure)
			c, _ := connect(t, r.url, &authclient.Options{Grant: authclient.ClientCredentials{}, Clients: []credentials{tt.credentials}})
			id := tt.credentials.ID
			call(t, c, "whoami", id)
			call(t, c, "write", "written by "+id)
			call(t, c, "end_tokens", "ended")
			call(t, c, "read", "read by "+id)
		})
	}
}

// What the provider revokes is refused at once by a resource server that asks it about each request.
//
// REQ AUTH-06
func TestProviderRevocation(t *testing.T) {
	p := startProvider(t, newModules(t))
	r := newResource(t, "/opaque", introspected(t, p.issuer, auth.Credentials{ClientID: "basic", Secret: strangeSecret}))
	u := newUser(t, r, []authclient.Credentials{{ID: "desktop"}}, "")
	call(t, u.client, "whoami", "ada")
	old := u.stored(t)
	revoke := func(token string) {
		t.Helper()
		if status := post(t, p.issuer+"/token/revocation", url.Values{"token": {token}, "client_id": {"desktop"}}, nil); status != http.StatusOK {
			t.Fatalf("revocation: status %d", status)
		}
	}

	revoke(old.Access) // and the provider revokes the refresh token with it
	u.wantRefused(t, "a revoked access token", "Bearer "+old.Access)
	call(t, u.client, "whoami", "ada")
	u.wantLogins(t, 2)

	next := u.stored(t)
	revoke(next.Refresh)
	u.wantRefused(t, "an access token whose grant is revoked", "Bearer "+next.Access)
	call(t, u.client, "whoami", "ada")
	u.wantLogins(t, 3)
}

// wantRefused reports whether the server refuses a request with that header.
func (u *user) wantRefused(t *testing.T, what, authorization string) {
	t.Helper()
	status, challenges := u.resource.ping(t, authorization)
	if status != http.StatusUnauthorized || len(challenges) != 1 || challenges[0].Params["error"] != "invalid_token" {
		t.Errorf("%s: status %d, challenges %v, want 401 and invalid_token", what, status, challenges)
	}
}

// ping sends a request with a header, and returns the status and the challenges of the response.
func (r *resource) ping(t *testing.T, authorization string) (int, []auth.Challenge) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, r.url, strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"ping"}`))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json, text/event-stream")
	req.Header.Set("Authorization", authorization)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	challenges, err := auth.ParseChallenges(resp.Header)
	if err != nil {
		t.Error(err)
	}
	return resp.StatusCode, challenges
}

// A genuine token of the provider is of no use elsewhere.
//
// REQ AUTH06-06, SEC-02
func TestProviderTokensElsewhere(t *testing.T) {
	p := startProvider(t, newModules(t))
	desktop := []authclient.Credentials{{ID: "desktop"}}
	asker := auth.Credentials{ClientID: "basic", Secret: strangeSecret}
	signedHere := newUser(t, newResource(t, "/mcp", signed(p.issuer)), desktop, "")
	opaqueHere := newUser(t, newResource(t, "/opaque", introspected(t, p.issuer, asker)), desktop, "")
	boundHere := newUser(t, newResource(t, "/mcp", bound(p.issuer)), desktop, "")
	for _, tt := range []struct {
		name   string
		u      *user // at whose server the token is used
		scheme string
		of     *user
	}{
		{"of another resource", boundHere, "DPoP ", signedHere},
		{"opaque, of another resource", &user{resource: newResource(t, "/opaque", introspected(t, p.issuer, asker))}, "Bearer ", opaqueHere},
		{"opaque, of another issuer", &user{resource: newResource(t, "/opaque", introspected(t, p.tenant, asker))}, "Bearer ", opaqueHere},
		{"opaque, where tokens are JWTs", signedHere, "Bearer ", opaqueHere},
		{"of another issuer", &user{resource: newResource(t, "/mcp", signed(p.tenant))}, "Bearer ", signedHere},
		{"a JWT, where tokens are opaque", opaqueHere, "Bearer ", signedHere},
		{"bound to a key, as if it were not", boundHere, "Bearer ", boundHere},
		{"bound to no key, as if it were", signedHere, "DPoP ", signedHere},
		{"a refresh token", signedHere, "Bearer ", &user{}},
	} {
		token := signedHere.stored(t).Refresh
		if tt.of.client != nil {
			token = tt.of.stored(t).Access
		}
		tt.u.wantRefused(t, tt.name, tt.scheme+token)
	}
	status, challenges := boundHere.resource.ping(t, "DPoP "+boundHere.stored(t).Access)
	if status != http.StatusUnauthorized || len(challenges) != 1 || challenges[0].Params["error"] != "invalid_dpop_proof" {
		t.Errorf("a token without a proof: status %d, challenges %v", status, challenges)
	}
	for _, u := range []*user{signedHere, opaqueHere, boundHere} {
		call(t, u.client, "whoami", "ada")
		u.wantLogins(t, 1)
	}
}

// REQ AUTH26-04
func TestProviderDenies(t *testing.T) {
	p := startProvider(t, newModules(t))
	r := newResource(t, "/mcp", signed(p.tenant))
	b := newBrowser(t, "ada")
	b.deny.Store(true)
	opts := &authclient.Options{Clients: []authclient.Credentials{{ID: "desktop"}}, Grant: &authclient.AuthorizationCode{Open: b.open}}
	_, _, err := tryConnect(t, r.url, opts)
	if e, ok := errors.AsType[*authclient.Error](err); !ok || e.Code != "access_denied" || e.Issuer != p.tenant {
		t.Errorf("the user has denied access: %v", err)
	}
	b.deny.Store(false)
	c, _ := connect(t, r.url, opts)
	call(t, c, "whoami", "ada")
}
