package auth

import (
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/google/go-cmp/cmp"
)

// A provider is an identity provider as docs/identity-providers.md describes it: its metadata, and tokens of the form
// that it publishes.
type provider struct {
	metadataAt, metadata string
	noAlgorithm          bool   // its keys do not say for which algorithm they are
	header               change // beside kid
	claims               string
	opts                 Options
	jwt                  *JWTOptions // if it needs a verifier of its own

	want        Token
	may, mayNot string            // scopes
	others      map[string]string // changes to the claims, each of which must be refused
}

const (
	tenant = "11111111-2222-3333-4444-555555555555"
	app    = "99999999-8888-7777-6666-555555555555"
)

var providers = map[string]provider{
	"Keycloak": {
		metadataAt: "https://id.example.com/realms/main/.well-known/openid-configuration",
		metadata: `{"issuer":"https://id.example.com/realms/main","authorization_endpoint":"https://id.example.com/realms/main/protocol/openid-connect/auth",
			"token_endpoint":"https://id.example.com/realms/main/protocol/openid-connect/token","jwks_uri":"JWKS","code_challenge_methods_supported":["plain","S256"]}`,
		header: change{"typ": "JWT"},
		claims: `{"exp":EXP,"iat":IAT,"auth_time":IAT,"jti":"onrtac:1","iss":"https://id.example.com/realms/main","aud":["https://mcp.example.com/mcp","account"],
			"sub":"f3a1","typ":"Bearer","azp":"mcpgen","sid":"s","acr":"1","realm_access":{"roles":["offline_access"]},
			"resource_access":{"account":{"roles":["view-profile"]}},"scope":"openid notes:read profile","preferred_username":"ada"}`,
		opts: Options{AuthorizationServers: []string{"https://id.example.com/realms/main"}},
		want: Token{Issuer: "https://id.example.com/realms/main", Subject: "f3a1", ClientID: "mcpgen", Audience: []string{testResource, "account"}, Scopes: []string{"openid", "notes:read", "profile"}},
		may:  "notes:read", mayNot: "notes:write",
		others: map[string]string{
			`"aud":["https://mcp.example.com/mcp","account"]`: `"aud":"account"`, // without the audience mapper
			`/realms/main","aud"`:                             `/realms/other","aud"`,
		},
	},
	"Auth0": {
		metadataAt: "https://tenant.eu.auth0.com/.well-known/openid-configuration",
		metadata: `{"issuer":"https://tenant.eu.auth0.com/","authorization_endpoint":"https://tenant.eu.auth0.com/authorize",
			"token_endpoint":"https://tenant.eu.auth0.com/oauth/token","jwks_uri":"JWKS","code_challenge_methods_supported":["S256","plain"]}`,
		header: change{"typ": "JWT"},
		claims: `{"iss":"https://tenant.eu.auth0.com/","sub":"auth0|6553da","aud":["https://mcp.example.com/mcp","https://tenant.eu.auth0.com/userinfo"],
			"iat":IAT,"exp":EXP,"scope":"openid notes:read offline_access","azp":"K1AUP","permissions":["notes:read"]}`,
		opts: Options{AuthorizationServers: []string{"https://tenant.eu.auth0.com/"}},
		want: Token{Issuer: "https://tenant.eu.auth0.com/", Subject: "auth0|6553da", ClientID: "K1AUP", Audience: []string{testResource, "https://tenant.eu.auth0.com/userinfo"}, Scopes: []string{"openid", "notes:read", "offline_access"}},
		may:  "notes:read", mayNot: "notes:write",
		others: map[string]string{`"iss":"https://tenant.eu.auth0.com/"`: `"iss":"https://tenant.eu.auth0.com"`},
	},
	"Auth0, RFC 9068": {
		metadataAt: "https://tenant.eu.auth0.com/.well-known/openid-configuration",
		metadata:   `{"issuer":"https://tenant.eu.auth0.com/","jwks_uri":"JWKS"}`,
		header:     change{"typ": "at+jwt"},
		claims: `{"iss":"https://tenant.eu.auth0.com/","sub":"auth0|6553da","aud":"https://mcp.example.com/mcp",
			"iat":IAT,"exp":EXP,"jti":"j","client_id":"K1AUP","scope":"notes:read"}`,
		opts: Options{AuthorizationServers: []string{"https://tenant.eu.auth0.com/"}},
		want: Token{Issuer: "https://tenant.eu.auth0.com/", Subject: "auth0|6553da", ClientID: "K1AUP", Audience: []string{testResource}, Scopes: []string{"notes:read"}},
		may:  "notes:read", mayNot: "notes:write",
		others: map[string]string{`"aud":"https://mcp.example.com/mcp"`: `"aud":"https://tenant.eu.auth0.com/userinfo"`},
	},
	"Entra ID v2": {
		metadataAt:  "https://login.microsoftonline.com/" + tenant + "/v2.0/.well-known/openid-configuration",
		metadata:    `{"issuer":"https://login.microsoftonline.com/` + tenant + `/v2.0","jwks_uri":"JWKS","scopes_supported":["openid","profile","email","offline_access"]}`,
		noAlgorithm: true,
		header:      change{"typ": "JWT"},
		claims: `{"aud":"` + app + `","iss":"https://login.microsoftonline.com/` + tenant + `/v2.0","iat":IAT,"nbf":IAT,"exp":EXP,"aio":"x","azp":"desktop","azpacr":"0",
			"name":"Ada","oid":"o","preferred_username":"ada@example.com","rh":"r","scp":"notes.read user_impersonation","sub":"pairwise","tid":"` + tenant + `","uti":"u","ver":"2.0"}`,
		opts: Options{
			AuthorizationServers: []string{"https://login.microsoftonline.com/" + tenant + "/v2.0"}, Audiences: []string{app},
			Covers: func(granted, wanted string) bool { return wanted == "api://notes/"+granted },
		},
		want: Token{Issuer: "https://login.microsoftonline.com/" + tenant + "/v2.0", Subject: "pairwise", ClientID: "desktop", Audience: []string{app}, Scopes: []string{"notes.read", "user_impersonation"}},
		may:  "api://notes/notes.read", mayNot: "api://notes/notes.write",
		others: map[string]string{
			"/" + tenant + `/v2.0","iat"`: "/" + app + `/v2.0","iat"`, // another tenant, with the same keys
			`"aud":"` + app + `"`:         `"aud":"00000003-0000-0000-c000-000000000000"`,
			`/v2.0","iat"`:                `","iat"`,
		},
	},
	"Entra ID v1": {
		metadataAt:  "https://sts.windows.net/" + tenant + "/.well-known/openid-configuration",
		metadata:    `{"issuer":"https://sts.windows.net/` + tenant + `/","jwks_uri":"JWKS"}`,
		noAlgorithm: true,
		header:      change{"typ": "JWT"},
		claims: `{"aud":"api://notes","iss":"https://sts.windows.net/` + tenant + `/","iat":IAT,"nbf":IAT,"exp":EXP,"acr":"1","aio":"x","amr":["pwd"],"appid":"desktop","appidacr":"0",
			"oid":"o","scp":"notes.read","sub":"pairwise","tid":"` + tenant + `","unique_name":"ada@example.com","ver":"1.0"}`,
		opts: Options{AuthorizationServers: []string{"https://login.microsoftonline.com/" + tenant + "/v2.0"}, Audiences: []string{"api://notes"}},
		jwt:  &JWTOptions{Issuers: []string{"https://sts.windows.net/" + tenant + "/"}, Audiences: []string{"api://notes"}},
		want: Token{Issuer: "https://sts.windows.net/" + tenant + "/", Subject: "pairwise", ClientID: "desktop", Audience: []string{"api://notes"}, Scopes: []string{"notes.read"}},
		may:  "notes.read", mayNot: "notes.write",
		others: map[string]string{`"aud":"api://notes"`: `"aud":"https://graph.microsoft.com"`},
	},
	"Okta": {
		metadataAt: "https://dev-1.okta.com/oauth2/default/.well-known/openid-configuration",
		metadata: `{"issuer":"https://dev-1.okta.com/oauth2/default","authorization_endpoint":"https://dev-1.okta.com/oauth2/default/v1/authorize",
			"token_endpoint":"https://dev-1.okta.com/oauth2/default/v1/token","jwks_uri":"JWKS","code_challenge_methods_supported":["S256"]}`,
		header: change{"typ": nil},
		claims: `{"ver":1,"jti":"AT.1","iss":"https://dev-1.okta.com/oauth2/default","aud":"https://mcp.example.com/mcp","iat":IAT,"exp":EXP,
			"cid":"0oa1","uid":"00u1","scp":["notes:read","openid"],"auth_time":IAT,"sub":"ada@example.com"}`,
		opts: Options{AuthorizationServers: []string{"https://dev-1.okta.com/oauth2/default"}},
		want: Token{Issuer: "https://dev-1.okta.com/oauth2/default", Subject: "ada@example.com", ClientID: "0oa1", Audience: []string{testResource}, Scopes: []string{"notes:read", "openid"}},
		may:  "notes:read", mayNot: "notes:write",
		others: map[string]string{
			`/oauth2/default","aud"`:              `","aud"`, // the organization's own server, whose tokens are for Okta alone
			`"aud":"https://mcp.example.com/mcp"`: `"aud":"api://default"`,
		},
	},
	"plain": {
		metadataAt: "https://login.example.com/.well-known/openid-configuration",
		metadata:   `{"issuer":"https://login.example.com","jwks_uri":"JWKS"}`,
		header:     change{"typ": "application/at+jwt"},
		claims:     `{"iss":"https://login.example.com","sub":"1","aud":"notes","exp":EXP,"iat":IAT,"jti":"j","client_id":"c","scope":"notes:read"}`,
		opts:       Options{AuthorizationServers: []string{"https://login.example.com"}, Audiences: []string{"notes"}},
		want:       Token{Issuer: "https://login.example.com", Subject: "1", ClientID: "c", Audience: []string{"notes"}, Scopes: []string{"notes:read"}},
		may:        "notes:read", mayNot: "notes:write",
		others: map[string]string{`"aud":"notes"`: `"aud":"https://mcp.example.com/mcp"`},
	},
}

// Tokens of the known providers are accepted with the options that docs/identity-providers.md has for them, and those that
// differ in what matters are not.
//
// REQ AUTH-06, AUTH06-06
func TestProviders(t *testing.T) {
	secret, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	k := &testKey{"kid-1", jose.RS256, secret}
	for name, p := range providers {
		t.Run(name, func(t *testing.T) {
			key, encryption := k.public(), k.public()
			if p.noAlgorithm {
				key.Algorithm = ""
			}
			encryption.KeyID, encryption.Algorithm, encryption.Use = "kid-2", "RSA-OAEP", "enc" // as Keycloak's
			keys, err := json.Marshal(map[string]any{"keys": []jose.JSONWebKey{encryption, key}})
			if err != nil {
				t.Fatal(err)
			}
			served := roundTripper(func(r *http.Request) (*http.Response, error) {
				text, status := "", http.StatusOK
				switch r.URL.String() {
				case p.metadataAt:
					text = strings.ReplaceAll(p.metadata, "JWKS", "https://keys.example/jwks")
				case "https://keys.example/jwks":
					text = string(keys)
				default:
					status = http.StatusNotFound
				}
				return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Body: io.NopCloser(strings.NewReader(text)), Request: r}, nil
			})
			opts := p.opts
			opts.Resource, opts.Logger = testResource, slog.New(slog.DiscardHandler)
			jwt := JWTOptions{Issuers: opts.AuthorizationServers, Audiences: opts.Audiences}
			if p.jwt != nil {
				jwt = *p.jwt
			}
			if jwt.Audiences == nil {
				jwt.Audiences = []string{testResource}
			}
			jwt.Transport = served
			if opts.Verifier, err = NewJWTVerifier(&jwt); err != nil {
				t.Fatal(err)
			}
			rs, err := NewResourceServer(&opts)
			if err != nil {
				t.Fatal(err)
			}
			expiry := time.Now().Add(time.Hour).Truncate(time.Second)
			sign := func(claims string) string {
				o := (&jose.SignerOptions{}).WithHeader("kid", k.id)
				for name, v := range p.header {
					if v != nil {
						o.WithHeader(jose.HeaderKey(name), v)
					}
				}
				return k.signPayload(t, o, []byte(claims))
			}
			claims := strings.NewReplacer("EXP", jsonNumber(expiry), "IAT", jsonNumber(time.Now().Add(-time.Second))).Replace(p.claims)
			token := sign(claims)
			got, err := rs.verifyToken(t.Context(), token)
			if err != nil {
				t.Fatal(err)
			}
			want := p.want
			want.Expiry = expiry
			ignored := cmp.FilterPath(func(p cmp.Path) bool {
				name := p.Last().String()
				return name == ".Claims" || name == ".leeway" || name == ".raw"
			}, cmp.Ignore())
			if diff := cmp.Diff(&want, got, cmp.AllowUnexported(Token{}), ignored); diff != "" {
				t.Error(diff)
			}
			for scope, status := range map[string]int{p.may: 200, p.mayNot: 403} {
				if resp := ask(rs, post("Bearer "+token), scope); resp.StatusCode != status {
					t.Errorf("%s: status %d, want %d", scope, resp.StatusCode, status)
				}
			}
			for old, other := range p.others {
				changed := strings.Replace(claims, old, other, 1)
				if changed == claims {
					t.Errorf("no claim is %s", old)
				}
				if resp := ask(rs, post("Bearer "+sign(changed))); resp.StatusCode != http.StatusUnauthorized {
					t.Errorf("%s: status %d, want 401", other, resp.StatusCode)
				}
			}
		})
	}
}

func jsonNumber(at time.Time) string {
	text, err := json.Marshal(at.Unix())
	if err != nil {
		panic(err)
	}
	return string(text)
}
