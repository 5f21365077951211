package authclient

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// documents serves objects at URLs of a world, in addition to what is there.
func (w *world) documents(all map[string]string) {
	for at, text := range all {
		u, err := url.Parse(at)
		if err != nil {
			panic(err)
		}
		next := w.hosts[u.Host]
		w.hosts[u.Host] = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
			switch {
			case r.URL.Path == u.Path:
				object(rw, 200, json.RawMessage(text))
			case next != nil:
				next.ServeHTTP(rw, r)
			default:
				http.NotFound(rw, r)
			}
		})
	}
}

// A malicious server that names endpoints of an honest one as its own, so that the user logs in there and the code or
// the client's secret comes to the malicious one, is refused before the user sees anything, also if the honest server's
// responses do not say who they come from.
//
// REQ AUTH26-01, AUTH26-02
func TestMixedEndpoints(t *testing.T) {
	const honest = "https://login.example"
	for _, tt := range []struct {
		name, issuer string // of the honest server
		path         string // of its metadata
		change       map[string]string
		refused      bool
	}{
		{"login", honest, "/.well-known/oauth-authorization-server", map[string]string{"authorization_endpoint": "/authorize"}, true},
		{"login, OpenID", honest, "/.well-known/openid-configuration", map[string]string{"authorization_endpoint": "/authorize"}, true},
		{"login and registration", honest, "/.well-known/oauth-authorization-server", map[string]string{"authorization_endpoint": "/authorize", "registration_endpoint": "/register"}, true},
		{"registration", honest, "/.well-known/oauth-authorization-server", map[string]string{"registration_endpoint": "/register"}, true},
		{"token", honest, "/.well-known/oauth-authorization-server", map[string]string{"token_endpoint": "/token"}, true},
		{"a realm", honest + "/realms/main", "/realms/main/.well-known/openid-configuration", map[string]string{"authorization_endpoint": "/authorize"}, true},
		{"a realm by RFC 8414", honest + "/realms/main", "/.well-known/oauth-authorization-server/realms/main", map[string]string{"authorization_endpoint": "/authorize"}, true},
		{"spelled differently", honest + "/realms/main", "/realms/main/.well-known/openid-configuration", map[string]string{"authorization_endpoint": "//%61uthorize/?x=y"}, true},
		{"spelled with dots and a port", honest, "/.well-known/openid-configuration", map[string]string{"authorization_endpoint": ":443/x/../AUTHORIZE"}, true},
		// Nothing comes to the issuer then: it only speaks for the honest server.
		{"login and token", honest, "/.well-known/openid-configuration", map[string]string{"authorization_endpoint": "/authorize", "token_endpoint": "/token"}, false},
		{"without metadata", honest, "/elsewhere", map[string]string{"authorization_endpoint": "/authorize", "token_endpoint": "/token"}, false},
		{"elsewhere with the same path", honest, "/.well-known/openid-configuration", map[string]string{"authorization_endpoint": "/authorize", "other authorization_endpoint": "https://third.example/authorize"}, false},
		{"the same issuer, another token endpoint", issuerURL, "/.well-known/openid-configuration", map[string]string{"authorization_endpoint": "/authorize"}, false},
		{"the same issuer", issuerURL, "/.well-known/openid-configuration", map[string]string{"authorization_endpoint": "/authorize", "token_endpoint": "/token"}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w, rs, as := newWorld(t)
			base := tt.issuer
			if base == issuerURL {
				base = honest
			}
			other := w.newIssuer(t, rs, base)
			for _, s := range []*issuer{as, other} {
				s.meta["authorization_response_iss_parameter_supported"] = false
			}
			other.meta["issuer"] = tt.issuer
			if at := tt.change["other authorization_endpoint"]; at != "" {
				other.meta["authorization_endpoint"] = at
			}
			text, err := json.Marshal(other.meta)
			if err != nil {
				t.Fatal(err)
			}
			other.meta = nil
			w.documents(map[string]string{honest + tt.path: string(text)})
			for member, path := range tt.change {
				if strings.HasPrefix(member, "other") {
					continue
				}
				as.meta[member] = base + path
				if strings.HasPrefix(path, ":") {
					as.meta[member] = honest + path
				}
			}
			tr := newTransport(t, w, as, nil)
			if tt.refused {
				refused(t, tr, "as its own, but that is an endpoint of \""+tt.issuer+"\"")
				if len(as.logins) > 0 || strings.Contains(w.took(), "POST") {
					t.Error("the user was asked to log in, or the client was registered")
				}
				return
			}
			other.codes = as.codes // the browser is that of as
			welcome(t, tr)
			asked := map[string]bool{}
			for line := range strings.Lines(w.took()) {
				if asked[line] {
					t.Errorf("asked twice: %s", line)
				}
				asked[line] = true
			}
		})
	}
}

// No page opens if it cannot be known whether the other server has metadata, and what it says.
//
// REQ AUTH26-01
func TestEndpointsCannotBeChecked(t *testing.T) {
	respond := func(status int, contentType, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", contentType)
			w.WriteHeader(status)
			io.WriteString(w, body)
		}
	}
	for _, tt := range []struct {
		name    string
		handler http.HandlerFunc
		refused bool
	}{
		{"a server that fails", respond(503, "text/html", "sorry"), true},
		{"too many requests", respond(429, "application/json", "{}"), true},
		{"no response in time", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }, true},
		{"no connection", nil, true},
		{"broken JSON", respond(200, "application/json", `{"issuer":`), true},
		{"too large", respond(200, "application/json", `{"issuer":"`+strings.Repeat("x", 2<<20)+`"}`), true},
		{"no metadata", respond(404, "application/json", "{}"), false},
		{"not for us", respond(403, "text/plain", "no"), false},
		{"a web page", respond(200, "text/html", "<html>"), false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			bubble(t, func(t *testing.T) {
				w, _, as := newWorld(t)
				as.meta["authorization_endpoint"] = "https://login.example/authorize"
				if tt.handler != nil {
					w.hosts["login.example"] = tt.handler
				}
				tr := newTransport(t, w, as, nil)
				if !tt.refused {
					welcome(t, tr)
					return
				}
				refused(t, tr, "cannot be checked now: https://login.example/.well-known/oauth-authorization-server: ")
				if len(as.logins) > 0 || strings.Contains(w.took(), "POST") {
					t.Error("the user was asked to log in, or the client was registered")
				}
			})
		})
	}
}

// A server that lists other methods of PKCE does not support the one that is needed, whatever the client assumes.
//
// REQ AUTH11-05
func TestAssumePKCE(t *testing.T) {
	for _, tt := range []struct {
		methods []string
		assume  bool
		ok      bool
	}{{nil, true, true}, {nil, false, false}, {[]string{"plain"}, true, false}, {[]string{"S256"}, false, true}} {
		w, _, as := newWorld(t)
		as.meta["code_challenge_methods_supported"] = tt.methods
		tr := newTransport(t, w, as, &Options{Clients: []Credentials{{ID: "desktop", AssumePKCE: tt.assume}}})
		if tt.ok {
			welcome(t, tr)
		} else {
			refused(t, tr, "PKCE")
		}
	}
}

// Metadata of providers, as public recordings of it have it, with other names of tenants and hosts, without members that
// nobody here reads.
var published = map[string]map[string]string{
	"Google": {
		"https://accounts.google.com/.well-known/openid-configuration": `{"issuer":"https://accounts.google.com",
			"authorization_endpoint":"https://accounts.google.com/o/oauth2/v2/auth","device_authorization_endpoint":"https://oauth2.googleapis.com/device/code",
			"token_endpoint":"https://oauth2.googleapis.com/token","userinfo_endpoint":"https://openidconnect.googleapis.com/v1/userinfo",
			"revocation_endpoint":"https://oauth2.googleapis.com/revoke","jwks_uri":"https://www.googleapis.com/oauth2/v3/certs",
			"response_types_supported":["code","token","id_token"],"subject_types_supported":["public"],"id_token_signing_alg_values_supported":["RS256"],
			"scopes_supported":["openid","email","profile"],"token_endpoint_auth_methods_supported":["client_secret_post","client_secret_basic"],
			"code_challenge_methods_supported":["plain","S256"],"grant_types_supported":["authorization_code","refresh_token"]}`,
	},
	"Entra ID v2": {
		"https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0/.well-known/openid-configuration": entra("https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0", "/v2.0"),
	},
	"Entra ID v1": {
		"https://sts.windows.net/11111111-2222-3333-4444-555555555555/.well-known/openid-configuration":           entra("https://sts.windows.net/11111111-2222-3333-4444-555555555555/", ""),
		"https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/.well-known/openid-configuration": entra("https://sts.windows.net/11111111-2222-3333-4444-555555555555/", ""),
	},
	"Auth0": {
		"https://tenant.eu.auth0.com/.well-known/openid-configuration": auth0("https://tenant.eu.auth0.com/"),
	},
	"Auth0 custom domain": { // which the tenant's own domain serves, too, for itself
		"https://login.example.com/.well-known/openid-configuration":   auth0("https://login.example.com/"),
		"https://tenant.eu.auth0.com/.well-known/openid-configuration": auth0("https://tenant.eu.auth0.com/"),
	},
	"Okta": {
		"https://dev-1.okta.com/oauth2/default/.well-known/openid-configuration": `{"issuer":"https://dev-1.okta.com/oauth2/default",
			"authorization_endpoint":"https://dev-1.okta.com/oauth2/default/v1/authorize","token_endpoint":"https://dev-1.okta.com/oauth2/default/v1/token",
			"registration_endpoint":"https://dev-1.okta.com/oauth2/v1/clients","jwks_uri":"https://dev-1.okta.com/oauth2/default/v1/keys",
			"scopes_supported":["notes:read","openid","profile","offline_access"],"token_endpoint_auth_methods_supported":["client_secret_basic","client_secret_post","private_key_jwt","none"],
			"code_challenge_methods_supported":["S256"]}`,
	},
	"Keycloak": {
		"https://id.example.com/realms/main/.well-known/openid-configuration": `{"issuer":"https://id.example.com/realms/main",
			"authorization_endpoint":"https://id.example.com/realms/main/protocol/openid-connect/auth","token_endpoint":"https://id.example.com/realms/main/protocol/openid-connect/token",
			"introspection_endpoint":"https://id.example.com/realms/main/protocol/openid-connect/token/introspect","require_pushed_authorization_requests":false,
			"pushed_authorization_request_endpoint":"https://id.example.com/realms/main/protocol/openid-connect/ext/par/request",
			"mtls_endpoint_aliases":{"token_endpoint":"https://id.example.com/realms/main/protocol/openid-connect/token"},
			"jwks_uri":"https://id.example.com/realms/main/protocol/openid-connect/certs","registration_endpoint":"https://id.example.com/realms/main/clients-registrations/openid-connect",
			"scopes_supported":["openid","offline_access","profile","notes:read"],"token_endpoint_auth_methods_supported":["private_key_jwt","client_secret_basic","client_secret_post","tls_client_auth","client_secret_jwt"],
			"code_challenge_methods_supported":["plain","S256"],"authorization_response_iss_parameter_supported":true}`,
	},
	"Cognito": { // the domain of the pool serves the metadata, too
		"https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_abc/.well-known/openid-configuration":  cognito,
		"https://pool.auth.eu-west-1.amazoncognito.com/oauth2/.well-known/oauth-authorization-server": cognito,
	},
}

const cognito = `{"issuer":"https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_abc",
	"authorization_endpoint":"https://pool.auth.eu-west-1.amazoncognito.com/oauth2/authorize","token_endpoint":"https://pool.auth.eu-west-1.amazoncognito.com/oauth2/token",
	"jwks_uri":"https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_abc/.well-known/jwks.json","response_types_supported":["code","token"],
	"code_challenge_methods_supported":["S256"],"scopes_supported":["openid","email","phone","profile"],"token_endpoint_auth_methods_supported":["client_secret_basic","client_secret_post"]}`

// entra is the metadata of a tenant of Microsoft Entra ID, which does not list the methods of PKCE. Its tenants share the
// keys of version 1.
func entra(issuer, version string) string {
	const base = "https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555"
	keys := base + "/discovery/v2.0/keys"
	if version == "" {
		keys = "https://login.microsoftonline.com/common/discovery/keys"
	}
	return `{"token_endpoint":"` + base + `/oauth2` + version + `/token","token_endpoint_auth_methods_supported":["client_secret_post","private_key_jwt","client_secret_basic"],
		"jwks_uri":"` + keys + `","response_modes_supported":["query","fragment","form_post"],"subject_types_supported":["pairwise"],
		"id_token_signing_alg_values_supported":["RS256"],"response_types_supported":["code","id_token","code id_token","id_token token"],
		"scopes_supported":["openid","profile","email","offline_access"],"issuer":"` + issuer + `","request_uri_parameter_supported":false,
		"userinfo_endpoint":"https://graph.microsoft.com/oidc/userinfo","authorization_endpoint":"` + base + `/oauth2` + version + `/authorize",
		"tenant_region_scope":"EU","cloud_instance_name":"microsoftonline.com"}`
}

func auth0(base string) string {
	return `{"issuer":"` + base + `","authorization_endpoint":"` + base + `authorize","token_endpoint":"` + base + `oauth/token",
		"userinfo_endpoint":"` + base + `userinfo","jwks_uri":"` + base + `.well-known/jwks.json","registration_endpoint":"` + base + `oidc/register",
		"device_authorization_endpoint":"` + base + `oauth/device/code","mfa_challenge_endpoint":"` + base + `mfa/challenge","revocation_endpoint":"` + base + `oauth/revoke",
		"scopes_supported":["openid","profile","offline_access","name","given_name","family_name","nickname","email","email_verified","picture","created_at","identities","phone","address"],
		"code_challenge_methods_supported":["S256","plain"],"response_modes_supported":["query","fragment","form_post"],"request_parameter_supported":false,
		"token_endpoint_auth_methods_supported":["client_secret_basic","client_secret_post","private_key_jwt"]}`
}

// One can log in at the known providers, with a client that was registered beforehand, also where their endpoints are
// at several origins.
//
// REQ AUTH11-05, AUTH06-05
func TestPublishedMetadata(t *testing.T) {
	for name, documents := range published {
		t.Run(name, func(t *testing.T) {
			w, rs, as := newWorld(t)
			w.documents(documents)
			for at, text := range documents {
				var m struct {
					Issuer string `json:"issuer"`
					Token  string `json:"token_endpoint"`
				}
				if err := json.Unmarshal([]byte(text), &m); err != nil {
					t.Fatal(err)
				}
				if iss, err := url.Parse(m.Issuer); err != nil || !strings.Contains(at, iss.Host) || name == "Auth0 custom domain" && iss.Host != "login.example.com" {
					continue
				}
				rs.document["authorization_servers"] = []string{m.Issuer}
				token, err := url.Parse(m.Token)
				if err != nil {
					t.Fatal(err)
				}
				as.url = m.Issuer
				next := w.hosts[token.Host]
				w.hosts[token.Host] = http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
					if r.URL.Path == token.Path {
						r.URL.Path = pathOf(as.url) + "/token"
						as.ServeHTTP(rw, r)
					} else if next != nil {
						next.ServeHTTP(rw, r)
					} else {
						http.NotFound(rw, r)
					}
				})
			}
			if name == "Keycloak" {
				as.respond = func(q url.Values) { q.Set("iss", as.url) }
			}
			opts := &Options{Clients: []Credentials{{ID: "desktop"}}, Scopes: []string{"notes:read"}}
			if strings.HasPrefix(name, "Entra") {
				refused(t, newTransport(t, w, as, opts), "PKCE")
				opts.Clients[0].AssumePKCE, opts.Audience = true, "api://notes"
			}
			welcome(t, newTransport(t, w, as, opts))
			for _, form := range []url.Values{as.logins[0], as.tokens[0]} {
				if form.Get("resource") != "" == strings.HasPrefix(name, "Entra") || form.Get("audience") != opts.Audience {
					t.Errorf("got %v", form)
				}
			}
			if as.logins[0].Get("code_challenge_method") != "S256" || as.tokens[0].Get("client_id") != "desktop" {
				t.Errorf("got %v, %v", as.logins, as.tokens)
			}
		})
	}
}

// What a refused login page would have received is not shown.
func TestRefusedPageHidesParameters(t *testing.T) {
	for _, bad := range []string{"http://as.example/authorize", "javascript:alert(1)", "https://as.example/#x", "https://u@as.example/"} {
		w, _, as := newWorld(t)
		as.meta["authorization_endpoint"] = bad
		err := refused(t, newTransport(t, w, as, nil), "the authorization_endpoint of")
		if strings.Contains(err.Error(), "client_id") {
			t.Errorf("got %v", err)
		}
	}
}
