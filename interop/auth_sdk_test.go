package interop

import (
	"context"
	"crypto"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/go-jose/go-jose/v4"

	"github.com/mcpgen/mcpgen/mcp"
	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/auth/as"
	"github.com/mcpgen/mcpgen/runtime/wire"
)

// The tests of this file have our authorization server, at which the clients of the TypeScript SDKs log in to use our
// server.

// plainSecret is a secret that is the same in every encoding: the SDKs send it in the header Authorization as it is, and
// RFC 6749 section 2.3.1 wants it encoded.
const plainSecret = "a-plain-secret"

// A login is what a client is asked to do: see auth/login.mjs.
type login struct {
	URL      string         `json:"url"`
	User     string         `json:"user"`
	Redirect string         `json:"redirect"`
	Client   map[string]any `json:"client,omitempty"`
	Document string         `json:"document,omitempty"`
	DPoP     bool           `json:"dpop,omitempty"`
	Mode     string         `json:"mode,omitempty"`
	Machine  map[string]any `json:"machine,omitempty"`
	Forgets  bool           `json:"forgets,omitempty"`
}

// A loginReport is what came of it.
type loginReport struct {
	Error  string
	Logins int      // how often the user was sent to log in
	Texts  []string // of the tools whoami, read, write, end_tokens, and read again
}

// An sdk is a script, and a mode.
type sdk struct {
	name, script, mode string

	// A token with a refresh token is refreshed in place of a step-up, so the scopes of its client do not grow.
	refreshes bool
}

var sdks = []sdk{
	{"v1", "auth/login-v1.mjs", "", true},
	{"v2 legacy", "auth/login-v2.mjs", "legacy", false},
	{"v2 auto", "auth/login-v2.mjs", "auto", false},
	{"v2 modern", "auth/login-v2.mjs", "modern", false},
}

// all has the server ask for all scopes at first.
func all(o *auth.Options) { o.ScopesSupported = []string{"notes:read", "notes:write"} }

// REQ AUTH-04, AUTH-06, AUTH-09, AUTH06-01, AUTH06-02, AUTH06-04, AUTH06-08
// REQ AUTH11-01, AUTH11-03, AUTH11-06, AUTH11-10, AUTH11-11, AUTH11-14, AUTH26-03, AUTH26-09
func TestSDKUsers(t *testing.T) {
	m := newModules(t)
	for _, sdk := range sdks {
		for _, tt := range []struct {
			name      string
			path      string
			configure func(*testing.T, *authority, *auth.Options)
			login     login
			only      []string // the SDKs that try it; all if nil
		}{
			{"registers itself", "/mcp", nil, login{}, nil},
			{"has a metadata document", "/mcp", byKeys, login{Document: documentURL}, []string{"v1", "v2 modern"}},
			{"is known, with a secret", "/mcp", byKeys, login{Client: map[string]any{"client_id": "web", "client_secret": plainSecret}}, []string{"v1", "v2 legacy"}},
			{"has bound tokens", "/mcp", boundTokens, login{DPoP: true}, []string{"v2 legacy", "v2 modern"}},
			{"uses HTTP+SSE", "/sse", nil, login{}, []string{"v1", "v2 legacy"}},
			{"forgets refresh tokens", "/mcp", nil, login{Forgets: true}, []string{"v1", "v2 modern"}},
		} {
			if tt.only != nil && !slices.Contains(tt.only, sdk.name) {
				continue
			}
			t.Run(sdk.name+" "+tt.name, func(t *testing.T) {
				t.Parallel()
				u := newSDKUser(t)
				logins := 2
				r := newResource(t, tt.path, func(r *resource, o *auth.Options) {
					a := newAuthority(t, r, u.redirect(), nil)
					o.AuthorizationServers, o.Verifier = []string{a.issuer}, a.server
					if tt.configure != nil {
						tt.configure(t, a, o)
					}
					switch {
					case tt.login.Forgets:
						logins = 3 // the last in place of a refresh
					case sdk.refreshes || tt.path == "/sse":
						all(o)
						logins = 1
					}
				})
				u.run(t, m, sdk, r, tt.login).check(t, "ada", logins)
			})
		}
	}
}

// A server of 2025-03-26 is its own authorization server, and no metadata of the resource says so.
//
// REQ AUTH03-01, AUTH03-03, AUTH03-05, AUTH03-06
func TestSDKUsersOf2025March(t *testing.T) {
	m := newModules(t)
	for _, sdk := range sdks {
		if sdk.name != "v1" && sdk.name != "v2 legacy" {
			continue
		}
		t.Run(sdk.name, func(t *testing.T) {
			t.Parallel()
			u := newSDKUser(t)
			r := newResource(t, "/mcp", func(r *resource, o *auth.Options) {
				a := newAuthorityAt(t, r, strings.TrimSuffix(r.url, "/mcp"), u.redirect(), nil)
				o.AuthorizationServers, o.Verifier = []string{a.issuer}, a.server
				r.mux.Handle("/", a.server)
				r.hidden, r.revisions = true, []wire.Revision{mcp.V2025_03_26}
				all(o)
			})
			u.run(t, m, sdk, r, login{}).check(t, "ada", 1)
		})
	}
}

// REQ AUTH03-06, AUTH26-12
func TestSDKMachines(t *testing.T) {
	m := newModules(t)
	keys := signers(t)
	for _, sdk := range sdks {
		if sdk.name != "v1" && sdk.name != "v2 modern" {
			continue
		}
		for _, name := range []string{"machine", "ES256", "RS256"} {
			t.Run(sdk.name+" "+name, func(t *testing.T) {
				t.Parallel()
				u := newSDKUser(t)
				issuer := ""
				r := newResource(t, "/mcp", func(r *resource, o *auth.Options) {
					a := newAuthority(t, r, u.redirect(), func(o *as.Options) { o.Clients = append(o.Clients, machine(name, keys)) })
					o.AuthorizationServers, o.Verifier = []string{a.issuer}, a.server
					all(o)
					issuer = a.issuer
				})
				who := map[string]any{"clientId": name, "expectedIssuer": issuer, "scope": "notes:read notes:write"}
				if key := keys[name]; key != nil {
					who["algorithm"], who["privateKey"] = name, jose.JSONWebKey{Key: key}
				} else {
					who["clientSecret"] = plainSecret
				}
				u.run(t, m, sdk, r, login{Machine: who}).check(t, "client:"+name, 0)
			})
		}
	}
}

// machine returns a client without a user: with a key that has its name, or else a secret.
func machine(name string, keys map[string]crypto.Signer) as.Client {
	c := as.Client{ID: name, GrantTypes: []string{"client_credentials"}, Secret: plainSecret}
	if key := keys[name]; key != nil {
		c.Secret, c.Keys = "", []crypto.PublicKey{key.Public()}
	}
	return c
}

// check reports whether a client could do all that it should.
func (r *loginReport) check(t *testing.T, who string, logins int) {
	t.Helper()
	if r.Error != "" {
		t.Fatal(r.Error)
	}
	if r.Logins != logins {
		t.Errorf("the user was sent to log in %d times, want %d", r.Logins, logins)
	}
	if len(r.Texts) != 5 || r.Texts[0] != who || !strings.HasPrefix(r.Texts[1], "read by ") || !strings.HasPrefix(r.Texts[2], "written by ") ||
		r.Texts[3] != "ended" || r.Texts[4] != r.Texts[1] {
		t.Errorf("the tools returned %q", r.Texts)
	}
}

// An authority is an authorization server of ours for a resource.
type authority struct {
	server   *as.Server
	issuer   string
	resource *resource
}

// newAuthority starts an authorization server on a host of its own.
func newAuthority(t *testing.T, r *resource, redirect string, configure func(*as.Options)) *authority {
	t.Helper()
	var a *authority
	web := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) { a.server.ServeHTTP(w, q) }))
	a = newAuthorityAt(t, r, "http://"+web.Listener.Addr().String(), redirect, configure)
	web.Start()
	t.Cleanup(web.Close)
	return a
}

// newAuthorityAt returns an authorization server with an issuer. It knows some clients, and finds the metadata document
// of one.
func newAuthorityAt(t *testing.T, r *resource, issuer, redirect string, configure func(*as.Options)) *authority {
	t.Helper()
	document := map[string]any{
		"client_id": documentURL, "client_name": "Documented", "redirect_uris": []string{redirect},
		"grant_types": []string{"authorization_code", "refresh_token"}, "token_endpoint_auth_method": "none",
	}
	opts := &as.Options{
		Issuer: issuer, Resources: []string{r.url},
		Scopes:        []as.Scope{{Name: "notes:read", Description: "Read your notes"}, {Name: "notes:write", Description: "Change your notes"}},
		DefaultScopes: []string{"notes:read"},
		Password: func(_ context.Context, name, password string) (*as.User, error) {
			if password != "correct horse" {
				return nil, nil
			}
			return &as.User{Subject: name}, nil
		},
		Clients: []as.Client{
			{ID: "web", Name: "Web", Secret: plainSecret, RedirectURIs: []string{redirect}},
		},
		HTTPClient: &http.Client{Transport: documents{documentURL: document}},
		Logger:     slog.New(slog.DiscardHandler),
	}
	if configure != nil {
		configure(opts)
	}
	s, err := as.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	return &authority{s, issuer, r}
}

// byKeys has tokens verified by the keys of the authorization server.
func byKeys(_ *testing.T, _ *authority, o *auth.Options) { o.Verifier = nil }

// boundTokens wants tokens that are bound to a key, and proofs with nonces.
func boundTokens(_ *testing.T, _ *authority, o *auth.Options) { o.Proofs = proofs(strict) }

// documents are what there is in place of the web.
type documents map[string]any

func (d documents) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	if v, ok := d[r.URL.String()]; ok {
		w.Header().Set("Content-Type", "application/json")
		if err := json.NewEncoder(w).Encode(v); err != nil {
			return nil, err
		}
	} else {
		w.WriteHeader(http.StatusNotFound)
	}
	return w.Result(), nil
}

// An sdkUser is the user of a client in another process, which asks for what the user does.
type sdkUser struct {
	browser *browser
	url     string
}

func newSDKUser(t *testing.T) *sdkUser {
	t.Helper()
	u := &sdkUser{browser: newBrowser(t, "ada")}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /visit", func(w http.ResponseWriter, r *http.Request) {
		at, err := io.ReadAll(io.LimitReader(r.Body, 1<<16))
		var last *page
		if err == nil {
			last, err = u.browser.visit(r.Context(), string(at))
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
			return
		}
		io.WriteString(w, last.at.String())
	})
	mux.HandleFunc("GET /callback", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "You can close this window.") })
	web := httptest.NewServer(mux)
	t.Cleanup(web.Close)
	u.url = web.URL
	return u
}

func (u *sdkUser) redirect() string { return u.url + "/callback" }

// run has a client use a server.
func (u *sdkUser) run(t *testing.T, m modules, sdk sdk, r *resource, task login) *loginReport {
	t.Helper()
	task.URL, task.User, task.Redirect, task.Mode = r.url, u.url, u.redirect(), sdk.mode
	text, err := json.Marshal(task)
	if err != nil {
		t.Fatal(err)
	}
	printed := m.node(t, sdk.script, string(text))
	got := new(loginReport)
	if err := json.Unmarshal(printed, got); err != nil {
		t.Fatalf("%s printed %q: %v", sdk.script, printed, err)
	}
	return got
}
