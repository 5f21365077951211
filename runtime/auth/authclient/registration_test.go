package authclient

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"

	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/auth/internal/oauth"
)

// REQ AUTH11-06, AUTH11-07, AUTH11-08, AUTH11-10, AUTH06-08, AUTH03-05
func TestRegistrationOrder(t *testing.T) {
	const document = "https://app.example/client.json"
	ask := func(context.Context, string) (*Credentials, error) { return &Credentials{ID: "asked"}, nil }
	pre := []Credentials{{Issuer: issuerURL, ID: "pre"}}
	for _, tt := range []struct {
		name            string
		clients         []Credentials
		document        string
		ask             func(context.Context, string) (*Credentials, error)
		cimd, registers bool
		want            string // the client id, or the error
	}{
		{"all", pre, document, ask, true, true, "pre"},
		{"document", nil, document, ask, true, true, document},
		{"document, not supported", nil, document, ask, false, true, "client-1-of-https://as.example"},
		{"dynamic", nil, "", ask, true, true, "client-1-of-https://as.example"},
		{"asked", nil, "", ask, true, false, "asked"},
		{"nothing", nil, "", nil, true, false, "registers no clients"},
		{"document on this machine", nil, "https://localhost/c", nil, true, false, "https://localhost/c"},
		{"document by http", nil, "http://app.example/c", nil, true, false, "want an https URL with a path"},
		{"document by http on this machine", nil, "http://127.0.0.1/c", nil, true, false, "want an https URL with a path"},
		{"document with a user", nil, "https://ada@app.example/c", nil, true, false, "want an https URL with a path"},
		{"document that is no URL", nil, "https://app.example/%zz", nil, true, false, "want an https URL with a path"},
		{"document of a whole host", nil, "https://app.example", nil, true, false, "want an https URL with a path"},
		{"document without a path", nil, "https://app.example/", nil, true, false, "want an https URL with a path"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, _, as := newWorld(t)
			as.meta["client_id_metadata_document_supported"] = tt.cimd
			if !tt.registers {
				delete(as.meta, "registration_endpoint")
			}
			tr := newTransport(t, w, as, &Options{Clients: tt.clients, Grant: &AuthorizationCode{
				ClientIDURL: tt.document, AskClient: tt.ask, RedirectURI: redirectURL, Authorize: as.authorize,
			}})
			if strings.Contains(tt.want, " ") {
				refused(t, tr, tt.want)
				return
			}
			welcome(t, tr)
			if got := as.logins[0].Get("client_id"); got != tt.want {
				t.Errorf("the client id is %q, want %q", got, tt.want)
			}
		})
	}
}

// REQ AUTH26-06
func TestApplicationType(t *testing.T) {
	for uri, want := range map[string]string{
		"http://127.0.0.1:1/callback": "native", "http://localhost/callback": "native", "http://[::1]:1/callback": "native",
		"https://localhost:1/callback": "native", ":": "native", "com.example.app:/callback": "native", "https://app.example/callback": "web",
	} {
		if got := applicationType(uri); got != want {
			t.Errorf("%s: got %s, want %s", uri, got, want)
		}
	}
}

// A registration that the server refuses says what was registered.
//
// REQ AUTH26-06
func TestRegistrationRefused(t *testing.T) {
	status := 400
	w, _, as := newWorld(t)
	w.hosts["as.example"] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/register" {
			object(w, status, map[string]any{"error": "invalid_redirect_uri", "error_description": "web only"})
			return
		}
		as.ServeHTTP(w, r)
	})
	as.meta["token_endpoint_auth_methods_supported"] = nil
	asks := &AuthorizationCode{RedirectURI: redirectURL, Authorize: as.authorize, AskClient: func(context.Context, string) (*Credentials, error) { return nil, errors.New("asked") }}
	refused(t, newTransport(t, w, as, &Options{Grant: asks}), "web only")
	status = 404 // of an endpoint that the metadata names
	refused(t, newTransport(t, w, as, &Options{Grant: asks}), "web only")
	status = 400
	err := refused(t, newTransport(t, w, as, nil), `type web with the redirect URI https://app.example/callback`)
	if e, ok := errors.AsType[*Error](err); !ok || e.Code != "invalid_redirect_uri" || e.Description != "web only" {
		t.Errorf("got %v", err)
	}
}

// A registration is kept for the next login, and made anew when the server does not know it any more.
//
// REQ AUTH26-07
func TestRegistrationIsKept(t *testing.T) {
	w, rs, as := newWorld(t)
	store := new(MemoryStore)
	tr := newTransport(t, w, as, &Options{Store: store})
	for range 2 {
		welcome(t, tr)
		clear(rs.valid)
		clear(as.refresh)
	}
	if len(as.clients) != 1 || len(as.logins) != 2 {
		t.Errorf("%d registrations and %d logins", len(as.clients), len(as.logins))
	}
	as.onToken = func(w http.ResponseWriter, r *http.Request) bool {
		if strings.HasPrefix(r.PostForm.Get("client_id"), "client-1-") {
			object(w, 401, map[string]any{"error": "invalid_client"})
			return true
		}
		return false
	}
	welcome(t, tr) // the refresh is refused, then the client registers and logs in
	if len(as.clients) != 2 || len(as.logins) != 3 {
		t.Errorf("%d registrations and %d logins", len(as.clients), len(as.logins))
	}
	tr.forget(t.Context(), tr.server, &Credentials{ID: "client-1-of-https://as.example"})
	if r, err := tr.registered(t.Context(), issuerURL); r == nil || err != nil {
		t.Errorf("the new registration is forgotten with the old one: %v", err)
	}
}

// A login that fails for another reason has no effect on the registration; one by an unknown client removes it.
func TestRegistrationAfterFailedLogin(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, _, as := newWorld(t)
		tr := newTransport(t, w, as, nil)
		for i, code := range []string{"invalid_grant", "invalid_client", "server_error"} {
			as.onToken = func(w http.ResponseWriter, r *http.Request) bool {
				object(w, 400, map[string]any{"error": code})
				return true
			}
			refused(t, tr, code)
			if want := []int{1, 1, 2}[i]; len(as.clients) != want {
				t.Errorf("%s: %d registrations, want %d", code, len(as.clients), want)
			}
			sleep(failureTime)
		}
		if got := as.clients[0]["response_types"]; len(got.([]any)) != 1 || got.([]any)[0] != "code" {
			t.Errorf("response_types is %v", got)
		}
	})
}

// When the resource moves to another authorization server, nothing of the old one goes there.
//
// REQ AUTH26-07, AUTH06-07
func TestServerMigration(t *testing.T) {
	const next = "https://next.example"
	w, rs, as := newWorld(t)
	as2 := w.newIssuer(t, rs, next)
	tr := newTransport(t, w, as, &Options{Grant: &AuthorizationCode{RedirectURI: redirectURL, Authorize: func(ctx context.Context, at string) (string, error) {
		if strings.HasPrefix(at, next) {
			return as2.authorize(ctx, at)
		}
		return as.authorize(ctx, at)
	}}})
	welcome(t, tr)
	clear(rs.valid)
	rs.document["authorization_servers"] = []string{next}
	welcome(t, tr)
	if len(as2.clients) != 1 || len(as2.logins) != 1 || len(as2.tokens) != 1 {
		t.Fatalf("%d registrations, %d logins, %d token requests", len(as2.clients), len(as2.logins), len(as2.tokens))
	}
	for _, form := range append(as2.logins, as2.tokens...) {
		if form.Get("client_id") != "client-1-of-"+next || form.Get("refresh_token") != "" {
			t.Errorf("got %v", form)
		}
	}
	clear(rs.valid)
	rs.document["authorization_servers"] = []string{issuerURL}
	welcome(t, tr)
	if len(as.clients) != 1 {
		t.Errorf("the client has registered %d times", len(as.clients))
	}
}

// A resource that names several servers in another order has not moved.
func TestServersInAnotherOrder(t *testing.T) {
	const other = "https://other.example"
	w, rs, as := newWorld(t)
	w.newIssuer(t, rs, other)
	rs.document["authorization_servers"] = []string{issuerURL, other}
	tr := newTransport(t, w, as, nil)
	welcome(t, tr)
	clear(rs.valid)
	rs.document["authorization_servers"] = []string{other, issuerURL}
	welcome(t, tr)
	if len(as.logins) != 1 || len(as.tokens) != 2 {
		t.Errorf("%d logins, %d token requests", len(as.logins), len(as.tokens))
	}
}

// REQ AUTH26-07
func TestMigrationWithPreregisteredClient(t *testing.T) {
	for _, issuer := range []string{issuerURL, ""} {
		w, rs, as := newWorld(t)
		w.newIssuer(t, rs, "https://next.example")
		tr := newTransport(t, w, as, &Options{Clients: []Credentials{{Issuer: issuer, ID: "pre", Secret: "secret"}}})
		welcome(t, tr)
		clear(rs.valid)
		rs.document["authorization_servers"] = []string{"https://next.example"}
		refused(t, tr, "uses the authorization server https://next.example, for which there are no credentials")
	}
}

// The id of a metadata document is the same everywhere.
//
// REQ AUTH26-07, AUTH11-08
func TestMigrationWithDocument(t *testing.T) {
	const next, document = "https://next.example", "https://app.example/client.json"
	w, rs, as := newWorld(t)
	as2 := w.newIssuer(t, rs, next)
	as.meta["client_id_metadata_document_supported"], as2.meta["client_id_metadata_document_supported"] = true, true
	g := &AuthorizationCode{ClientIDURL: document, RedirectURI: redirectURL, Authorize: as.authorize}
	tr := newTransport(t, w, as, &Options{Grant: g})
	welcome(t, tr)
	clear(rs.valid)
	rs.document["authorization_servers"] = []string{next}
	g.Authorize = as2.authorize
	welcome(t, tr)
	if as.logins[0].Get("client_id") != document || as2.logins[0].Get("client_id") != document || len(as.clients)+len(as2.clients) > 0 {
		t.Errorf("got %v, %v", as.logins, as2.logins)
	}
	for _, form := range as2.tokens {
		if form.Has("refresh_token") {
			t.Errorf("the refresh token of %s went to %s: %v", issuerURL, next, form)
		}
	}
}

// REQ AUTH-09, AUTH26-12
func TestClientAuthentication(t *testing.T) {
	const id, secret = "me:& you", "secret+/ö"
	for _, tt := range []struct {
		name, secret, method string
		supported            []string
		want                 string
	}{
		{"public", "", "", nil, oauth.MethodNone},
		{"default", secret, "", nil, oauth.MethodBasic},
		{"basic", secret, "", []string{oauth.MethodPost, oauth.MethodBasic}, oauth.MethodBasic},
		{"post", secret, "", []string{oauth.MethodPost}, oauth.MethodPost},
		{"said", secret, oauth.MethodPost, []string{oauth.MethodBasic}, oauth.MethodPost},
		{"none supported", secret, "", []string{oauth.MethodNone}, oauth.MethodNone},
		{"unknown", secret, "tls", nil, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, _, as := newWorld(t)
			as.meta["token_endpoint_auth_methods_supported"] = tt.supported
			tr := newTransport(t, w, as, &Options{Clients: []Credentials{{Issuer: issuerURL, ID: id, Secret: tt.secret, Method: tt.method}}})
			if tt.want == "" {
				refused(t, tr, `the method is "tls", want client_secret_basic, client_secret_post, private_key_jwt or none`)
				return
			}
			welcome(t, tr)
			form, header := as.tokens[0], as.headers[0].Get("Authorization")
			got := oauth.MethodNone
			switch {
			case form.Has("client_secret") && form.Get("client_id") == id && form.Get("client_secret") == secret:
				got = oauth.MethodPost
			case header == "Basic "+base64.StdEncoding.EncodeToString([]byte("me%3A%26+you:secret%2B%2F%C3%B6")) && !form.Has("client_id"):
				got = oauth.MethodBasic
			case form.Get("client_id") != id || header != "":
				got = "unknown"
			}
			if got != tt.want {
				t.Errorf("the client used %s, want %s: %v", got, tt.want, form)
			}
		})
	}
}

// A server of the first revision need not register clients, though the endpoint has a name. If nobody gives credentials,
// the server is probably none of that revision, but one that lacks authorization.
func TestAskWhereNothingRegisters(t *testing.T) {
	w, rs, as := newWorld(t)
	rs.at, rs.challenge = nil, ""
	as2 := w.newIssuer(t, rs, "https://mcp.example")
	as2.meta = map[string]any{}
	w.hosts["mcp.example"] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/token" {
			as2.ServeHTTP(w, r)
			return
		}
		if r.URL.Path != "/mcp" {
			http.NotFound(w, r)
			return
		}
		rs.ServeHTTP(w, r)
	})
	g := &AuthorizationCode{RedirectURI: redirectURL, Authorize: as2.authorize}
	refused(t, newTransport(t, w, as, &Options{Grant: g}), "authclient: https://mcp.example/mcp requires a token, but names no authorization server, and registers no clients itself: ")
	refused(t, newTransport(t, w, as, &Options{Grant: g, Scopes: []string{"a", "b"}}), `authclient: https://mcp.example/mcp requires the scopes "a b", but names no`)
	refused(t, newTransport(t, w, as, &Options{Grant: g, Scopes: []string{"a"}}), `authclient: https://mcp.example/mcp requires the scopes "a", but names no`)
	asked := 0
	g.AskClient = func(_ context.Context, issuer string) (*Credentials, error) {
		asked++
		return &Credentials{Issuer: issuer, ID: "asked"}, nil
	}
	store := new(MemoryStore)
	for range 2 {
		welcome(t, newTransport(t, w, as, &Options{Grant: g, Store: store}))
		clear(rs.valid)
		clear(as2.refresh)
	}
	if asked != 1 || as2.logins[1].Get("client_id") != "asked" {
		t.Errorf("the user was asked %d times, %v", asked, as2.logins)
	}
	g.AskClient = func(context.Context, string) (*Credentials, error) { return nil, errors.New("unknown") }
	refused(t, newTransport(t, w, as, &Options{Grant: g}), "unknown")
	g.AskClient = func(context.Context, string) (*Credentials, error) { return nil, nil }
	refused(t, newTransport(t, w, as, &Options{Grant: g}), "returned no credentials for https://mcp.example")
	g.AskClient = func(context.Context, string) (*Credentials, error) {
		return &Credentials{Issuer: "https://evil.example", ID: "x"}, nil
	}
	refused(t, newTransport(t, w, as, &Options{Grant: g}), "returned no credentials for https://mcp.example")
}

// A registration without an id is none; and where the client does not get to a login, nothing listens any more.
func TestRegistrationWithoutID(t *testing.T) {
	l := newLocal(t)
	uri := ""
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			http.NotFound(w, r) // it has no metadata
			return
		}
		var m clientMetadata
		if err := json.NewDecoder(r.Body).Decode(&m); err != nil || len(m.RedirectURIs) != 1 {
			t.Errorf("got %+v, %v", m, err)
		} else {
			uri = m.RedirectURIs[0]
		}
		object(w, 201, map[string]any{"client_secret": "secret"})
	}))
	defer site.Close()
	l.as.meta["registration_endpoint"] = site.URL
	_, err := l.ask(t.Context(), l.transport(t, &AuthorizationCode{Open: l.open}, nil))
	if err == nil || !strings.Contains(err.Error(), "the response has no client_id") || len(l.as.logins) > 0 {
		t.Errorf("got %v", err)
	}
	u, err := url.Parse(uri)
	if err != nil {
		t.Fatal(err)
	}
	if c, err := net.Dial("tcp", u.Host); err == nil {
		c.Close()
		t.Errorf("%s is still listened at", u.Host)
	}
}

// What a server gives a client is used until it ends, in this process and in others.
//
// REQ AUTH26-07
func TestRegisteredSecret(t *testing.T) {
	bubble(t, func(t *testing.T) {
		w, rs, as := newWorld(t)
		as.meta["token_endpoint_auth_methods_supported"] = []string{oauth.MethodBasic, oauth.MethodPost}
		registrations := 0
		ends := time.Now().Add(time.Hour)
		w.hosts["as.example"] = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/register" {
				if registrations++; r.Header.Get("Content-Type") != "application/json" {
					t.Errorf("the registration is %s", r.Header.Get("Content-Type"))
				}
				object(w, 201, map[string]any{"client_id": "me", "client_secret": "secret", "token_endpoint_auth_method": oauth.MethodPost, "client_secret_expires_at": ends.Unix()})
				return
			}
			as.ServeHTTP(w, r)
		})
		store := new(MemoryStore)
		login := func(want int) {
			t.Helper()
			clear(rs.valid)
			clear(as.refresh)
			store.Update(t.Context(), "token "+endpointURL, func([]byte) ([]byte, error) { return nil, nil })
			welcome(t, newTransport(t, w, as, &Options{Store: store}))
			f := as.tokens[len(as.tokens)-1]
			if f.Get("client_id") != "me" || f.Get("client_secret") != "secret" || registrations != want {
				t.Errorf("got %v after %d registrations, want %d", f, registrations, want)
			}
		}
		login(1)
		login(1)
		sleep(time.Hour - time.Second)
		login(1)
		sleep(time.Second)
		ends = ends.Add(time.Hour)
		login(2)
	})
}

// A client that AskClient returns is stored with its secret; one without an id is none.
func TestAskedSecret(t *testing.T) {
	w, rs, as := newWorld(t)
	delete(as.meta, "registration_endpoint")
	as.meta["token_endpoint_auth_methods_supported"] = []string{oauth.MethodPost}
	store := new(MemoryStore)
	g := &AuthorizationCode{RedirectURI: redirectURL, Authorize: as.authorize, AskClient: func(context.Context, string) (*Credentials, error) {
		return &Credentials{ID: "me", Secret: "secret"}, nil
	}}
	for range 2 {
		welcome(t, newTransport(t, w, as, &Options{Store: store, Grant: g}))
		g.AskClient = func(context.Context, string) (*Credentials, error) { return nil, errors.New("asked again") }
		clear(rs.valid)
		clear(as.refresh)
	}
	if len(as.logins) != 2 {
		t.Errorf("%d logins", len(as.logins))
	}
	for _, f := range as.tokens {
		if f.Get("client_secret") != "secret" {
			t.Errorf("got %v", f)
		}
	}
	g.AskClient = func(context.Context, string) (*Credentials, error) { return &Credentials{}, nil }
	refused(t, newTransport(t, w, as, &Options{Grant: g}), "returned no credentials for https://as.example")
}

// A refresh token is used by the client that it was issued to, and by no other.
//
// REQ AUTH26-07
func TestClientOfRefresh(t *testing.T) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	const document = "https://app.example/client.json"
	withDocument := &AuthorizationCode{ClientIDURL: document, ClientKey: key, ClientKeyID: "k1", RedirectURI: redirectURL}
	for _, test := range []struct {
		name        string
		first, then Options
		logins      int
	}{
		{"given beforehand", Options{Clients: []Credentials{{ID: "me"}}}, Options{Clients: []Credentials{{ID: "me"}}}, 1},
		{"another one is given now", Options{Clients: []Credentials{{ID: "me"}}}, Options{Clients: []Credentials{{ID: "you"}}}, 2},
		{"a document", Options{Grant: withDocument}, Options{Grant: withDocument}, 1},
		{"a registration", Options{}, Options{}, 1},
		{"a document in place of a registration", Options{}, Options{Grant: withDocument}, 1}, // which is still there
		{"nothing in place of a document", Options{Grant: withDocument}, Options{}, 2},
	} {
		bubble(t, func(t *testing.T) {
			w, _, as := newWorld(t)
			as.lifetime = time.Hour
			as.meta["client_id_metadata_document_supported"] = true
			as.meta["token_endpoint_auth_methods_supported"] = []string{oauth.MethodNone, oauth.MethodJWT}
			withDocument.Authorize = as.authorize
			test.first.Store = new(MemoryStore)
			test.then.Store = test.first.Store
			given := test.first.Clients
			welcome(t, newTransport(t, w, as, &test.first))
			if given != nil && given[0].Issuer != "" {
				t.Errorf("%s: the options of the program have changed: %v", test.name, given)
			}
			sleep(time.Hour)
			welcome(t, newTransport(t, w, as, &test.then))
			if len(as.logins) != test.logins || len(as.tokens) != 2 {
				t.Errorf("%s: %d logins, %d token requests", test.name, len(as.logins), len(as.tokens))
			}
			for _, f := range as.tokens {
				text := f.Get("client_assertion")
				if text == "" {
					continue
				}
				if parsed, err := jwt.ParseSigned(text, []jose.SignatureAlgorithm{jose.ES256}); err != nil || parsed.Headers[0].KeyID != "k1" {
					t.Errorf("%s: the assertion is %v, %v", test.name, parsed, err)
				}
			}
		})
	}
}

// A client registers without a secret where the server lets it, or has not said anything.
func TestRegistrationMethod(t *testing.T) {
	for want, s := range map[string]*authServer{
		oauth.MethodNone:  {meta: &auth.AuthorizationServerMetadata{TokenEndpointAuthMethodsSupported: []string{oauth.MethodPost, oauth.MethodNone}}},
		oauth.MethodPost:  {meta: &auth.AuthorizationServerMetadata{TokenEndpointAuthMethodsSupported: []string{oauth.MethodJWT, oauth.MethodPost}}},
		oauth.MethodBasic: {meta: &auth.AuthorizationServerMetadata{}},
	} {
		if got := registrationMethod(s); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
	if got := registrationMethod(&authServer{meta: &auth.AuthorizationServerMetadata{}, guessed: true}); got != oauth.MethodNone {
		t.Errorf("without metadata: got %s", got)
	}
}

// A server without a token endpoint is of no use, and nobody logs in there.
func TestNoTokenEndpoint(t *testing.T) {
	w, _, as := newWorld(t)
	delete(as.meta, "token_endpoint")
	refused(t, newTransport(t, w, as, nil), "token_endpoint")
	if len(as.logins)+len(as.clients) > 0 {
		t.Errorf("%d logins, %d registrations", len(as.logins), len(as.clients))
	}
}
