package as_test

import (
	"crypto"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/mcpgen/mcpgen/runtime/auth"
	"github.com/mcpgen/mcpgen/runtime/auth/as"
	"github.com/mcpgen/mcpgen/runtime/auth/dpop"
	"golang.org/x/oauth2"
)

// TestMetadata has what clients need to know, where they look for it. Without a path in the issuer, the endpoints are
// those that clients of revision 2025-03-26 expect where there is no metadata.
//
// REQ AUTH03-03
// REQ AUTH06-04
// REQ AUTH11-03
// REQ AUTH26-03
func TestMetadata(t *testing.T) {
	for _, c := range []struct{ issuer, path, base string }{
		{"https://as.example", "/.well-known/oauth-authorization-server", "https://as.example"},
		{"https://as.example/", "/.well-known/oauth-authorization-server", "https://as.example"},
		{"https://as.example/tenant/1", "/.well-known/oauth-authorization-server/tenant/1", "https://as.example/tenant/1"},
		{"http://127.0.0.1:8080", "/.well-known/oauth-authorization-server", "http://127.0.0.1:8080"},
	} {
		f := start(t, func(o *as.Options) { o.Issuer = c.issuer })
		f.issuer = "https://as.example"
		r := f.request(http.MethodGet, c.path, "")
		r.Header.Set("MCP-Protocol-Version", "2025-03-26")
		resp := f.send(r)
		var m auth.AuthorizationServerMetadata
		if err := json.Unmarshal([]byte(resp.body), &m); err != nil {
			t.Fatalf("%s: status %d, %v: %s", c.issuer, resp.StatusCode, err, resp.body)
		}
		if m.Issuer != c.issuer || m.AuthorizationEndpoint != c.base+"/authorize" || m.TokenEndpoint != c.base+"/token" ||
			m.RegistrationEndpoint != c.base+"/register" || m.JWKSURI != c.base+"/jwks" || m.RevocationEndpoint != c.base+"/revoke" {
			t.Errorf("%s: %s", c.issuer, resp.body)
		}
		methods := []string{"none", "client_secret_basic", "client_secret_post", "private_key_jwt"}
		if !m.AuthorizationResponseISSParameterSupported || !m.ClientIDMetadataDocumentSupported ||
			!slices.Equal(m.CodeChallengeMethodsSupported, []string{"S256"}) || !slices.Equal(m.ResponseTypesSupported, []string{"code"}) ||
			!slices.Equal(m.TokenEndpointAuthMethodsSupported, methods) || !slices.Equal(m.RevocationEndpointAuthMethodsSupported, methods) ||
			!slices.Equal(m.GrantTypesSupported, []string{"client_credentials", "authorization_code", "refresh_token"}) ||
			!slices.Equal(m.ScopesSupported, []string{"notes:read", "notes:write"}) || !slices.Equal(m.ResponseModesSupported, []string{"query"}) ||
			!slices.Equal(m.TokenEndpointAuthSigningAlgValuesSupported, dpop.Algorithms()) || !slices.Equal(m.DPoPSigningAlgValuesSupported, dpop.Algorithms()) ||
			!slices.Equal(m.ProtectedResources, []string{resource, other}) {
			t.Errorf("%s: %s", c.issuer, resp.body)
		}
		if h := resp.Header; h.Get("Access-Control-Allow-Origin") != "*" || h.Get("Cache-Control") != "public, max-age=300" ||
			h.Get("Access-Control-Expose-Headers") != "WWW-Authenticate, DPoP-Nonce, Retry-After" {
			t.Errorf("%s: %v", c.issuer, h)
		}
		path := strings.TrimPrefix(c.base, "https://as.example")
		if !strings.HasPrefix(path, "/") {
			path = ""
		}
		if resp := f.browser().get(path + authorizationURL(nil)); resp.StatusCode != http.StatusOK {
			t.Errorf("%s: /authorize: status %d", c.issuer, resp.StatusCode)
		}
	}
}

// TestPreflight lets web pages send requests.
func TestPreflight(t *testing.T) {
	f := start(t, nil)
	for _, path := range []string{"/token", "/register", "/revoke", "/jwks", "/.well-known/oauth-authorization-server"} {
		resp := f.send(f.request(http.MethodOptions, path, ""))
		if resp.StatusCode != http.StatusNoContent || resp.Header.Get("Access-Control-Allow-Origin") != "*" ||
			resp.Header.Get("Access-Control-Allow-Headers") != "*, Authorization" || resp.Header.Get("Access-Control-Allow-Methods") != "GET, POST" ||
			resp.Header.Get("Access-Control-Max-Age") != "86400" || resp.Header.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: status %d, %v", path, resp.StatusCode, resp.Header)
		}
	}
	for _, path := range []string{"/authorize", "/consent"} {
		if resp := f.send(f.request(http.MethodOptions, path, "")); resp.Header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: other origins may read it", path)
		}
	}
}

// TestMachinesAlone has nothing for users where nobody can log in.
func TestMachinesAlone(t *testing.T) {
	f := start(t, func(o *as.Options) { o.Password = nil })
	m := f.server.Metadata()
	if m.AuthorizationEndpoint != "" || m.RegistrationEndpoint != "" || !slices.Equal(m.GrantTypesSupported, []string{"client_credentials"}) {
		t.Errorf("the metadata are %+v", m)
	}
	for _, path := range []string{"/authorize", "/consent", "/register"} {
		if resp := f.send(f.request(http.MethodPost, path, "")); resp.StatusCode != http.StatusNotFound {
			t.Errorf("%s: status %d", path, resp.StatusCode)
		}
	}
	if !f.valid(f.token()) {
		t.Error("the token of a machine is not valid")
	}
}

// TestOptions refuses options that cannot be meant.
//
// REQ AUTH-08
func TestOptions(t *testing.T) {
	upstream := func(change func(*as.Upstream)) func(*as.Options) {
		return func(o *as.Options) {
			u := &as.Upstream{
				Config: oauth2.Config{ClientID: "us", Endpoint: oauth2.Endpoint{AuthURL: provider + "/authorize", TokenURL: provider + "/token"}},
				User:   as.UserInfo(provider + "/userinfo"),
			}
			o.Password, o.Upstream = nil, u
			change(u)
		}
	}
	good := upstream(func(*as.Upstream) {})
	opts := options()
	good(opts)
	if _, err := as.New(opts); err != nil {
		t.Errorf("with a provider: %v", err)
	}
	for what, change := range map[string]func(*as.Options){
		"no issuer's URL":          func(o *as.Options) { o.Issuer = ":" },
		"an empty query":           func(o *as.Options) { o.Issuer = "https://as.example?" },
		"an issuer with braces":    func(o *as.Options) { o.Issuer = "https://as.example/{a}" },
		"an issuer's odd host":     func(o *as.Options) { o.Issuer = "https://as!.example" },
		"no resource's URL":        func(o *as.Options) { o.Resources = []string{":"} },
		"a resource's fragment":    func(o *as.Options) { o.Resources = []string{resource + "#a"} },
		"an odd scope":             func(o *as.Options) { o.Scopes, o.DefaultScopes = []as.Scope{{Name: "a b"}}, nil },
		"no redirect URI":          func(o *as.Options) { o.Clients[0].RedirectURIs = []string{":"} },
		"a provider and passwords": func(o *as.Options) { password := o.Password; good(o); o.Password = password },
		"a provider and a login": func(o *as.Options) {
			good(o)
			o.Login = func(http.ResponseWriter, *http.Request) *as.User { return nil }
		},
		"a provider without a URL":  upstream(func(u *as.Upstream) { u.Config.Endpoint.AuthURL = ":" }),
		"a provider over http":      upstream(func(u *as.Upstream) { u.Config.Endpoint.TokenURL = "http://provider.example/token" }),
		"a provider without an id":  upstream(func(u *as.Upstream) { u.Config.ClientID = "" }),
		"a provider without a User": upstream(func(u *as.Upstream) { u.User = nil }),
		"no issuer":                 func(o *as.Options) { o.Issuer = "" },
		"http":                      func(o *as.Options) { o.Issuer = "http://as.example" },
		"a query":                   func(o *as.Options) { o.Issuer = "https://as.example?a=b" },
		"a fragment":                func(o *as.Options) { o.Issuer = "https://as.example#a" },
		"no resources":              func(o *as.Options) { o.Resources = nil },
		"a relative resource":       func(o *as.Options) { o.Resources = []string{"/mcp"} },
		"a scope with a space":      func(o *as.Options) { o.Scopes = []as.Scope{{Name: "a b"}} },
		"an unknown scope":          func(o *as.Options) { o.DefaultScopes = []string{"x"} },
		"a short secret":            func(o *as.Options) { o.Secret = []byte("short") },
		"two ways to log in":        func(o *as.Options) { o.Login = func(http.ResponseWriter, *http.Request) *as.User { return nil } },
		"a client without an ID":    func(o *as.Options) { o.Clients[0].ID = "" },
		"a client twice":            func(o *as.Options) { o.Clients[0].ID = "web" },
		"an http redirect URI":      func(o *as.Options) { o.Clients[0].RedirectURIs = []string{"http://app.example/cb"} },
		"an unknown grant type":     func(o *as.Options) { o.Clients[0].GrantTypes = []string{"password"} },
		"a public machine":          func(o *as.Options) { o.Clients[0].GrantTypes = []string{"client_credentials"} },
		"a secret and keys":         func(o *as.Options) { o.Clients[1].Keys = []crypto.PublicKey{newKey(t).Public()} },
		"an unfinished upstream":    func(o *as.Options) { o.Password, o.Upstream = nil, &as.Upstream{} },
	} {
		opts := options()
		change(opts)
		if _, err := as.New(opts); err == nil || !strings.HasPrefix(err.Error(), "as: ") {
			t.Errorf("%s: %v", what, err)
		}
	}
}
